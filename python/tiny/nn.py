"""Layers, and modules that are made of them: parameters have PyTorch's names."""
from ._tiny import (LSTM, BatchNorm, Conv2d, ConvTranspose2d, Dropout, Embedding, GroupNorm, LayerNorm, Linear, MultiHeadAttention, NativeModule, RMSNorm, Tensor,
                    _load_state)

BatchNorm1d = BatchNorm2d = BatchNorm3d = BatchNorm


class Module:
    """What has tensors, layers and modules as attributes, alone or in lists. forward() is what a call computes.

    A tensor that is an attribute is a parameter, unless its name is in `buffers_`, a set."""

    training = True
    buffers_ = frozenset()

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no forward()")

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def _children(self):
        for name, value in vars(self).items():
            if isinstance(value, (list, tuple)):
                yield from ((f"{name}.{index}", item) for index, item in enumerate(value))
            else:
                yield name, value

    def _state(self):
        """Names, tensors, and whether they train."""
        state = []
        for name, value in self._children():
            if isinstance(value, Tensor):
                state.append((name, value, name not in self.buffers_))
            elif isinstance(value, (Module, NativeModule)):
                state += [(f"{name}.{inner}", tensor, trains) for inner, tensor, trains in value._state()]
        return state

    def train(self, mode=True):
        """Whether dropout drops and batch norms learn, here and in all modules."""
        self.training = mode
        for _, value in self._children():
            if isinstance(value, (Module, NativeModule)):
                value.train(mode)
        return self

    def eval(self):
        """train(False)"""
        return self.train(False)


class Sequential(Module):
    """Layers or functions, one after the other."""

    def __init__(self, *layers):
        self._layers = layers

    def _children(self):
        return ((str(index), layer) for index, layer in enumerate(self._layers))

    def forward(self, x):
        for layer in self._layers:
            x = layer(x)
        return x


def parameters(module):
    """The tensors that train, in order."""
    return [tensor for _, tensor, trains in module._state() if trains]


def named_parameters(module):
    """Their names with them."""
    return [(name, tensor) for name, tensor, trains in module._state() if trains]


def state_dict(module):
    """All tensors of a module or an optimiser by their names."""
    return {name: tensor for name, tensor, _ in module._state()}


def load_state_dict(module, tensors):
    """Gives a module or an optimiser these values: each of its tensors must be there, with its shape."""
    values = [(name, tensor if isinstance(tensor, Tensor) else Tensor(tensor)) for name, tensor in tensors.items()]
    _load_state(module._state(), values)


def native_state(owner):
    """The same as Module._state, of what is made in C++."""
    return [(name, owner._tensor(index), trains) for index, (name, trains) in enumerate(owner._names())]


NativeModule._state = native_state
for _class in (Module, NativeModule):
    _class.parameters = parameters
    _class.named_parameters = named_parameters
    _class.state_dict = state_dict
    _class.load_state_dict = load_state_dict
