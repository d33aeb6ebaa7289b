"""chain.py OPERATION COUNT: a kernel of so many unary operations, one after the other."""
import sys

operation, count = sys.argv[1], int(sys.argv[2])
print("kernel.func @chain(%in: memref<4096xf32>, %out: memref<4096xf32>) {")
print("  %i = kernel.range loop id(0) extent(4096)")
print("  %v0 = kernel.load %in[%i] : memref<4096xf32>")
for position in range(count):
    print(f"  %v{position + 1} = {operation} %v{position} : f32")
print(f"  kernel.store %v{count}, %out[%i] : memref<4096xf32>")
print("}")
