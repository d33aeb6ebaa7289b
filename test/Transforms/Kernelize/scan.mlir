// A scan takes in what it is computed from; whoever reads it reads a buffer.
// RUN: tiny-opt %s --lazy-kernelize | FileCheck %s --check-prefixes=CHECK,COST
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

// Scans along one axis go side by side; along two axes none of the loops could be the outer one.
// CHECK-LABEL: func.func @along_one_axis
// COST: lazy.group
// COST: lazy.scan addf {{.*}} axis 2
// COST: lazy.scan maximumf {{.*}} axis 2
// COST-NOT: lazy.group
func.func @along_one_axis(%x: tensor<3x1x2xf32>) -> (tensor<3x1x2xf32>, tensor<3x1x2xf32>) {
  %0 = lazy.scan addf %x axis 2 : tensor<3x1x2xf32>
  %1 = lazy.scan maximumf %x axis 2 : tensor<3x1x2xf32>
  return %0, %1 : tensor<3x1x2xf32>, tensor<3x1x2xf32>
}

// CHECK-LABEL: func.func @along_two_axes
// CHECK: lazy.group
// CHECK: lazy.scan addf {{.*}} axis 1
// CHECK: lazy.group
// CHECK: lazy.scan addf {{.*}} axis 0
func.func @along_two_axes(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %0 = lazy.scan addf %x axis 1 : tensor<3x2xf32>
  %1 = lazy.scan addf %x axis 0 : tensor<3x2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
}
