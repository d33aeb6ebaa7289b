"""Writes an .npz with a random array of f32 for each argument of a program's `main`.

usage: random-inputs.py PROGRAM.mlir OUT.npz
"""
import io
import random
import re
import struct
import sys
import zipfile

text = open(sys.argv[1]).read()
arguments = re.search(r"@main\((.*?)\) ->", text, re.DOTALL).group(1)
random.seed(1)
with zipfile.ZipFile(sys.argv[2], "w") as archive:
    for number, shape in enumerate(re.findall(r"tensor<([0-9x]+)xf32>", arguments)):
        dims = [int(size) for size in shape.split("x")]
        count = 1
        for size in dims:
            count *= size
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, dims))},), }}".encode()
        header += b" " * (-(len(header) + 11) % 64) + b"\n"
        # A variance is positive, and so is every vector here; products of matrices stay near 1.
        factors = (1,) if len(dims) == 1 else (-0.125, 0.125)
        values = struct.pack(f"<{count}f", *(random.uniform(0.25, 1) * random.choice(factors) for _ in range(count)))
        archive.writestr(f"arg{number}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values)
