// What is evaluated once: the loops of outputs are shared, and a value stands in no loop that it does not depend on.
// RUN: tiny-opt %s --convert-lazy-to-kernel | FileCheck %s
// RUN: tiny-opt %s --check-passes --convert-lazy-to-kernel --convert-kernel-to-uop -o /dev/null
// RUN: tiny-opt %s --convert-lazy-to-kernel --convert-kernel-to-uop --canonicalize --cse --uop-count-operations | FileCheck %s --check-prefix=COUNT

// Axes of size one have no loop, so they do not keep outputs apart: one reduction for both.
// CHECK-LABEL: kernel.func private @unit_axes
// CHECK-COUNT-2: kernel.range loop
// CHECK-NOT: kernel.range loop
// CHECK-COUNT-1: kernel.reduce
// CHECK-NOT: kernel.reduce
// CHECK-COUNT-2: kernel.store
func.func @main(%x: tensor<4x1x6x9xf32>) -> (tensor<4x1x6xf32>, tensor<4x6xf32>) {
  %0:2 = lazy.group "unit_axes" (%x) : (tensor<4x1x6x9xf32>) -> (tensor<4x1x6xf32>, tensor<4x6xf32>) {
  ^bb0(%a: tensor<4x1x6x9xf32>):
    %sum = lazy.reduce addf (%a) axes [3] : (tensor<4x1x6x9xf32>) -> tensor<4x1x6xf32>
    %flat = lazy.view %sum <(4, 6):(6, 1)> : tensor<4x1x6xf32> -> tensor<4x6xf32>
    %neg = arith.negf %flat : tensor<4x6xf32>
    lazy.yield %sum, %neg : tensor<4x1x6xf32>, tensor<4x6xf32>
  }
  return %0#0, %0#1 : tensor<4x1x6xf32>, tensor<4x6xf32>
}

// The pad hides the sum at some elements. To read for it only at the others would run it in the loop of the elements:
// 9 additions, 8 products and 8 selections.
// CHECK-LABEL: kernel.func private @behind_a_pad
// CHECK: kernel.load %{{.*}}[%{{[0-9]+}}] : memref<9xf32>
// COUNT-LABEL: uop.func private @behind_a_pad
// COUNT-SAME: uop.operations = 25 : i64
func.func @pad(%x: tensor<9xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.group "behind_a_pad" (%x, %y) : (tensor<9xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<9xf32>, %b: tensor<8xf32>):
    %sum = lazy.reduce addf (%a) axes [0] : (tensor<9xf32>) -> tensor<f32>
    %row = lazy.view %sum <(8):(0) mask [2:6]> : tensor<f32> -> tensor<8xf32>
    %z = arith.mulf %row, %b : tensor<8xf32>
    lazy.yield %z : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
