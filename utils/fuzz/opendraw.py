"""Random ONNX models whose inputs have open sizes, for utils/fuzz-open: what shapes they have is known as polynomials."""
import dataclasses

import numpy
import onnx
from onnx import helper

from fuzz.openfamilies import OpenFamilies

FLOAT, INT = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
MOST = 2**12  # beyond this a value is cut: sums of some thousand of them are exact in f32 in any order


class Size:
    """A polynomial of the open sizes: {(): constant, ("n",): factor, ...}."""

    def __init__(self, terms):
        self.terms = {key: factor for key, factor in terms.items() if factor}

    @staticmethod
    def of(number):
        return number if isinstance(number, Size) else Size({(): number})

    def __add__(self, other):
        terms = dict(self.terms)
        for key, factor in Size.of(other).terms.items():
            terms[key] = terms.get(key, 0) + factor
        return Size(terms)

    def __mul__(self, other):
        terms = {}
        for a, x in self.terms.items():
            for b, y in Size.of(other).terms.items():
                key = tuple(sorted(a + b))
                terms[key] = terms.get(key, 0) + x * y
        return Size(terms)

    def __eq__(self, other):
        return self.terms == Size.of(other).terms

    def __hash__(self):
        return hash(tuple(sorted(self.terms.items())))

    def at(self, sizes):
        total = 0
        for key, factor in self.terms.items():
            for name in key:
                factor *= sizes[name]
            total += factor
        return total

    def is_open(self):
        return any(self.terms.keys())

    def degree(self):
        return max(map(len, self.terms), default=0)


@dataclasses.dataclass
class Value:
    name: str
    shape: tuple
    most: float  # its greatest magnitude
    rounds: bool = False  # whether it holds what was rounded


class OpenDraw(OpenFamilies):
    """One model over `n`, and sometimes `m`, within `bounds`."""

    def __init__(self, rng, nodes):
        self.rng, self.nodes, self.constants, self.values, self.count = rng, [], [], [], 0
        low = rng.choice([1, 1, 2, 3])
        self.bounds = {"n": (low, low + rng.choice([6, 15, 30, 60]))}
        if rng.random() < 0.3:
            low = rng.choice([1, 2])
            self.bounds["m"] = (low, low + rng.choice([8, 20]))
        self.inputs = [self.draw_input() for _ in range(rng.choice([1, 1, 2]))]
        for name in self.bounds:
            if not any(("n" if name == "n" else "m",) in size.terms for value in self.inputs for size in value.shape):
                self.inputs.append(self.draw_input(first=name))
        self.values = list(self.inputs)
        self.read = set()
        families = [getattr(self, name) for name in dir(self) if name.startswith("draw_") and name != "draw_input"]
        for _ in range(50 * nodes):
            if len(self.nodes) >= nodes:
                break
            made = rng.choice(families)(self.pick())
            for value in made or []:
                self.values.append(self.cut(value))

    def draw_input(self, first=None):
        rng = self.rng
        shape = [Size.of(rng.choice([1, 2, 3, 4, 5])) for _ in range(rng.choice([0, 1, 1, 2]))]
        name = first or rng.choice(list(self.bounds))
        shape.insert(rng.randint(0, len(shape)), Size({(name,): 1}))
        self.count += 1
        return Value(f"x{self.count}", tuple(shape), 3)

    def least(self, size):
        return size.at({name: low for name, (low, _) in self.bounds.items()})

    def elements(self, shape):
        total = 1
        for size in shape:
            total *= size.at({name: high for name, (_, high) in self.bounds.items()})
        return total

    def pick(self):
        return self.rng.choice(self.values[-4:] if self.rng.random() < 0.6 else self.values)

    def add(self, op, inputs, shape, most, rounds=None, outputs=1, **attributes):
        """A node; None where its result is too large."""
        shape = tuple(Size.of(size) for size in shape)
        if self.elements(shape) > 40000 or any(size.degree() > 2 for size in shape) or len(shape) > 5:
            return None
        self.count += 1
        names = [f"v{self.count}"] + [f"v{self.count}_{k}" for k in range(1, outputs)]
        self.nodes.append(helper.make_node(op, [value if isinstance(value, str) else value.name for value in inputs], names, **attributes))
        read = [value for value in inputs if isinstance(value, Value)]
        self.read.update(value.name for value in read)
        rounds = any(value.rounds for value in read) if rounds is None else rounds
        return [Value(names[0], shape, most, rounds)]

    def cut(self, value):
        if value.most > MOST and not value.rounds:
            self.count += 1
            low, high = self.constant(numpy.float32(-8)), self.constant(numpy.float32(8))
            self.nodes.append(helper.make_node("Clip", [value.name, low, high], [f"v{self.count}"]))
            self.read.add(value.name)
            return Value(f"v{self.count}", value.shape, 8)
        return value

    def constant(self, array):
        self.count += 1
        self.constants.append(onnx.numpy_helper.from_array(numpy.asarray(array), f"c{self.count}"))
        return f"c{self.count}"

    def ints(self, *numbers):
        return self.constant(numpy.array(numbers, numpy.int64))

    def axis(self, value, where=lambda size: True):
        fitting = [axis for axis, size in enumerate(value.shape) if where(size)]
        return self.rng.choice(fitting) if fitting else None

    def whole(self, shape, most=3):
        """A constant of small whole numbers."""
        return self.constant(numpy.array([self.rng.randint(-most, most) for _ in range(int(numpy.prod(shape)))], numpy.float32).reshape(shape))

    #===--- Families --------------------------------------------------------------------------------------------------===#

    def draw_unary(self, x):
        op = self.rng.choice(["Neg", "Abs", "Relu", "Sign", "Floor", "Identity"])
        return self.add(op, [x], x.shape, x.most)

    def draw_rounding(self, x):
        op = self.rng.choice(["Sigmoid", "Tanh", "Softplus", "Sin", "Erf"])
        return self.add(op, [x], x.shape, max(1, x.most), rounds=True) if x.most < 100 else None

    def draw_binary(self, x):
        op = self.rng.choice(["Add", "Sub", "Mul", "Max", "Min"])
        most = x.most * 3 if op == "Mul" else x.most + 3
        same = [value for value in self.values if value.shape == x.shape]
        if self.rng.random() < 0.7 and same:
            other = self.rng.choice(same)
            most = x.most * other.most if op == "Mul" else x.most + other.most
        elif x.shape and not x.shape[-1].is_open() and self.rng.random() < 0.6:
            other = self.whole((x.shape[-1].at({}),))
        else:
            other = self.whole(())
        if most > 2**20:
            return None
        return self.add(op, [x, other], x.shape, most)

    def draw_outer(self, x):
        """Two values that broadcast."""
        if len(x.shape) != 1:
            return None
        others = [value for value in self.values if len(value.shape) == 1 and value.most * x.most < 2**20]
        if not others:
            return None
        y = self.rng.choice(others)
        column = self.add("Unsqueeze", [x, self.ints(1)], (x.shape[0], 1), x.most)
        return column and self.add(self.rng.choice(["Mul", "Add"]), [column[0], y], (x.shape[0], y.shape[0]), max(x.most * y.most, x.most + y.most))

    def draw_where(self, x):
        chosen = self.add("Greater", [x, self.whole((), 2)], x.shape, 1, rounds=x.rounds)
        same = [value for value in self.values if value.shape == x.shape and value.name != chosen[0].name] if chosen and not x.rounds else None
        if not same:
            if chosen:
                self.nodes.pop()
            return None
        y = self.rng.choice(same)
        return self.add("Where", [chosen[0], x, y], x.shape, max(x.most, y.most))

    def draw_reduce(self, x):
        axis = self.axis(x)
        if axis is None:
            return None
        op = self.rng.choice(["ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceL1"])
        count = self.elements((x.shape[axis],))
        keep = self.rng.randint(0, 1)
        shape = [size for k, size in enumerate(x.shape) if keep or k != axis]
        if keep:
            shape[axis] = 1
        if x.most * count > 2**22:
            return None
        most = x.most * count if op in ("ReduceSum", "ReduceL1") else x.most
        rounds = True if op == "ReduceMean" else None
        if op == "ReduceSum":
            return self.add(op, [x, self.ints(axis)], shape, most, keepdims=keep)
        return self.add(op, [x], shape, most, rounds=rounds, axes=[axis], keepdims=keep)

    def draw_arg(self, x):
        axis = self.axis(x)
        if axis is None or x.rounds:
            return None
        shape = [size for k, size in enumerate(x.shape) if k != axis]
        found = self.add(self.rng.choice(["ArgMax", "ArgMin"]), [x], shape, 64, axis=axis, keepdims=0, select_last_index=self.rng.randint(0, 1))
        return found and self.add("Cast", [found[0]], shape, 64, to=FLOAT)

    def draw_softmax(self, x):
        axis = self.axis(x)
        return self.add("Softmax", [x], x.shape, 1, rounds=True, axis=axis) if axis is not None and x.most < 50 else None

    def draw_cumsum(self, x):
        axis = self.axis(x)
        if axis is None or x.most * self.elements((x.shape[axis],)) > 2**22:
            return None
        return self.add("CumSum", [x, self.constant(numpy.int64(axis))], x.shape, x.most * self.elements((x.shape[axis],)), reverse=self.rng.randint(0, 1),
                        exclusive=self.rng.randint(0, 1))

    def draw_product(self, x):
        """With a constant, or with itself transposed."""
        if len(x.shape) < 2:
            return None
        if not x.shape[-1].is_open() and self.rng.random() < 0.6:
            inner, outer = x.shape[-1].at({}), self.rng.choice([1, 3, 8, 17])
            return self.add("MatMul", [x, self.whole((inner, outer), 2)], (*x.shape[:-1], outer), x.most * 2 * inner)
        count = self.elements((x.shape[-1],))
        if x.most * x.most * count > 2**22:
            return None
        order = [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2]
        turned = self.add("Transpose", [x], [x.shape[k] for k in order], x.most, perm=order)
        made = turned and self.add("MatMul", [x, turned[0]], (*x.shape[:-1], x.shape[-2]), x.most * x.most * count)
        return made

    def draw_transpose(self, x):
        if not x.shape:
            return None
        order = list(range(len(x.shape)))
        self.rng.shuffle(order)
        return self.add("Transpose", [x], [x.shape[k] for k in order], x.most, perm=order)

    def draw_merge(self, x):
        if len(x.shape) < 2:
            return None
        axis = self.rng.randrange(len(x.shape) - 1)
        fixed = [0 if k < axis else -1 if k == axis else None for k in range(len(x.shape) - 1)]
        rest = x.shape[axis + 2:]
        if any(size.is_open() for size in rest):
            return None
        target = fixed[:axis + 1] + [size.at({}) for size in rest]
        return self.add("Reshape", [x, self.ints(*target)], (*x.shape[:axis], x.shape[axis] * x.shape[axis + 1], *rest), x.most)

    def draw_concat(self, x):
        axis = self.axis(x)
        if axis is None:
            return None
        others = [value for value in self.values if len(value.shape) == len(x.shape)
                  and all(a == b for k, (a, b) in enumerate(zip(x.shape, value.shape)) if k != axis)]
        y = self.rng.choice(others)
        shape = list(x.shape)
        shape[axis] = x.shape[axis] + y.shape[axis]
        return self.add("Concat", [x, y], shape, max(x.most, y.most), axis=axis)

    def draw_slice(self, x):
        axis = self.axis(x, lambda size: self.least(size) >= 2)
        if axis is None:
            return None
        begin, end, size = self.rng.choice([(1, 2**31, x.shape[axis] + -1), (0, -1, x.shape[axis] + -1), (-2, 2**31, Size.of(2)), (0, 2, Size.of(2))])
        shape = list(x.shape)
        shape[axis] = size
        return self.add("Slice", [x, self.ints(begin), self.ints(end), self.ints(axis)], shape, x.most)

    def draw_flip(self, x):
        axis = self.axis(x)
        if axis is None:
            return None
        return self.add("Slice", [x, self.ints(-1), self.ints(-2**31), self.ints(axis), self.ints(-1)], x.shape, x.most)

    def draw_pad(self, x):
        if not x.shape:
            return None
        pads = [self.rng.choice([0, 0, 1, 2]) for _ in range(2 * len(x.shape))]
        rank = len(x.shape)
        mode = self.rng.choice(["constant", "constant", "edge"])
        return self.add("Pad", [x, self.ints(*pads)], [size + (pads[k] + pads[rank + k]) for k, size in enumerate(x.shape)], x.most, mode=mode)

    def draw_gather(self, x):
        axis = self.axis(x)
        if axis is None:
            return None
        least = self.least(x.shape[axis])
        if least < 1:
            return None
        places = [self.rng.randint(-least, least - 1) for _ in range(self.rng.randint(1, 4))]
        shape = list(x.shape)
        shape[axis] = len(places)
        return self.add("Gather", [x, self.ints(*places)], shape, x.most, axis=axis)

    def draw_scatter(self, x):
        if not x.shape or self.least(x.shape[0]) < 2 or len(x.shape) != 1:
            return None
        places = self.rng.sample(range(self.least(x.shape[0])), 2)
        reduction = self.rng.choice(["none", "add", "max"])
        return self.add("ScatterElements", [x, self.ints(*places), self.whole((2,))], x.shape, x.most + 6, reduction=reduction)

    def draw_topk(self, x):
        axis = self.axis(x, lambda size: self.least(size) >= 2)
        if axis is None or x.rounds:
            return None
        shape = list(x.shape)
        shape[axis] = 2
        return self.add("TopK", [x, self.ints(2)], shape, x.most, outputs=2, axis=axis, largest=self.rng.randint(0, 1))

    def draw_convolution(self, x):
        if len(x.shape) != 2 or x.shape[0].is_open():
            return None
        channels, kernel = x.shape[0].at({}), self.rng.choice([1, 3])
        wide = self.add("Unsqueeze", [x, self.ints(0)], (1, *x.shape), x.most)
        out = self.rng.choice([1, 4])
        return wide and self.add("Conv", [wide[0], self.whole((out, channels, kernel), 2)], (1, out, x.shape[1]), x.most * 2 * kernel * channels,
                                 kernel_shape=[kernel], pads=[kernel // 2] * 2)

    def draw_pool(self, x):
        if len(x.shape) < 2:
            return None
        wide = self.add("Unsqueeze", [x, self.ints(0)], (1, *x.shape), x.most) if len(x.shape) == 2 else [x]
        if not wide or len(wide[0].shape) != 3 or self.least(wide[0].shape[2]) < 1:
            return None
        return self.add("MaxPool", [wide[0]], wide[0].shape, x.most, kernel_shape=[3], pads=[1, 1])

    def draw_triangle(self, x):
        return self.add("Trilu", [x], x.shape, x.most, upper=self.rng.randint(0, 1)) if len(x.shape) >= 2 else None

    def draw_places(self, x):
        """The numbers of an axis, from its size."""
        axis = self.axis(x)
        if axis is None:
            return None
        self.count += 1
        size = f"v{self.count}"
        self.nodes.append(helper.make_node("Shape", [x.name], [size], start=axis, end=axis + 1))
        self.count += 1
        scalar = f"v{self.count}"
        self.nodes.append(helper.make_node("Squeeze", [size], [scalar]))
        self.read.add(x.name)
        zero, one = self.constant(numpy.int64(0)), self.constant(numpy.int64(1))
        count = self.elements((x.shape[axis],))
        numbers = self.add("Range", [zero, scalar, one], (x.shape[axis],), count, rounds=False)
        return numbers and self.add("Cast", [numbers[0]], (x.shape[axis],), count, to=FLOAT)

    def draw_expand(self, x):
        """To a shape that is computed."""
        others = [value for value in self.values if len(value.shape) == 1]
        if len(x.shape) != 1 or not others:
            return None
        y = self.rng.choice(others)
        self.count += 1
        joined = f"v{self.count}"
        self.nodes.append(helper.make_node("Shape", [y.name], [joined + "a"]))
        self.nodes.append(helper.make_node("Shape", [x.name], [joined + "b"]))
        self.nodes.append(helper.make_node("Concat", [joined + "a", joined + "b"], [joined], axis=0))
        self.read.update((x.name, y.name))
        return self.add("Expand", [x, joined], (y.shape[0], x.shape[0]), x.most)

    def draw_split(self, x):
        axis = self.axis(x, lambda size: not size.is_open() and size.at({}) % 2 == 0)
        if axis is None:
            return None
        shape = list(x.shape)
        shape[axis] = x.shape[axis].at({}) // 2
        half = self.ints(shape[axis], shape[axis])
        return self.add("Split", [x, half], shape, x.most, outputs=2, axis=axis)

    def draw_tile(self, x):
        if not x.shape:
            return None
        times = [self.rng.choice([1, 1, 2]) for _ in x.shape]
        return self.add("Tile", [x, self.ints(*times)], [size * k for size, k in zip(x.shape, times)], x.most)

    def draw_recurrence(self, x):
        if len(x.shape) != 2 or x.shape[1].is_open() or not x.shape[0].is_open() or x.most > 50:
            return None
        inner, hidden = x.shape[1].at({}), 3
        op, gates = self.rng.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
        steps = self.add("Unsqueeze", [x, self.ints(1)], (x.shape[0], 1, inner), x.most)
        weights = [self.constant((numpy.array([self.rng.randint(-3, 3) for _ in range(gates * hidden * width)], numpy.float32) / 4)
                                 .reshape(1, gates * hidden, width)) for width in (inner, hidden)]
        return steps and self.add(op, [steps[0], *weights], (x.shape[0], 1, 1, hidden), 1, rounds=True, hidden_size=hidden)

    def draw_scan(self, x):
        """A running sum, as a body."""
        if len(x.shape) != 2 or x.shape[1].is_open() or x.most * self.elements((x.shape[0],)) > 2**22:
            return None
        width = x.shape[1].at({})
        info = helper.make_tensor_value_info
        body = helper.make_graph([helper.make_node("Add", ["s", "e"], ["t"]), helper.make_node("Identity", ["t"], ["o"])], "body",
                                 [info("s", FLOAT, [width]), info("e", FLOAT, [width])], [info("t", FLOAT, [width]), info("o", FLOAT, [width])])
        self.count += 1
        most = x.most * self.elements((x.shape[0],))
        start = self.constant(numpy.zeros(width, numpy.float32))
        last, rows = f"v{self.count}a", f"v{self.count}b"
        self.nodes.append(helper.make_node("Scan", [start, x.name], [last, rows], body=body, num_scan_inputs=1))
        self.read.add(x.name)
        return [Value(last, (Size.of(width),), most, x.rounds), Value(rows, x.shape, most, x.rounds)]

    def draw_choice(self, x):
        """An If on data."""
        if x.rounds or not x.shape or x.most * self.elements(x.shape) > 2**22:
            return None
        info = helper.make_empty_tensor_value_info
        branches = {}
        for name, ops in (("then_branch", ("Neg", "Abs", "Relu", "Floor", "Sign")), ("else_branch", ("Abs", "Neg", "Floor", "Neg", "Relu"))):
            at, nodes = x.name, []
            for number, op in enumerate(ops):
                nodes.append(helper.make_node(op, [at], [f"{name}{number}_{self.count}"]))
                at = nodes[-1].output[0]
            branches[name] = helper.make_graph(nodes, name, [], [info(at)])
        total = self.add("ReduceSum", [x], (), x.most, keepdims=0)
        positive = total and self.add("Greater", [total[0], self.constant(numpy.float32(0))], (), 1)
        self.read.add(x.name)
        return positive and self.add("If", positive, x.shape, x.most, rounds=False, **branches)

    def draw_chosen(self, x):
        """The elements that are not zero, whose number is data, and their sum beside how many they are."""
        if x.rounds or len(x.shape) != 1 or x.most * self.elements(x.shape) > 2**22:
            return None
        self.count += 1
        name = f"v{self.count}"
        self.nodes.append(helper.make_node("Greater", [x.name, self.constant(numpy.float32(0))], [name + "a"]))
        self.nodes.append(helper.make_node("Compress", [x.name, name + "a"], [name + "b"], axis=0))
        self.read.add(x.name)
        return self.add("ReduceSum", [name + "b"], (1,), x.most * self.elements(x.shape), rounds=False, keepdims=1)

    #===--- The model -------------------------------------------------------------------------------------------------===#

    def results(self):
        """What nobody reads."""
        made = [value for value in self.values if value.name not in self.read and value not in self.inputs]
        return made[-3:]

    def model(self, nodes=None, results=None):
        def info(value):
            dims = []
            for size in value.shape:
                open_names = [key[0] for key in size.terms if key]
                dims.append(open_names[0] if open_names else size.at({}))
            return helper.make_tensor_value_info(value.name, FLOAT, dims)

        outputs = [helper.make_empty_tensor_value_info(value.name) for value in (results or self.results())]
        graph = helper.make_graph(nodes or self.nodes, "drawn", [info(value) for value in self.inputs], outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def given(self, sizes, seed):
        random = numpy.random.default_rng(seed)
        return {value.name: random.integers(-3, 4, [size.at(sizes) for size in value.shape]).astype(numpy.float32) for value in self.inputs}
