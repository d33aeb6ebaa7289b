"""Random graphs of lazy operations, and the smallest one that still does what a large one did."""
import dataclasses
import math

LIMIT = 400  # elements of a value
FLOAT_BINARY = ["addf", "subf", "mulf", "maximumf", "minimumf"]
INTEGER_BINARY = ["addi", "subi", "muli", "maxsi", "minsi", "xori", "andi"]
FLAGS = ["", " fastmath<none>", " fastmath<none>"]
# The largest element and where it is first: one reduction with two results.
ARGMAX = """ {{
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %gt = arith.cmpf ogt, %b, %a : f32
      %v = arith.select %gt, %b, %a : f32
      %w = arith.select %gt, %bi, %ai : i32
      lazy.yield %v, %w : f32, i32
    }}"""


def tensor(shape, element):
    return "tensor<" + "".join(f"{dim}x" for dim in shape) + element + ">"


@dataclasses.dataclass(eq=False)
class Value:
    shape: tuple
    element: str

    @property
    def type(self):
        return tensor(self.shape, self.element)


@dataclasses.dataclass(eq=False)
class Op:
    text: str  # with {0}, {1} ... for the operands
    operands: list
    results: list

    def print(self, names):
        return self.text.format(*(names[operand] for operand in self.operands))


@dataclasses.dataclass
class Graph:
    arguments: list
    ops: list
    results: list
    group: tuple = None  # the first operation of an imposed group, and the one behind its last

    def print(self, name):
        names = {value: f"%arg{k}" for k, value in enumerate(self.arguments)}
        arguments = ", ".join(f"{names[value]}: {value.type}" for value in self.arguments)
        types = ", ".join(value.type for value in self.results)
        lines = [f"  func.func @{name}({arguments}) -> ({types}) {{"]
        begin, end = self.group or (0, 0)
        for position, op in enumerate(self.ops):
            if begin <= position < end:
                if position == begin:
                    lines += self.print_group(names)
                continue
            lines.append("    " + self.print_op(op, names, "%"))
        lines.append(f"    return {', '.join(names[value] for value in self.results)} : {types}\n  }}")
        return "\n".join(lines)

    @staticmethod
    def print_op(op, names, prefix):
        name = f"{prefix}{len(names)}"
        for k, result in enumerate(op.results):
            names[result] = name if len(op.results) == 1 else f"{name}#{k}"
        count = f":{len(op.results)}" if len(op.results) > 1 else ""
        return f"{name}{count} = {op.print(names)}"

    def print_group(self, names):
        inputs, outputs = self.interface(*self.group)
        inner = {value: f"%in{k}" for k, value in enumerate(inputs)}
        body = [f"      {self.print_op(op, inner, '%g')}" for op in self.ops[slice(*self.group)]]
        types = ", ".join(value.type for value in outputs)
        group = Op(f"lazy.group ({', '.join(names[v] for v in inputs)}) : ({', '.join(v.type for v in inputs)}) -> ({types}) {{{{",
                   [], outputs)
        block = ", ".join(f"{inner[value]}: {value.type}" for value in inputs)
        return ["    " + self.print_op(group, names, "%"), f"    ^bb0({block}):", *body,
                f"      lazy.yield {', '.join(inner[value] for value in outputs)} : {types}", "    }"]

    def interface(self, begin, end):
        """What a run of operations reads, and what of it is read outside."""
        inside = [result for op in self.ops[begin:end] for result in op.results]
        inputs = list(dict.fromkeys(value for op in self.ops[begin:end] for value in op.operands if value not in inside))
        outside = {value for op in self.ops[:begin] + self.ops[end:] for value in op.operands} | set(self.results)
        return inputs, [value for value in inside if value in outside]


class Generator:
    """Draws one graph of about `operations` operations."""

    def __init__(self, rng, operations):
        self.rng = rng
        self.values, self.ops = [], []
        for _ in range(rng.randint(1, 3)):
            shape = tuple(rng.choice([1, 2, 3, 4, 6]) for _ in range(rng.randint(0, 3)))
            self.values.append(Value(shape, rng.choice(["f32", "f32", "f32", "i32", "i1"])))
        arguments = list(self.values)
        steps = [self.elementwise] * 8 + [self.compare, self.select, self.cast, self.index, self.contiguous]
        steps += [self.reduce] * 4 + [self.argmax, self.reshape, self.expand, self.expand, self.permute, self.pad]
        steps += [self.shrink, self.flip, self.view, self.gather, self.assign]
        while len(self.ops) < operations:
            rng.choice(steps)(self.pick())
        recent = self.values[-12:]
        results = list(dict.fromkeys(rng.sample(recent, min(rng.randint(1, 4), len(recent))) + [self.values[-1]]))
        self.graph = Graph(arguments, self.ops, results)
        if rng.random() < 0.4:
            self.impose_group()

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

    def elementwise(self, value):
        rng, own = self.rng, (value.shape, value.element)
        if value.element == "i1":
            return self.emit(f"arith.{rng.choice(['andi', 'ori', 'xori'])} {{0}}, {{1}} : {value.type}",
                             [value, self.alike(value)], own)
        if value.element == "i32":
            other = self.alike(value) if rng.random() < 0.8 else self.splat(value, ["2", "0", "-3"])
            return self.emit(f"arith.{rng.choice(INTEGER_BINARY)} {{0}}, {{1}} : {value.type}", [value, other], own)
        if rng.random() < 0.15:
            return self.emit(f"math.{rng.choice(['absf', 'absf', 'exp2', 'sqrt'])} {{0}} : {value.type}", [value], own)
        other = self.alike(value) if rng.random() < 0.8 else self.splat(value, ["2.0", "0.0", "-0.0", "-0.5"])
        return self.emit(f"arith.{rng.choice(FLOAT_BINARY)} {{0}}, {{1}} : {value.type}", [value, other], own)

    def compare(self, value):
        if value.element == "i1":
            return
        op = f"cmpf {self.rng.choice(['olt', 'ult', 'une'])}" if value.element == "f32" else "cmpi slt"
        self.emit(f"arith.{op}, {{0}}, {{1}} : {value.type}", [value, self.alike(value)], (value.shape, "i1"))

    def select(self, value):
        conditions = [v for v in self.values if v.element == "i1" and v.shape == value.shape]
        if conditions:
            self.emit(f"arith.select {{0}}, {{1}}, {{2}} : {tensor(value.shape, 'i1')}, {value.type}",
                      [self.rng.choice(conditions), value, self.alike(value)], (value.shape, value.element))

    def cast(self, value):
        op, target = {"i1": ("extui", "i32"), "i32": ("sitofp", "f32"), "f32": ("truncf", "f16")}[value.element]
        result = self.emit(f"arith.{op} {{0}} : {value.type} to {tensor(value.shape, target)}", [value], (value.shape, target))
        if target == "f16":  # and back: rounding
            self.values.pop()
            self.emit(f"arith.extf {{0}} : {result.type} to {value.type}", [result], (value.shape, "f32"))

    def index(self, value):
        if value.shape:
            self.emit(f"lazy.iota {self.rng.randrange(len(value.shape))} : {tensor(value.shape, 'i32')}", [],
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
        kind = self.rng.choice({"f32": ["addf", "addf", "maximumf"], "i32": ["addi", "maxs", "muli"], "i1": ["ori", "andi"]}[value.element])
        flags = self.rng.choice(FLAGS) if value.element == "f32" else ""
        self.emit(f"lazy.reduce {kind} ({{0}}) axes {axes}{flags} : ({value.type}) -> {tensor(shape, value.element)}",
                  [value], (shape, value.element))

    def argmax(self, value):
        if not value.shape or value.element != "f32":
            return
        axes = self.axes(value)
        shape = [dim for k, dim in enumerate(value.shape) if k not in axes]
        numbers = [v for v in self.values if v.element == "i32" and v.shape == value.shape]
        number = self.rng.choice(numbers) if numbers else self.emit(
            f"lazy.iota {axes[0]} : {tensor(value.shape, 'i32')}", [], (value.shape, "i32"))
        self.emit(f"lazy.reduce ({{0}}, {{1}}) init [0xFF800000 : f32, 0 : i32] axes {axes} : ({value.type}, "
                  f"{number.type}) -> ({tensor(shape, 'f32')}, {tensor(shape, 'i32')})" + ARGMAX, [value, number],
                  (shape, "f32"), (shape, "i32"))

    def move(self, op, value, shape, extra=""):
        if math.prod(shape) <= LIMIT:
            self.emit(f"lazy.{op} {{0}}{extra} : {value.type} -> {tensor(shape, value.element)}", [value],
                      (shape, value.element))

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

    def gather(self, value):
        """Elements at coordinates that are data, many of them outside."""
        numbers = [v for v in self.values if v.element == "i32" and v.shape]
        if not value.shape or not numbers or math.prod(value.shape) == 0:
            return
        index = self.rng.choice(numbers)
        indices = [self.rng.choice([v for v in numbers if v.shape == index.shape]) for _ in value.shape]
        outside = {"f32": " else 1.0 : f32", "i32": " else -1 : i32", "i1": ""}[value.element]
        self.emit(f"lazy.gather {{0}} [{', '.join(f'{{{k + 1}}}' for k in range(len(indices)))}]"
                  f"{self.rng.choice(['', outside])} : {value.type}, ({', '.join(v.type for v in indices)}) -> "
                  f"{tensor(index.shape, value.element)}", [value, *indices], (index.shape, value.element))

    def assign(self, value):
        """A window of a base becomes the value, forwards or backwards; it may have been computed from that base."""
        bases = [v for v in self.values if v.element == value.element and len(v.shape) == len(value.shape) and
                 all(a <= b for a, b in zip(value.shape, v.shape))]
        base = self.rng.choice(bases)
        strides, offset, stride = [], 0, 1
        for dim, extent in zip(reversed(value.shape), reversed(base.shape)):
            begin, backwards = self.rng.randint(0, extent - dim), self.rng.random() < 0.3
            offset += stride * (begin + (dim - 1 if backwards else 0))
            strides.insert(0, 0 if dim == 1 else -stride if backwards else stride)
            stride *= extent
        if 0 in value.shape:
            return
        begins = [self.rng.choice([0, 0, 0, dim // 2]) for dim in value.shape]
        mask = ", ".join(f"{begin}:{dim}" for begin, dim in zip(begins, value.shape))
        tracker = f"({', '.join(map(str, value.shape))}):({', '.join(map(str, strides))})"
        tracker += f" + {offset}" if offset else ""
        tracker += f" mask [{mask}]" if any(begins) else ""
        self.emit(f"lazy.assign {{0}}, {{1}} <{tracker}> : {value.type}, {base.type}", [value, base],
                  (base.shape, base.element))

    def impose_group(self):
        begin = self.rng.randrange(len(self.ops))
        end = begin + self.rng.randint(1, 6)
        barred = ("lazy.contiguous", "lazy.assign", "lazy.gather")  # these have rules of their own in a group
        if not any(name in op.text for op in self.ops[begin:end] for name in barred) and self.graph.interface(begin, end)[1]:
            self.graph.group = (begin, min(end, len(self.ops)))


def simpler(graph):
    """Graphs with one thing less, the largest steps first."""
    for value in graph.results if len(graph.results) > 1 else []:
        yield Graph(graph.arguments, graph.ops, [value], graph.group)
    # What a result was computed from, instead of it.
    for op in graph.ops if len(graph.results) == 1 and not graph.group else []:
        if graph.results[0] in op.results:
            for operand in op.operands:
                yield Graph(graph.arguments, graph.ops, [operand])
    if graph.group:
        yield Graph(graph.arguments, graph.ops, graph.results)
    needed, ops = set(graph.results), []
    for op in reversed(graph.ops):
        if needed & set(op.results):
            needed |= set(op.operands)
            ops.insert(0, op)
    arguments = [value for value in graph.arguments if value in needed]
    if graph.group:
        return
    if len(ops) < len(graph.ops) or len(arguments) < len(graph.arguments):
        yield Graph(arguments, ops, graph.results)
    # An operation becomes an argument, or one of its operands of the same type.
    for position, op in enumerate(reversed(graph.ops)):
        rest = [other for other in graph.ops if other is not op]
        yield Graph(graph.arguments + op.results, rest, graph.results)
        for operand in op.operands:
            if len(op.results) == 1 and operand.type == op.results[0].type:
                swap = lambda value: operand if value is op.results[0] else value
                yield Graph(graph.arguments, [Op(o.text, [swap(v) for v in o.operands], o.results) for o in rest],
                            [swap(v) for v in graph.results])


def minimise(graph, fails):
    """The graph that `fails` and of which nothing more can be left out."""
    progress = True
    while progress:
        progress = False
        for candidate in simpler(graph):
            if candidate.results and fails(candidate):
                graph, progress = candidate, True
                break
    return graph
