"""parts.py COUNT: two chains of so many functions, and their concatenation."""
import sys

count, part = int(sys.argv[1]), "tensor<64xf32>"
print(f"func.func @parts(%x0: {part}, %y0: {part}) -> tensor<128xf32> {{")
for chain in "xy":
    for position in range(count):
        print(f"  %{chain}{position + 1} = tiny.sin %{chain}{position} : ({part}) -> {part}")
print(f"  %both = tiny.concat %x{count}, %y{count} axis 0 : ({part}, {part}) -> tensor<128xf32>")
print("  return %both : tensor<128xf32>\n}")
