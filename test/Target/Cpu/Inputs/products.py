#!/usr/bin/env python3
"""Runs programs that are packed, padded or in wide lanes beside the interpreter: products.py FOLDER.

The inputs are such that sums are exact in any order, so every result must have the interpreter's bits.
"""
import os
import pathlib
import random
import struct
import subprocess
import sys

# The shapes of the inputs, that of the result, the operation.
PROGRAMS = {
    "conv": (["2x5x20x20", "19x5x3x3"], "2x19x20x20", "tiny.conv %0, %1 low [1, 1] high [1, 1]"),
    "strided": (["1x16x28x28", "64x16x3x3"], "1x64x14x14", "tiny.conv %0, %1 strides [2, 2] low [1, 1] high [1, 1]"),
    "dilated": (["1x6x23x19", "20x6x3x3"], "1x20x12x16",
                "tiny.conv %0, %1 strides [2, 1] dilations [1, 2] low [2, 1] high [1, 0]"),
    "grouped": (["2x8x15x13", "24x4x3x3"], "2x24x8x7",
                "tiny.conv %0, %1 strides [2, 2] low [1, 1] high [1, 1] groups 2"),
    "pointwise": (["1x32x14x14", "40x32x1x1"], "1x40x7x7", "tiny.conv %0, %1 strides [2, 2]"),
    "wide": (["1x16x27x27", "32x16x1x1"], "1x32x9x9", "tiny.conv %0, %1 strides [3, 3]"),
    "batched": (["3x67x129", "3x129x71"], "3x67x71", "tiny.matmul %0, %1"),
    "even": (["64x40", "40x96"], "64x96", "tiny.matmul %0, %1"),
    "columns": (["33x96"], "96", "tiny.sum %0 axes [0]"),
    "many": (["9x256"], "256", "tiny.sum %0 axes [0]"),
    "odd": (["33x77"], "77", "tiny.sum %0 axes [0]"),
    "rows": (["33x77"], "33", "tiny.sum %0 axes [1]"),
    "pool": (["1x3x25x33"], "1x3x12x16", "tiny.max_pool %0 kernel [2, 2] strides [2, 2]"),
    "thirds": (["2x3x20x24"], "2x3x6x8", "tiny.max_pool %0 kernel [3, 3] strides [3, 3]"),
}
# The letter of the type in numpy's header and in struct.
TYPES = {"f32": ("f4", "f"), "f64": ("f8", "d"), "f16": ("f2", "e")}


def save(path: pathlib.Path, shape: list[int], element: str, source: random.Random):
    count = 1
    for dim in shape:
        count *= dim
    name, letter = TYPES[element]
    header = f"{{'descr': '<{name}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = [source.randint(-16, 16) / 8 for _ in range(count)]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{count}{letter}", *values))


def run(*arguments, threads: int = 1) -> str:
    environment = dict(os.environ, TINY_NUM_THREADS=str(threads))
    return subprocess.run(["tiny-run", *map(str, arguments)], env=environment, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def main():
    folder, source = pathlib.Path(sys.argv[1]), random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    for name, (inputs, result, operation) in PROGRAMS.items():
        for element in TYPES:
            types = [f"tensor<{shape}x{element}>" for shape in inputs]
            arguments = ", ".join(f"%{i}: {kind}" for i, kind in enumerate(types))
            kind = f"tensor<{result}x{element}>"
            program = folder / f"{name}-{element}.mlir"
            program.write_text(f"func.func @main({arguments}) -> {kind} {{\n"
                               f"  %r = {operation} : ({', '.join(types)}) -> {kind}\n"
                               f"  return %r : {kind}\n}}\n")
            given = []
            for i, shape in enumerate(inputs):
                path = folder / f"{name}-{element}-{i}.npy"
                save(path, [int(dim) for dim in shape.split("x")], element, source)
                given += ["--input", path]
            expected = folder / f"{name}-{element}.npy"
            run(program, *given, "--device", "reference", "--output", expected)
            for threads in (1, 3):
                said = run(program, *given, "--expect", expected, "--tolerance", 0, threads=threads)
                print(name, element, threads, next(line for line in said.splitlines() if "difference" in line))


main()
