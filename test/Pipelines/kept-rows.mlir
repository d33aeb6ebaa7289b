// What fusion keeps is computed once without any schedule: the audit counts one function for each element, and not one
// for each pass.
// RUN: tiny-opt %s --pass-pipeline="builtin.module(tiny-tensor-to-kernel-pipeline{default-schedule=false},convert-kernel-to-uop,uop.func(uop-count-operations))" | FileCheck %s

// Maximum, difference, exponential, sum and quotient of 64 rows of 1000.
// CHECK-LABEL: uop.func private @softmax
// CHECK-SAME: uop.operations = 320000
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
func.func @softmax(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %0 = tiny.softmax %x axis -1 : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// Three passes over a row, which is the exponential of the input.
// CHECK-LABEL: uop.func private @{{.*}}layer_norm
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
func.func @norm(%x: tensor<64x1000xf32>, %scale: tensor<1000xf32>, %bias: tensor<1000xf32>) -> tensor<64x1000xf32> {
  %0 = tiny.exp %x : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
  %1 = tiny.layer_norm %0 scale %scale bias %bias axis 1 epsilon 1.0e-5 : (tensor<64x1000xf32>, tensor<1000xf32>, tensor<1000xf32>) -> tensor<64x1000xf32>
  return %1 : tensor<64x1000xf32>
}

// The product is kept too: 2 * 64 * 256 * 32 operations, and five for each element of the result.
// CHECK-LABEL: uop.func private @matmul
// CHECK-SAME: uop.operations = 1058816
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
func.func @logits(%x: tensor<64x256xf32>, %w: tensor<256x32xf32>) -> tensor<64x32xf32> {
  %0 = tiny.matmul %x, %w : (tensor<64x256xf32>, tensor<256x32xf32>) -> tensor<64x32xf32>
  %1 = tiny.softmax %0 axis -1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %1 : tensor<64x32xf32>
}
