#!/usr/bin/env python3
"""Writes a program that joins so many products along the inner axis: many-parts.py COUNT."""
import sys

count = int(sys.argv[1])
part, whole = "tensor<3x2xf32>", f"tensor<3x{2 * count}xf32>"
print(f"func.func @main(%x: {part}) -> {whole} {{")
for k in range(count):
    print(f"  %c{k} = tiny.constant dense<{k + 1}.0> : tensor<f32>")
    print(f"  %p{k} = tiny.{'mul' if k % 2 else 'add'} %x, %c{k} : ({part}, tensor<f32>) -> {part}")
names, kinds = (", ".join(text(k) for k in range(count)) for text in (lambda k: f"%p{k}", lambda k: part))
print(f"  %y = tiny.concat {names} axis 1 : ({kinds}) -> {whole}\n  return %y : {whole}\n}}")
