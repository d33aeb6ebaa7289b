# A program of so many operations. usage: make-long.py COUNT
import sys

count = int(sys.argv[1])
kind = "tensor<4x8xf32>"
print(f"func.func @main(%v0: {kind}, %w: {kind}) -> {kind} {{")
for i in range(count):
    # Every tenth value is used again later.
    other = f"%v{i - i % 10}" if i % 7 == 3 else "%w"
    print(f"  %v{i + 1} = tiny.{'add' if i % 2 else 'mul'} %v{i}, {other} : ({kind}, {kind}) -> {kind}")
print(f"  return %v{count} : {kind}\n}}")
