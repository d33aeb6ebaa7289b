#!/usr/bin/env python3
"""Writes programs with products that are packed and padded, and inputs on which sums are exact: products.py FOLDER."""
import pathlib
import random
import struct
import sys

PROGRAMS = {
    "conv": (["2x5x20x20", "19x5x3x3"], "2x19x20x20", "tiny.conv %0, %1 low [1, 1] high [1, 1]"),
    "strided": (["1x16x28x28", "64x16x3x3"], "1x64x14x14", "tiny.conv %0, %1 strides [2, 2] low [1, 1] high [1, 1]"),
    "batched": (["3x67x129", "3x129x71"], "3x67x71", "tiny.matmul %0, %1"),
}


def save(path: pathlib.Path, shape: list[int], source: random.Random):
    count = 1
    for dim in shape:
        count *= dim
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = [source.randint(-16, 16) / 8 for _ in range(count)]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{count}f", *values))


def main():
    folder, source = pathlib.Path(sys.argv[1]), random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    for name, (inputs, result, operation) in PROGRAMS.items():
        types = [f"tensor<{shape}xf32>" for shape in inputs]
        arguments = ", ".join(f"%{i}: {kind}" for i, kind in enumerate(types))
        result = f"tensor<{result}xf32>"
        (folder / f"{name}.mlir").write_text(f"func.func @main({arguments}) -> {result} {{\n"
                                             f"  %r = {operation} : ({', '.join(types)}) -> {result}\n"
                                             f"  return %r : {result}\n}}\n")
        for i, shape in enumerate(inputs):
            save(folder / f"{name}{i}.npy", [int(dim) for dim in shape.split("x")], source)


main()
