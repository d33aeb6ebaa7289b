"""Random tensor programs, each run lazily with the package `tiny` and eagerly with NumPy, operation by operation.

Values that are exact in float32 are compared bit for bit, others within 1e-3; gradients with central differences in float64.
"""
import numpy as np
import tiny
from tiny import Tensor

FLOATS = ("float32",)
WHOLE = ("int32", "int64", "uint8")
EXACT = 24  # bits that a float32 has


class Value:
    """A tensor, what it should be, how many bits behind the point it has (None where it is rounded), and its text."""

    def __init__(self, tensor, array, bits, text):
        self.tensor, self.array, self.bits, self.text = tensor, array, bits, text

    @property
    def kind(self):
        return self.array.dtype.kind

    def is_exact(self):
        return self.bits is not None


class Case:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.values, self.lines = [], []

    def pick(self, condition=lambda value: True):
        fitting = [value for value in self.values if condition(value)]
        return fitting[self.random.integers(len(fitting))] if fitting else None

    def integer(self, low, high):
        return int(self.random.integers(low, high))

    def choose(self, *items):
        return items[self.integer(0, len(items))]

    def add(self, tensor, array, bits, text):
        """Keeps a value unless it is too large to be compared."""
        array = np.asarray(array)
        if array.dtype == np.float64 or array.dtype == np.float16:
            array = array.astype(np.float64)
        if array.size > 4096:
            return
        if array.dtype.kind == "f":
            if not np.isfinite(array).all() or np.abs(array).max(initial=0) > 1e4:
                return
            if bits is not None and np.abs(array).max(initial=0) * 2.0**bits >= 2**EXACT:
                bits = None
        name = f"v{len(self.values)}"
        self.lines.append(f"{name} = {text}  # {array.dtype} {array.shape}")
        self.values.append(Value(tensor, array, bits, name))

    def input(self):
        shape = tuple(self.integer(1, 6) for _ in range(self.integer(0, 4)))
        dtype = self.choose(*FLOATS, *FLOATS, *FLOATS, *WHOLE, "bool")
        if dtype == "bool":
            array = self.random.integers(0, 2, shape).astype(bool)
        elif dtype in WHOLE:
            array = self.random.integers(0 if dtype == "uint8" else -9, 10, shape).astype(dtype)
        else:
            array = (self.random.integers(-24, 25, shape) / 8).astype(dtype)
        array = np.asarray(array)
        share = self.integer(0, 2)
        tensor = tiny.from_numpy(np.ascontiguousarray(array)) if share and array.ndim else Tensor(array)
        self.add(tensor, array.astype(np.float64) if dtype in FLOATS else array, 3 if dtype in FLOATS else 0, f"Tensor({array.tolist()}, '{dtype}')")

    #===--- Operations: each draws its operands, and does nothing where there are none -------------------------------===#

    def smooth(self):
        value = self.pick(lambda value: value.kind == "f")
        if value is None:
            return
        name, function = self.choose(
            ("exp", np.exp), ("tanh", np.tanh), ("sin", np.sin), ("cos", np.cos), ("sigmoid", lambda x: 1 / (1 + np.exp(-x))), ("erf", None),
            ("square", np.square), ("atan", np.arctan), ("asinh", np.arcsinh), ("softplus", lambda x: np.logaddexp(x, 0)), ("sqrt", None), ("log", None))
        x = value.array
        if name == "erf":
            return self.add((value.tensor.abs() + 1).log1p(), np.log1p(np.abs(x) + 1), None, f"({value.text}.abs() + 1).log1p()")
        if name in ("sqrt", "log"):
            return self.add(getattr(value.tensor.abs() + 0.5, name)(), getattr(np, name)(np.abs(x) + 0.5), None, f"({value.text}.abs() + 0.5).{name}()")
        with np.errstate(over="ignore"):
            self.add(getattr(value.tensor, name)(), function(x), None, f"{value.text}.{name}()")

    def exact_unary(self):
        value = self.pick(lambda value: value.kind != "b" and value.is_exact())
        if value is None:
            return
        name, function = self.choose(("neg", np.negative), ("abs", np.abs), ("sign", np.sign), ("floor", np.floor), ("ceil", np.ceil), ("round", np.rint),
                                     ("trunc", np.trunc), ("relu", lambda x: np.maximum(x, 0)))
        result = function(value.array) if value.kind == "f" or name in ("neg", "abs", "sign", "relu") else value.array
        self.add(getattr(value.tensor, name)(), result.astype(value.array.dtype), value.bits, f"{value.text}.{name}()")

    def binary(self):
        lhs = self.pick(lambda value: value.kind != "b")
        rhs = lhs and self.pick(lambda value: value.array.dtype == lhs.array.dtype and self.broadcasts(lhs, value))
        if rhs is None:
            return
        operator, function = self.choose(("+", np.add), ("-", np.subtract), ("*", np.multiply))
        bits = None if lhs.bits is None or rhs.bits is None else lhs.bits + rhs.bits if operator == "*" else max(lhs.bits, rhs.bits)
        tensor = {"+": lambda: lhs.tensor + rhs.tensor, "-": lambda: lhs.tensor - rhs.tensor, "*": lambda: lhs.tensor * rhs.tensor}[operator]()
        self.add(tensor, function(lhs.array, rhs.array), bits, f"{lhs.text} {operator} {rhs.text}")

    def number(self):
        value = self.pick(lambda value: value.kind in "fi")
        if value is None:
            return
        number = self.choose(2, 3, -1, 0, 1, 5) if value.kind == "i" else self.choose(0.5, 2, -1.5, 0, 1, 3.25)
        more = None if value.bits is None else value.bits + 2 if value.kind == "f" else 0
        operator = self.choose("+", "*", "r-")
        with np.errstate(over="ignore"):
            if operator == "+":
                self.add(value.tensor + number, value.array + np.asarray(number, value.array.dtype), more, f"{value.text} + {number}")
            elif operator == "*":
                self.add(value.tensor * number, value.array * np.asarray(number, value.array.dtype), more, f"{value.text} * {number}")
            else:
                self.add(number - value.tensor, np.asarray(number, value.array.dtype) - value.array, more, f"{number} - {value.text}")

    def whole(self):
        value = self.pick(lambda value: value.kind == "i")
        if value is None:
            return
        number = self.choose(2, 3, -3, 7)
        name = self.choose("//", "%", "&", "|", "^", "<<")
        if name == "<<":
            return self.add(value.tensor << 2, value.array << 2, 0, f"{value.text} << 2")
        functions = {"//": (lambda a: a // number), "%": (lambda a: a % number), "&": (lambda a: a & number), "|": (lambda a: a | number), "^": (lambda a: a ^ number)}
        self.add(functions[name](value.tensor), functions[name](value.array).astype(value.array.dtype), 0, f"{value.text} {name} {number}")

    def compare(self):
        lhs = self.pick(lambda value: value.is_exact())
        rhs = lhs and self.pick(lambda value: value.is_exact() and value.array.dtype == lhs.array.dtype and self.broadcasts(lhs, value))
        if rhs is None:
            return
        name, function = self.choose(("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("ge", np.greater_equal))
        if lhs.kind == "b" and name in ("lt", "ge"):
            return
        self.add(getattr(lhs.tensor, name)(rhs.tensor), function(lhs.array, rhs.array), 0, f"{lhs.text}.{name}({rhs.text})")

    def logic(self):
        lhs = self.pick(lambda value: value.kind == "b")
        rhs = lhs and self.pick(lambda value: value.kind == "b" and self.broadcasts(lhs, value))
        if rhs is not None:
            self.add(lhs.tensor & ~rhs.tensor, lhs.array & ~rhs.array, 0, f"{lhs.text} & ~{rhs.text}")

    def where(self):
        condition = self.pick(lambda value: value.kind == "b")
        lhs = condition and self.pick(lambda value: self.broadcasts(condition, value))
        rhs = lhs and self.pick(lambda value: value.array.dtype == lhs.array.dtype and self.broadcasts(condition, value) and self.broadcasts(lhs, value))
        if rhs is None:
            return
        bits = None if lhs.bits is None or rhs.bits is None else max(lhs.bits, rhs.bits)
        self.add(tiny.where(condition.tensor, lhs.tensor, rhs.tensor), np.where(condition.array, lhs.array, rhs.array), bits,
                 f"where({condition.text}, {lhs.text}, {rhs.text})")

    def reduce(self):
        value = self.pick(lambda value: value.array.ndim > 0 and value.array.size and value.kind != "b")
        if value is None:
            return
        axes = tuple(axis for axis in range(value.array.ndim) if self.integer(0, 2)) or (self.integer(-value.array.ndim, value.array.ndim),)
        keep = bool(self.integer(0, 2))
        name = self.choose("sum", "max", "min", "mean", "logsumexp", "var") if value.kind == "f" else self.choose("sum", "max", "min")
        options = {"axis": axes, "keepdims": keep}
        bits = value.bits
        if name == "logsumexp":
            result, bits = np.log(np.exp(np.clip(value.array, -50, 50)).sum(**options)), None
            if np.abs(value.array).max(initial=0) > 40:
                return
        elif name == "var":
            result, bits = value.array.var(**options), None
            return self.add(value.tensor.var(axes, correction=0, keepdim=keep), result, None, f"{value.text}.var({axes}, correction=0, keepdim={keep})")
        else:
            result = getattr(np, name)(value.array, **options)
            if name == "mean":
                bits = None
            # Small integers add up in 32 bits.
            if name == "sum" and value.kind in "iu" and value.array.dtype.itemsize < 4:
                result = result.astype(np.uint32 if value.kind == "u" else np.int32)
            elif value.kind in "iu":
                result = result.astype(value.array.dtype)
        self.add(getattr(value.tensor, name)(axes, keepdim=keep), result, bits, f"{value.text}.{name}({axes}, keepdim={keep})")

    def arg(self):
        value = self.pick(lambda value: value.array.ndim > 0 and value.array.size and value.is_exact() and value.kind != "b")
        if value is not None:
            axis = self.integer(0, value.array.ndim)
            name = self.choose("argmax", "argmin")
            self.add(getattr(value.tensor, name)(axis), getattr(np, name)(value.array, axis).astype(np.int32), 0, f"{value.text}.{name}({axis})")

    def order(self):
        value = self.pick(lambda value: value.array.ndim > 0 and value.is_exact() and value.kind != "b" and value.array.size)
        if value is None:
            return
        axis = self.integer(0, value.array.ndim)
        if self.integer(0, 2):
            return self.add(value.tensor.sort(axis)[0], np.sort(value.array, axis), value.bits, f"{value.text}.sort({axis})[0]")
        # Small integers add up in 32 bits.
        small = value.kind in "iu" and value.array.dtype.itemsize < 4
        result = np.cumsum(value.array, axis, dtype=("uint32" if value.kind == "u" else "int32") if small else value.array.dtype)
        self.add(value.tensor.cumsum(axis), result, value.bits, f"{value.text}.cumsum({axis})")

    def softmax(self):
        value = self.pick(lambda value: value.array.ndim > 0 and value.array.size and value.kind == "f")
        if value is not None:
            axis = self.integer(-value.array.ndim, value.array.ndim)
            powers = np.exp(value.array - value.array.max(axis, keepdims=True))
            self.add(value.tensor.softmax(axis), powers / powers.sum(axis, keepdims=True), None, f"{value.text}.softmax({axis})")

    def matmul(self):
        lhs = self.pick(lambda value: value.kind == "f" and value.array.ndim >= 2)
        rhs = lhs and self.pick(lambda value: value.kind == "f" and value.array.ndim == 2)
        if rhs is None:
            return
        bits = None if lhs.bits is None or rhs.bits is None else lhs.bits + rhs.bits
        if lhs.array.shape[-1] == rhs.array.shape[0]:
            self.add(lhs.tensor @ rhs.tensor, lhs.array @ rhs.array, bits, f"{lhs.text} @ {rhs.text}")
        elif lhs.array.shape[-1] == rhs.array.shape[1]:
            self.add(lhs.tensor.linear(rhs.tensor), lhs.array @ rhs.array.T, bits, f"{lhs.text}.linear({rhs.text})")

    def move(self):
        value = self.pick()
        tensor, array, rank = value.tensor, value.array, value.array.ndim
        kind = self.integer(0, 8)
        if kind == 0:
            self.add(tensor.reshape(-1), array.reshape(-1), value.bits, f"{value.text}.reshape(-1)")
        elif kind == 1 and rank:
            order = [int(axis) for axis in self.random.permutation(rank)]
            self.add(tensor.permute(order), array.transpose(order), value.bits, f"{value.text}.permute({order})")
        elif kind == 2 and rank:
            axis = self.integer(0, rank)
            self.add(tensor.flip(axis), np.flip(array, axis), value.bits, f"{value.text}.flip({axis})")
        elif kind == 3 and rank:
            low, high = [self.integer(0, 3) for _ in range(rank)], [self.integer(0, 3) for _ in range(rank)]
            self.add(tensor.pad(low, high), np.pad(array, list(zip(low, high))), value.bits, f"{value.text}.pad({low}, {high})")
        elif kind == 4:
            axis = self.integer(0, rank + 1)
            self.add(tensor.unsqueeze(axis), np.expand_dims(array, axis), value.bits, f"{value.text}.unsqueeze({axis})")
        elif kind == 5:
            count = self.integer(1, 4)
            self.add(tensor.expand(count, *array.shape), np.broadcast_to(array, (count, *array.shape)), value.bits, f"{value.text}.expand({count}, *shape)")
        elif kind == 6 and rank:
            axis = self.integer(0, rank)
            other = self.pick(lambda other: other.array.dtype == array.dtype and other.array.ndim == rank and
                              all(a == b for k, (a, b) in enumerate(zip(other.array.shape, array.shape)) if k != axis))
            bits = None if other.bits is None or value.bits is None else max(other.bits, value.bits)
            self.add(tiny.cat([tensor, other.tensor], axis), np.concatenate([array, other.array], axis), bits, f"cat([{value.text}, {other.text}], {axis})")
        elif kind == 7 and rank:
            shift, axis = self.integer(-3, 4), self.integer(0, rank)
            self.add(tensor.roll(shift, axis), np.roll(array, shift, axis), value.bits, f"{value.text}.roll({shift}, {axis})")

    def draw_index(self, array):
        """An index, as NumPy takes it and as tensors do, and its text."""
        items = []
        for size in array.shape:
            kind = self.integer(0, 6)
            if kind == 0 and size:
                items.append(self.integer(-size, size))
            elif kind == 1 and size and not any(isinstance(item, np.ndarray) for item in items):
                items.append(self.random.integers(-size, size, self.integer(1, 4)))
            elif kind == 2:
                items.append(slice(None, None, -1))
            else:
                items.append(slice(self.choose(None, self.integer(-size, size + 1)), self.choose(None, self.integer(-size, size + 1)), self.choose(None, 1, 2, -1, -2)))
        if self.integer(0, 4) == 0:
            items.insert(self.integer(0, len(items) + 1), None)
        # Where an integer stands apart from the tensors NumPy moves axes to the front.
        if any(isinstance(item, np.ndarray) for item in items):
            items = [slice(item, item + 1 or None) if isinstance(item, int) else item for item in items]
        return tuple(items), tuple(Tensor(item) if isinstance(item, np.ndarray) else item for item in items), str(items)

    def index(self):
        value = self.pick(lambda value: value.array.ndim > 0)
        if value is None:
            return
        items, wrapped, text = self.draw_index(value.array)
        self.add(value.tensor[wrapped], value.array[items], value.bits, f"{value.text}[{text}]")

    def set(self):
        value = self.pick(lambda value: value.array.ndim > 0 and value.kind in "fi")
        if value is None:
            return
        items, wrapped, text = self.draw_index(value.array)
        array, tensor, number = value.array.copy(), Tensor(value.tensor), self.integer(-2, 3)
        array[items] = number
        tensor[wrapped] = number
        self.add(tensor, array, value.bits, f"{value.text} with [{text}] = {number}")

    def realize(self):
        """Some are computed now, together; handles on others go, so that memory is taken over."""
        chosen = [value for value in self.values if self.integer(0, 3) == 0]
        self.lines.append(f"realize({[value.text for value in chosen]})")
        tiny.realize([value.tensor for value in chosen])
        if self.integer(0, 2) and len(self.values) > 6:
            dropped = self.integer(0, len(self.values))
            self.lines.append(f"del {self.values[dropped].text}")
            del self.values[dropped]

    def assign(self):
        value = self.pick(lambda value: value.kind == "f" and value.array.ndim > 0 and value.is_exact())
        if value is not None and np.abs(value.array).max(initial=0) < 1e3:
            self.lines.append(f"{value.text}.assign({value.text} + 1)")
            value.tensor = Tensor(value.tensor)
            value.tensor.assign(value.tensor + 1)
            value.array = value.array + 1

    def broadcasts(self, lhs, rhs):
        try:
            return int(np.prod(np.broadcast_shapes(lhs.array.shape, rhs.array.shape))) <= 4096
        except ValueError:
            return False

    def run(self, count):
        for _ in range(3):
            self.input()
        names = ["smooth", "exact_unary", "binary", "binary", "number", "whole", "compare", "logic", "where", "reduce", "reduce", "arg", "order", "softmax",
                 "matmul", "move", "move", "index", "set", "realize", "assign", "input"]
        for _ in range(count):
            getattr(self, self.choose(*names))()
        tiny.realize([value.tensor for value in self.values if self.integer(0, 2)])
        for value in self.values:
            got = value.tensor.numpy()
            wanted = value.array.astype(np.float32) if value.kind == "f" else value.array
            if got.shape != wanted.shape or got.dtype != wanted.dtype:
                return f"{value.text}: got {got.dtype} {got.shape}, expected {wanted.dtype} {wanted.shape}"
            same = np.array_equal(got, wanted) if value.is_exact() else np.allclose(got, wanted, rtol=1e-3, atol=1e-3 * max(1, np.abs(wanted).max(initial=0)))
            if not same:
                return f"{value.text}: got\n{got}\nexpected\n{wanted}"
        return None


def check_gradient(seed):
    """A smooth function of two matrices, against central differences."""
    random = np.random.default_rng(seed)
    shape = (int(random.integers(1, 4)), int(random.integers(1, 5)))
    start = [random.uniform(-1, 1, shape), random.uniform(-1, 1, shape)]
    unary = ["exp", "tanh", "sin", "sigmoid", "square", "softplus", "atan", "gelu", "silu", "mish", "asinh"]
    plan = [(int(random.integers(0, 6)), unary[random.integers(len(unary))]) for _ in range(6)]

    def compute(x, y):
        for kind, name in plan:
            if kind == 0:
                x = getattr(x, name)() * 0.5
            elif kind == 1:
                x = x * y
            elif kind == 2:
                y = getattr(y, name)() - x
            elif kind == 3:
                x = x.softmax(-1) + y.sum(0, keepdim=True)
            elif kind == 4:
                y = (x @ y.transpose()) @ y * 0.3
            else:
                x = x - x.logsumexp(-1, keepdim=True) + y.cumsum(0)
        return (x * y).sum()

    tensors = [Tensor(array.astype(np.float64)) for array in start]
    loss = compute(*tensors)
    try:
        gradients = tiny.grad(loss, tensors)
    except tiny.Error as error:
        return None if "does not depend" in str(error) else f"gradient of {plan}: {error}"
    for which, gradient in enumerate(gradients):
        place = tuple(int(random.integers(size)) for size in shape)
        numbers = []
        for step in (1e-5, -1e-5):
            moved = [array.copy() for array in start]
            moved[which][place] += step
            numbers.append(compute(*[Tensor(array) for array in moved]).item())
        expected, got = (numbers[0] - numbers[1]) / 2e-5, gradient.numpy()[place]
        if abs(expected - got) > 1e-4 * max(1, abs(expected)):
            return f"gradient {which} of {plan} at {place}: got {got}, expected {expected}"
    return None
