// RUN: tiny-opt %s --tensor-decompose | FileCheck %s
// RUN: tiny-opt %s --check-passes --tensor-decompose --convert-tensor-to-lazy -o /dev/null

// What is primitive stays as it is.
// CHECK-LABEL: func @primitive(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[X]], %[[Y]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[ADD]] axes [1]
// CHECK: return %[[SUM]]
func.func @primitive(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4xf32> {
  %0 = tiny.add %x, %y : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = tiny.sum %0 axes [1] : (tensor<4x3xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @broadcast(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[X]] : (tensor<4x1xf32>) -> tensor<4x3xf32>
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[Y]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x3xf32>) -> tensor<4x3xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[EXPAND]], %[[EXPAND2]]
// CHECK: return %[[ADD]]
func.func @broadcast(%x: tensor<4x1xf32>, %y: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = tiny.add %x, %y : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @promote(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<4xui8>) -> tensor<4xi16>
// CHECK: %[[CAST2:[a-z0-9_]+]] = tiny.cast %[[Y]] : (tensor<4xi8>) -> tensor<4xi16>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[CAST]], %[[CAST2]]
// CHECK: return %[[MUL]]
func.func @promote(%x: tensor<4xui8>, %y: tensor<4xi8>) -> tensor<4xi16> {
  %0 = tiny.mul %x, %y : (tensor<4xui8>, tensor<4xi8>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}

// Compared in the common type.
// CHECK-LABEL: func @compare(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<4xi32>) -> tensor<4xf32>
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[Y]] : (tensor<f32>) -> tensor<1xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1xf32>) -> tensor<4xf32>
// CHECK: %[[LT:[a-z0-9_]+]] = tiny.lt %[[CAST]], %[[EXPAND]]
// CHECK: return %[[LT]]
func.func @compare(%x: tensor<4xi32>, %y: tensor<f32>) -> tensor<4xi1> {
  %0 = tiny.lt %x, %y : (tensor<4xi32>, tensor<f32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// The condition broadcasts, and does not promote.
// CHECK-LABEL: func @select(
// CHECK-SAME: %[[C:[a-z0-9]+]]: {{[^,)]+}}, %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[C]] : (tensor<4x1xi1>) -> tensor<4x3xi1>
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[Y]] : (tensor<i32>) -> tensor<f32>
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[CAST]] : (tensor<f32>) -> tensor<1x1xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x1xf32>) -> tensor<4x3xf32>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[EXPAND]], %[[X]], %[[EXPAND2]]
// CHECK: return %[[WHERE]]
func.func @select(%c: tensor<4x1xi1>, %x: tensor<4x3xf32>, %y: tensor<i32>) -> tensor<4x3xf32> {
  %0 = tiny.where %c, %x, %y : (tensor<4x1xi1>, tensor<4x3xf32>, tensor<i32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A constant operand is remade, not expanded.
// CHECK-LABEL: func @broadcast_of_constant(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[CONSTANT]]
// CHECK: return %[[MUL]]
func.func @broadcast_of_constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tiny.constant dense<2> : tensor<i32>
  %0 = tiny.mul %x, %c : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @dead(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @dead(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.silu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
