// RUN: tiny-opt %s --sym-simplify --canonicalize | FileCheck %s
// A range states its bounds.

// CHECK-LABEL: kernel.func @bounds(
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(8)
// CHECK-NOT: sym.mod
// CHECK: kernel.load %{{.*}}[%[[I]]] : memref<8xf32>
kernel.func @bounds(%in: memref<8xf32>, %out: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  %i = kernel.range loop id(0) extent(8)
  %same = sym.mod %i, %c8 : index
  %always = arith.cmpi slt, %i, %c8 : index
  %x = kernel.load %in[%same] if %always : memref<8xf32>
  kernel.store %x, %out[%i] : memref<8xf32>
}
