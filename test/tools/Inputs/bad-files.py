"""Gives every tool every kind of bad file: each says so in one line that names the file, with exit code 1.

usage: bad-files.py FOLDER GOOD WILD: GOOD is a program, and WILD bytecode on which upstream's reader faults
"""
import os
import pathlib
import random
import subprocess
import sys

folder, good, wild = (pathlib.Path(path) for path in sys.argv[1:])
draw = random.Random(1)
junk = bytes(draw.randrange(256) for _ in range(2000))
bytecode = subprocess.run(["tiny-opt", good, "--emit-bytecode", "-o", "-"], capture_output=True, check=True).stdout
FILES = {"junk.mlir": junk, "magic.mlirbc": b"ML\xefR", "noise.mlirbc": b"ML\xefR" + junk, "wild.mlirbc": wild.read_bytes(),
         "open.mlir": b"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n", "string.mlir": b'func.func @"ab',
         "unknown.mlir": b"func.func @main() {\n  tiny.no_such_operation\n  return\n}\n",
         "deep.mlir": b"func.func @main() attributes {a = \n" + b"[" * 100000}
FILES |= {f"cut{size}.mlirbc": bytecode[:size] for size in (5, 50, 300)}
# What is no program at all; tiny-opt reads it as an empty module, as mlir-opt does.
EMPTY = {"empty.mlir": b"", "zeros.mlir": bytes(500)}
MODELS = {"empty.onnx": b"", "junk.onnx": junk, "zeros.onnx": bytes(500)}
TOOLS = {"tiny-opt": [], "tiny-run": [], "tiny-compile": [], "tiny-interpret": [],
         "tiny-translate": ["--kernels-to-assembly"], "tiny-reduce": ["--reduction-tree=test=/bin/true"]}

for name, content in (FILES | EMPTY | MODELS).items():
    (folder / name).write_bytes(content)
(folder / "folder.mlir").mkdir()
names = [*FILES, *EMPTY, "missing.mlir", "folder.mlir"]
cases = [(tool, options, name) for tool, options in TOOLS.items() for name in names
         if tool not in ("tiny-opt", "tiny-reduce") or name not in EMPTY]
cases += [(tool, options, name) for name in [*MODELS, "missing.onnx"]
          for tool, options in [("tiny-run", []), ("tiny-compile", []), ("tiny-translate", ["--import-onnx"])]]
wrong = 0
for tool, options, name in cases:
    ran = subprocess.run([tool, *options, folder / name], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    text = ran.stderr.decode(errors="replace")
    # Below an error of upstream's stands the line of the file, and notes.
    errors = [line for line in text.splitlines() if "error: " in line or tool in line or name in line]
    fine = ran.returncode == 1 and errors and "Stack dump" not in text and "PLEASE submit" not in text
    if not fine or (tool in ("tiny-run", "tiny-compile") and len(text.splitlines()) != 1):
        wrong += 1
        print(f"{tool} {' '.join(options)} {name}: exit code {ran.returncode}, {text[:300]!r}")
print(f"{len(cases)} cases, {wrong} wrong")
