// RUN: not tiny-interpret %s --input='dense<9> : tensor<1xi64>' --input='dense<0.0> : tensor<8xf32>' 2>&1 | FileCheck %s

// A size is within its range's extent.
// CHECK: error: range 0 has size 9 of an extent of 8
kernel.func @main(%sizes: memref<1xi64>, %y: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %loaded = kernel.load %sizes[%zero] : memref<1xi64>
  %n = arith.index_cast %loaded : i64 to index
  %i = kernel.range loop id(0) extent(8) size(%n)
  kernel.store %one, %y[%i] : memref<8xf32>
}
