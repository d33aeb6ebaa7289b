// A scan takes in what it is computed from; whoever reads it reads a buffer.
// RUN: tiny-opt %s --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize=policy=all | FileCheck %s
// RUN: tiny-opt %s --tiny-lazy-to-uop-pipeline --check-passes -o /dev/null

// CHECK-LABEL: func.func @sums
// CHECK: lazy.group
// CHECK: math.exp
// CHECK: lazy.scan addf
// CHECK-NEXT: lazy.yield
// CHECK: lazy.group
// CHECK: lazy.flip
func.func @sums(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = math.exp %x : tensor<6x8xf32>
  %1 = lazy.scan addf %0 axis 1 : tensor<6x8xf32>
  %2 = lazy.flip %1 [1] : tensor<6x8xf32> -> tensor<6x8xf32>
  %3 = arith.mulf %1, %2 : tensor<6x8xf32>
  return %3 : tensor<6x8xf32>
}
