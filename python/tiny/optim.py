"""Optimisers: a step is one program, which updates parameters and its own state in place.

    optimizer = tiny.optim.AdamW(model.parameters(), lr=1e-3)
    loss = model(x).cross_entropy(y)
    optimizer.step(loss)
"""
from . import _hints, _tiny
from ._tiny import cosine_rate, step_rate  # noqa: F401
from .nn import Module, load_state_dict, native_state, state_dict


def _list(params):
    """What an optimiser updates, each a tensor."""
    if isinstance(params, (_tiny.Tensor, Module, _tiny.NativeModule)):
        raise TypeError(f"expects a list of tensors, got a {type(params).__name__}: give " +
                        ("[weight]" if isinstance(params, _tiny.Tensor) else "network.parameters()"))
    params = tuple(params)
    for param in params:
        if not isinstance(param, _tiny.Tensor):
            raise TypeError(f"expects tensors, such as network.parameters(), got {param!r}; groups with rates of their own are optimisers of their own")
    if not params:
        raise ValueError("expects at least one parameter: are the layers attributes of the module?")
    return params


def SGD(params, lr=1e-3, momentum=0.0, weight_decay=0.0, nesterov=False):
    """Stochastic gradient descent."""
    return _tiny.SGD(_list(params), lr, momentum, weight_decay, nesterov)


def Adam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
    """Adam; decay is part of the gradient."""
    return _tiny.Adam(_list(params), lr, betas, eps, weight_decay)


def AdamW(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
    """Adam with decoupled decay."""
    return _tiny.AdamW(_list(params), lr, betas, eps, weight_decay)


def LAMB(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0):
    """Adam with each step scaled to its parameter's norm."""
    return _tiny.LAMB(_list(params), lr, betas, eps, weight_decay)


def _step(self, loss=None):
    """Computes the gradients of the loss, updates the parameters in place, and realises the loss: one program."""
    if not isinstance(loss, _tiny.Tensor):
        raise TypeError("expects the loss: optimizer.step(loss) computes gradients and updates in one program" + ("" if loss is None else f", got {loss!r}"))
    self._step(loss)


__getattr__ = _hints.lookup("tiny.optim", _hints.OPTIM)
_hints.watch(_tiny.Optimizer, None, _hints.OPTIMIZER)
_step.__name__, _step.__qualname__, _step.__module__ = "step", "Optimizer.step", _tiny.__name__
_tiny.Optimizer.step = _step
_tiny.Optimizer._state = native_state
_tiny.Optimizer.state_dict = state_dict
_tiny.Optimizer.load_state_dict = load_state_dict
