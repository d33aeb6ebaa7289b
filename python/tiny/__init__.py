"""Lazy tensors on a modular compiler: differentiable, jitted, with NumPy and DLPack in and out.

    import tiny
    x = tiny.Tensor([1.0, 2.0, 3.0])
    y = (x + 2).sum()       # nothing is computed yet
    y.item()                # compiled, run: 12.0
"""
import os as _os

from . import _tiny
from ._tiny import *  # noqa: F401,F403
from ._tiny import Error, Tensor, bool_, dtype  # noqa: F401

_tiny._set_package_folder(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)
tensor = Tensor

from ._more import FUNCTIONS as _functions  # noqa: E402

globals().update(_functions)

from . import _hints, gguf, nn, onnx, optim  # noqa: E402
from ._autocast import autocast  # noqa: E402,F401
from ._checkpoint import checkpoint  # noqa: E402,F401
from ._jit import jit  # noqa: E402,F401
from ._pipeline import Pipeline  # noqa: E402,F401

_DTYPES = {"float": dtype.float32, "double": dtype.float64, "half": dtype.float16, "short": dtype.int16, "int": dtype.int32, "long": dtype.int64, "bool": bool_}


def _find(name):
    """PyTorch's names of element types, and methods as functions of their first argument: tiny.sum(x, 1)."""
    if name in _DTYPES:
        return _DTYPES[name]
    method = None if name.startswith("_") else vars(Tensor).get(name)
    if not callable(method):
        return None

    def function(input, *args, **kwargs):
        return method(input, *args, **kwargs)
    # Found from here on, and by pickles, under its name.
    function.__name__ = function.__qualname__ = name
    function.__doc__ = method.__doc__
    return globals().setdefault(name, function)


__getattr__ = _hints.lookup("tiny", _hints.MODULE, _find)


def save(tensors, path):
    """Writes a dictionary of tensors, or a module's, to a .safetensors or .npz file."""
    if not _os.fspath(path).endswith((".safetensors", ".npz")):
        raise ValueError(f"expects a name that ends in .safetensors or .npz, got '{_os.fspath(path)}'")
    _tiny._save(_os.fspath(path), list((tensors if isinstance(tensors, dict) else nn.state_dict(tensors)).items()))


def load(path):
    """The tensors of a .safetensors, .npz or .npy file by their names."""
    return dict(_tiny._load(_os.fspath(path)))
