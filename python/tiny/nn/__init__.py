"""Layers, and modules that are made of them: parameters have PyTorch's names."""
from .. import _hints, _modes
from .._tiny import (GRU, LSTM, RNN, BatchNorm, Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, Dropout, Embedding, GroupNorm, LayerNorm, Linear, MultiHeadAttention, NativeModule, RMSNorm, Tensor,
                    _load_state)

BatchNorm1d = BatchNorm2d = BatchNorm3d = BatchNorm
Dropout1d = Dropout2d = Dropout
__getattr__ = _hints.lookup("tiny.nn", _hints.NN)


def parameters(module):
    """The tensors that train, in order; one that has several names is there once."""
    return [tensor for _, tensor in named_parameters(module)]


def named_parameters(module):
    """Their names with them."""
    seen, named = set(), []
    for name, tensor, trains in module._state():
        if trains and id(tensor) not in seen:
            seen.add(id(tensor))
            named.append((name, tensor))
    return named


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


class Module:
    """What has tensors, layers and modules as attributes, alone or in lists. forward() is what a call computes.

    A tensor that is an attribute is a parameter, unless its name is in `buffers_`, a set."""

    buffers_ = frozenset()
    parameters, named_parameters, state_dict, load_state_dict = parameters, named_parameters, state_dict, load_state_dict

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no forward()")

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    @property
    def training(self):
        """Whether it trains; True at first."""
        return vars(self).get("_training", True)

    @training.setter
    def training(self, mode):
        vars(self)["_training"] = bool(mode)
        _modes.note(self, bool(mode))

    def __setstate__(self, state):
        vars(self).update(state)
        self.training = self.training

    def _children(self):
        return _parts(vars(self))

    def _state(self):
        """Names, tensors, and whether they train."""
        return _find_state(self._children(), self.buffers_)

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

    def __repr__(self):
        lines = [f"  ({name}): {_describe(value)}".replace("\n", "\n  ") for name, value in self._children() if isinstance(value, (Tensor, Module, NativeModule))]
        return f"{type(self).__name__}(" + "".join(f"\n{line}" for line in lines) + ("\n)" if lines else ")")


def _find_state(children, buffers):
    """Names, tensors, and whether they train, of what a module has."""
    state = []
    for name, value in children:
        if isinstance(value, Tensor):
            state.append((name, value, name not in buffers))
        elif isinstance(value, (Module, NativeModule)):
            state += [(f"{name}.{inner}", tensor, trains) for inner, tensor, trains in value._state()]
    return state


def _describe(value):
    """A part of a module as text; a tensor by its type."""
    if isinstance(value, Tensor):
        return f"{value.dtype.name} {tuple(value.shape)}"
    return repr(value)


def _parts(values):
    """Names and what stands in a dictionary, in lists and dictionaries of it too."""
    for name, value in values.items():
        if isinstance(value, (list, tuple, dict)):
            inner = value if isinstance(value, dict) else dict(enumerate(value))
            yield from ((f"{name}.{key}", item) for key, item in _parts(inner))
        else:
            yield name, value


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

    def append(self, layer):
        """One more layer, behind the others."""
        self._layers = (*self._layers, layer)
        return self

    def __getitem__(self, index):
        return Sequential(*self._layers[index]) if isinstance(index, slice) else self._layers[index]

    def __len__(self):
        return len(self._layers)

    def __iter__(self):
        return iter(self._layers)


class Call(Module):
    """A layer without parameters: a method of its input, with what the layer was made with."""

    method = None

    def __init__(self, *args, inplace=False, **kwargs):
        self._args, self._kwargs = args, kwargs

    def forward(self, x, *more):
        return getattr(x, self.method)(*more, *self._args, **self._kwargs)


def _layer(name, method, *parents):
    """A class of layers."""
    return type(name, parents or (Call,), {"method": method, "__doc__": f"x.{method}(...) as a layer.", "__module__": __name__})


for _name, _method in (("ReLU", "relu"), ("ReLU6", "relu6"), ("LeakyReLU", "leaky_relu"), ("ELU", "elu"), ("GELU", "gelu"), ("SiLU", "silu"), ("Mish", "mish"),
                       ("Sigmoid", "sigmoid"), ("Tanh", "tanh"), ("Softplus", "softplus"), ("Hardswish", "hardswish"), ("Softmax", "softmax"), ("LogSoftmax", "log_softmax"),
                       ("MaxPool1d", "max_pool2d"), ("MaxPool2d", "max_pool2d"), ("AvgPool2d", "avg_pool2d"), ("AdaptiveAvgPool2d", "adaptive_avg_pool2d"), ("Identity", "clone"),
                       ("CrossEntropyLoss", "cross_entropy"), ("NLLLoss", "nll_loss"), ("MSELoss", "mse_loss"), ("L1Loss", "l1_loss"), ("SmoothL1Loss", "smooth_l1_loss"),
                       ("BCELoss", "binary_cross_entropy"), ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits"), ("Unflatten", "unflatten"), ("CELU", "celu"), ("SELU", "selu"), ("GLU", "glu"), ("Hardtanh", "hardtanh"),
                       ("Hardsigmoid", "hardsigmoid"), ("Softsign", "softsign"), ("LogSigmoid", "logsigmoid"), ("Softmin", "softmin"), ("Threshold", "threshold"),
                       ("MaxPool3d", "max_pool2d"), ("AvgPool1d", "avg_pool2d"), ("AvgPool3d", "avg_pool2d"), ("AdaptiveAvgPool1d", "adaptive_avg_pool2d"),
                       ("AdaptiveAvgPool3d", "adaptive_avg_pool2d"), ("HuberLoss", "huber_loss"), ("KLDivLoss", "kl_div"), ("SoftMarginLoss", "soft_margin_loss"),
                       ("PoissonNLLLoss", "poisson_nll_loss"), ("GaussianNLLLoss", "gaussian_nll_loss"), ("HingeEmbeddingLoss", "hinge_embedding_loss"),
                       ("CosineEmbeddingLoss", "cosine_embedding_loss"), ("MarginRankingLoss", "margin_ranking_loss"), ("TripletMarginLoss", "triplet_margin_loss"),
                       ("CosineSimilarity", "cosine_similarity")):
    globals()[_name] = _layer(_name, _method)
MultiheadAttention = MultiHeadAttention


class Flatten(Call):
    """x.flatten(start_dim, end_dim) as a layer: all but the first axis."""

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__(start_dim, end_dim)

    method = "flatten"


def ModuleList(modules=()):
    """A list: modules in lists are found as they are."""
    return list(modules)


def ModuleDict(modules=()):
    """A dictionary: modules in dictionaries are found as they are."""
    return dict(modules)


from . import _layers, functional  # noqa: E402,F401
from ._cells import GRUCell, LSTMCell, RNNCell  # noqa: E402,F401

_hints.watch(Module, None, _hints.LAYER)
_hints.watch(NativeModule, None, _hints.LAYER)
_hints.watch(Tensor, "Tensor", _hints.TENSOR)
