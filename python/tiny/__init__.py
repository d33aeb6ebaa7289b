"""Lazy tensors on a modular compiler: differentiable, jitted, with NumPy and DLPack in and out.

    import tiny
    x = tiny.Tensor([1.0, 2.0, 3.0])
    y = (x + 2).sum()       # nothing is computed yet
    y.item()                # compiled, run: 12.0
"""
import os as _os

from . import _tiny
from ._tiny import *  # noqa: F401,F403
from ._tiny import Error, Tensor, dtype  # noqa: F401

_tiny._set_package_folder(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)
tensor = Tensor

from ._more import FUNCTIONS as _functions  # noqa: E402

globals().update(_functions)

from . import _hints, gguf, nn, onnx, optim  # noqa: E402
from ._autocast import autocast  # noqa: E402,F401
from ._jit import jit  # noqa: E402,F401

__getattr__ = _hints.lookup("tiny", _hints.MODULE)


def save(tensors, path):
    """Writes a dictionary of tensors, or a module's, to a .safetensors or .npz file."""
    _tiny._save(_os.fspath(path), list((tensors if isinstance(tensors, dict) else nn.state_dict(tensors)).items()))


def load(path):
    """The tensors of a .safetensors, .npz or .npy file by their names."""
    return dict(_tiny._load(_os.fspath(path)))
