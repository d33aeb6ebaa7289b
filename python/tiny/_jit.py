"""Captured functions of any arguments: tensors in lists, tuples and dictionaries are what changes, all else is part of the capture."""
import enum
import functools
import inspect
import itertools
import types
import weakref
from numbers import Number

from . import _modes
from ._tiny import Jit, SizedJit, Tensor, _place_of, _types_of, dtype


class _Objects:
    """Numbers for objects: no other object gets the same one, also after one is gone."""

    def __init__(self):
        self._known, self._numbers = {}, itertools.count()

    def number(self, value):
        key = id(value)
        if key not in self._known:
            try:
                keep = weakref.ref(value, lambda _: self._known.pop(key, None))
            except TypeError:
                keep = value
            self._known[key] = (next(self._numbers), keep)
        return self._known[key][0]


class _Tensors(list):
    """Tensors, each once."""

    def __init__(self):
        super().__init__()
        self._places = {}

    def place(self, tensor):
        place = self._places.setdefault(id(tensor), len(self))
        if place == len(self):
            self.append(tensor)
        return place


class _AllTensors(list):
    """Tensors, each as often as it is given."""

    def place(self, tensor):
        self.append(tensor)
        return len(self) - 1


def _is_array(value):
    """Whether it is an array with axes, of NumPy or another package; its scalars are numbers."""
    return (hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__")) and not isinstance(value, type) and getattr(value, "shape", ()) != ()


def _is_constant(value):
    """Whether a value is the same for as long as its text is."""
    return value is None or isinstance(value, (Number, str, bytes, enum.Enum, range, slice, dtype)) or hasattr(value, "__array_interface__")


def _assemble(kind, values):
    """A list or a tuple, also a named one."""
    return kind(*values) if hasattr(kind, "_fields") else kind(values)


def _take_apart(value, tensors, name):
    """A text for what the value is, and a function that puts it together again from a list of tensors. `name` gives a text for an object."""
    if isinstance(value, Tensor):
        place = tensors.place(value)
        return f"T{place}", lambda given: given[place]
    if isinstance(value, (list, tuple)):
        kind = type(value) if hasattr(value, "_fields") else list if isinstance(value, list) else tuple
        if all(type(item) is Tensor for item in value):
            places = [tensors.place(item) for item in value]
            return f"{kind.__name__}T{places}", lambda given: _assemble(kind, [given[place] for place in places])
        parts = [_take_apart(item, tensors, name) for item in value]
        return f"{kind.__name__}({','.join(text for text, _ in parts)})", lambda given: _assemble(kind, [make(given) for _, make in parts])
    if isinstance(value, dict):
        parts = {key: _take_apart(item, tensors, name) for key, item in value.items()}
        text = ",".join(f"{key!r}:{text}" for key, (text, _) in parts.items())
        return f"dict({text})", lambda given: {key: make(given) for key, (_, make) in parts.items()}
    if _is_array(value):
        return _take_apart(Tensor(value), tensors, name)
    return (f"{type(value).__name__} {value!r}" if _is_constant(value) else name(value)), lambda given: value


def _refuse_result(value):
    raise TypeError(f"the function gives a {type(value).__name__}, which would be the same in every call: what is captured gives tensors, in lists, tuples and dictionaries too, numbers and texts")


class _Captured:
    """What `jit` makes of a function.

    The first call with arguments of some types runs it, the second captures what it runs, later ones run that on other
    tensors, without calling the function. What it returns is computed. State that it updates (optimisers, assign() with
    realize(), random numbers) is updated again, in place. Numbers made in it stay as they were; reading a value in it
    (item(), numpy(), print) is an error."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self._function, self._objects = function, _Objects()
        # What C++ has keeps nothing of Python's alive.
        here = weakref.ref(self)
        self._jit = Jit(lambda tensors: here()._run(tensors))
        self._call = None
        self._results = {}

    def _name(self, value):
        if isinstance(value, types.MethodType):
            return f"method({self._objects.number(value.__self__)},{self._objects.number(value.__func__)})"
        return f"object({self._objects.number(value)})"

    def _run(self, tensors):
        make_arguments, key = self._call
        args, kwargs = make_arguments(tensors)
        before, results = [_place_of(tensor) for tensor in tensors], _Tensors()
        lists, same = _take_apart((args, kwargs), given := _Tensors(), self._name)[0], _Tensors()
        _, make_results = _take_apart(self._function(*args, **kwargs), results, _refuse_result)
        if _take_apart((args, kwargs), same, self._name)[0] != lists or any(one is not other for one, other in zip(given, same)):
            raise TypeError("the function changes a list or a dictionary that it was given: when its capture runs nothing would change it, return what is new")
        # Arguments that the function gave other values get them where it was called.
        changed = [index for index, place in enumerate(before) if _place_of(tensors[index]) != place]
        places = range(len(results), len(results) + len(changed))
        self._results[key] = make_results, list(zip(changed, places))
        return results + [tensors[index] for index in changed]

    def __call__(self, *args, **kwargs):
        tensors = _Tensors()
        text, make_arguments = _take_apart((args, kwargs), tensors, self._name)
        text += f"{_modes.name()};{Jit.modes()}"
        key = text + _types_of(tensors)
        before, self._call = self._call, (make_arguments, key)
        try:
            results = self._jit(tensors, text)
        finally:
            self._call = before
        make_results, changed = self._results[key]
        for index, place in changed:
            tensors[index].assign(results[place])
        return make_results(results)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self):
        """Like a function it is known by its name, and its copy is itself."""
        return self.__qualname__

    @property
    def replays(self):
        """How many calls ran what was captured."""
        return self._jit.replays


class _Sized:
    """What `jit` makes of a function over sizes.

    The first call traces the function at some of the sizes, and compiles one program for all of them. In the function
    a size is a number, of that trace. It must compute the same at each size, but for shapes and numbers that are
    polynomials of the sizes; it reads no values, and changes no tensors from outside. State is arguments and results."""

    def __init__(self, function, sizes, shapes, donate):
        functools.update_wrapper(self, function)
        self._function, self._signature, self._objects = function, inspect.signature(function), _Objects()
        parameters = self._signature.parameters
        shapes = {name: (axes,) if isinstance(axes, str) else tuple(axes) for name, axes in (shapes or {}).items()}
        self._donated = {donate} if isinstance(donate, str) else set(donate)
        for name in [*shapes, *self._donated]:
            if name not in parameters:
                raise TypeError(f"the function has no parameter '{name}'; it has {', '.join(parameters)}")
        self._sizes = []
        named = {name for axes in shapes.values() for name in axes if name is not None}
        for name, bounds in sizes.items():
            least, most = (bounds, bounds) if isinstance(bounds, int) else bounds
            if not 0 <= least <= most:
                raise ValueError(f"expects the bounds of '{name}' as (least, most), got {bounds!r}")
            if (name in named) == (name in parameters):
                raise TypeError(f"expects '{name}' to be " + ("a parameter or in `shapes`, not both" if name in named else "a parameter, or in `shapes`"))
            self._sizes.append((name, least, most, name in parameters))
        for name in named:
            if name not in sizes:
                raise TypeError(f"`shapes` has the size '{name}', which `sizes` has no bounds for")
        self._numbers = [name for name, _, _, is_number in self._sizes if is_number]
        places = {name: place for place, (name, *_) in enumerate(self._sizes)}
        self._axes = {name: tuple(places.get(axis, -1) for axis in axes) for name, axes in shapes.items()}
        self._programs = {}

    def _bind(self, arguments):
        """A text for what the arguments are apart from sizes; the tensors, the numbers, and for each other argument its name,
        whether it has parts, its tensors, and a function that puts it together."""
        tensors, numbers, texts, parts = _AllTensors(), {}, [], []
        for name, value in arguments.items():
            if name in self._numbers:
                if isinstance(value, bool) or not isinstance(value, int):
                    raise TypeError(f"expects a whole number for the size '{name}', got {value!r}")
                numbers[name] = value
                continue
            first = len(tensors)
            text, make = _take_apart(value, tensors, self._name)
            own, axes = tensors[first:], self._axes.get(name)
            for tensor in own if axes is not None else ():
                if len(axes) != len(tensor.shape):
                    raise TypeError(f"`shapes` gives '{name}' {len(axes)} axes, got {list(tensor.shape)}")
            texts.append(f"{name}={text}{_types_of(own, axes or ())}")
            parts.append((name, isinstance(value, (list, tuple, dict)), own, make))
        return ";".join([*texts, _modes.name()]), tensors, numbers, parts

    def _name(self, value):
        return f"object({self._objects.number(value)})"

    def __call__(self, *args, **kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        key, tensors, numbers, parts = self._bind(bound.arguments)
        if key not in self._programs:
            self._programs[key] = self._make_program(parts)
        program, form = self._programs[key]
        results = program(tensors, [numbers[name] for name in self._numbers])
        return form[0](results)

    def _make_program(self, parts):
        makers, described = {name: make for name, _, _, make in parts}, []
        for name, has_parts, tensors, _ in parts:
            for place, tensor in enumerate(tensors):
                label = f"{name}[{place}]" if has_parts else name
                axes = self._axes.get(name, (-1,) * len(tensor.shape))
                described.append((label, tensor, list(axes), name in self._donated))
        form, function, signature = [None], self._function, self._signature
        names = [name for name, *_ in self._sizes]

        def run(tensors, sizes):
            known = dict(zip(names, sizes))
            arguments = inspect.BoundArguments(signature, {})
            for name in signature.parameters:
                arguments.arguments[name] = makers[name](tensors) if name in makers else known[name]
            results = _AllTensors()
            _, form[0] = _take_apart(function(*arguments.args, **arguments.kwargs), results, _refuse_result)
            return results

        return SizedJit(run, self._sizes, described), form

    def __reduce__(self):
        """Like a function it is known by its name, and its copy is itself."""
        return self.__qualname__

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


def jit(function=None, *, sizes=None, shapes=None, donate=()):
    """A function whose programs are captured once and then only run; also a decorator.

    With `sizes`, one program serves all sizes within bounds:

        @tiny.jit(sizes={"position": (0, 1023), "n": (1, 64)}, shapes={"tokens": ("n",)}, donate="cache")
        def step(tokens, cache, position): ...

    A size is a parameter that is a whole number, or stands in `shapes`, which gives the axes of parameters that are
    tensors: None is an axis of one extent. What is in `donate` has no value after a call: a result takes its memory."""
    if sizes is None and (shapes is not None or donate):
        raise TypeError("`shapes` and `donate` belong to functions over `sizes`")
    if function is not None and not callable(function):
        raise TypeError(f"expects a function: tiny.jit(f), or @tiny.jit above one, got {function!r}")
    if function is None:
        return functools.partial(jit, sizes=sizes, shapes=shapes, donate=donate)
    return _Captured(function) if sizes is None else _Sized(function, sizes, shapes, donate)
