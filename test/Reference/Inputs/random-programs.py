#!/usr/bin/env python3
"""Prints random programs of the tensor level, the same for the same seed, for --check-passes.

usage: random-programs.py SEED COUNT
"""
import random
import sys

MAX_ELEMENTS = 6000


def tensor(shape, element):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + element + ">"


def count(shape):
    total = 1
    for extent in shape:
        total *= extent
    return total


class Program:
    """A function under construction: its lines, and its values as (name, shape, element)."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.arguments = []
        for number in range(rng.randint(1, 3)):
            shape = tuple(rng.choice([1, 2, 3, 4, 5, 6, 8, 16]) for _ in range(rng.randint(1, 4)))
            self.arguments.append((f"%a{number}", shape, rng.choice(["f32", "f32", "f32", "i32"])))
        self.values = list(self.arguments)

    def add(self, operation, inputs, shape, element, attributes="", record=True):
        """An operation; nothing where its result would be too large."""
        if count(shape) > MAX_ELEMENTS or len(shape) > 5:
            return None
        name = f"%v{len(self.lines)}"
        types = ", ".join(tensor(shape, element) for _, shape, element in inputs)
        operands = ", ".join(operand for operand, _, _ in inputs)
        self.lines.append(f"{name} = tiny.{operation} {operands} {attributes} : ({types}) -> {tensor(shape, element)}")
        value = (name, tuple(shape), element)
        if record:
            self.values.append(value)
        return value

    def pick(self, shape, element):
        """A value of this shape and type."""
        return self.rng.choice([value for value in self.values if value[1:] == (tuple(shape), element)])

    def step(self):
        value = self.rng.choice(self.values[-4:] if self.rng.random() < 0.7 else self.values)
        self.rng.choice(STEPS)(self, value, *value[1:])

    def print(self):
        results = [self.values[-1]] + ([self.rng.choice(self.values)] if self.rng.random() < 0.4 else [])
        types = ", ".join(tensor(shape, element) for _, shape, element in results)
        print("func.func @main(" + ", ".join(f"{name}: {tensor(shape, element)}" for name, shape, element in self.arguments)
              + f") -> ({types}) {{")
        print("".join(f"  {line}\n" for line in self.lines) + f"  return {', '.join(name for name, _, _ in results)} : {types}\n}}")


def unary(p, x, shape, element):
    p.add(p.rng.choice(["neg", "abs", "relu"] + (["tanh", "sigmoid", "floor"] if element == "f32" else ["sign"])), [x], shape, element)


def binary(p, x, shape, element):
    others = [value for value in p.values if value[2] == element]
    y = p.rng.choice(others)
    rank = max(len(shape), len(y[1]))
    left, right = ((1,) * (rank - len(s)) + s for s in (shape, y[1]))
    if all(a == b or 1 in (a, b) for a, b in zip(left, right)):
        result = tuple(b if a == 1 else a for a, b in zip(left, right))
        p.add(p.rng.choice(["add", "sub", "mul", "maximum", "minimum"]), [x, y], result, element)


def reduce(p, x, shape, element):
    axes = sorted(p.rng.sample(range(len(shape)), p.rng.randint(1, len(shape)))) if shape else []
    keep = p.rng.random() < 0.5
    result = tuple(1 if axis in axes else extent for axis, extent in enumerate(shape) if keep or axis not in axes)
    if axes:
        p.add(p.rng.choice(["sum", "max", "min"] + (["mean"] if element == "f32" else [])), [x], result, element,
              f"axes {axes}" + (" keepdims" if keep else ""))


def argmax(p, x, shape, element):
    if shape:
        axis = p.rng.randrange(len(shape))
        p.add("argmax", [x], shape[:axis] + shape[axis + 1:], "i32", f"axes [{axis}]")


def reshape(p, x, shape, element):
    left, result = count(shape), []
    while left > 1 and len(result) < 4:
        result.append(p.rng.choice([d for d in range(1, left + 1) if left % d == 0 and d <= 64]))
        left //= result[-1]
    p.add("reshape", [x], result + ([left] if left > 1 else []), element)


def permute(p, x, shape, element):
    order = p.rng.sample(range(len(shape)), len(shape))
    if shape:
        p.add("permute", [x], [shape[axis] for axis in order], element, f"{order}")


def pad(p, x, shape, element):
    low, high = ([p.rng.choice([0, 0, 1, 2]) for _ in shape] for _ in range(2))
    number = p.rng.choice(["", "", " value 1.5 : f32" if element == "f32" else " value 7 : i32"])
    if shape:
        p.add("pad", [x], [a + b + c for a, b, c in zip(low, shape, high)], element, f"low {low} high {high}{number}")


def shrink(p, x, shape, element):
    begin = [p.rng.randrange(extent) for extent in shape]
    end = [p.rng.randint(first + 1, extent) for first, extent in zip(begin, shape)]
    if shape:
        p.add("shrink", [x], [b - a for a, b in zip(begin, end)], element, f"begin {begin} end {end}")


def flip(p, x, shape, element):
    if shape:
        p.add("flip", [x], shape, element, f"{sorted(p.rng.sample(range(len(shape)), p.rng.randint(1, len(shape))))}")


def expand(p, x, shape, element):
    result = tuple(p.rng.choice([2, 3, 5]) if extent == 1 else extent for extent in shape)
    p.add("expand", [x], ((p.rng.choice([2, 3]),) if p.rng.random() < 0.3 else ()) + result, element)


def slice_(p, x, shape, element):
    begin, end, strides, result = [], [], [], []
    for extent in shape:
        stride, first = p.rng.choice([1, 1, 2, 3, -1, -2]), p.rng.randrange(extent)
        last = p.rng.randint(first + 1, extent) if stride > 0 else p.rng.randint(-1, first - 1)
        begin, end, strides = begin + [first], end + [last], strides + [stride]
        result.append(-(-abs(last - first) // abs(stride)))
    if shape:
        p.add("slice", [x], result, element, f"begin {begin} end {end} strides {strides}")


def concat(p, x, shape, element):
    if shape:
        axis = p.rng.randrange(len(shape))
        p.add("concat", [x, p.pick(shape, element)], [extent * (2 if k == axis else 1) for k, extent in enumerate(shape)], element,
              f"axis {axis}")


def matmul(p, x, shape, element):
    if len(shape) >= 2:
        rank = len(shape)
        y = p.add("permute", [x], shape[:-2] + (shape[-1], shape[-2]), element, f"{list(range(rank - 2)) + [rank - 1, rank - 2]}")
        if y:
            p.add("matmul", [x, y], shape[:-1] + (shape[-2],), element)


def softmax(p, x, shape, element):
    if shape and element == "f32":
        p.add("softmax", [x], shape, element, f"axis {p.rng.randrange(len(shape))}")


def where(p, x, shape, element):
    condition = p.add("lt", [x, p.pick(shape, element)], shape, "i1", record=False)
    if condition:
        p.add("where", [condition, p.pick(shape, element), x], shape, element)


def pool(p, x, shape, element):
    if len(shape) == 4 and shape[2] >= 2 and shape[3] >= 2:
        stride = p.rng.choice([1, 2])
        p.add("max_pool", [x], shape[:2] + ((shape[2] - 2) // stride + 1, (shape[3] - 2) // stride + 1), element,
              f"kernel [2, 2] strides [{stride}, {stride}]")


def conv(p, x, shape, element):
    # A part of the input as weights.
    if len(shape) == 4 and shape[2] >= 2 and shape[3] >= 2:
        weight = p.add("shrink", [x], (1, shape[1], 2, 2), element, f"begin [0, 0, 0, 0] end [1, {shape[1]}, 2, 2]")
        low, stride = p.rng.choice([0, 1]), p.rng.choice([1, 2])
        p.add("conv", [x, weight], (shape[0], 1, (shape[2] + low - 2) // stride + 1, (shape[3] - 2) // stride + 1), element,
              f"strides [{stride}, {stride}] low [{low}, 0]")


STEPS = [unary, binary, reduce, argmax, reshape, permute, pad, shrink, flip, expand, slice_, concat, matmul, softmax, where, pool, conv]


def main():
    rng = random.Random(int(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        if number:
            print("// -----")
        program = Program(rng)
        for _ in range(rng.randint(2, 16)):
            program.step()
        program.print()


main()
