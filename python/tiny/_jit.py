"""Captured functions of any arguments: tensors in lists, tuples and dictionaries are what changes, all else is part of the capture."""
import functools
import inspect
import weakref

from ._tiny import Jit, SizedJit, Tensor


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


class _Captured:
    """What `jit` makes of a function.

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
        self._function, self._signature = function, inspect.signature(function)
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
        places = {name: place for place, (name, *_) in enumerate(self._sizes)}
        self._axes = {name: tuple(places.get(axis, -1) for axis in axes) for name, axes in shapes.items()}
        self._programs = {}

    def _bind(self, arguments):
        """What the arguments are apart from sizes; the tensors, a description of each, and the numbers."""
        tensors, described, numbers, texts, makers = [], [], {}, [], {}
        for name, value in arguments.items():
            if any(name == size and is_number for size, _, _, is_number in self._sizes):
                if isinstance(value, bool) or not isinstance(value, int):
                    raise TypeError(f"expects a whole number for the size '{name}', got {value!r}")
                numbers[name] = value
                continue
            first = len(tensors)
            text, makers[name] = _take_apart(value, tensors)
            texts.append(f"{name}={text}")
            for place, tensor in enumerate(tensors[first:]):
                axes = self._axes.get(name, (-1,) * len(tensor.shape))
                if len(axes) != len(tensor.shape):
                    raise TypeError(f"`shapes` gives '{name}' {len(axes)} axes, got {list(tensor.shape)}")
                shape = [extent if axis < 0 else None for extent, axis in zip(tensor.shape, axes)]
                texts.append(f"{tensor.dtype}{shape}")
                label = name if tensors[first:] == [value] else f"{name}[{place}]"
                described.append((label, tensor, list(axes), name in self._donated))
        return ";".join(texts), tensors, described, numbers, makers

    def __call__(self, *args, **kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        key, tensors, described, numbers, makers = self._bind(bound.arguments)
        if key not in self._programs:
            self._programs[key] = self._make_program(makers, described)
        program, form = self._programs[key]
        results = program(tensors, [numbers[name] for name, _, _, is_number in self._sizes if is_number])
        return form[0](results)

    def _make_program(self, makers, described):
        form, function, signature = [None], self._function, self._signature
        names = [name for name, *_ in self._sizes]

        def run(tensors, sizes):
            known = dict(zip(names, sizes))
            arguments = inspect.BoundArguments(signature, {})
            for name in signature.parameters:
                arguments.arguments[name] = makers[name](tensors) if name in makers else known[name]
            results = []
            _, form[0] = _take_apart(function(*arguments.args, **arguments.kwargs), results)
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
