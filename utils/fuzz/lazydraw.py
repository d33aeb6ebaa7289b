"""Draws graphs of lazy operations: movement, elementwise, reductions, scans, gathers, state that is assigned to."""
import math

from fuzz.lazygraph import Graph, Op, Value, tensor

FLOAT_BINARY = ["addf", "subf", "mulf", "maximumf", "minimumf"]
FLOATS = ["f32", "f64", "bf16"]
INTEGERS = ["i32", "i64", "i8"]
INTEGER_BINARY = ["addi", "subi", "muli", "maxsi", "minsi", "xori", "andi"]
# The largest element and where it is first: one reduction with two results.
ARGMAX = """ {{
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %gt = arith.cmpf ogt, %b, %a : f32
      %v = arith.select %gt, %b, %a : f32
      %w = arith.select %gt, %bi, %ai : i32
      lazy.yield %v, %w : f32, i32
    }}"""


class Generator:
    """Draws one graph of about `operations` operations. What it assigns to is often a donated argument or a later state
    of one, at windows that overlap, are strided, flipped or permuted, and is read before and after."""

    sizes = [1, 2, 3, 4, 6]
    limit = 400  # elements of a value
    flags = ["", " fastmath<none>", " fastmath<none>"]  # of reductions of floats
    floats = FLOATS[:1] * 8 + FLOATS[1:]  # of arguments
    integers = INTEGERS[:1] * 4 + INTEGERS[1:]
    donated = 0.4  # of the arguments
    plain = False

    def __init__(self, rng, operations):
        self.rng = rng
        self.ops, self.values, self.chains = [], self.arguments(), []
        arguments = list(self.values)
        self.states = {argument: [argument] for argument in arguments if rng.random() < self.donated}
        self.begin()
        steps = [self.elementwise] * 8 + [self.reduce] * 4
        steps += [self.compare, self.select, self.cast, self.contiguous, self.reshape, self.permute, self.shrink, self.flip]
        steps += [self.view, self.scan]
        if not self.plain:
            steps += [self.expand, self.expand, self.join, self.index, self.argmax, self.pad, self.assign]
            steps += [self.gather] * 3
        if self.states:
            steps += [self.read_window] * 5 + [self.assign] * 6 + [self.assign_chain] * 2
        while len(self.ops) < operations:
            rng.choice(steps)(self.pick())
        self.graph = Graph(arguments, self.ops, self.draw_results(), frozenset(self.states))
        self.impose_groups()

    def arguments(self):
        rng, values = self.rng, []
        for _ in range(rng.randint(1, 3)):
            shape = tuple(rng.choice(self.sizes) for _ in range(rng.randint(0, 3)))
            if values and rng.random() < 0.4:
                shape = rng.choice(values).shape
            elif len(shape) > 1 and rng.random() < 0.3:
                shape = shape[:1] * len(shape)
            element = rng.choice(["f32", "f32", "f32", "i32", "i1"])
            element = {"f32": rng.choice(self.floats), "i32": rng.choice(self.integers)}.get(element, element)
            values.append(Value(shape, element))
        return values

    def begin(self):
        """What stands before the random operations."""

    def draw_results(self):
        rng, results = self.rng, []
        for argument, states in self.states.items():
            alike = [value for value in self.values if value.type == argument.type]
            value = rng.choice(states[-2:] if rng.random() < 0.8 else alike)
            results.append((value, argument if rng.random() < 0.85 else None))
            if rng.random() < 0.25:
                results.append((rng.choice(states), None))
        recent = self.values[-12:]
        count = rng.randint(0 if results else 1, min(4, len(recent)))
        results += [(value, None) for value in dict.fromkeys(rng.sample(recent, count) + [self.values[-1]])]
        rng.shuffle(results)
        return results

    def emit(self, text, operands, *types):
        op = Op(text, operands, [Value(tuple(shape), element) for shape, element in types])
        self.ops.append(op)
        self.values += op.results
        return op.results[0]

    def pick(self, **wanted):
        # Recent values more often: deep graphs, with an old value now and then.
        candidates = self.values[-6:] if self.rng.random() < 0.7 else self.values
        found = [v for v in candidates if all(getattr(v, key) == value for key, value in wanted.items())]
        return self.rng.choice(found or candidates)

    def alike(self, value):
        return self.rng.choice([v for v in self.values if v.type == value.type])

    def splat(self, value, texts):
        return self.emit(f"arith.constant dense<{self.rng.choice(texts)}> : {value.type}", [], (value.shape, value.element))

    #===--- Elementwise and reductions ------------------------------------------------------------------------------===#

    def elementwise(self, value):
        rng, own = self.rng, (value.shape, value.element)
        if value.element == "i1":
            return self.emit(f"arith.{rng.choice(['andi', 'ori', 'xori'])} {{0}}, {{1}}{{attributes}} : {value.type}",
                             [value, self.alike(value)], own)
        if value.element in INTEGERS:
            other = self.alike(value) if rng.random() < 0.8 else self.splat(value, ["2", "0", "-3"])
            return self.emit(f"arith.{rng.choice(INTEGER_BINARY)} {{0}}, {{1}}{{attributes}} : {value.type}",
                             [value, other], own)
        if rng.random() < 0.15:
            return self.emit(f"math.{rng.choice(['absf', 'absf', 'exp2', 'sqrt'])} {{0}}{{attributes}} : {value.type}",
                             [value], own)
        other = self.alike(value) if rng.random() < 0.8 else self.splat(value, ["2.0", "0.0", "-0.0", "-0.5"])
        return self.emit(f"arith.{rng.choice(FLOAT_BINARY)} {{0}}, {{1}}{{attributes}} : {value.type}", [value, other], own)

    def compare(self, value):
        if value.element == "i1":
            return
        op = f"cmpf {self.rng.choice(['olt', 'ult', 'une'])}" if value.element in FLOATS else "cmpi slt"
        self.emit(f"arith.{op}, {{0}}, {{1}}{{attributes}} : {value.type}", [value, self.alike(value)],
                  (value.shape, "i1"))

    def select(self, value):
        conditions = [v for v in self.values if v.element == "i1" and v.shape == value.shape]
        if conditions:
            self.emit(f"arith.select {{0}}, {{1}}, {{2}}{{attributes}} : {tensor(value.shape, 'i1')}, {value.type}",
                      [self.rng.choice(conditions), value, self.alike(value)], (value.shape, value.element))

    def join(self, value):
        """Up to some index along an axis one value, from there on the other: stored in two parts."""
        if not value.shape or min(value.shape) == 0:
            return
        axis = self.rng.randrange(len(value.shape))
        index = self.emit(f"lazy.iota {axis}{{attributes}} : {tensor(value.shape, 'i32')}", [], (value.shape, "i32"))
        bound = self.splat(index, [str(self.rng.randint(0, value.shape[axis]))])
        first = self.emit(f"arith.cmpi slt, {{0}}, {{1}}{{attributes}} : {index.type}", [index, bound], (value.shape, "i1"))
        other = self.move("flip", value, value.shape, f" [{axis}]") if self.rng.random() < 0.5 else None
        self.emit(f"arith.select {{0}}, {{1}}, {{2}}{{attributes}} : {first.type}, {value.type}",
                  [first, value, other or self.alike(value)], (value.shape, value.element))

    def cast(self, value):
        op, target = {"i1": ("extui", "i32"), "i32": ("sitofp", "f32"), "f32": ("truncf", "f16"), "f64": ("truncf", "f32"),
                      "bf16": ("extf", "f64"), "i64": ("trunci", "i32"), "i8": ("extsi", "i32")}[value.element]
        result = self.emit(f"arith.{op} {{0}}{{attributes}} : {value.type} to {tensor(value.shape, target)}", [value],
                           (value.shape, target))
        if target == "f16":  # and back: rounding
            self.values.pop()
            self.emit(f"arith.extf {{0}}{{attributes}} : {result.type} to {value.type}", [result], (value.shape, "f32"))

    def index(self, value):
        if value.shape:
            self.emit(f"lazy.iota {self.rng.randrange(len(value.shape))}{{attributes}} : {tensor(value.shape, 'i32')}", [],
                      (value.shape, "i32"))

    def contiguous(self, value):
        self.emit(f"lazy.contiguous {{0}} : {value.type}", [value], (value.shape, value.element))

    def axes(self, value):
        return sorted(self.rng.sample(range(len(value.shape)), self.rng.randint(1, len(value.shape))))

    def reduce(self, value):
        if not value.shape:
            return
        axes = self.axes(value)
        shape = [dim for k, dim in enumerate(value.shape) if k not in axes]
        kinds = ["addi", "maxs", "muli"] if value.element in INTEGERS else ["addf", "addf", "maximumf"]
        kind = self.rng.choice(["ori", "andi"] if value.element == "i1" else kinds)
        flags = self.rng.choice(self.flags) if value.element in FLOATS else ""
        inputs = [value]
        while not self.plain and self.rng.random() < 0.15:
            inputs.append(self.alike(value))
        operands, types = ", ".join(f"{{{k}}}" for k in range(len(inputs))), ", ".join([value.type] * len(inputs))
        result = ", ".join([tensor(shape, value.element)] * len(inputs))
        self.emit(f"lazy.reduce {kind} ({operands}) axes {axes}{flags}{{attributes}} : ({types}) -> ({result})", inputs,
                  *[(shape, value.element)] * len(inputs))

    def scan(self, value):
        if value.shape:
            kinds = ["addi", "maxs", "muli"] if value.element in INTEGERS else ["addf", "addf", "maximumf"]
            kind = self.rng.choice(["ori", "xori"] if value.element == "i1" else kinds)
            axis = self.rng.randrange(len(value.shape))
            self.emit(f"lazy.scan {kind} {{0}} axis {axis}{{attributes}} : {value.type}", [value],
                      (value.shape, value.element))

    def argmax(self, value):
        if not value.shape or value.element != "f32":
            return
        axes = self.axes(value)
        shape = [dim for k, dim in enumerate(value.shape) if k not in axes]
        numbers = [v for v in self.values if v.element == "i32" and v.shape == value.shape]
        number = self.rng.choice(numbers) if numbers else self.emit(
            f"lazy.iota {axes[0]}{{attributes}} : {tensor(value.shape, 'i32')}", [], (value.shape, "i32"))
        self.emit(f"lazy.reduce ({{0}}, {{1}}) init [0xFF800000 : f32, 0 : i32] axes {axes}{{attributes}} : ({value.type}, "
                  f"{number.type}) -> ({tensor(shape, 'f32')}, {tensor(shape, 'i32')})" + ARGMAX, [value, number],
                  (shape, "f32"), (shape, "i32"))

    #===--- Movement ------------------------------------------------------------------------------------------------===#

    def move(self, op, value, shape, extra=""):
        if math.prod(shape) <= self.limit:
            return self.emit(f"lazy.{op} {{0}}{extra}{{attributes}} : {value.type} -> {tensor(shape, value.element)}",
                             [value], (shape, value.element))

    def reshape(self, value):
        size, shape = math.prod(value.shape), []
        if size == 0:
            return
        while size > 1 and self.rng.random() < 0.8:
            factor = self.rng.choice([d for d in range(1, size + 1) if size % d == 0])
            shape.append(factor)
            size //= factor
        if size > 1 or self.rng.random() < 0.3:
            shape.insert(self.rng.randint(0, len(shape)), size)
        if len(shape) <= 5:
            self.move("reshape", value, shape)

    def expand(self, value):
        if 1 in value.shape:
            self.move("expand", value, [self.rng.choice([1, 2, 3, 4]) if dim == 1 else dim for dim in value.shape])
        elif len(value.shape) < 4:  # a new axis to expand
            self.move("reshape", value, [1, *value.shape] if self.rng.random() < 0.5 else [*value.shape, 1])

    def permute(self, value):
        order = list(range(len(value.shape)))
        self.rng.shuffle(order)
        if order:
            self.move("permute", value, [value.shape[k] for k in order], f" {order}")

    def pad(self, value):
        low, high = ([self.rng.choice([0, 0, 1, 2]) for _ in value.shape] for _ in range(2))
        if value.shape:
            self.move("pad", value, [a + d + b for a, d, b in zip(low, value.shape, high)], f" low {low} high {high}")

    def shrink(self, value):
        begin = [self.rng.randint(0, max(d - 1, 0)) for d in value.shape]
        end = [self.rng.randint(min(b + 1, d), d) for b, d in zip(begin, value.shape)]
        if end and self.rng.random() < 0.05:
            end[0] = begin[0]  # nothing is left
        if begin:
            self.move("shrink", value, [b - a for a, b in zip(begin, end)], f" begin {begin} end {end}")

    def flip(self, value):
        if value.shape:
            self.move("flip", value, value.shape, f" {self.axes(value)}")

    def view(self, value):
        """Windows that overlap, as a convolution reads them."""
        if len(value.shape) == 1 and value.shape[0] > 2:
            window = self.rng.randint(2, value.shape[0] - 1)
            shape = [value.shape[0] - window + 1, window]
            self.move("view", value, shape, f" <({shape[0]}, {window}):(1, 1)>")

    def draw_index(self, extent, numbers):
        """Along an axis: data, data that lies inside, or the result's own index, as a row stays where it is."""
        rng, number = self.rng, self.rng.choice(numbers)
        own = (number.shape, number.element)
        axes = [axis for axis, size in enumerate(number.shape) if size <= extent]
        if axes and rng.random() < 0.4:
            return self.emit(f"lazy.iota {rng.choice(axes)} : {number.type}", [], own)
        if rng.random() < 0.4:
            inside = self.splat(number, [str(min(2 ** (extent.bit_length() - 1) - 1, 127))])
            return self.emit(f"arith.andi {{0}}, {{1}}{{attributes}} : {number.type}", [number, inside], own)
        return number

    def gather(self, value):
        """Elements at coordinates that are data, many of them outside; of what is computed more often than not."""
        numbers = [v for v in self.values if v.element in INTEGERS and v.shape]
        if not value.shape or math.prod(value.shape) == 0:
            return
        if not numbers:
            self.compare(self.pick(element="f32"))
            self.cast(self.pick(element="i1"))
            numbers = [v for v in self.values if v.element in INTEGERS and v.shape]
        if not numbers:
            return
        index = self.rng.choice(numbers)
        indices = [self.draw_index(extent, [v for v in numbers if v.shape == index.shape]) for extent in value.shape]
        outside = f" else {1.0 if value.element in FLOATS else -1} : {value.element}" if value.element != "i1" else ""
        self.emit(f"lazy.gather {{0}} [{', '.join(f'{{{k + 1}}}' for k in range(len(indices)))}]"
                  f"{self.rng.choice(['', outside])}{{attributes}} : {value.type}, "
                  f"({', '.join(v.type for v in indices)}) -> {tensor(index.shape, value.element)}",
                  [value, *indices], (index.shape, value.element))

    #===--- State ---------------------------------------------------------------------------------------------------===#

    def draw_window(self, shape):
        """Some elements of a shape, each once, in some order: the window's shape and its tracker without a mask."""
        rng, sizes, strides, offset, stride = self.rng, [], [], 0, math.prod(shape)
        for extent in shape:
            stride //= max(extent, 1)
            step, begin, size = 1, 0, extent
            if rng.random() < 0.6:
                step, begin = rng.choice([1, 1, 1, 2]), rng.randrange(max(extent, 1))
                size = rng.randint(min(extent, 1), (extent - begin + step - 1) // step)
            isBackwards = rng.random() < 0.35
            offset += stride * (begin + (step * (size - 1) if isBackwards else 0))
            sizes.append(size)
            strides.append(0 if size == 1 else -stride * step if isBackwards else stride * step)
        if rng.random() < 0.4:
            order = rng.sample(range(len(shape)), len(shape))
            sizes, strides = [sizes[k] for k in order], [strides[k] for k in order]
        if 0 in sizes:
            strides, offset = [0] * len(sizes), 0
        tracker = f"({', '.join(map(str, sizes))}):({', '.join(map(str, strides))})" + (f" + {offset}" if offset else "")
        return tuple(sizes), tracker

    def read_window(self, value, shape=None):
        """A window of a value; None where none of the shape was found."""
        for _ in range(20):
            sizes, tracker = self.draw_window(value.shape)
            if shape in (None, sizes):
                return self.move("view", value, sizes, f" <{tracker}>")
        return None

    def assign(self, value):
        """A window of a base becomes what was read from it, from another value, or computed from either."""
        rng, states = self.rng, None
        if self.states and rng.random() < 0.9:
            states = rng.choice(list(self.states.values()))
        base = value if not states else states[-1] if rng.random() < 0.85 else rng.choice(states)
        shape, tracker = self.draw_window(base.shape)
        known = [v for v in self.values if v.shape == shape and v.element == base.element]
        sources = [v for v in self.values if v.element == base.element and sorted(v.shape) >= sorted(shape)]
        assigned = rng.choice(known) if known and rng.random() < 0.5 else None
        assigned = assigned or self.read_window(rng.choice(sources or [base]), shape) or self.read_window(base, shape)
        assigned = assigned or (rng.choice(known) if known else None)
        if assigned is None:
            return
        for _ in range(rng.choice([0, 0, 1, 2])):
            assigned = self.elementwise(assigned)
        if rng.random() < 0.15 and min(shape, default=0) > 1:
            mask = [(rng.choice([0, 1]), dim - rng.choice([0, 0, 1])) for dim in shape]
            tracker += " mask [" + ", ".join(f"{begin}:{max(begin, end)}" for begin, end in mask) + "]"
        state = self.put(assigned, base, tracker)
        if states:
            states.append(state)

    def put(self, assigned, base, tracker):
        return self.emit(f"lazy.assign {{0}}, {{1}} <{tracker}>{{attributes}} : {assigned.type}, {base.type}",
                         [assigned, base], (base.shape, base.element))

    def assign_chain(self, value):
        """Assignments to rows of a state that lie apart, one on the other, which ask to be one group."""
        states = self.rng.choice(list(self.states.values()))
        state = states[-1]
        if not state.shape or not 1 < state.shape[0] or 0 in state.shape:
            return
        row = math.prod(state.shape[1:])
        known = [v for v in self.values if v.element == state.element and v.shape == state.shape[1:] and v is not state]
        texts = {"i1": ["true", "false"]}.get(state.element, ["2.0", "-0.5"] if state.element in FLOATS else ["2", "-3"])
        known = known or [self.splat(Value(state.shape[1:], state.element), texts)]
        strides = [math.prod(state.shape[k + 1:]) if state.shape[k] > 1 else 0 for k in range(1, len(state.shape))]
        first = len(self.ops)
        for begin in self.rng.sample(range(state.shape[0]), self.rng.randint(2, min(3, state.shape[0]))):
            tracker = f"({', '.join(map(str, state.shape[1:]))}):({', '.join(map(str, strides))})"
            state = self.put(self.rng.choice(known), state, tracker + (f" + {begin * row}" if begin else ""))
            # Nobody else may read what is between.
            self.values.pop()
        self.values.append(state)
        states.append(state)
        self.chains.append(self.ops[first:])

    #===--- Groups --------------------------------------------------------------------------------------------------===#

    def impose_groups(self):
        """Asks for groups that need not wait for themselves: of stretches of the program that don't meet, each with all
        that lies between two of its members."""
        barred = ("lazy.contiguous", "lazy.scan", "arith.constant")
        needed = {value for value, _ in self.graph.results}
        for op in reversed(self.ops):
            if needed & set(op.results):
                needed |= set(op.operands)
        for k, chain in enumerate(self.chains):
            if needed & set(chain[-1].results) and self.rng.random() < 0.7:
                for op in chain:
                    op.group = f"chain{k}"
        begin = 0
        while begin < len(self.ops):
            end = begin + self.rng.randint(1, 8)
            stretch, begin = self.ops[begin:end], end
            members = {id(op) for op in stretch if needed & set(op.results) and self.rng.random() < 0.5}
            if self.rng.random() < 0.5 or not members:
                continue
            members = self.fill(stretch, members)
            if any(name in op.text for op in stretch if id(op) in members for name in barred):
                continue
            if not self.assigns_only(stretch, members) or any(op.group for op in stretch):
                continue
            for op in stretch:
                if id(op) in members:
                    op.group = f"g{begin}"

    @staticmethod
    def assigns_only(stretch, members):
        """Whether members assign to states that the group does not compute, to each once, and read nothing of that."""
        bases, computed, assigned = [], set(), set()
        for op in stretch:
            isMember, isAssign = id(op) in members, "lazy.assign" in op.text
            if isMember and assigned & set(op.operands):
                return False
            if isMember and isAssign:
                bases.append(op.operands[1])
                if op.operands[1] in computed:
                    return False
                assigned |= set(op.results)
            if isMember or computed & set(op.operands):
                computed |= set(op.results)
            if assigned & set(op.operands):
                assigned |= set(op.results)
        return len(bases) == len(set(bases))

    @staticmethod
    def fill(stretch, members):
        """With the operations that need a member and that a member needs."""
        after, before = set(members), set(members)
        for op in stretch:
            if any(id(other) in after for other in stretch if set(other.results) & set(op.operands)):
                after.add(id(op))
        for op in reversed(stretch):
            if any(id(other) in before for other in stretch if set(op.results) & set(other.operands)):
                before.add(id(op))
        return after & before


class PlainGenerator(Generator):
    """Draws nothing that repeats values or reads indices or data to know where: every operation runs in a kernel as it
    is planned."""
    donated = 0
    plain = True
