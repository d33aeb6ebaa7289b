#!/usr/bin/env python3
"""Prints one function of COUNT steps, each of which reads the one before it twice and reduces it now and then."""
import sys

T = "tensor<8x16xf32>"
print(f"func.func @deep(%arg: {T}) -> {T} {{")
last = "%arg"
for k in range(int(sys.argv[1])):
    print(f"  %f{k} = lazy.flip {last} [{k % 2}] : {T} -> {T}")
    print(f"  %a{k} = arith.addf {last}, %f{k} : {T}")
    last = f"%a{k}"
    if k % 5 == 4:
        print(f"  %r{k} = lazy.reduce maximumf ({last}) axes [1] : ({T}) -> tensor<8xf32>")
        print(f"  %v{k} = lazy.view %r{k} <(8, 16):(1, 0)> : tensor<8xf32> -> {T}")
        print(f"  %s{k} = arith.subf {last}, %v{k} : {T}")
        last = f"%s{k}"
print(f"  return {last} : {T}\n}}")
