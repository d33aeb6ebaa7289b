// RUN: tiny-opt %s -split-input-file --tensor-expand-gradients --canonicalize --cse | FileCheck %s

// Softmax keeps its stable form; the weight's gradient is summed over the rows that it was broadcast to.

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[W:.*]]: tensor<3xf32>, %[[S:.*]]: tensor<2x3xf32>)
func.func @softmax(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  // CHECK: %[[M:.*]] = tiny.mul %[[X]], %[[W]]
  // CHECK: %[[Y:.*]] = tiny.softmax %[[M]] axis 1
  // CHECK: %[[WEIGHTED:.*]] = tiny.mul %[[S]], %[[Y]]
  // CHECK: %[[SUM:.*]] = tiny.sum %[[WEIGHTED]] axes [1] keepdims
  // CHECK: %[[D:.*]] = tiny.sub %[[S]], %[[SUM]]
  // CHECK: %[[G:.*]] = tiny.mul %[[Y]], %[[D]]
  // CHECK: %[[DX:.*]] = tiny.mul %[[G]], %[[W]]
  // CHECK: %[[EACH:.*]] = tiny.mul %[[G]], %[[X]]
  // CHECK: %[[DW:.*]] = tiny.sum %[[EACH]] axes [0]
  // CHECK: return %[[DX]], %[[DW]]
  %0 = tiny.mul %x, %w : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = tiny.softmax %0 axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2:2 = tiny.gradient %1 seed %s wrt %x, %w
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return %2#0, %2#1 : tensor<2x3xf32>, tensor<3xf32>
}

// -----

// The second gradient of a cube; a target that the loss does not depend on; a value that lets no gradient pass.

// CHECK-LABEL: func.func @second(
// CHECK-SAME: %[[X:.*]]: tensor<f64>, %[[Y:.*]]: tensor<2xf64>)
func.func @second(%x: tensor<f64>, %y: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>, tensor<f64>) {
  // CHECK-DAG: %[[ZERO:.*]] = tiny.constant dense<0.000000e+00> : tensor<2xf64>
  // CHECK-NOT: tiny.watch
  // CHECK-NOT: tiny.gradient
  // CHECK: %[[KEPT:.*]] = tiny.detach %[[X]]
  // CHECK: return %{{.*}}, %[[ZERO]], %[[KEPT]]
  %h = tiny.watch %x : (tensor<f64>) -> tensor<f64>
  %square = tiny.mul %h, %h : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %cube = tiny.mul %square, %h : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %first = tiny.gradient %cube wrt %h : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %second = tiny.gradient %first wrt %h : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %none = tiny.gradient %cube wrt %y : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  %kept = tiny.detach %x : (tensor<f64>) -> tensor<f64>
  %product = tiny.mul %kept, %h : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %half = tiny.gradient %product wrt %h : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %second, %none, %half : tensor<f64>, tensor<2xf64>, tensor<f64>
}

// -----

// What a checkpoint covers is computed again behind the loss, from its begins; what it was computed from before is not.

// CHECK-LABEL: func.func @checkpoint(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>, %[[ALWAYS:.*]]: tensor<i1>)
func.func @checkpoint(%x: tensor<4xf32>, %w: tensor<4xf32>, %always: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: tiny.sin %[[W]]
  // CHECK: tiny.tanh %[[X]]
  // CHECK: %[[Y:.*]] = tiny.checkpoint
  // CHECK: %[[AGAIN:.*]] = tiny.where %[[ALWAYS]], %[[X]],
  // CHECK: %[[H:.*]] = tiny.tanh %[[AGAIN]]
  // CHECK-NOT: tiny.sin
  // CHECK: %[[SECOND:.*]] = tiny.mul %[[H]], %[[H]]
  // CHECK: return %[[Y]]
  %s = tiny.sin %w : (tensor<4xf32>) -> tensor<4xf32>
  %h = tiny.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %square = tiny.mul %h, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %product = tiny.mul %square, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = tiny.checkpoint %product from %x when %always
      : (tensor<4xf32>, tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  %dx = tiny.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %dx : tensor<4xf32>, tensor<4xf32>
}

// -----

// What has no gradient of its own is decomposed: a layer norm without scale and bias ends in a product.

// CHECK-LABEL: func.func @layer_norm(
// CHECK-NOT: tiny.layer_norm
// CHECK: tiny.rsqrt
func.func @layer_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tiny.layer_norm %x axis 1 epsilon 1.0e-5 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tiny.gradient %0 wrt %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
