// RUN: tiny-opt %s --lazy-kernelize --convert-lazy-to-kernel --split-input-file | FileCheck %s
// RUN: tiny-opt %s --check-passes --lazy-kernelize --convert-lazy-to-kernel --convert-kernel-to-uop --split-input-file \
// RUN:   -o /dev/null

// The row sums are stored and padded. The padding reads them behind their end along the axis of one element, where a mask
// holds: no place to store them at.
// CHECK-LABEL: kernel.program @padded
// CHECK: kernel.func private
// CHECK-SAME: %[[SUMS:[^:,]+]]: memref<2xf32>, %{{[^:,]+}}: memref<4xf32>)
// CHECK: %[[ROW:.+]] = kernel.range loop id({{[0-9]+}}) extent(2)
// CHECK: kernel.store %{{.+}}, %[[SUMS]][%{{[a-z0-9_]+}}] : memref<2xf32>
func.func @padded(%x: tensor<2x1x128xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
  %s = lazy.reduce addf (%x) axes [2] : (tensor<2x1x128xf32>) -> tensor<2x1xf32>
  %p = lazy.pad %s low [0, 0] high [0, 1] : tensor<2x1xf32> -> tensor<2x2xf32>
  return %s, %p : tensor<2x1xf32>, tensor<2x2xf32>
}

// -----

// CHECK-LABEL: kernel.program @padded_elements
// CHECK: kernel.store
func.func @padded_elements(%x: tensor<4x1xf32>, %z: tensor<4x2xf32>) -> (tensor<4x1xf32>, tensor<4x2xf32>) {
  %s = math.exp %x : tensor<4x1xf32>
  %p = lazy.pad %s low [0, 0] high [0, 1] : tensor<4x1xf32> -> tensor<4x2xf32>
  %q = arith.addf %p, %z : tensor<4x2xf32>
  return %s, %q : tensor<4x1xf32>, tensor<4x2xf32>
}

// -----

// What data says is no place either.
// CHECK-LABEL: kernel.program @gathered
// CHECK: kernel.func private @a(%{{.+}}: memref<4xf32>, %{{.+}}: memref<4xi32>, %[[EXP:[^:,]+]]: memref<4xf32>
// CHECK: %[[ROW:.+]] = kernel.range loop id({{[0-9]+}}) extent(4)
// CHECK: kernel.store %{{.+}}, %[[EXP]][%[[ROW]]] : memref<4xf32>
func.func @gathered(%x: tensor<4x1xf32>, %j: tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %0:2 = lazy.group "a"(%x, %j) : (tensor<4x1xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  ^bb0(%a: tensor<4x1xf32>, %b: tensor<4x1xi32>):
    %s = math.exp %a : tensor<4x1xf32>
    %i = lazy.iota 0 : tensor<4x1xi32>
    %g = lazy.gather %s [%i, %b] : tensor<4x1xf32>, (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xf32>
    lazy.yield %s, %g : tensor<4x1xf32>, tensor<4x1xf32>
  }
  return %0#0, %0#1 : tensor<4x1xf32>, tensor<4x1xf32>
}
