"""A random program of tensors, run lazily by the package `tiny` and eagerly by PyTorch, statement by statement of one text.

A statement is text that both packages understand; where their words differ there are two texts. PyTorch runs it twice, in
the types that the program says and with all floats in float64: how far these are apart says how much rounding can move a
value, and tiny may be that much off. Values that are exact in float32 (small multiples of 1/8, moved, added, multiplied)
must be equal, and only they are compared, ordered or rounded to integers, where a last bit would decide.
"""
import re

import numpy as np
import tiny
import torch

MOST = 4096  # elements of a value
DTYPES = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16, "int32": torch.int32,
          "int64": torch.int64, "int16": torch.int16, "int8": torch.int8, "uint8": torch.uint8, "bool": torch.bool}
HALVES = (torch.float16, torch.bfloat16)
FLOATS = (torch.float32, torch.float64, *HALVES)


def to_numpy(tensor):
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype in HALVES else tensor).numpy(force=True)


def draw_data(seed, shape, name, low=-24, high=25):
    """The array that a program calls make(seed, shape, type): multiples of 1/8, or whole numbers."""
    random = np.random.default_rng(seed)
    if name == "bool":
        return np.asarray(random.integers(0, 2, shape), bool)
    if "float" in name:
        return np.asarray(random.integers(low, high, shape) / 8, "float64" if name == "float64" else "float32")
    return np.asarray(random.integers(0 if name == "uint8" else -9, 10, shape), name)


class Peer:
    """PyTorch in the types of the program, or in float64 alone."""

    def __init__(self, wide):
        self.names = {"lib": torch, "F": torch.nn.functional, "dt": lambda name: torch.float64 if wide and "float" in name else DTYPES[name],
                      "ix": lambda data: torch.tensor(data, dtype=torch.int64), "mask": lambda data: torch.tensor(data, dtype=torch.bool)}
        self.names["make"] = lambda *what: torch.from_numpy(draw_data(*what)).to(self.names["dt"](what[2]))

    def run(self, text):
        exec(text, self.names)


def tiny_names():
    return {"lib": tiny, "F": tiny.nn.functional, "dt": lambda name: name, "ix": lambda data: tiny.Tensor(np.array(data, dtype=np.int64)),
            "mask": lambda data: tiny.Tensor(np.array(data, dtype=bool)), "make": lambda *what: tiny.Tensor(draw_data(*what)).to(what[2])}


class Value:
    """A value by its name, with what PyTorch has for it (`got`, and `wide` in float64), and whether it is exact."""

    def __init__(self, name, got, wide, exact):
        self.name, self.got, self.wide, self.exact = name, got, wide, exact
        self.shape, self.ndim, self.dtype = tuple(got.shape), got.ndim, got.dtype

    def __str__(self):
        return self.name

    @property
    def is_float(self):
        return self.dtype in FLOATS

    @property
    def is_whole(self):
        return not self.is_float and self.dtype != torch.bool

    @property
    def size(self):
        return self.got.numel()

    def within(self, bound):
        return self.size == 0 or self.is_float and float(self.wide.detach().abs().max()) <= bound


class Failure(Exception):
    """tiny gave another value, or refused what PyTorch takes."""


class Case:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.differentiates = bool(self.random.integers(0, 2))
        self.values, self.inputs, self.lines, self.count = [], [], [], 0
        self.tiny, self.narrow, self.wide = tiny_names(), Peer(False), Peer(True)

    #===--- Drawing -------------------------------------------------------------------------------------------------===#

    def integer(self, low, high):
        return int(self.random.integers(low, high))

    def chance(self, one_in):
        return self.integer(0, one_in) == 0

    def choose(self, *items):
        return items[self.integer(0, len(items))]

    def pick(self, condition=lambda value: True):
        fitting = [value for value in self.values if condition(value)]
        return fitting[self.integer(0, len(fitting))] if fitting else None

    def real(self, rank=None, condition=lambda value: True):
        """A value of floats in 32 or 64 bits."""
        return self.pick(lambda value: value.dtype in (torch.float32, torch.float64) and (rank is None or value.ndim == rank) and condition(value))

    def draw_size(self):
        return self.choose(0, 1, 1, 1, 2, 3, 4, 5, 6, 7) if self.chance(4) else self.integer(2, 6)

    def make(self, shape, dtype="float32", low=-24, high=25):
        """A new exact input of a shape."""
        bounds = "" if (low, high) == (-24, 25) else f", {low}, {high}"
        value = self.add(f"make({self.integer(0, 10000)}, {tuple(shape)}, '{dtype}'{bounds})", keeps="move")
        if value is None:  # too large
            return None
        if value.dtype in (torch.float32, torch.float64) and self.differentiates:
            value.got.requires_grad_()
            value.wide.requires_grad_()
            self.inputs.append(value)
        return value

    def input(self):
        shape = [self.draw_size() for _ in range(self.choose(0, 1, 2, 2, 3, 3, 4))]
        dtype = self.choose(*["float32"] * 8, "float64", "float16", "bfloat16", "int32", "int64", "int64", "uint8", "int8", "bool")
        return self.make(shape, dtype) if np.prod(shape) <= MOST else None

    #===--- Running a statement -------------------------------------------------------------------------------------===#

    def add(self, text, *operands, peer=None, keeps=None, statement="{name} = {text}", whole="same"):
        """Runs a statement in all three. `keeps` is what it does to exact values: "move", "ring" (sums and products), None
        for what rounds. `whole="any"`: the width of integers may be another than PyTorch's."""
        name = f"v{self.count}"
        theirs = statement.format(name=name, text=peer or text)
        ours = statement.format(name=name, text=text)
        try:
            for torchs in (self.narrow, self.wide):
                torchs.run(theirs)
        except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
            return None  # no valid program
        got, wide = self.narrow.names[name], self.wide.names[name]
        if not isinstance(got, torch.Tensor) or got.numel() > MOST:
            return None
        if got.is_floating_point() and not (torch.isfinite(got).all() and torch.isfinite(wide).all()):
            return None
        if got.numel() and got.dtype != torch.bool and float(wide.detach().abs().max()) > 1e4:
            return None
        self.count += 1
        self.lines.append(f"{ours}  # {str(got.dtype)[6:]} {tuple(got.shape)}" + (f"   torch: {theirs}" if peer else ""))
        try:
            exec(ours, self.tiny)
            tensor = self.tiny[name]
        except Exception as error:
            raise Failure(f"{name}: {type(error).__name__}: {error}") from error
        if tuple(tensor.shape) != tuple(got.shape) or tensor.dtype.name != str(got.dtype)[6:]:
            if tuple(tensor.shape) != tuple(got.shape) or whole != "any" or got.dtype in FLOATS:
                raise Failure(f"{name}: is {tensor.dtype.name} {tuple(tensor.shape)}, not {str(got.dtype)[6:]} {tuple(got.shape)}")
            exec(f"{name} = {name}.to('{str(got.dtype)[6:]}')", self.tiny)
        exact = all(operand.exact for operand in operands) and (keeps == "move" or got.dtype not in FLOATS or keeps == "ring" and self.stays_exact(got, wide, operands))
        value = Value(name, got, wide, exact)
        self.values.append(value)
        return value

    @staticmethod
    def stays_exact(got, wide, operands):
        """Whether sums and products of small multiples of powers of 1/2 have been exact in any order."""
        wide = wide.detach()
        largest = max([float(operand.wide.detach().abs().sum()) for operand in operands if operand.is_float and operand.size] + [1.0])
        scaled = wide * 2**12
        return got.dtype not in HALVES and largest < 2**9 and bool((scaled == scaled.round()).all()) and bool((got.detach().double() == wide).all())

    def realize(self):
        """Some values are computed now, together; handles on others go, so that memory is taken over."""
        if self.differentiates:
            return  # what is realised is a constant
        chosen = [value.name for value in self.values if self.chance(4)]
        self.lines.append(f"lib.realize([{', '.join(chosen)}])")
        exec(self.lines[-1], self.tiny)
        if self.chance(2) and len(self.values) > 6:
            dropped = self.values.pop(self.integer(0, len(self.values)))
            self.lines.append(f"del {dropped}")
            exec(self.lines[-1], self.tiny)

    #===--- Comparing ------------------------------------------------------------------------------------------------===#

    def compare(self, name, got, narrow, wide, exact):
        """What is wrong with an array, or None."""
        narrow, wide = to_numpy(narrow), to_numpy(wide).astype(np.float64 if narrow.dtype in FLOATS else None)
        if got.shape != narrow.shape:
            return f"{name}: has shape {got.shape}, not {narrow.shape}"
        if got.dtype.kind in "bui" or exact:
            same = np.array_equal(got.astype(narrow.dtype), narrow)
        else:
            got = got.astype(np.float64)
            apart = np.abs(narrow.astype(np.float64) - wide)
            largest = max(1.0, np.abs(wide).max(initial=0))
            allowed = 16 * apart.max(initial=0) + 2e-5 * largest + 1e-3 * np.abs(wide)
            same = bool((np.abs(got - wide) <= allowed).all())
        return None if same else f"{name}: got\n{got}\nexpected\n{narrow if exact else wide}"

    def check_values(self):
        exec(f"lib.realize([{', '.join(value.name for value in self.values if self.chance(2))}])", self.tiny)
        for value in self.values:
            tensor = self.tiny[value.name]
            half = value.dtype in HALVES
            wrong = self.compare(value.name, (tensor.to("float32") if half else tensor).numpy(), value.got, value.wide, value.exact)
            if wrong:
                raise Failure(wrong)

    def check_gradients(self):
        """Of a sum of all floats, each element times a number of its own."""
        parts = [value for value in self.values if value.dtype in (torch.float32, torch.float64) and value.got.requires_grad and value.size]
        parts = [part for part in parts if self.chance(2)] or parts[-1:]
        if not parts or not self.inputs:
            return
        terms = [f"({part} * make({part.size}, {part.shape}, '{str(part.dtype)[6:]}')).sum()" for part in parts]
        text = "loss = " + " + ".join(terms)
        self.lines.append(text)
        exec(text, self.tiny)
        found = []
        for which, peer in (("got", self.narrow), ("wide", self.wide)):
            peer.run(text)
            try:
                found.append(torch.autograd.grad(peer.names["loss"], [getattr(value, which) for value in self.inputs], allow_unused=True))
            except RuntimeError:
                return  # PyTorch has no gradient of a quotient rounded down
        wanted = [k for k in range(len(self.inputs)) if found[0][k] is not None]
        if not wanted or not all(torch.isfinite(gradient).all() for k in wanted for gradient in (found[0][k], found[1][k])):
            return
        self.lines.append(f"lib.grad(loss, [{', '.join(self.inputs[k].name for k in wanted)}])")
        gradients = [None] * len(self.inputs)
        for k, gradient in zip(wanted, tiny.grad(self.tiny["loss"], [self.tiny[self.inputs[k].name] for k in wanted])):
            wrong = self.compare(f"gradient of {self.inputs[k]}", gradient.numpy(), found[0][k], found[1][k], False)
            if wrong:
                raise Failure(wrong)

    def run(self, families, count):
        """Draws and runs `count` statements; raises Failure where tiny is wrong."""
        for _ in range(3):
            self.input()
        for _ in range(count):
            families[self.integer(0, len(families))](self)
        if self.differentiates:
            self.check_gradients()
        self.check_values()

    def needed(self, what):
        """The lines that what is said of a value, or the last line, depends on."""
        wanted = set(re.findall(r"^v\d+", what)) or set(re.findall(r"\bv\d+", self.lines[-1] if self.lines else ""))
        wanted |= set(re.findall(r"\bv\d+", self.lines[-1])) if what.startswith("gradient") else set()
        lines = []
        for line in reversed(self.lines):
            target = re.match(r"(v\d+|loss) = ", line)
            if not target or target[1] in wanted or target[1] == "loss":
                lines.append(line)
                if target:
                    wanted |= set(re.findall(r"\bv\d+", line))
        return lines[::-1]
