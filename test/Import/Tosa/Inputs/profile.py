#!/usr/bin/env python3
"""Writes a module of tosa with a function for each operation of the base inference profile and each of its types.

usage: profile.py [COMPLIANCE_DATA]

The profile is MLIR's own table, TosaComplianceData.h.inc. An operation of it that this file neither writes nor names as
left out is an error, and so is one that has left the table.
"""
import pathlib
import re
import subprocess
import sys

NAMES = {"bool": "i1", "fp16": "f16", "fp32": "f32"}

LEFT_OUT = {name: "state between calls is arguments and results" for name in ("variable", "variable_read", "variable_write")}

UNARY = ("abs bitwise_not ceil clz cos erf exp floor identity log logical_not reciprocal rsqrt sigmoid sin tanh cast").split()
BINARY = ("add bitwise_and bitwise_or bitwise_xor equal greater greater_equal intdiv logical_and logical_left_shift logical_or "
          "logical_right_shift logical_xor maximum minimum pow sub").split()
REDUCTIONS = "reduce_all reduce_any reduce_max reduce_min reduce_product reduce_sum".split()


def read_profile(path):
    """Types by operation."""
    text = pathlib.Path(path).read_text()
    text = text[text.index("profileComplianceMap"):text.index("extensionComplianceMap")]
    profile = {}
    for name, entries in re.findall(r'\{"tosa\.(\w+)",(.*?)(?=\{"tosa\.|\Z)', text, re.S):
        combinations = re.findall(r"\{\{([\w, \n]+)\},\s*SpecificationVersion", entries)
        profile[name] = [[NAMES.get(word, word) for word in re.findall(r"(\w+)T\b", each)] for each in combinations]
    return profile


class Function:
    """One operation: `value` makes an argument, `const` a constant, `shape` a constant shape, each gives a name and a type."""

    def __init__(self):
        self.arguments, self.lines = [], []

    def value(self, dims, element):
        kind = f"tensor<{''.join(f'{dim}x' for dim in dims)}{element}>"
        self.arguments.append(f"%a{len(self.arguments)}: {kind}")
        return f"%a{len(self.arguments) - 1}", kind

    def const(self, element, number=0, dims=(1,)):
        kind = f"tensor<{''.join(f'{dim}x' for dim in dims)}{element}>"
        text = f"{number}.0" if element.startswith("f") else "false" if element == "i1" else str(number)
        self.lines.append(f'%c{len(self.lines)} = "tosa.const"() <{{values = dense<{text}> : {kind}}}> : () -> {kind}')
        return f"%c{len(self.lines) - 1}", kind

    def shape(self, *numbers):
        kind = f"!tosa.shape<{len(numbers)}>"
        self.lines.append(f"%c{len(self.lines)} = tosa.const_shape {{values = dense<{list(numbers)}> : tensor<{len(numbers)}xindex>}} : () -> {kind}")
        return f"%c{len(self.lines) - 1}", kind

    def text(self, name, op, operands, result, attributes=""):
        values, kinds = ", ".join(value for value, _ in operands), ", ".join(kind for _, kind in operands)
        braces = f" {{{attributes}}}" if attributes else ""
        body = "\n  ".join(self.lines + [f"%r = tosa.{op} {values}{braces} : ({kinds}) -> {result}", f"return %r : {result}"])
        return f"func.func @{name}({', '.join(self.arguments)}) -> {result} {{\n  {body}\n}}"


def tensor(dims, element):
    return f"tensor<{''.join(f'{dim}x' for dim in dims)}{element}>"


def lists(**named):
    return ", ".join(f"{name} = array<i64: {', '.join(map(str, numbers))}>" for name, numbers in named.items())


def convolution(f, op, types):
    axes = 3 if op == "conv3d" else 2
    window = [2] * axes
    weight = window + [2, 2] if op == "depthwise_conv2d" else [3] + window + [2]
    outputs = 4 if op == "depthwise_conv2d" else 3
    operands = [f.value([1] + [4] * axes + [2], types[0]), f.value(weight, types[1]), f.value([outputs], types[2]),
                f.const(types[3]), f.const(types[4])]
    pads, ones = [0] * 2 * axes, [1] * axes
    if op == "transpose_conv2d":
        return operands, tensor([1, 5, 5, 3], types[6]), f"acc_type = {types[5]}, " + lists(out_pad=pads, stride=ones)
    return operands, tensor([1] + [3] * axes + [outputs], types[6]), f"acc_type = {types[5]}, " + lists(dilation=ones, pad=pads, stride=ones)


def make(f, op, types):
    """Operands, the result's type and attributes."""
    pair, first, last = [2, 3], types[0], types[-1]
    x = lambda dims=pair, element=first: f.value(dims, element)
    if op in UNARY:
        return [x()], tensor(pair, last), ""
    if op in BINARY:
        return [x(), x(element=types[1])], tensor(pair, last), ""
    if op in REDUCTIONS:
        return [x()], tensor([2, 1], last), "axis = 1 : i32"
    if "conv" in op:
        return convolution(f, op, types)
    number = lambda value: f"{value}.0 : {first}" if first.startswith("f") else f"{value} : {first}"
    window = lists(kernel=[2, 2], pad=[0] * 4, stride=[2, 2])
    zeros = lambda *elements: [f.const(element) for element in elements]
    cases = {
        "argmax": lambda: ([x()], tensor([2], last), "axis = 1 : i32"),
        "arithmetic_right_shift": lambda: ([x(), x()], tensor(pair, last), "round = true"),
        "avg_pool2d": lambda: ([x([1, 4, 4, 2]), *zeros(*types[1:3])], tensor([1, 2, 2, 2], last), f"acc_type = {types[3]}, {window}"),
        "clamp": lambda: ([x()], tensor(pair, last), f"min_val = {number(0)}, max_val = {number(5)}"),
        "concat": lambda: ([x(), x()], tensor([4, 3], last), "axis = 0 : i32"),
        "gather": lambda: ([x([1, 3, 2]), x([1, 2], "i32")], tensor([1, 2, 2], last), ""),
        "matmul": lambda: ([x([1, 2, 3]), x([1, 3, 2]), *zeros(*types[2:4])], tensor([1, 2, 2], last), ""),
        "max_pool2d": lambda: ([x([1, 4, 4, 2])], tensor([1, 2, 2, 2], last), window),
        "mul": lambda: ([x(), x(element=types[1]), f.const("i8")], tensor(pair, last), ""),
        "negate": lambda: ([x(), *zeros(*types[1:3])], tensor(pair, last), ""),
        "pad": lambda: ([x(), f.shape(1, 0, 0, 2), *zeros(types[1])], tensor([3, 5], last), ""),
        "rescale": lambda: ([x(), f.const("i32", 1 << 30), f.const("i8", 30), *zeros(*types[1:3])], tensor(pair, last),
                            "input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true"),
        "reshape": lambda: ([x(), f.shape(3, 2)], tensor([3, 2], last), ""),
        "resize": lambda: ([x([1, 2, 2, 1]), f.shape(2, 1, 2, 1), f.shape(0, 0), f.shape(0, 0)], tensor([1, 3, 3, 1], last),
                           f"mode = {'NEAREST_NEIGHBOR' if types == ['i8', 'i8'] else 'BILINEAR'}"),
        "reverse": lambda: ([x()], tensor(pair, last), "axis = 1 : i32"),
        "scatter": lambda: ([x([1, 3, 2]), x([1, 2], "i32"), x([1, 2, 2])], tensor([1, 3, 2], last), ""),
        "select": lambda: ([x(element="i1"), x(), x()], tensor(pair, last), ""),
        "slice": lambda: ([x(), f.shape(0, 1), f.shape(2, 2)], tensor([2, 2], last), ""),
        "table": lambda: ([x(), f.const("i8", 3, [256])], tensor(pair, last), ""),
        "tile": lambda: ([x(), f.shape(2, 1)], tensor([4, 3], last), ""),
        "transpose": lambda: ([x()], tensor([3, 2], last), "perms = array<i32: 1, 0>"),
    }
    return cases[op]() if op in cases else None


def main():
    data = sys.argv[1] if len(sys.argv) > 1 else None
    if not data:
        include = subprocess.run(["llvm-config", "--includedir"], capture_output=True, text=True, check=True).stdout.strip()
        data = f"{include}/mlir/Dialect/Tosa/IR/TosaComplianceData.h.inc"
    profile = read_profile(data)
    functions, faults = [], [f"{name} is left out, but not in the profile" for name in LEFT_OUT if name not in profile]
    for op, combinations in profile.items():
        for number, types in enumerate(combinations):
            if op in LEFT_OUT:
                continue
            f = Function()
            if op == "const":
                kind = f.const(types[0], 1, [2, 3])[1]
                functions.append(f"func.func @const_{number}() -> {kind} {{\n  {f.lines[0]}\n  return %c0 : {kind}\n}}")
                continue
            made = make(f, op, types)
            if made is None:
                faults.append(f"{op} is not written")
                break
            functions.append(f.text(f"{op}_{number}", op, *made))
    if faults or len(profile) < 60:
        sys.exit("profile.py: error: " + ("; ".join(faults) or f"{data} names {len(profile)} operations"))
    print("\n".join(functions))


main()
