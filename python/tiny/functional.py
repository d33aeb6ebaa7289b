"""Functions under the names of torch.nn.functional: those of the package, and methods of their first argument."""
import sys as _sys

# `import tiny.nn.functional as F` finds it, too.
_sys.modules[f"{__package__}.nn.functional"] = _sys.modules[__name__]


def embedding(input, weight):
    """Rows of a weight [count, size], by integers."""
    return weight[input]


def dropout(input, p=0.5, training=True, inplace=False):
    """Zeros where a random number is below p, the rest scaled by 1 / (1 - p); the input where nothing trains."""
    return input.dropout(p) if training else input


def __getattr__(name):
    package = _sys.modules[__package__]
    if not name.startswith("_"):
        if callable(found := vars(package).get(name) or package._find(name)):
            return found
    raise AttributeError(f"tiny.nn.functional has no '{name}': `x.{name}(...)` neither", name=name)
