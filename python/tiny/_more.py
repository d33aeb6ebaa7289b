"""Names that other names make up: PyTorch's and NumPy's words for what there is, and einops's rearrange."""
import re
import typing

from . import _tiny
from ._tiny import Tensor


def _adopt(function, name):
    """Makes a function one of the class Tensor's own, for those who read its stubs."""
    function.__name__, function.__qualname__, function.__module__ = name, f"Tensor.{name}", Tensor.__module__
    return function


def _both(name, function, module=True):
    """A method, and a function of the module `tiny`."""
    _adopt(function, name)
    setattr(Tensor, name, function)
    if module:
        FUNCTIONS[name] = function


FUNCTIONS = {}


def full_like(input, fill_value, dtype=None, **options):
    """One number in every place, in the shape of another tensor."""
    return _tiny.full(input.shape, fill_value, dtype=dtype or input.dtype, **options)


def zeros_like(input, dtype=None, **options):
    """Zeros in the shape of another tensor."""
    return full_like(input, 0, dtype, **options)


def ones_like(input, dtype=None, **options):
    """Ones in the shape of another tensor."""
    return full_like(input, 1, dtype, **options)


def rand_like(input, dtype=None, **options):
    """Uniform numbers from 0 to 1 in the shape and of the type of another tensor, which are floats."""
    return _tiny.rand(*input.shape, dtype=dtype or input.dtype, **options)


def randn_like(input, dtype=None, **options):
    """Normal numbers in the shape and of the type of another tensor, which are floats."""
    return _tiny.randn(*input.shape, dtype=dtype or input.dtype, **options)


def normal(*shape, mean=0.0, std=1.0, size=None, **options):
    """Normal numbers of a mean and a standard deviation: normal(2, 3, mean=1), or PyTorch's normal(mean, std, (2, 3))."""
    if size is None and len(shape) == 3 and not isinstance(shape[2], int):
        mean, std, size = shape
    elif size is not None and shape:
        mean, std = (*shape, std)[:2]
    return _tiny.randn(*(shape if size is None else size), **options) * std + mean


def _fans(shape):
    """How many elements an output and an input of a weight [out, in, ...] depend on."""
    inner = 1
    for size in shape[2:]:
        inner *= size
    return shape[0] * inner, (shape[1] if len(shape) > 1 else shape[0]) * inner


def scaled_uniform(shape):
    """Uniform from -1 to 1, over the root of the number of elements."""
    count = 1
    for size in shape:
        count *= size
    return _tiny.uniform(shape, -1, 1) * count**-0.5


def glorot_uniform(shape):
    """Uniform within sqrt(6 / (inputs + outputs)), also Xavier's."""
    bound = (6 / sum(_fans(shape))) ** 0.5
    return _tiny.uniform(shape, -bound, bound)


def kaiming_uniform(shape, a=0.01):
    """Uniform within sqrt(6 / (1 + a^2) / inputs)."""
    bound = (6 / (1 + a * a) / _fans(shape)[1]) ** 0.5
    return _tiny.uniform(shape, -bound, bound)


def kaiming_normal(shape, a=0.01):
    """Normal with standard deviation sqrt(2 / (1 + a^2) / inputs)."""
    return normal(0.0, (2 / (1 + a * a) / _fans(shape)[1]) ** 0.5, shape)


def empty(*shape, dtype=None, **options):
    """Zeros: nothing is computed before it is asked for, so memory without values would save nothing."""
    return _tiny.zeros(*shape, dtype=dtype, **options)


def empty_like(input, dtype=None, **options):
    """zeros_like"""
    return zeros_like(input, dtype, **options)


for _function in (full_like, zeros_like, ones_like, rand_like, randn_like, normal, scaled_uniform, glorot_uniform, kaiming_uniform, kaiming_normal, empty, empty_like):
    FUNCTIONS[_function.__name__] = _function


def _alias(name, of):
    _both(name, lambda self, *args, **kwargs: getattr(self, of)(*args, **kwargs))
    getattr(Tensor, name).__doc__ = f"The same as {of}."


for _name, _of in (("swish", "silu"), ("clip", "clamp"), ("mod", "remainder"), ("lshift", "bitwise_left_shift"), ("rshift", "bitwise_right_shift"),
                   ("multiply", "mul"), ("subtract", "sub"), ("true_divide", "div"), ("bmm", "matmul"), ("mm", "matmul"), ("mv", "matmul"), ("tile", "repeat"),
                   ("swapaxes", "transpose"), ("broadcast_to", "expand"), ("ravel", "flatten"), ("logical_and", "bitwise_and"),
                   ("logical_or", "bitwise_or"), ("logical_xor", "bitwise_xor"), ("moveaxis", "movedim"), ("sgn", "sign"), ("negative", "neg"),
                   ("absolute", "abs"), ("conv1d", "conv2d"), ("conv3d", "conv2d"), ("avg_pool1d", "avg_pool2d"), ("avg_pool3d", "avg_pool2d"),
                   ("max_pool1d", "max_pool2d"), ("max_pool3d", "max_pool2d"), ("conv_transpose1d", "conv_transpose2d"),
                   ("conv_transpose3d", "conv_transpose2d"), ("replace", "assign"), ("concat", "cat")):
    if hasattr(Tensor, _of):
        _alias(_name, _of)


def _define(name, what, function, module=True):
    function.__doc__ = what
    _both(name, function, module)


_define("var_mean", "The variance and the mean.",
        lambda self, dim=None, correction=1, keepdim=False: (self.var(dim, correction, keepdim), self.mean(dim, keepdim)))
_define("std_mean", "The standard deviation and the mean.",
        lambda self, dim=None, correction=1, keepdim=False: (self.std(dim, correction, keepdim), self.mean(dim, keepdim)))
_define("equal", "Whether shapes and all elements are the same; computed at once.",
        lambda self, other: self.shape == other.shape and bool((self == other).all().item()))
_define("bernoulli", "1 where a random number is below the element, which is a chance; else 0.",
        lambda self: (_tiny.rand(*self.shape) < self).to(self.dtype))
_define("nelement", "How many elements there are.", lambda self: self.numel(), module=False)
_define("softmin", "softmax of -x.", lambda self, dim=-1: (-self).softmax(dim))
_define("allclose", "Whether all elements are close; computed at once.",
        lambda self, other, rtol=1e-5, atol=1e-8, equal_nan=False: bool(self.isclose(other, rtol, atol, equal_nan).all().item()))
_define("masked_select", "The elements where the mask holds, in a row; computed at once.", lambda self, mask: self.expand(*mask.shape)[mask])
_define("outer", "Each element of a row times each of another.", lambda self, other: self.reshape(-1, 1) * other.reshape(1, -1))
_define("addmm", "self + a @ b", lambda self, a, b: self + a @ b)
_define("baddbmm", "self + a @ b", lambda self, a, b: self + a @ b)
_define("addcmul", "self + value * a * b", lambda self, a, b, value=1: _add(*_promote(self, a, b), value))
_define("addcdiv", "self + value * a / b", lambda self, a, b, value=1: _add_quotient(*_promote(self, a, b), value))
_define("select", "One slice along an axis, without the axis.", lambda self, dim, index: self.narrow(dim, index, 1).squeeze(dim))
_define("t", "The matrix with its axes exchanged.", lambda self: self.transpose() if self.ndim > 1 else self)
_define("fliplr", "Columns in reverse.", lambda self: self.flip(1))
_define("flipud", "Rows in reverse.", lambda self: self.flip(0))
_define("hypot", "sqrt(x^2 + y^2)", lambda self, other: _hypot(*_promote(self, other)))
_define("erfc", "1 - erf(x)", lambda self: 1 - self.erf())
_define("frac", "x - trunc(x)", lambda self: self - self.trunc())
_define("dist", "The norm of the difference.", lambda self, other, p=2.0: (self - other).norm(p))
_define("cdist", "Distances of the rows of two matrices.", lambda self, other, p=2.0: (self.unsqueeze(-2) - other.unsqueeze(-3)).norm(p, -1))
_define("nansum", "The sum of what is not NaN.", lambda self, dim=None, keepdim=False: _tiny.where(self.isnan(), 0.0, self).sum(dim, keepdim))
_define("clone", "Another tensor of the same value; assigning to one leaves the other.", lambda self: Tensor(self))
_define("contiguous", "The same value: where elements lie is not the program's to say.", lambda self: self, module=False)
_define("dim", "How many axes there are.", lambda self: self.ndim, module=False)
_define("type_as", "In the element type of another tensor.", lambda self, other: self.to(other.dtype), module=False)
_define("element_size", "Bytes of an element.", lambda self: self.dtype.itemsize, module=False)
_define("is_floating_point", "Whether the elements are floats.", lambda self: "float" in self.dtype.name)
_define("shrink_to", "The first so many along each axis; None for all.",
        lambda self, *shape: self[tuple(slice(size) for size in shape)], module=False)
_define("pad_to", "Zeros behind each axis up to a shape; None for what it has.",
        lambda self, *shape: self.pad([0] * self.ndim, [0 if want is None else want - size for size, want in zip(self.shape, shape)]), module=False)
_define("sequential", "Functions, one after the other.", lambda self, functions: _chain(self, functions), module=False)
_define("sparse_categorical_crossentropy", "cross_entropy, classes along the last axis.",
        lambda self, target, ignore_index=-1, label_smoothing=0.0, reduction="mean":
        self.movedim(-1, 1).cross_entropy(target, ignore_index=ignore_index, label_smoothing=label_smoothing, reduction=reduction), module=False)
for _name, _dtype in (("half", "float16"), ("double", "float64"), ("int", "int32"), ("long", "int64"), ("bool", "bool"), ("bfloat16", "bfloat16")):
    _define(_name, f"As {_dtype}.", (lambda dtype: lambda self: self.to(dtype))(_dtype), module=False)
for _name, _of in (("layernorm", "layer_norm"), ("batchnorm", "batch_norm"), ("binary_crossentropy", "binary_cross_entropy"),
                   ("binary_crossentropy_logits", "binary_cross_entropy_with_logits")):
    _alias(_name, _of)
Tensor.nbytes = property(_adopt(lambda self: self.numel() * self.dtype.itemsize, "nbytes"), doc="Bytes of all elements.")
Tensor.mT = property(_adopt(lambda self: self.transpose(-2, -1), "mT"), doc="Matrices with their axes exchanged.")
Tensor.device = property(_adopt(lambda self: "cpu", "device"), doc="Where its elements lie.")


_define("__format__", "A tensor of one element as its number is formatted.", lambda self, spec: format(self.item() if spec else str(self), spec), module=False)


def _promote(*tensors):
    """Tensors in the element type that their sum has."""
    dtype = sum(tensors[1:], tensors[0]).dtype
    return [tensor.to(dtype) if isinstance(tensor, Tensor) else tensor for tensor in tensors]


def _add(x, a, b, value):
    return x + a * b * value


def _add_quotient(x, a, b, value):
    return x + a / b * value


def _hypot(x, y):
    return (x * x + y * y).sqrt()


def _chain(value, functions):
    for function in functions:
        value = function(value)
    return value


def _parse_side(text):
    """`b (h w) 1` as [["b"], ["h", "w"], []]."""
    groups = []
    for group, name in re.findall(r"\(([^()]*)\)|(\S+)", text):
        groups.append([part for part in (group.split() if not name else [name]) if part != "1"])
    return groups


def rearrange(self, formula, **sizes):
    """Axes by names, as einops has it: x.rearrange("b (h w) c -> b c h w", h=8)."""
    left, arrow, right = formula.partition("->")
    if not arrow:
        raise ValueError(f"expects 'axes -> axes', got '{formula}'")
    source, target = _parse_side(left), _parse_side(right)
    if ["..."] in source:
        place, more = source.index(["..."]), self.ndim - len(source) + 1
        names = [[f"...{k}"] for k in range(more)]
        source[place:place + 1] = names
        target = [new for group in target for new in (names if group == ["..."] else [group])]
    if len(source) != self.ndim:
        raise ValueError(f"expects {self.ndim} axes in '{left.strip()}', got {len(source)}")
    order = [name for group in source for name in group]
    wanted = [name for group in target for name in group]
    if sorted(order) != sorted(wanted) or len(set(order)) != len(order):
        raise ValueError(f"expects each name once on each side of '{formula}'")
    for group, size in zip(source, self.shape):
        known = 1
        for name in group:
            known *= sizes.get(name, 1)
        unknown = [name for name in group if name not in sizes]
        if len(unknown) > 1 or size % known or (not unknown and size != known):
            raise ValueError(f"expects sizes that make up {size} for ({' '.join(group)}), got {known}")
        if unknown:
            sizes[unknown[0]] = size // known
    apart = self.reshape([sizes[name] for name in order]).permute(*[order.index(name) for name in wanted])
    shape = []
    for group in target:
        size = 1
        for name in group:
            size *= sizes[name]
        shape.append(size)
    return apart.reshape(shape)


_both("rearrange", rearrange)


class Ordered(typing.NamedTuple):
    """Elements in order, and where they stood."""

    values: Tensor
    indices: Tensor


_topk, _sort = Tensor.topk, Tensor.sort


def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Ordered:
    """The k largest elements along an axis, or the smallest, in order; and where they stand."""
    return Ordered(*_topk(self, k, dim, largest))


def sort(self, dim: int = -1, descending: bool = False, stable: bool = True) -> Ordered:
    """All elements along an axis in order, equals as they stood; and where they stood."""
    return Ordered(*_sort(self, dim, descending))


for _function in (topk, sort):
    _both(_function.__name__, _function)


def _update(sign, operator):
    """`x += y`: the handle becomes the new value, as x[0] = y makes it one."""
    def update(self, other):
        value = getattr(self, operator)(other)
        if value is NotImplemented:
            return value
        if value.dtype != self.dtype:
            raise TypeError(f"{sign} would make {self.dtype.name} of {value.dtype.name}: write `x = x {sign[:-1]} y` for a tensor of another type")
        return self.assign(value)
    name = f"__i{operator[2:]}"
    setattr(Tensor, name, _adopt(update, name))


for _name, _operator in (("+=", "__add__"), ("-=", "__sub__"), ("*=", "__mul__"), ("/=", "__truediv__"), ("//=", "__floordiv__"), ("%=", "__mod__"),
                         ("**=", "__pow__"), ("&=", "__and__"), ("|=", "__or__"), ("^=", "__xor__"), ("<<=", "__lshift__"), (">>=", "__rshift__")):
    if hasattr(Tensor, _operator):
        _update(_name, _operator)
