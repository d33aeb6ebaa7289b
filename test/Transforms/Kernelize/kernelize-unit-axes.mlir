// RUN: tiny-opt %s --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --check-passes --lazy-kernelize --convert-lazy-to-kernel -o /dev/null

// A reduction that is kept, and what continues it element by element, are one kernel, though an axis of size one stands
// between their shapes.
// CHECK-LABEL: func.func @in_place
// CHECK-COUNT-1: lazy.group
// CHECK-SAME: -> (tensor<4x1x6xf32>, tensor<4x6xf32>)
// CHECK-NOT: lazy.group
func.func @in_place(%x: tensor<4x1x6x9xf32>) -> (tensor<4x1x6xf32>, tensor<4x6xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x6xf32>
  %sum = lazy.reduce addf (%x) axes [3] : (tensor<4x1x6x9xf32>) -> tensor<4x1x6xf32>
  %flat = lazy.view %sum <(4, 6):(6, 1)> : tensor<4x1x6xf32> -> tensor<4x6xf32>
  %relu = arith.maximumf %flat, %zero : tensor<4x6xf32>
  return %sum, %relu : tensor<4x1x6xf32>, tensor<4x6xf32>
}

// Another place, or another shape of the loops, is another kernel.
// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-2: lazy.group
func.func @transposed(%x: tensor<6x1x6x9xf32>) -> (tensor<6x1x6xf32>, tensor<6x6xf32>) {
  %zero = arith.constant dense<0.0> : tensor<6x6xf32>
  %sum = lazy.reduce addf (%x) axes [3] : (tensor<6x1x6x9xf32>) -> tensor<6x1x6xf32>
  %flat = lazy.view %sum <(6, 6):(1, 6)> : tensor<6x1x6xf32> -> tensor<6x6xf32>
  %relu = arith.maximumf %flat, %zero : tensor<6x6xf32>
  return %sum, %relu : tensor<6x1x6xf32>, tensor<6x6xf32>
}

// CHECK-LABEL: func.func @flattened
// CHECK-COUNT-2: lazy.group
func.func @flattened(%x: tensor<4x6x9xf32>) -> (tensor<4x6xf32>, tensor<24xf32>) {
  %zero = arith.constant dense<0.0> : tensor<24xf32>
  %sum = lazy.reduce addf (%x) axes [2] : (tensor<4x6x9xf32>) -> tensor<4x6xf32>
  %flat = lazy.view %sum <(24):(1)> : tensor<4x6xf32> -> tensor<24xf32>
  %relu = arith.maximumf %flat, %zero : tensor<24xf32>
  return %sum, %relu : tensor<4x6xf32>, tensor<24xf32>
}
