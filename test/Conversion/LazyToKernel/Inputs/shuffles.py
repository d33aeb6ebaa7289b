"""Prints rounds of shifting 64 elements by one and transposing them: no two views of different rounds merge."""
import sys

T, S = "tensor<64xf32>", "tensor<8x8xf32>"
rounds = int(sys.argv[1])
print(f"func.func @main(%v0: {T}) -> {T} {{")
for k in range(rounds):
    print(f"  %a{k} = lazy.pad %v{k} low [1] high [0] : {T} -> tensor<65xf32>")
    print(f"  %b{k} = lazy.shrink %a{k} begin [0] end [64] : tensor<65xf32> -> {T}")
    print(f"  %c{k} = lazy.reshape %b{k} : {T} -> {S}")
    print(f"  %d{k} = lazy.permute %c{k} [1, 0] : {S} -> {S}")
    print(f"  %v{k + 1} = lazy.reshape %d{k} : {S} -> {T}")
print(f"  %r = math.exp %v{rounds} : {T}")
print(f"  return %r : {T}\n}}")
