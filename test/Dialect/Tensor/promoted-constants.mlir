// RUN: tiny-opt %s -canonicalize | FileCheck %s
// RUN: tiny-opt %s -canonicalize --tiny-tensor-to-uop-pipeline -check-passes -o /dev/null

// A constant is judged in the type that the operation computes in, not in its own.

// 255 in eight bits is all ones, in 32 bits it is a mask.
// CHECK-LABEL: func.func @narrow_mask
// CHECK: tiny.and
func.func @narrow_mask(%a: tensor<4xi32>) -> tensor<4xi32> {
  %m = tiny.constant dense<255> : tensor<4xui8>
  %0 = tiny.and %a, %m : (tensor<4xi32>, tensor<4xui8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @truth_mask
// CHECK: tiny.and
func.func @truth_mask(%a: tensor<4xi32>) -> tensor<4xi32> {
  %m = tiny.constant dense<true> : tensor<4xi1>
  %0 = tiny.and %a, %m : (tensor<4xi32>, tensor<4xi1>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// NaN times nothing is NaN.
// CHECK-LABEL: func.func @float_times_integer_zero
// CHECK: tiny.mul
func.func @float_times_integer_zero(%a: tensor<4xf32>) -> tensor<4xf32> {
  %z = tiny.constant dense<0> : tensor<4xi32>
  %0 = tiny.mul %a, %z : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -0.0 plus nothing is 0.0.
// CHECK-LABEL: func.func @float_plus_integer_zero
// CHECK: tiny.add
func.func @float_plus_integer_zero(%a: tensor<4xf32>) -> tensor<4xf32> {
  %z = tiny.constant dense<0> : tensor<4xi32>
  %0 = tiny.add %a, %z : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// 1 / 0.1 is less than ten, though it rounds to ten.
// CHECK-LABEL: func.func @floor_of_quotient
// CHECK: tiny.floordiv
func.func @floor_of_quotient() -> (tensor<4xf32>, tensor<4xf32>) {
  %x = tiny.constant dense<[1.0, -1.0, 2.0, 100.0]> : tensor<4xf32>
  %y = tiny.constant dense<0.1> : tensor<4xf32>
  %0 = tiny.floordiv %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.truncdiv %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
