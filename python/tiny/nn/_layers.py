"""What the layers that are made in C++ have of a module in Python: state, copies, pickles, classes that are made of them."""
import copyreg

from .. import _tiny, nn
from .._tiny import NativeModule, Tensor

_CONVOLUTION = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "bias")
_TRANSPOSED = (*_CONVOLUTION, "output_padding")
_RECURRENT = ("input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional")
_ARGUMENTS = {
    _tiny.Linear: ("in_features", "out_features", "bias"), _tiny.Embedding: ("num_embeddings", "embedding_dim", "padding_idx"), _tiny.Dropout: ("p",),
    _tiny.Conv1d: _CONVOLUTION, _tiny.Conv2d: _CONVOLUTION, _tiny.Conv3d: _CONVOLUTION,
    _tiny.ConvTranspose1d: _TRANSPOSED, _tiny.ConvTranspose2d: _TRANSPOSED, _tiny.ConvTranspose3d: _TRANSPOSED,
    _tiny.BatchNorm: ("num_features", "eps", "momentum"), _tiny.LayerNorm: ("normalized_shape", "eps"), _tiny.RMSNorm: ("normalized_shape", "eps"),
    _tiny.GroupNorm: ("num_groups", "num_channels", "eps"), _tiny.MultiHeadAttention: ("embed_dim", "num_heads", "bias"),
    _tiny.LSTM: _RECURRENT, _tiny.GRU: _RECURRENT, _tiny.RNN: ("nonlinearity", *_RECURRENT),
}


def _find_kind(layer):
    """The class in C++ that a layer's own is, or is made of."""
    return next(kind for kind in type(layer).__mro__ if kind in _ARGUMENTS)


def _find_argument(layer, name):
    """What a layer was made with."""
    if name == "bias":
        return any("bias" in tensor for tensor, _ in layer._names())
    return getattr(layer, name)


def _children(self):
    """What a class that is made of a layer adds to it."""
    return list(nn._parts(getattr(self, "__dict__", {})))


def _state(self):
    """Names, tensors, and whether they train."""
    return nn.native_state(self) + nn._find_state(self._children(), getattr(self, "buffers_", ()))


def train(self, mode=True):
    """Whether dropout drops and batch norms learn."""
    self._train(mode)
    for _, value in self._children():
        if isinstance(value, (nn.Module, NativeModule)):
            value.train(mode)
    return self


def eval(self):
    """train(False)"""
    return self.train(False)


def parameters(self):
    """The tensors that train, in order."""
    return nn.parameters(self)


def named_parameters(self):
    """Their names with them."""
    return nn.named_parameters(self)


def state_dict(self):
    """All tensors by their names."""
    return nn.state_dict(self)


def load_state_dict(self, tensors):
    """Gives it these values: each of its tensors must be there, with its shape."""
    nn.load_state_dict(self, tensors)


def __getstate__(self):
    """Data only: the arguments that make such a layer, and its tensors."""
    arguments = {name: _find_argument(self, name) for name in _ARGUMENTS[_find_kind(self)]}
    return {"arguments": arguments, "tensors": [tensor for _, tensor, _ in nn.native_state(self)], "training": self.training, "own": dict(getattr(self, "__dict__", {}))}


def __setstate__(self, state):
    """Makes the layer that the state is of."""
    _tiny._undrawn(lambda: _find_kind(self).__init__(self, **state["arguments"]))
    for index, tensor in enumerate(state["tensors"]):
        self._replace(index, tensor)
    self._train(state["training"])
    if state["own"]:
        vars(self).update(state["own"])


def __repr__(self):
    """The arguments that make such a layer."""
    arguments = {name: _find_argument(self, name) for name in _ARGUMENTS[_find_kind(self)]}
    inner = ", ".join(f"{name}={value}" for name, value in arguments.items())
    return f"{type(self).__name__}({inner})"


def __init_subclass__(cls, **kwargs):
    """A class that is made of a layer computes what its forward() says."""
    super(NativeModule, cls).__init_subclass__(**kwargs)
    if "forward" in vars(cls):
        cls.__call__ = lambda self, *args, **kwargs: self.forward(*args, **kwargs)


for _function in (_children, _state, train, eval, parameters, named_parameters, state_dict, load_state_dict, __getstate__, __setstate__, __repr__):
    _function.__qualname__, _function.__module__ = f"NativeModule.{_function.__name__}", NativeModule.__module__
    setattr(NativeModule, _function.__name__, _function)
NativeModule.__init_subclass__ = classmethod(__init_subclass__)
for _class in (_tiny.Layer, _tiny.LSTM, _tiny.GRU, _tiny.RNN, _tiny.MultiHeadAttention):
    _class.forward = _class.__call__


def _reduce_optimizer(self, protocol):
    raise TypeError("an optimiser updates tensors of this process: copy or save `optimizer.state_dict()`, and load it into another one")


_tiny.Optimizer.__reduce_ex__ = _reduce_optimizer
# Functions and methods in C++ are known by their names.
for _class in (type(_tiny.relu), type(Tensor.relu)):
    copyreg.pickle(_class, lambda function: function.__qualname__)
