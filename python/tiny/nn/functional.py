"""Functions under the names of torch.nn.functional: those of the package, and methods of their first argument."""
import tiny as _package


def dropout(input, p=0.5, training=True, inplace=False):
    """Zeros where a random number is below p, the rest scaled by 1 / (1 - p); the input where nothing trains."""
    return input.dropout(p) if training else input


def _is_shape(value):
    return isinstance(value, (int, list, tuple))


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Over the last axes, those of normalized_shape, to mean 0 and variance 1."""
    if not _is_shape(normalized_shape):
        return input.layer_norm(normalized_shape, weight if bias is None else bias, eps=eps)
    return input.layer_norm(weight, bias, _check_shape(input, normalized_shape), eps)


def rms_norm(input, normalized_shape, weight=None, eps=2**-23):
    """Over the last axes, those of normalized_shape, over the root of the mean square."""
    if not _is_shape(normalized_shape):
        return input.rms_norm(normalized_shape, eps=eps)
    return input.rms_norm(weight, _check_shape(input, normalized_shape), eps)


def _check_shape(input, shape):
    """The first of the last axes, which must have the shape."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if not shape or tuple(input.shape[-len(shape):]) != shape:
        raise ValueError(f"expects the last axes of {tuple(input.shape)} as normalized_shape, got {shape}")
    return -len(shape)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Each group of channels, which are axis 1, to mean 0 and variance 1."""
    weight, bias = _fill(input, weight, bias)
    return input.group_norm(num_groups, weight, bias, eps)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """To mean 0 and variance 1 by running statistics; where it trains by the batch's, of which the running ones take a part."""
    weight, bias = _fill(input, weight, bias)
    if not training:
        return input.batch_norm(running_mean, running_var, weight, bias, eps)
    axes = [axis for axis in range(input.ndim) if axis != 1]
    count = input.numel() // input.shape[1]
    mean, var = input.mean(axes), input.var(axes, correction=0)
    if running_mean is not None:
        running_mean.assign(running_mean.lerp(mean.detach(), momentum))
        running_var.assign(running_var.lerp(var.detach() * (count / max(count - 1, 1)), momentum))
    return input.batch_norm(mean, var, weight, bias, eps)


def _fill(input, weight, bias):
    """Ones and zeros for each channel where there are no others."""
    channels = input.shape[1] if input.ndim > 1 else 1
    return (_package.ones(channels, dtype=input.dtype) if weight is None else weight, _package.zeros(channels, dtype=input.dtype) if bias is None else bias)


def __getattr__(name):
    if not name.startswith("_"):
        if callable(found := vars(_package).get(name) or _package._find(name)):
            return found
    raise AttributeError(f"tiny.nn.functional has no '{name}': `x.{name}(...)` neither", name=name)
