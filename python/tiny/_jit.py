"""Captured functions of any arguments: tensors in lists, tuples and dictionaries are what changes, all else is part of the capture."""
import functools
import weakref

from ._tiny import Jit, Tensor


def _take_apart(value, tensors):
    """A text for what the value is, and a function that puts it together again from a list of tensors."""
    if isinstance(value, Tensor):
        place = len(tensors)
        tensors.append(value)
        return "T", lambda given: given[place]
    if isinstance(value, (list, tuple)):
        parts = [_take_apart(item, tensors) for item in value]
        kind = list if isinstance(value, list) else tuple
        return f"{kind.__name__}({','.join(text for text, _ in parts)})", lambda given: kind(make(given) for _, make in parts)
    if isinstance(value, dict):
        parts = {key: _take_apart(item, tensors) for key, item in value.items()}
        text = ",".join(f"{key!r}:{text}" for key, (text, _) in parts.items())
        return f"dict({text})", lambda given: {key: make(given) for key, (_, make) in parts.items()}
    simple = value is None or isinstance(value, (bool, int, float, str, bytes))
    return (repr(value) if simple else f"object({id(value)})"), lambda given: value


class jit:
    """A function whose programs are captured once and then only run.

    The first call with arguments of some types runs it, the second captures what it runs, later ones run that on other
    tensors, without calling the function. What it returns is computed. State that it updates (optimisers, assign() with
    realize(), random numbers) is updated again, in place. Numbers made in it stay as they were; reading a value in it
    (item(), numpy(), print) is an error."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self._function = function
        # What C++ has keeps nothing of Python's alive.
        here = weakref.ref(self)
        self._jit = Jit(lambda tensors: here()._run(tensors))
        self._call = None
        self._results = {}

    def _run(self, tensors):
        make_arguments, key = self._call
        args, kwargs = make_arguments(tensors)
        results = []
        _, self._results[key] = _take_apart(self._function(*args, **kwargs), results)
        return results

    def __call__(self, *args, **kwargs):
        tensors = []
        text, make_arguments = _take_apart((args, kwargs), tensors)
        key = text + ";".join(f"{tensor.dtype}{tensor.shape}" for tensor in tensors)
        before, self._call = self._call, (make_arguments, key)
        try:
            results = self._jit(tensors, text)
        finally:
            self._call = before
        return self._results[key](results)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    @property
    def replays(self):
        """How many calls ran what was captured."""
        return self._jit.replays
