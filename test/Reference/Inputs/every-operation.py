#!/usr/bin/env python3
"""Prints programs of one `tiny` operation each, on the types and attributes that matter, for --check-passes.

usage: every-operation.py REPOSITORY

Fails where the dialect has an operation that no program here uses.
"""
import pathlib
import re
import sys

programs = []
FLOATS = ["f32", "f64", "f16", "bf16"]
INTEGERS = ["i8", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]


def tensor(shape, element):
    return f"tensor<{shape + 'x' if shape else ''}{element}>"


def emit(inputs, operation, result):
    """One program: `operation` names its inputs %0, %1, ..."""
    arguments = ", ".join(f"%{k}: {kind}" for k, kind in enumerate(inputs))
    programs.append(f"func.func @main({arguments}) -> {result} {{\n  %r = tiny.{operation}\n  return %r : {result}\n}}\n")


def apply(operation, inputs, result, attributes=""):
    operands = ", ".join(f"%{k}" for k in range(len(inputs)))
    emit(inputs, f"{operation} {operands} {attributes} : ({', '.join(inputs)}) -> {result}", result)


def unary(operations, types, result=None, attributes=""):
    for operation in operations.split():
        for kind in types:
            apply(operation, [tensor("3x5", kind)], tensor("3x5", result or kind), attributes)


def binary(operations, types, result=None):
    for operation in operations.split():
        for kind in types:
            left, right = kind if isinstance(kind, tuple) else (kind, kind)
            apply(operation, [tensor("3x5", left), tensor("5", right)], tensor("3x5", result or left))


# Elementwise.
unary("neg abs sign square floor ceil round trunc relu relu6", FLOATS + INTEGERS)
unary("abs sign square relu floor", ["i1"])
unary("not", INTEGERS + ["i1"])
TRANSCENDENTAL = ("reciprocal exp exp2 expm1 log log2 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh erf sigmoid "
                  "silu softplus softsign mish hardswish hardsigmoid leaky_relu elu gelu")
unary(TRANSCENDENTAL, ["f32", "f64", "f16"])
unary(TRANSCENDENTAL, ["i32"], "f32")
unary("gelu", ["f32"], attributes="approximate")
unary("isnan isinf", ["f32", "i32"], "i1")
binary("add sub mul floordiv truncdiv mod fmod pow maximum minimum", FLOATS + INTEGERS)
binary("maximum minimum and or xor", ["i1"])
binary("and or xor shl shr", INTEGERS)
binary("eq ne lt le gt ge", ["f32", "i8", "ui8", "ui64", "i1", ("i8", "ui8")], "i1")
binary("add", [("i8", "ui8")], "i16")
binary("add mul", [("ui8", "f32"), ("i1", "f32")], "f32")
binary("div", ["f32", "i32", "ui8"], "f32")
for kind in ["f32", "i32", "ui8", "i1"]:
    apply("where", [tensor("3x1", "i1"), tensor("3x5", kind), tensor("", kind)], tensor("3x5", kind))
for kind in ["f32", "i32", "ui8"]:
    apply("clamp", [tensor("3x5", kind), tensor("", kind), tensor("5", kind)], tensor("3x5", kind))
CASTABLE = ["f32", "f64", "f16", "bf16", "i1", "i8", "i64", "ui8", "ui32", "ui64"]
for source in CASTABLE:
    for target in CASTABLE:
        if source != target:
            unary("cast", [source], target)
for source, target in [("f32", "i32"), ("i32", "f32"), ("i8", "ui8"), ("f16", "i16"), ("f64", "i64")]:
    unary("bitcast", [source], target)

# Reductions, and along an axis.
ACCUMULATED = {"f32": "f32", "f64": "f64", "f16": "f16", "i8": "i32", "ui8": "ui32", "i64": "i64", "i1": "i32"}
for kind, sums in ACCUMULATED.items():
    for operation in ["sum", "prod"]:
        apply(operation, [tensor("3x4x5", kind)], tensor("4", sums), "axes [2, 0]")
for kind in ["f32", "f16", "i8", "ui8", "i64", "i1"]:
    for operation in ["max", "min"]:
        apply(operation, [tensor("3x4x5", kind)], tensor("3x4x1", kind), "axes [-1] keepdims")
for operation in ["mean", "var", "logsumexp", "any", "all", "argmax", "argmin"]:
    gives = {"any": "i1", "all": "i1", "argmax": "i32", "argmin": "i32"}.get(operation)
    for kind in ["f32", "f16", "i32", "ui8"]:
        apply(operation, [tensor("3x4x5", kind)], tensor("4", gives or (kind if kind[0] == "f" else "f32")), "axes [0, 2]")
apply("var", [tensor("7", "f32")], tensor("", "f32"), "axes [0] correction 1")
for operation in ["softmax", "log_softmax"]:
    for axis in [0, 1, -1]:
        apply(operation, [tensor("3x4x5", "f32")], tensor("3x4x5", "f32"), f"axis {axis}")
for kind, gives in [("f32", "f32"), ("f16", "f16"), ("i64", "i64"), ("i8", "i32"), ("ui8", "ui32"), ("i1", "i32")]:
    for axis in [0, 1, -1]:
        apply("cumsum", [tensor("3x4x5", kind)], tensor("3x4x5", gives), f"axis {axis}")
X = tensor("4x2x3", "f32")
emit([X, tensor("3", "f32"), tensor("2x3", "f32")],
     f"layer_norm %0 scale %1 bias %2 axis 1 epsilon 1.0e-5 : ({X}, tensor<3xf32>, tensor<2x3xf32>) -> {X}", X)
emit([X], f"layer_norm %0 axis -1 epsilon 1.0e-5 : ({X}) -> {X}", X)
emit([X, tensor("3", "f32")], f"rms_norm %0 scale %1 axis 2 epsilon 1.0e-5 : ({X}, tensor<3xf32>) -> {X}", X)
# The variance is a square, so that no root is taken of a negative number.
programs.append(f"""func.func @main(%0: {X}, %1: tensor<2xf32>, %2: tensor<2xf32>) -> {X} {{
  %v = tiny.square %2 : (tensor<2xf32>) -> tensor<2xf32>
  %r = tiny.batch_norm %0, %1, %2, %1, %v epsilon 1.0e-5
      : ({X}, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> {X}
  return %r : {X}
}}
""")

# Products and windows.
for kind, left, right, result in [
        ("f32", "4x6", "6x3", "4x3"), ("i32", "4x6", "6x3", "4x3"), ("ui8", "4x6", "6x3", "4x3"), ("f16", "4x6", "6x3", "4x3"),
        ("f32", "5x4x6", "6x3", "5x4x3"), ("f32", "6", "6", ""), ("f32", "4x6", "6", "4"), ("f32", "6", "6x3", "3"),
        ("f32", "2x1x4x6", "3x6x2", "2x3x4x2"), ("f32", "17x33", "33x19", "17x19"), ("f32", "1x16", "16x1", "1x1")]:
    apply("matmul", [tensor(left, kind), tensor(right, kind)], tensor(result, kind))
emit(["tensor<4x6xf32>", "tensor<3x6xf32>", "tensor<3xf32>"],
     "linear %0, %1 bias %2 : (tensor<4x6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<4x3xf32>", "tensor<4x3xf32>")
for kind, alpha in [("f32", 0.5), ("i32", 3.0)]:
    types = [tensor("6x4", kind), tensor("3x6", kind), tensor("4x1", kind)]
    emit(types, f"gemm %0, %1 plus %2 alpha {alpha} beta 2.0 transpose_a transpose_b : ({', '.join(types)}) -> {tensor('4x3', kind)}",
         tensor("4x3", kind))
for kind, x, weight, result, attributes in [
        ("f32", "1x3x8x8", "4x3x3x3", "1x4x4x4", "strides [2, 2] low [1, 1] high [1, 1]"),
        ("f32", "2x4x7x9", "6x2x3x2", "2x6x5x8", "groups 2"), ("f32", "1x2x9", "3x2x3", "1x3x5", "dilations [2]"),
        ("i32", "1x2x9", "3x2x3", "1x3x5", "dilations [2]"), ("f32", "1x1x4x4x4", "2x1x2x2x2", "1x2x3x3x3", ""),
        ("f32", "1x4x6x6", "4x1x3x3", "1x4x3x2", "strides [2, 3] low [1, 0] high [0, 1] groups 4")]:
    apply("conv", [tensor(x, kind), tensor(weight, kind)], tensor(result, kind), attributes)
for operation, kind, gives, x, result, attributes in [
        ("max_pool", "f32", "f32", "1x3x8x8", "1x3x4x4", "kernel [2, 2] strides [2, 2]"),
        ("max_pool", "f32", "f32", "1x2x7x7", "1x2x4x4", "kernel [3, 3] strides [2, 2] low [1, 1] high [1, 1]"),
        ("max_pool", "i8", "i8", "1x2x7", "1x2x4", "kernel [2] strides [2] ceil_mode"),
        ("max_pool", "ui8", "ui8", "1x2x7", "1x2x5", "kernel [2] dilations [2]"),
        ("avg_pool", "f32", "f32", "1x2x7x7", "1x2x4x4", "kernel [3, 3] strides [2, 2] low [1, 1] high [1, 1]"),
        ("avg_pool", "f32", "f32", "1x2x7", "1x2x4", "kernel [3] strides [2] low [1] high [1] count_include_pad"),
        ("avg_pool", "i32", "f32", "1x2x7", "1x2x4", "kernel [2] strides [2] ceil_mode"),
        ("global_max_pool", "f32", "f32", "2x3x4x5", "2x3x1x1", ""),
        ("global_avg_pool", "f32", "f32", "2x3x4x5", "2x3x1x1", "")]:
    apply(operation, [tensor(x, kind)], tensor(result, gives), attributes)

# Movement and sources.
for operation, x, result, attributes in [
        ("reshape", "4x6", "3x8", ""), ("expand", "4x1", "2x4x5", ""), ("permute", "2x3x4", "4x2x3", "[2, 0, 1]"),
        ("transpose", "2x3x4", "4x3x2", "0, -1"), ("pad", "4x6", "6x8", "low [1, 0] high [1, 2]"),
        ("pad", "4x6", "6x8", "low [1, 0] high [1, 2] value 1.5 : f32"), ("shrink", "4x6", "2x6", "begin [1, 0] end [3, 6]"),
        ("flip", "2x3x4", "2x3x4", "[0, 2]"), ("contiguous", "2x3", "2x3", ""),
        ("slice", "4x6", "2x6", "begin [0, 5] end [4, -1] strides [2, -1]"),
        ("slice", "4x6", "2x2", "begin [1, 1] end [4, 6] strides [2, 3]"), ("squeeze", "4x1", "4", "[-1]"),
        ("unsqueeze", "4", "1x4x1", "[0, 2]"), ("flatten", "4x2x3", "4x6", "axes 1 to -1")]:
    apply(operation, [tensor(x, "f32")], tensor(result, "f32"), attributes)
apply("concat", [tensor("4x6", "f32"), tensor("2x6", "f32")], tensor("6x6", "f32"), "axis 0")
for kind in ["f32", "ui8"]:
    apply("setitem", [tensor("4x6", kind), tensor("2x6", kind)], tensor("4x6", kind), "begin [0, 5] end [4, -1] strides [2, -1]")
    apply("setitem", [tensor("4x6", kind), tensor("", "i32")], tensor("4x6", kind), "begin [1, 1] end [4, 6] strides [2, 3]")
for kind in ["i8", "ui8", "i32", "i64", "ui64"]:
    emit([tensor("4x6", "f32"), tensor("3x1", kind), tensor("5", kind)],
         f"gather %0 [%1, %2] : ({tensor('4x6', 'f32')}, {tensor('3x1', kind)}, {tensor('5', kind)}) -> {tensor('3x5', 'f32')}",
         tensor("3x5", "f32"))
    apply("take", [tensor("4x6", "i16"), tensor("2x3", kind)], tensor("4x2x3", "i16"), "axis -1")
    apply("take_along", [tensor("4x6", "ui8"), tensor("4x2", kind)], tensor("4x2", "ui8"), "axis 1")
apply("stack", [tensor("4", "f32"), tensor("4", "f32")], tensor("4x2", "f32"), "axis 1")
for kind in ["f32", "i32", "ui8"]:
    emit([], f"arange 2.0, 1.0 : {tensor('4', kind)}", tensor("4", kind))
    emit([], f"eye diagonal -1 : {tensor('3x4', kind)}", tensor("3x4", kind))
    emit([], f"iota 0 : {tensor('3x2', kind)}", tensor("3x2", kind))
for name in ("watch", "detach"):
    apply(name, [tensor("2x3", "f32")], tensor("2x3", "f32"))
emit([tensor("2x3", "f32"), tensor("4", "f32"), "tensor<i1>"], "checkpoint %0 from %1 when %2 : (tensor<2x3xf32>, tensor<4xf32>, tensor<i1>) -> tensor<2x3xf32>", tensor("2x3", "f32"))
emit([], "full 1.5 : f32 -> tensor<2x3xf32>", "tensor<2x3xf32>")
emit([], "constant dense<[1.0, 2.0]> : tensor<2xf32>", "tensor<2xf32>")

# Control flow.
for kind in ["f32", "ui8"]:
    x = tensor("3x5", kind)
    emit([x, "tensor<i1>"], f"""if %1 : (tensor<i1>) -> {x} {{
    tiny.yield %0 : {x}
  }} else {{
    %0:n = tiny.neg %0 : ({x}) -> {x}
    tiny.yield %0:n : {x}
  }}""".replace("%0:n", "%n"), x)
    for limits, types in [("most(4)", ""), ("most(4) limit(%1) while(%2)", "tensor<i64>, tensor<i1>, ")]:
        programs.append(f"""func.func @main(%0: {x}, %1: tensor<i64>, %2: tensor<i1>) -> ({x}, tensor<4x3x5x{kind}>, tensor<i64>) {{
  %r:3 = tiny.loop {limits} carry(%0) : ({types}{x}) -> ({x}, tensor<4x3x5x{kind}>, tensor<i64>) {{
  ^bb0(%i: tensor<i64>, %h: {x}):
    %n = tiny.add %h, %0 : ({x}, {x}) -> {x}
    %last = tiny.constant dense<2> : tensor<i64>
    %go = tiny.lt %i, %last : (tensor<i64>, tensor<i64>) -> tensor<i1>
    tiny.yield {"%go, " if types else ""}%n, %h : {"tensor<i1>, " if types else ""}{x}, {x}
  }}
  return %r#0, %r#1, %r#2 : {x}, tensor<4x3x5x{kind}>, tensor<i64>
}}
""")

# Every operation of the dialect is used: a record `Op<"name"` of a class that makes operations, not a class itself.
files = sorted((pathlib.Path(sys.argv[1]) / "include/Tiny/Dialect/Tensor").glob("*.td"))
known = set(re.findall(r'^def Tiny_\w+Op : Tiny_\w+<"(\w+)"', "".join(file.read_text() for file in files), re.M))
# A gradient means what utils/check-gradients holds it to, a collective what utils/fuzz-shard does, a stage what
# test/EndToEnd/pipeline.test does.
used = set(re.findall(r"tiny\.(\w+)", "".join(programs))) | {"gradient", "collective", "stage"}
if not known or known - used:
    sys.exit(f"no program uses {sorted(known - used)}")
print("// -----\n".join(programs))
