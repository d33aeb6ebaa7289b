"""Random ONNX nodes with their inputs, for utils/fuzz-onnx."""
import dataclasses
import random

import numpy

from . import onnxfamilies

FLOATS = ["float32", "float32", "float64", "float16"]
INTS = ["int32", "int64", "int8", "uint8", "int16", "uint16", "uint32", "uint64"]
SPECIAL = [numpy.nan, numpy.inf, -numpy.inf, -0.0, 0.0, 1.0, 1e30, -1e-30]

UNARY = """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Elu Erf Exp Floor HardSwish Identity IsInf IsNaN Log Neg Not
    Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh Celu HardSigmoid LeakyRelu Mish Shrink
    ThresholdedRelu""".split()
BINARY = "Add Sub Mul Div Pow Mod Max Min Sum Mean PRelu Equal Greater Less GreaterOrEqual LessOrEqual".split()
BITWISE = "And Or Xor BitwiseAnd BitwiseOr BitwiseXor BitShift BitwiseNot".split()
REDUCE = """ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
    ReduceSumSquare""".split()
ALONG = "ArgMax ArgMin Softmax LogSoftmax Hardmax CumSum TopK LpNormalization".split()
OTHERS = """Cast Clip Where Concat Transpose Reshape Squeeze Unsqueeze Slice Pad Gather GatherElements GatherND Split Tile
    Expand Flatten DepthToSpace SpaceToDepth ScatterElements ScatterND OneHot EyeLike Trilu Range MatMul Gemm Conv MaxPool
    AveragePool LpPool GlobalAveragePool GlobalMaxPool GridSample Resize LayerNormalization BatchNormalization
    InstanceNormalization LRN QuantizeLinear DequantizeLinear Einsum ReverseSequence ConvTranspose Compress NonZero
    Unique""".split()


@dataclasses.dataclass
class Case:
    op: str
    inputs: list
    attributes: dict
    opset: int
    constants: set
    outputs: int = 1
    domain: str = ""

    def __str__(self):
        shown = []
        for index, array in enumerate(self.inputs):
            if array is None:
                shown.append("-")
                continue
            values = ",".join(map(str, array.flatten()[:8].tolist()))
            shown.append(f"{array.dtype}{list(array.shape)}{'=' if index in self.constants else ':'}{values}")
        return f"{self.domain}{':' if self.domain else ''}{self.op}-{self.opset} {' '.join(shown)} {self.attributes}"


class Draw(onnxfamilies.Families):
    def __init__(self, seed, only=None):
        self.random = random.Random(seed)
        self.numpy = numpy.random.default_rng(seed)
        self.operators = [only] if only else (UNARY + BINARY + BITWISE + REDUCE * 2 + ALONG * 3 + OTHERS * 3 + onnxfamilies.NAMES * 3 +
                                              onnxfamilies.NAMES_OF_MICROSOFT * 2)

    def chance(self, share):
        return self.random.random() < share

    def shape(self, least=0, most=4):
        sizes = [1, 2, 3, 4, 5, 7] + ([0] if self.chance(0.1) else [])
        return [self.random.choice(sizes) for _ in range(self.random.randint(least, most))]

    def array(self, shape, kind):
        if kind == "bool":
            return self.numpy.integers(0, 2, shape).astype(bool)
        if kind.startswith("float"):
            values = self.numpy.standard_normal(shape) * self.random.choice([1, 1, 3, 50])
            if self.chance(0.2):
                values = numpy.round(values)
            if self.chance(0.15) and values.size:
                for _ in range(3):
                    values.flat[self.random.randrange(values.size)] = self.random.choice(SPECIAL)
            with numpy.errstate(all="ignore"):
                return numpy.asarray(values).astype(kind)
        info = numpy.iinfo(kind)
        if self.chance(0.2):
            return self.numpy.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
        return self.numpy.integers(max(info.min, -5), 10, shape).astype(kind)

    def tame(self, array):
        return numpy.nan_to_num(array, posinf=9, neginf=-9).clip(-999, 999)

    def broadcastable(self, shape):
        part = shape[self.random.randint(0, len(shape)):] if self.chance(0.3) else list(shape)
        return [1 if self.chance(0.2) else size for size in part]

    def axis(self, rank):
        return self.random.randrange(-rank, rank)

    def kind(self, floats=0.75):
        return self.random.choice(FLOATS) if self.chance(floats) else self.random.choice(INTS)

    def case(self):
        op = self.random.choice(self.operators)
        case = Case(op, [], {}, self.random.choice([13, 14, 15, 16, 17, 18]), set())
        if op in onnxfamilies.NAMES_OF_MICROSOFT:
            case.domain = onnxfamilies.MICROSOFT
        if op in REDUCE or op in ("ReduceSum",):
            self.draw_reduce(case)
        elif op in UNARY:
            kind = "bool" if op == "Not" else self.kind(0.8)
            if op == "HardSwish":
                # A sixth is a constant of f32 to the peers.
                kind = "float32"
            case.inputs = [self.array(self.shape(), kind)]
            for name in {"Elu": ["alpha"], "Celu": ["alpha"], "LeakyRelu": ["alpha"], "ThresholdedRelu": ["alpha"],
                         "HardSigmoid": ["alpha", "beta"], "Selu": ["alpha", "gamma"], "Shrink": ["lambd", "bias"]}.get(op, []):
                if self.chance(0.5):
                    case.attributes[name] = self.random.choice([0.5, 1.5, -0.5, 2.0])
        elif op in BINARY:
            shape, kind = self.shape(), self.kind(0.6)
            first, second = self.array(shape, kind), self.array(self.broadcastable(shape), kind)
            if op in ("Div", "Mod") and not kind.startswith("float"):
                second[second == 0] = 3
                if kind.startswith("int"):
                    second[second == -1] = 2
            if op == "Mod" and (kind.startswith("float") or self.chance(0.3)):
                case.attributes["fmod"] = 1
            if op == "Pow" and kind.startswith(("int", "uint")):
                first, second = first % 5, second % 4
            case.inputs = [first, second]
        elif op in BITWISE:
            shape = self.shape()
            kind = "bool" if op in ("And", "Or", "Xor") else self.random.choice(INTS)
            if op == "BitShift":
                kind = self.random.choice(["uint8", "uint16", "uint32", "uint64"])
                case.attributes["direction"] = self.random.choice(["LEFT", "RIGHT"])
            case.inputs = [self.array(shape, kind)]
            if op != "BitwiseNot":
                case.inputs.append(self.array(self.broadcastable(shape), kind))
            if op == "BitShift":
                case.inputs[1] = case.inputs[1] % 9
        elif op in ALONG:
            self.draw_along(case)
        else:
            getattr(self, "draw_" + op, self.draw_plain)(case)
        if self.chance(0.25):
            case.constants |= {self.random.randrange(len(case.inputs))} if self.chance(0.5) else set(range(len(case.inputs)))
            case.constants = {place for place in case.constants if case.inputs[place] is not None}
        return case

    def draw_plain(self, case):
        """Images and the like, with few attributes."""
        shape = [self.random.randint(1, 3), self.random.choice([2, 4])] + [self.random.randint(3, 7) for _ in range(2)]
        kind = self.random.choice(["float32", "float32", "float64"])
        case.inputs = [self.array(shape, kind)]
        op, channels = case.op, shape[1]
        # Peers leave open what these do with NaN and infinities.
        if op in ("MaxPool", "AveragePool", "LpPool", "ConvTranspose", "LRN", "QuantizeLinear", "GlobalMaxPool", "GridSample",
                  "LayerNormalization", "InstanceNormalization"):
            case.inputs = [self.tame(array) for array in case.inputs]
        if op in ("MaxPool", "AveragePool", "LpPool", "Conv", "ConvTranspose"):
            kernel = [self.random.randint(1, 3) for _ in range(2)]
            case.attributes["strides"] = [self.random.randint(1, 3) for _ in range(2)]
            case.attributes["pads"] = [self.random.randint(0, size - 1) for size in kernel * 2]
            if op in ("Conv", "ConvTranspose"):
                group = self.random.choice([1, 2])
                out = self.random.choice([2, 4])
                weight = [out, channels // group] if op == "Conv" else [channels, out]
                case.inputs.append(self.tame(self.array(weight + kernel, kind)))
                case.attributes["group"] = group
                case.attributes["dilations"] = [self.random.randint(1, 2) for _ in range(2)]
                if self.chance(0.5):
                    case.inputs.append(self.array([out if op == "Conv" else out * group], kind))
            else:
                case.attributes["kernel_shape"] = kernel
                if op != "LpPool" and self.chance(0.3):
                    case.attributes["ceil_mode"] = 1
                if op == "AveragePool" and self.chance(0.5):
                    case.attributes["count_include_pad"] = 1
                if op == "LpPool":
                    case.attributes["p"] = self.random.randint(1, 3)
                if op == "MaxPool" and self.chance(0.4):
                    case.outputs = 2
                    case.attributes["storage_order"] = 0
        elif op == "GridSample":
            places = [shape[0], self.random.randint(1, 4), self.random.randint(1, 4), 2]
            case.opset = self.random.choice([16, 17])
            case.inputs = [self.tame(self.array(shape, "float32")), (self.numpy.standard_normal(places) * 0.8).astype("float32")]
            case.attributes = {"mode": self.random.choice(["bilinear", "nearest", "bicubic"]),
                               "padding_mode": self.random.choice(["zeros", "border", "reflection"]),
                               "align_corners": self.random.randint(0, 1)}
        elif op == "LayerNormalization":
            case.opset = 17
            case.inputs = [self.tame(self.array(size, "float32")).clip(-99, 99) for size in (shape, shape[-1:], shape[-1:])]
        elif op == "BatchNormalization":
            case.opset = 15
            case.inputs += [self.array([channels], kind) for _ in range(3)] + [abs(self.array([channels], kind)) + 1]
        elif op == "InstanceNormalization":
            case.inputs += [self.array([channels], kind) for _ in range(2)]
        elif op == "LRN":
            case.attributes = {"size": self.random.choice([1, 3, 5]), "alpha": 0.5, "beta": 0.75}
        elif op == "Resize":
            scales = numpy.array([1, 1] + [self.random.choice([0.5, 1.5, 2.0, 3.0]) for _ in range(2)], "float32")
            case.inputs = [self.tame(self.array(shape, "float32")), None, scales]
            case.constants = {2}
            case.attributes = {"mode": self.random.choice(["nearest", "linear", "cubic"]), "coordinate_transformation_mode":
                               self.random.choice(["half_pixel", "asymmetric", "pytorch_half_pixel"])}
        elif op in ("DepthToSpace", "SpaceToDepth"):
            case.inputs = [self.array([2, 8, 4, 6], self.kind())]
            case.attributes["blocksize"] = 2
            if op == "DepthToSpace":
                case.attributes["mode"] = self.random.choice(["DCR", "CRD"])
        elif op == "Cast":
            case.inputs = [self.array(self.shape(), self.kind(0.5))]
            if case.inputs[0].dtype.kind == "f":
                case.inputs[0] = numpy.clip(numpy.nan_to_num(case.inputs[0]), 0, 100)
            case.attributes["to"] = self.random.choice([1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13])
        elif op == "Clip":
            kind = self.kind(0.6)
            low, high = sorted([self.array([], kind), self.array([], kind)])
            case.inputs = [self.array(self.shape(), kind), low if self.chance(0.8) else None, high]
        elif op == "Where":
            kind, size = self.kind(0.5), self.shape()
            case.inputs = [self.array(self.broadcastable(size), "bool"), self.array(size, kind), self.array(self.broadcastable(size), kind)]
        elif op == "QuantizeLinear":
            case.inputs = [self.tame(self.array(shape, "float32")), numpy.array(0.25, "float32"), self.array([], self.random.choice(["uint8", "int8"]))]
        elif op == "DequantizeLinear":
            kind = self.random.choice(["uint8", "int8"])
            case.inputs = [self.array(shape, kind), numpy.array(0.25, "float32"), self.array([], kind)]

    def draw_reduce(self, case):
        size = self.shape(0, 4)
        if case.op == "ReduceMean":
            size = [extent or 1 for extent in size]  # the mean of nothing is open
        case.inputs = [self.array(size, self.kind(0.7))]
        if case.inputs[0].dtype.kind in "iu" and ("Log" in case.op or case.op in ("ReduceL2", "ReduceMean")):
            # Peers differ where sums overflow; the logarithm of a negative number is no integer.
            case.inputs[0] = abs(case.inputs[0] % 10)
        axes = sorted(self.random.sample(range(len(size)), self.random.randint(0, len(size))))
        axes = [axis - len(size) if self.chance(0.3) else axis for axis in axes]
        case.attributes["keepdims"] = self.random.randint(0, 1)
        if axes and (case.op == "ReduceSum" or case.opset >= 18):
            case.inputs.append(numpy.array(axes, "int64"))
            case.constants = {1}
        elif axes:
            case.attributes["axes"] = axes
        if (case.op == "ReduceSum" or case.opset >= 18) and self.chance(0.2):
            case.attributes["noop_with_empty_axes"] = 1

    def draw_along(self, case):
        size = self.shape(1, 3)
        kind = self.kind(0.8)
        axis = self.axis(len(size))
        case.inputs = [self.array(size, kind)]
        if case.op == "CumSum":
            if self.chance(0.3):
                size[axis] = self.random.choice([33, 64, 65, 100, 1500])
                case.inputs = [numpy.round(numpy.nan_to_num(self.array(size, kind), posinf=9, neginf=9)).clip(-9, 9).astype(kind)]
            case.inputs.append(numpy.array(axis, "int64"))
            case.constants = {1}
            case.attributes = {"exclusive": self.random.randint(0, 1), "reverse": self.random.randint(0, 1)}
            return
        case.attributes["axis"] = axis
        if case.op == "TopK":
            case.inputs = [numpy.nan_to_num(case.inputs[0])]
            case.inputs.append(numpy.array([self.random.randint(0, size[axis])], "int64"))
            case.constants, case.outputs = {1}, 2
            case.attributes["largest"] = self.random.randint(0, 1)
        elif case.op in ("ArgMax", "ArgMin"):
            case.inputs = [numpy.nan_to_num(case.inputs[0])]
            case.attributes["keepdims"] = self.random.randint(0, 1)
            case.attributes["select_last_index"] = self.random.randint(0, 1)

    def draw_Concat(self, case):
        size, kind = self.shape(1, 4), self.kind(0.5)
        axis = self.axis(len(size))
        for _ in range(self.random.randint(1, 4)):
            size = list(size)
            size[axis] = self.random.randint(0, 4)
            case.inputs.append(self.array(size, kind))
        case.attributes["axis"] = axis

    def draw_Transpose(self, case):
        size = self.shape(0, 4)
        case.inputs = [self.array(size, self.kind(0.5))]
        if size and self.chance(0.8):
            case.attributes["perm"] = self.random.sample(range(len(size)), len(size))

    def known(self, case, *lists):
        for numbers in lists:
            case.constants.add(len(case.inputs))
            case.inputs.append(numpy.array(numbers, "int64"))

    def draw_Reshape(self, case):
        size = self.shape(1, 4)
        case.inputs = [self.array(size, self.kind(0.5))]
        shape = [0 if self.chance(0.3) else extent for extent in size]
        shape[self.random.randrange(len(shape))] = -1
        self.known(case, shape)

    def draw_Squeeze(self, case):
        size = self.shape(1, 4)
        case.inputs = [self.array(size, self.kind(0.5))]
        if self.chance(0.8):
            self.known(case, [axis for axis, extent in enumerate(size) if extent == 1])

    def draw_Unsqueeze(self, case):
        size = self.shape(0, 3)
        case.inputs = [self.array(size, self.kind(0.5))]
        count = self.random.randint(1, 2)
        self.known(case, self.random.sample(range(-len(size) - count, 0), count))

    def draw_Slice(self, case):
        size = self.shape(1, 4)
        case.inputs = [self.array(size, self.kind(0.5))]
        axes = self.random.sample(range(len(size)), self.random.randint(1, len(size)))
        bound = lambda: self.random.choice([0, 1, 2, -1, -2, 3, 100, -100, 2**63 - 1])
        steps = [self.random.choice([1, 1, 2, -1, -3]) for _ in axes]
        # To the largest number backwards is everything to one peer and nothing to the standard.
        ends = [min(bound(), 100) if step < 0 else bound() for step in steps]
        self.known(case, [bound() for _ in axes], ends, axes, steps)

    def draw_Pad(self, case):
        size = [extent or 1 for extent in self.shape(1, 3)]
        mode = self.random.choice(["constant", "reflect", "edge"])
        most = min(size) - 1 if mode == "reflect" else 3
        case.inputs = [self.array(size, self.random.choice(["float32", "float64", "int32", "int64"]))]
        self.known(case, [self.random.randint(0, most) for _ in size * 2])
        case.attributes["mode"] = mode

    def indices(self, shape, size, kind="int64"):
        return self.numpy.integers(-size, size, shape).astype(kind)

    def draw_Gather(self, case):
        size = [extent or 1 for extent in self.shape(1, 3)]
        axis = self.axis(len(size))
        kind = self.random.choice(["int32", "int64"])
        case.inputs = [self.array(size, self.kind(0.5)), self.indices(self.shape(0, 2), size[axis], kind)]
        case.attributes["axis"] = axis

    def draw_GatherElements(self, case):
        size = [extent or 1 for extent in self.shape(1, 3)]
        axis = self.axis(len(size))
        shape = [self.random.randint(1, extent) for extent in size]
        case.inputs = [self.array(size, self.kind(0.5)), self.indices(shape, size[axis])]
        case.attributes["axis"] = axis

    def draw_GatherND(self, case):
        size = [extent or 1 for extent in self.shape(1, 3)]
        chosen = self.random.randint(1, len(size))
        columns = [self.indices([3], size[axis]) for axis in range(chosen)]
        case.inputs = [self.array(size, self.kind(0.5)), numpy.stack(columns, -1)]

    def draw_ScatterElements(self, case):
        self.draw_GatherElements(case)
        data, indices = case.inputs
        axis = case.attributes["axis"]
        if self.chance(0.6):
            case.attributes["reduction"] = self.random.choice(["add", "mul"] if case.opset < 18 else ["add", "mul", "max", "min"])
            case.opset = max(case.opset, 16)
        else:
            # Several updates for one place have no order.
            places = numpy.argsort(self.numpy.random(indices.shape), axis=axis)
            indices = places.astype("int64")
        case.inputs = [numpy.nan_to_num(data), indices, numpy.nan_to_num(self.array(list(indices.shape), str(data.dtype)))]

    def draw_ScatterND(self, case):
        size = [extent or 1 for extent in self.shape(1, 3)]
        chosen = self.random.randint(1, len(size))
        kind = self.kind(0.6)
        case.opset = max(case.opset, 16)
        count = self.random.randint(1, 3)
        columns = [self.indices([count], size[axis]) for axis in range(chosen)]
        indices = numpy.stack(columns, -1)
        case.attributes["reduction"] = self.random.choice(["add", "mul"])
        updates = self.array([count] + size[chosen:], kind)
        case.inputs = [numpy.nan_to_num(self.array(size, kind)), indices, numpy.nan_to_num(updates)]

    def draw_Split(self, case):
        size = [extent or 1 for extent in self.shape(1, 3)]
        axis = self.axis(len(size))
        case.inputs = [self.array(size, self.kind(0.5))]
        first = self.random.randint(0, size[axis])
        self.known(case, [first, size[axis] - first])
        case.attributes["axis"], case.outputs = axis, 2

    def draw_Tile(self, case):
        size = self.shape(1, 3)
        case.inputs = [self.array(size, self.kind(0.5))]
        self.known(case, [self.random.randint(0, 3) for _ in size])

    def draw_Expand(self, case):
        size = self.shape(0, 3)
        case.inputs = [self.array([1 if self.chance(0.4) else extent for extent in size], self.kind(0.5))]
        self.known(case, self.shape(0, 1) + size)

    def draw_Flatten(self, case):
        size = self.shape(1, 4)
        case.inputs = [self.array(size, self.kind(0.5))]
        case.attributes["axis"] = self.random.randint(-len(size), len(size))

    def draw_OneHot(self, case):
        kind = self.random.choice(["float32", "int64"])
        case.inputs = [self.indices(self.shape(0, 2), 6)]
        self.known(case, 4)
        case.inputs.append(self.array([2], kind))
        case.attributes["axis"] = self.axis(case.inputs[0].ndim + 1)

    def draw_EyeLike(self, case):
        case.inputs = [self.array(self.shape(2, 2), "float32")]
        case.attributes["k"] = self.random.randint(-3, 3)

    def draw_Trilu(self, case):
        case.inputs = [self.array(self.shape(2, 4), self.random.choice(["float32", "float64", "int64"]))]
        self.known(case, self.random.randint(-4, 4))
        case.attributes["upper"] = self.random.randint(0, 1)

    def draw_Range(self, case):
        kind = self.random.choice(["int32", "int64", "float32", "float64"])
        case.inputs = [numpy.array(number, kind) for number in
                       (self.random.randint(-5, 5), self.random.randint(-20, 20), self.random.choice([1, 2, -1, 3]))]
        case.constants = {0, 1, 2}

    def draw_MatMul(self, case):
        n, k, m = (self.random.randint(1, 9) for _ in range(3))
        kind = self.random.choice(["float32", "float64", "int32", "int64", "uint32", "uint64"])
        lead = self.shape(0, 2)
        case.inputs = [self.array(lead + [n, k], kind), self.array((self.broadcastable(lead) if lead else []) + [k, m], kind)]

    def draw_Gemm(self, case):
        n, k, m = (self.random.randint(1, 9) for _ in range(3))
        a, b = self.random.randint(0, 1), self.random.randint(0, 1)
        kind = self.random.choice(["float32", "float64"])
        case.inputs = [self.array([k, n] if a else [n, k], kind), self.array([m, k] if b else [k, m], kind)]
        if self.chance(0.6):
            case.inputs.append(self.array(self.broadcastable([n, m]), kind))
        case.attributes = {"transA": a, "transB": b, "alpha": self.random.choice([1.0, 0.5]), "beta": self.random.choice([1.0, -2.0])}

    def draw_Einsum(self, case):
        equation = self.random.choice(["ij,jk->ik", "bij,bjk->bik", "ij->ji", "ij->", "i,j->ij", "ij,ij->i", "bij,kj->bik"])
        sizes = {label: self.random.randint(1, 5) for label in "bijk"}
        for term in equation.split("->")[0].split(","):
            case.inputs.append(self.array([sizes[label] for label in term], "float32"))
        case.attributes["equation"] = equation

    def draw_ReverseSequence(self, case):
        case.inputs = [self.array([5, 3, 2], self.kind(0.5)), self.numpy.integers(1, 6, [3])]
        case.attributes = {"time_axis": 0, "batch_axis": 1}

    def draw_Compress(self, case):
        size = [extent or 1 for extent in self.shape(1, 3)]
        axis = self.axis(len(size))
        case.inputs = [self.array(size, self.kind(0.5)), self.array([size[axis]], "bool")]
        case.constants = {1}
        case.attributes["axis"] = axis

    def draw_NonZero(self, case):
        case.inputs, case.constants = [self.array(self.shape(1, 3), self.random.choice(["float32", "int32", "int64", "bool"]))], {0}

    def draw_Unique(self, case):
        kind = self.random.choice(["float32", "int64", "float64"])
        case.inputs = [numpy.round(numpy.nan_to_num(self.array([extent or 1 for extent in self.shape(1, 3)], kind)))]
        case.constants, case.outputs = {0}, 4
        case.attributes["sorted"] = self.random.randint(0, 1)
        if self.chance(0.5):
            case.attributes["axis"] = self.axis(case.inputs[0].ndim)
