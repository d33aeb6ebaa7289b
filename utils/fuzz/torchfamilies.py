"""What random tensor programs are made of: each family draws operands from a case and adds a statement, or does nothing."""
import numpy as np
import torch

SMOOTH = ("exp", "tanh", "sin", "cos", "sigmoid", "erf", "square", "atan", "asinh", "sinh", "expm1", "exp2", "abs", "neg", "cosh")
ACTIVATIONS = ("relu", "relu6", "hardsigmoid", "hardswish", "silu", "gelu", "selu", "mish", "softplus", "softsign", "logsigmoid", "elu", "celu", "leaky_relu",
               "hardtanh")
POSITIVE = ("log", "sqrt", "rsqrt", "log2", "log10", "log1p", "reciprocal")


def axis_of(case, value):
    return case.integer(-value.ndim, value.ndim) if value.ndim else None


def broadcasts(lhs, rhs):
    # PyTorch promotes tensors of rank 0 as numbers, which here no tensor is.
    if torch.promote_types(lhs.dtype, rhs.dtype) != torch.result_type(lhs.got, rhs.got):
        return False
    try:
        return int(np.prod(np.broadcast_shapes(lhs.shape, rhs.shape))) <= 4096
    except ValueError:
        return False


def smooth(case):
    # At a bound of clamp the gradient depends on PyTorch's version: no value is at these.
    value = case.pick(lambda value: value.is_float and value.within(8))
    if value is None:
        return
    kind = case.integer(0, 4)
    if kind == 0:
        case.add(f"({value}.abs() + 0.5).{case.choose(*POSITIVE)}()", value)
    elif kind == 1:
        case.add(f"F.{case.choose(*ACTIVATIONS)}({value})", value)
    elif kind == 2:
        case.add(case.choose(f"F.elu({value}, 0.5)", f"F.leaky_relu({value}, 0.2)", f"F.hardtanh({value}, -0.53, 2.03)", f"F.threshold({value}, 0.25, -1.0)",
                             f"F.celu({value}, 1.5)", f"{value}.clamp(-1.03, 1.53)", f"{value}.clamp(min=0.53)", f"{value}.clip(max=0.53)",
                             f"({value}.tanh() * 0.9).atanh()", f"({value}.tanh() * 0.9).asin()", f"({value}.tanh() * 0.9).acos()", f"({value}.abs() + 1.5).acosh()",
                             f"({value}.tanh()).tan()", f"{value}.erfc()", f"{value}.sgn()" if value.exact else f"{value}.square()"), value)
    else:
        case.add(f"{value}.{case.choose(*SMOOTH)}()", value)


def exact_unary(case):
    value = case.pick(lambda value: value.exact and value.dtype is not None and (value.is_float or value.is_whole))
    if value is None:
        return
    names = ("floor", "ceil", "round", "trunc", "sign", "abs", "neg", "relu", "frac") if value.is_float else ("abs", "neg", "sign", "square")
    case.add(f"{value}.{case.choose(*names)}()", value, keeps="move")


def binary(case):
    lhs = case.pick(lambda value: value.is_float or value.is_whole)
    rhs = lhs and case.pick(lambda value: broadcasts(lhs, value) and (value.dtype == lhs.dtype or case.chance(3)))
    if rhs is None:
        return
    if case.chance(3) and lhs.is_float and rhs.is_float:
        text = case.choose(f"{lhs} / ({rhs}.abs() + 0.5)", f"{lhs}.atan2({rhs}.abs() + 0.25)", f"lib.logaddexp({lhs}, {rhs})", f"{lhs}.maximum({rhs})", f"{lhs}.minimum({rhs})",
                           f"({lhs}.abs() + 0.5) ** {rhs}.clamp(-2.03, 2.03)", f"{lhs}.lerp({rhs}, 0.25)", f"lib.hypot({lhs}, {rhs} + 0.5)", f"{lhs}.copysign({rhs})" if rhs.exact else f"{lhs} + {rhs}",
                           f"{lhs}.addcmul({rhs}, {rhs}, value=0.5)")
        case.add(text, lhs, rhs)
    else:
        case.add(f"{lhs} {case.choose('+', '-', '*')} {rhs}", lhs, rhs, keeps="ring")


def number(case):
    value = case.pick()
    number = case.choose(2, 3, -1, 0, 1, 5, 0.5, -1.5, 3.25)
    case.add(case.choose(f"{value} + {number}", f"{value} * {number}", f"{number} - {value}", f"{value} / 2", f"{value} - {number}") if value.dtype.is_floating_point or value.is_whole
             else f"{value} * {number}", value, keeps="ring")


def power(case):
    value = case.pick(lambda value: value.is_float and value.within(6))
    if value is not None:
        case.add(f"{value} ** {case.choose(2, 3, 1, 0, 4)}", value)


def whole(case):
    value = case.pick(lambda value: value.is_whole)
    if value is None:
        return
    number = case.choose(2, 3, 7) if "uint" in str(value.dtype) else case.choose(2, 3, -3, 7)
    other = case.pick(lambda other: other.dtype == value.dtype and broadcasts(value, other))
    operators = ["//", "%", "&", "|", "^"]
    case.add(case.choose(f"{value} {case.choose(*operators)} {number}", f"{value} // ({other} * {other} + 1)", f"{value} % ({other} * {other} + 1)",
                         f"{value} {case.choose('&', '|', '^')} {other}", f"~{value}", f"lib.fmod({value}, {number})", f"{value}.maximum({other})", f"({value} & 15) << 2", f"{value} >> 1"),
             value, other)


def divide(case):
    value = case.pick(lambda value: value.is_float and value.exact and value.size)
    if value is not None:
        number = case.choose(2, 0.5, -1.5, 4)
        case.add(case.choose(f"{value} % {number}", f"{value} // {number}", f"lib.fmod({value}, {number})"), value, keeps="ring")


def compare(case):
    lhs = case.pick(lambda value: value.exact)
    rhs = lhs and case.pick(lambda value: value.exact and broadcasts(lhs, value))
    if rhs is not None:
        case.add(f"{lhs}.{case.choose('eq', 'ne', 'lt', 'ge', 'gt', 'le')}({rhs if case.chance(2) else case.choose(0, 1, 0.5)})", lhs, rhs)


def logic(case):
    lhs = case.pick(lambda value: str(value.dtype) == "torch.bool")
    rhs = lhs and case.pick(lambda value: value.dtype == lhs.dtype and broadcasts(lhs, value))
    if rhs is not None:
        case.add(case.choose(f"{lhs} & ~{rhs}", f"{lhs} | {rhs}", f"{lhs} ^ {rhs}", f"lib.logical_and({lhs}, {rhs})", f"{lhs}.logical_not()"), lhs, rhs)


def where(case):
    condition = case.pick(lambda value: str(value.dtype) == "torch.bool")
    lhs = condition and case.pick(lambda value: broadcasts(condition, value))
    rhs = lhs and case.pick(lambda value: broadcasts(condition, value) and broadcasts(lhs, value))
    if rhs is None:
        return
    case.add(case.choose(f"lib.where({condition}, {lhs}, {rhs})", f"lib.where({condition}, {lhs}, 2)", f"{lhs}.masked_fill({condition}, 1)"), lhs, rhs, condition, keeps="move")


def cast(case):
    value = case.pick(lambda value: value.exact)
    if value is not None:
        dtype = case.choose("float32", "float32", "int32", "int64", "float64", "bool", "float16")
        if dtype == "bool" or not value.is_float or float(value.wide.detach().abs().max() if value.size else 0) < 100:
            case.add(f"{value}.to(dt('{dtype}'))", value, keeps="move")


def reduce(case):
    value = case.pick(lambda value: value.ndim > 0)
    if value is None:
        return
    axes = [axis for axis in range(value.ndim) if case.chance(2)] or [axis_of(case, value)]
    dims = axes[0] if len(axes) == 1 else tuple(axes)
    keep = case.choose(True, False)
    if not value.is_float:
        if str(value.dtype) == "torch.bool":
            return case.add(f"{value}.{case.choose('any', 'all')}({axes[0]}, keepdim={keep})", value)
        return case.add(f"{value}.{case.choose('sum', 'amax', 'amin')}({dims}, keepdim={keep})", value, whole="any")
    name = case.choose("sum", "sum", "amax", "amin", "mean", "logsumexp", "var", "std", "norm", "prod", "all", "count")
    # Equal extrema share the gradient: of rounded values a last bit would decide whether they are equal.
    has_ties = case.differentiates and not value.exact
    if has_ties and name in ("amax", "amin"):
        name = "mean"
    if name in ("var", "std"):
        correction = case.integer(0, 2)
        count = int(np.prod([value.shape[axis] for axis in axes]))
        if count > correction and (name == "var" or count > 2):
            case.add(f"{value}.{name}({dims}, correction={correction}, keepdim={keep})", value)
    elif name == "norm":
        case.add(f"({value} + 0.05).norm({case.choose(2.0, 1.0, 3.0)}, {dims}, keepdim={keep})", value)
    elif name == "prod":
        case.add(f"{value}.prod({axes[0]}, keepdim={keep})", value)
    elif name == "count":
        if value.exact:
            case.add(f"{value}.count_nonzero({dims})", value, whole="any")
    elif name == "all":
        case.add(case.choose(f"{value}.sum()", f"{value}.mean()", *([] if has_ties else [f"{value}.max()", f"{value}.min()"]), f"{value}.norm()", f"{value}.prod()"), value, keeps="ring")
    elif name == "sum":
        case.add(f"{value}.sum({dims}, keepdim={keep})", value, keeps="ring")
    else:
        case.add(f"{value}.{name}({dims}, keepdim={keep})", value, keeps="move" if name in ("amax", "amin") else None)


def scan(case):
    value = case.pick(lambda value: value.ndim > 0 and (value.is_whole or value.within(6)))
    if value is None:
        return
    axis = axis_of(case, value)
    if value.is_whole:
        name = case.choose("cumsum", "cummax", "cummin")
        return case.add(f"{value}.{name}({axis})", value, peer=f"{value}.{name}({axis})" + "[0]" * (name != "cumsum"), whole="any")
    # Of equal maxima PyTorch gives the last one the gradient, where here they share it.
    name = case.choose("cumsum", "cumsum", "cumprod", "logcumsumexp", *([] if case.differentiates else ["cummax", "cummin"]))
    if name.startswith("cumm"):
        case.add(f"{value}.{name}({axis})", value, peer=f"{value}.{name}({axis})[0]", keeps="move")
    else:
        case.add(f"{value}.{name}({axis})", value, keeps="ring" if name == "cumsum" else None, whole="any")


def order(case):
    value = case.pick(lambda value: value.ndim > 0 and value.exact and str(value.dtype) != "torch.bool" and (value.is_float or value.is_whole))
    if value is None:
        return
    axis, down = axis_of(case, value), case.choose(True, False)
    kind = case.integer(0, 4)
    if kind == 0:
        case.add(f"{value}.sort({axis}, {down})[0]", value, peer=f"{value}.sort(dim={axis}, descending={down}, stable=True)[0]", keeps="move")
    elif kind == 1:
        case.add(f"{value}.argsort({axis}, {down})", value, peer=f"{value}.sort(dim={axis}, descending={down}, stable=True)[1]", whole="any")
    elif kind == 2 and value.shape[axis] and not case.differentiates:  # of equals PyTorch's topk takes any
        case.add(f"{value}.topk({case.integer(1, value.shape[axis] + 1)}, {axis}, {down})[0]", value, keeps="move")
    elif value.shape[axis]:
        case.add(f"{value}.{case.choose('argmax', 'argmin')}({axis}, keepdim={case.choose(True, False)})", value, whole="any")


def softmax(case):
    value = case.real(condition=lambda value: value.ndim > 0)
    if value is not None:
        case.add(case.choose(f"{value}.softmax({axis_of(case, value)})", f"{value}.log_softmax({axis_of(case, value)})", f"F.softmin({value}, {axis_of(case, value)})",
                             f"F.normalize({value} + 0.05, 2.0, {axis_of(case, value)})"), value)


def product(case):
    lhs = case.real(condition=lambda value: value.ndim > 0)
    if lhs is None:
        return
    inner, dtype = lhs.shape[-1], str(lhs.dtype)[6:]
    kind = case.integer(0, 8)
    if kind <= 2:
        rhs = case.real(condition=lambda value: value.dtype == lhs.dtype and value.ndim > 0 and value.shape[-2 if value.ndim > 1 else -1] == inner)
        rhs = rhs or case.make([inner, case.draw_size()] if case.chance(2) else [inner], dtype)
        case.add(f"{lhs} @ {rhs}", lhs, rhs, keeps="ring")
    elif kind == 3:
        weight = case.make([case.draw_size(), inner], dtype)
        bias = case.make([weight.shape[0]], dtype)
        case.add(case.choose(f"F.linear({lhs}, {weight}, {bias})", f"F.linear({lhs}, {weight})"), lhs, weight, bias, keeps="ring")
    elif kind == 4 and lhs.ndim == 2:
        rhs = case.make([inner, 3], dtype)
        case.add(case.choose(f"lib.einsum('ij,jk->ki', {lhs}, {rhs})", f"lib.einsum('ij,jk->k', {lhs}, {rhs})", f"{rhs}.addmm({rhs}, make(1, (3, 3), '{dtype}'))"), lhs, rhs, keeps="ring")
    elif kind == 5 and lhs.ndim == 3:
        rhs = case.make([lhs.shape[0], inner, 2], dtype)
        case.add(case.choose(f"lib.bmm({lhs}, {rhs})", f"lib.einsum('bij,bjk->bik', {lhs}, {rhs})", f"lib.einsum('bij,bjk->jb', {lhs}, {rhs})"), lhs, rhs, keeps="ring")
    elif kind == 6:
        rhs = case.make([case.draw_size()], dtype)
        case.add(f"lib.outer({lhs}.reshape(-1), {rhs})", lhs, rhs, keeps="ring")
    else:
        case.add(f"{lhs}.reshape(-1).dot({lhs}.flip(0).reshape(-1))", lhs, keeps="ring")


def split_sizes(case, size):
    factors = [factor for factor in range(1, size + 1) if size % factor == 0] or [1]
    first = case.choose(*factors)
    return first, size // first


def move(case):
    value = case.pick()
    rank, shape = value.ndim, value.shape
    axis = axis_of(case, value)
    texts = [f"{value}.reshape(-1)", f"{value}.unsqueeze({case.integer(-rank - 1, rank + 1)})", f"{value}.expand({case.integer(1, 4)}, {''.join('-1, ' for _ in shape)})",
             f"{value}.flatten()"]
    if value.size:
        texts.append(f"{value}.reshape({split_sizes(case, value.size)})")
    if rank:
        permutation = tuple(int(axis) for axis in case.random.permutation(rank))
        low, high = [case.integer(0, 3) for _ in shape], [case.integer(0, 3) for _ in shape]
        pads = [item for pair in zip(low[::-1], high[::-1]) for item in pair]
        begin = case.integer(0, shape[axis] + 1)
        length = case.integer(0, shape[axis] - begin + 1)
        texts += [f"{value}.permute({permutation})", f"{value}.flip({axis})", f"F.pad({value}, {pads})", f"F.pad({value}, {pads[:2]}, value=1)", f"{value}.roll({case.integer(-3, 4)}, {axis})",
                  f"{value}.narrow({axis}, {begin}, {length})", f"{value}.repeat({tuple(case.integer(1, 3) for _ in shape)})", f"{value}.repeat_interleave(2, {axis})",
                  f"{value}.transpose({axis}, {axis_of(case, value)})", f"{value}.movedim({axis}, {axis_of(case, value)})", f"{value}.split({case.integer(1, 4)}, {axis})[0]",
                  f"{value}.chunk({case.integer(1, 4)}, {axis})[-1]", f"{value}.flatten({case.choose(0, -1)})", f"F.pad({value}, [-1, 1])", f"F.pad({value}, [{case.integer(-1, 2)}, -1])"]
        if shape[axis]:
            texts += [f"{value}.select({axis}, {case.integer(-shape[axis], shape[axis])})", f"{value}.unbind({axis})[{case.integer(0, shape[axis])}]",
                      f"{value}.unfold({axis}, {case.integer(1, shape[axis] + 1)}, {case.integer(1, 3)})", f"{value}.unflatten({axis}, {split_sizes(case, shape[axis])})"]
        if shape[axis] == 1:
            texts += [f"{value}.squeeze({axis})"] * 4
        texts.append(f"{value}.diag({case.integer(-2, 3)})" if rank < 3 else f"{value}.diagonal({case.integer(-2, 3)}, {axis}, {(axis + 1) % rank})")
    if rank > 1:
        texts += [f"{value}.tril({case.integer(-2, 3)})", f"{value}.triu({case.integer(-2, 3)})", f"{value}.diagonal({case.integer(-2, 3)})", f"{value}.flatten(0, 1)", f"{value}.T" if rank == 2 else f"{value}.flatten(1)"]
    if rank in (3, 4) and value.is_float:
        mode = case.choose("reflect", "replicate", "circular")
        texts += [f"F.pad({value}, {[case.integer(0, 3) for _ in range(2 * (rank - 2))]}, mode='{mode}')"] * 2
    case.add(case.choose(*texts), value, keeps="move")


def join(case):
    value = case.pick(lambda value: value.ndim > 0)
    if value is None:
        return
    axis = case.integer(0, value.ndim)
    fits = lambda other: other.dtype == value.dtype and other.ndim == value.ndim and all(a == b for k, (a, b) in enumerate(zip(other.shape, value.shape)) if k != axis)
    others = [case.pick(fits) for _ in range(case.integer(1, 4))]
    case.add(f"lib.cat([{', '.join(map(str, [value, *others]))}], {axis})", value, *others, keeps="move")
    other = case.pick(lambda other: other.dtype == value.dtype and other.shape == value.shape)
    if case.chance(2):
        case.add(f"lib.stack([{value}, {other}], {case.integer(-value.ndim - 1, value.ndim + 1)})", value, other, keeps="move")


def draw_index(case, value):
    """The text of an index: integers, slices, None, an ellipsis, a mask, tensors of integers in any places."""
    if case.chance(5) and value.ndim:
        depth = case.integer(1, value.ndim + 1)
        return f"mask({case.random.integers(0, 2, value.shape[:depth]).astype(bool).tolist()})" if all(value.shape[:depth]) else ":"
    items, width = [], case.choose((2,), (3,), (2, 1), (1,), (2, 2))
    for size in value.shape[:case.integer(0, value.ndim + 1) if case.chance(3) else None]:
        kind = case.integer(0, 6)
        if kind == 0 and size:
            items.append(str(case.integer(-size, size)))
        elif kind == 1 and size:
            items.append(f"ix({case.random.integers(-size, size, width).tolist()})")
        elif kind == 2:
            items.append(":")
        else:
            step = case.choose("", "", ":2", ":3")
            items.append(f"{case.choose('', case.integer(-size, size + 1))}:{case.choose('', case.integer(-size, size + 1))}{step}")
    if case.chance(4):
        items.insert(case.integer(0, len(items) + 1), "None")
    if case.chance(5) and len(items) < value.ndim:
        items.insert(case.integer(0, len(items) + 1), "...")
    return ", ".join(items) or "..."


def index(case):
    value = case.pick(lambda value: value.ndim > 0)
    if value is not None:
        case.add(f"{value}[{draw_index(case, value)}]", value, keeps="move")


def assign(case):
    value = case.pick(lambda value: value.ndim > 0 and (value.is_float or value.is_whole))
    if value is None:
        return
    where = draw_index(case, value)
    # Of several tensors for one place PyTorch does not say which one stays.
    if where.count("ix("):
        number = case.choose("1", "-2")
        return case.add(f"{value}.clone()", value, keeps="move", statement="{name} = {text}; {name}[" + where + "] = " + number)
    source = case.choose("0", "3", f"{value}[{where}] * 2")
    case.add(f"{value}.clone()", value, keeps="ring", statement="{name} = {text}; {name}[" + where + "] = " + source)


def update(case):
    value = case.pick(lambda value: value.is_float and value.exact)
    if value is not None:
        case.add(f"{value}.clone()", value, keeps="ring", statement="{name} = {text}; {name} " + case.choose("+= 1", "*= 2", "-= 0.5"))


def gather(case):
    value = case.pick(lambda value: value.ndim > 0 and all(value.shape))
    if value is None:
        return
    axis = axis_of(case, value)
    size = value.shape[axis]
    shape = [case.integer(1, extent + 1) for extent in value.shape]
    shape[axis] = case.integer(1, 6)
    where = f"ix({case.random.integers(0, size, shape).tolist()})"
    rows = f"ix({case.random.integers(0, size, case.integer(1, 5)).tolist()})"
    kind = case.integer(0, 6)
    if kind == 0:
        return case.add(f"{value}.gather({axis}, {where})", value, keeps="move")
    if kind == 1:
        return case.add(f"{value}.index_select({axis}, {rows})", value, keeps="move")
    dtype = str(value.dtype)[6:]
    if dtype == "bool":
        return
    source = case.make(shape, dtype)
    if source is None:
        return
    if kind == 2:
        case.add(f"{value}.scatter_add({axis}, {where}, {source})", value, source, keeps="ring")
    elif kind == 3:
        # Each place once: permutations along the axis.
        shape[axis] = case.integer(1, size + 1)
        places = np.argsort(case.random.random([size if k == axis % value.ndim else extent for k, extent in enumerate(shape)]), axis)
        places = np.take(places, range(shape[axis]), axis)
        source = case.make(shape, dtype)
        case.add(f"{value}.scatter({axis}, ix({places.tolist()}), {source})", value, source, keeps="move")
    elif kind == 4:
        # Of equal extrema each package gives the gradient to others.
        name = case.choose("sum", "prod", "mean", *([] if case.differentiates else ["amax", "amin"])) if value.is_float else case.choose("sum", "amax", "amin")
        case.add(f"{value}.scatter_reduce({axis}, {where}, {source}, '{name}')", value, source, keeps="ring" if name in ("sum", "amax", "amin") else None)
    else:
        table = case.make([4, 3])
        case.add(f"F.one_hot({where}, {size + 1})", whole="any")
        case.add(f"F.embedding(ix({case.random.integers(0, 4, (2, 3)).tolist()}), {table})", table, keeps="move")


def convolution(case):
    rank = case.choose(1, 2, 2, 3)
    groups = case.choose(1, 1, 2)
    channels, outputs = groups * case.integer(1, 4), groups * case.integer(1, 4)
    kernel = [case.integer(1, 4) for _ in range(rank)]
    stride, padding, dilation = case.integer(1, 4), case.integer(0, 3), case.integer(1, 3)
    spatial = [max(dilation * (size - 1) + 1 - 2 * padding, 1) + case.integer(0, 5) for size in kernel]
    x = case.real(rank + 2, lambda value: str(value.dtype) == "torch.float32" and value.shape[1] == channels and all(a >= b for a, b in zip(value.shape[2:], spatial)))
    x = x or case.make([case.integer(1, 3), channels, *spatial])
    if case.chance(4):
        weight, bias = case.make([channels, outputs // groups, *kernel]), case.make([outputs // groups])
        return case.add(f"F.conv_transpose{rank}d({x}, {weight}, {bias}, stride={stride}, padding={min(padding, *[size - 1 for size in kernel])})", x, weight, bias, keeps="ring")
    weight, bias = case.make([outputs, channels // groups, *kernel]), case.make([outputs])
    chosen = case.choose("None", bias)
    case.add(f"F.conv{rank}d({x}, {weight}, {chosen}, stride={stride}, padding={padding}, dilation={dilation}, groups={groups})", x, weight, bias, keeps="ring")


def pooling(case):
    rank = case.choose(1, 2, 2, 3)
    x = case.real(rank + 2, lambda value: all(value.shape)) or case.make([case.integer(1, 3), case.integer(1, 3), *[case.integer(2, 7) for _ in range(rank)]])
    kernel = case.integer(1, min(4, *[size + 1 for size in x.shape[2:]]) if rank > 1 else min(4, x.shape[2] + 1))
    stride, padding = case.integer(1, 4), case.integer(0, kernel // 2 + 1)
    sizes = tuple(case.integer(1, 5) for _ in range(rank))
    # Of equal maxima PyTorch gives the first one the gradient, where here they share it.
    apart = f"({x} + lib.arange({x.size}).reshape({x.shape}) / 4096)" if case.differentiates else str(x)
    mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[rank]
    case.add(case.choose(f"F.max_pool{rank}d({apart}, {kernel}, {stride}, {padding})", f"F.max_pool{rank}d({apart}, {kernel})", f"F.avg_pool{rank}d({x}, {kernel}, {stride}, {padding})",
                         f"F.avg_pool{rank}d({x}, {kernel})", f"F.adaptive_avg_pool{rank}d({x}, {sizes})", f"F.interpolate({x}, size={sizes}, mode='nearest')",
                         f"F.interpolate({x}, size={sizes}, mode='{mode}', align_corners={case.choose(True, False)})", f"F.interpolate({x}, scale_factor=2, mode='{mode}')"), x)


def norm(case):
    x = case.real(condition=lambda value: value.ndim > 1 and all(value.shape) and value.within(100))
    if x is None:
        return
    last, channels = x.shape[-1], x.shape[1]
    kind = case.integer(0, 4)
    dtype = str(x.dtype)[6:]
    if kind == 0 and last > 1:
        weight, bias = case.make([last], dtype), case.make([last], dtype)
        case.add(f"F.layer_norm({x}, {weight}, {bias}, eps=0.01)", x, weight, bias, peer=f"F.layer_norm({x}, ({last},), {weight}, {bias}, eps=0.01)")
    elif kind == 1:
        weight = case.make([last], dtype)
        case.add(f"F.rms_norm({x}, {weight}, eps=0.01)", x, weight, peer=f"F.rms_norm({x}, ({last},), {weight}, eps=0.01)")
    elif kind == 2 and x.ndim > 2:
        groups = case.choose(*[groups for groups in range(1, channels + 1) if channels % groups == 0])
        weight, bias = case.make([channels], dtype), case.make([channels], dtype)
        if x.size // x.shape[0] // groups > 1:
            case.add(f"F.group_norm({x}, {groups}, {weight}, {bias}, 0.01)", x, weight, bias)
    elif kind == 3:
        weight, bias, mean, var = (case.make([channels], dtype, low, 25) for low in (-24, -24, -24, 4))
        case.add(f"F.batch_norm({x}, {mean}, {var}, {weight}, {bias}, eps=0.01)", x, weight, bias, mean, var)


def attention(case):
    batch, heads, rows, columns, width = case.integer(1, 3), case.integer(1, 3), case.integer(1, 7), case.integer(1, 7), case.integer(1, 9)
    q, k, v = case.make([batch, heads, rows, width]), case.make([batch, heads, columns, width]), case.make([batch, heads, columns, case.integer(1, 9)])
    more = case.choose("", ", is_causal=True", f", attn_mask=make({rows}, ({rows}, {columns}), 'float32')",
                       f", attn_mask=mask({[[column <= row for column in range(columns)] for row in range(rows)]})")
    case.add(f"F.scaled_dot_product_attention({q}, {k}, {v}{more})", q, k, v)


def loss(case):
    x = case.real(condition=lambda value: value.ndim > 0 and value.size and value.within(50) and str(value.dtype) == "torch.float32")
    if x is None:
        return
    over = case.choose("mean", "sum", "none")
    y = case.pick(lambda value: value.dtype == x.dtype and value.shape == x.shape and value.within(50))
    signs = f"(make({x.size}, {x.shape}, 'bool') * 2.0 - 1)"
    margin = case.choose(0.0, 0.5)
    texts = [f"F.mse_loss({x}, {y}, reduction='{over}')", f"F.l1_loss({x}, {y}, reduction='{over}')", f"F.smooth_l1_loss({x}, {y}, reduction='{over}', beta=0.5)",
             f"F.huber_loss({x}, {y}, reduction='{over}', delta=0.75)", f"F.soft_margin_loss({x}, {signs}, reduction='{over}')",
             f"F.binary_cross_entropy_with_logits({x}, {y}.sigmoid(), reduction='{over}')", f"F.binary_cross_entropy({x}.sigmoid(), {y}.sigmoid(), reduction='{over}')",
             f"F.kl_div({x}, {y}.sigmoid(), reduction='{over}')", f"F.kl_div({x}, {y}, reduction='{over}', log_target=True)", f"F.hinge_embedding_loss({x}, {signs}, reduction='{over}')",
             f"F.poisson_nll_loss({x}, {y}, reduction='{over}')", f"F.margin_ranking_loss({x}, {y}, {signs}, margin={margin}, reduction='{over}')",
             f"F.gaussian_nll_loss({x}, {y}, {y}.sigmoid() + 0.1, reduction='{over}')"]
    if x.ndim >= 2:
        shape = (x.shape[0], *x.shape[2:])
        target = f"ix({case.random.integers(0, x.shape[1], shape).tolist()})"
        texts += [f"F.cross_entropy({x}, {target}, reduction='{over}')", f"F.cross_entropy({x}, {target}, reduction='{over}', label_smoothing=0.1)",
                  f"F.cross_entropy({x}, {target}, reduction='{over}', ignore_index=0)" if over != "mean" else f"F.cross_entropy({x}, {y}.softmax(1))",
                  f"F.cross_entropy({x}, {target}, make({x.size}, ({x.shape[1]},), 'float32', 4, 25), reduction='{over}')",
                  f"F.nll_loss({x}.log_softmax(1), {target}, reduction='{over}')", f"F.cosine_similarity({x} + 0.05, {y} + 0.1, dim=1)",
                  f"F.triplet_margin_loss({x}, {y}, {x} + 0.5, reduction='{over}')"] * 2
    case.add(case.choose(*texts), x, y)


def realize(case):
    case.realize()


def input(case):
    case.input()


FAMILIES = [smooth, smooth, exact_unary, binary, binary, binary, number, power, whole, divide, compare, logic, where, cast, reduce, reduce, reduce, scan, order, order,
            softmax, product, product, move, move, move, join, index, index, index, assign, update, gather, gather, convolution, pooling, norm, attention, loss, loss,
            realize, input, input]
