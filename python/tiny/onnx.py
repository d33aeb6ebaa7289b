"""ONNX models as functions of tensors.

    model = tiny.onnx.load("model.onnx")
    probabilities = model(images)            # or model(input=images), by the model's names
"""
import os

from ._tiny import Model, Tensor, _load_model


def load(path, dims=None):
    """A model from a file: ONNX, or a program of the compiler. `dims` gives sizes to what it leaves open, by name."""
    return _load_model(os.fspath(path), [f"{name}={size}" for name, size in (dims or {}).items()])


def _call(self, *arguments, **named):
    """Runs it, on arguments in order or by name: its result, or a tuple of them."""
    inputs = self.inputs
    names = [name for name, _, _ in inputs]
    given = dict(zip(names, arguments))
    for name, value in named.items():
        if name not in names:
            raise TypeError(f"no argument is called '{name}'; there are {', '.join(names)}")
        if name in given:
            raise TypeError(f"argument '{name}' is given twice")
        given[name] = value
    if len(arguments) > len(names) or len(given) < len(names):
        raise TypeError(f"expects {len(names)} arguments ({', '.join(names)}), got {len(arguments) + len(named)}")
    tensors = [given[name] if isinstance(given[name], Tensor) else Tensor(given[name], dtype) for name, _, dtype in inputs]
    results = self._call(tensors)
    return results[0] if len(results) == 1 else tuple(results)


def _describe(self):
    """The inputs and their shapes."""
    return f"Model({', '.join(f'{name}{list(shape)}' for name, shape, _ in self.inputs)})"


for _name, _function in (("__call__", _call), ("__repr__", _describe)):
    _function.__name__, _function.__qualname__, _function.__module__ = _name, f"Model.{_name}", Model.__module__
    setattr(Model, _name, _function)
