// RUN: tiny-opt %s --convert-tosa-to-tensor | tiny-interpret | FileCheck %s

// CHECK: floats result 0: tensor<4xf32> [1, 0.5, 2, 4]
// CHECK: floats result 1: tensor<4xf32> [-1, 1, 2, -4]
// CHECK: floats result 2: tensor<4xf32> [-1, 0, 2, -4]
// CHECK: floats result 3: tensor<4xf32> [1, -0.5, -2, 4]
// CHECK: floats result 4: tensor<4xf32> [-1, 2, 0.5, -0.25]
// CHECK: floats result 5: tensor<4xf32> [-1, 0.5, 1, -1]
// CHECK: floats result 6: tensor<4xf32> [1, 0.25, 4, 16]
// CHECK: floats result 7: tensor<4xi32> [-1, 0, 2, -4]
func.func @floats() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
                        tensor<4xf32>, tensor<4xi32>) {
  %x = "tosa.const"() {values = dense<[-1.0, 0.5, 2.0, -4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %two = "tosa.const"() {values = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.ceil %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tosa.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = tosa.negate %x, %zp, %zp : (tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
  %4 = tosa.reciprocal %x : (tensor<4xf32>) -> tensor<4xf32>
  %5 = tosa.clamp %x {min_val = -1.0 : f32, max_val = 1.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = tosa.pow %x, %two : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = tosa.cast %x : (tensor<4xf32>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// At one point each function has a value that is exact.
// CHECK: functions result 0: tensor<1xf32> [1]
// CHECK: functions result 1: tensor<1xf32> [1]
// CHECK: functions result 2: tensor<1xf32> [0]
// CHECK: functions result 3: tensor<1xf32> [0]
// CHECK: functions result 4: tensor<1xf32> [0.5]
// CHECK: functions result 5: tensor<1xf32> [0]
// CHECK: functions result 6: tensor<1xf32> [0]
// CHECK: functions result 7: tensor<1xf32> [0.5]
func.func @functions() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
                           tensor<1xf32>, tensor<1xf32>) {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %one = "tosa.const"() {values = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %four = "tosa.const"() {values = dense<4.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.exp %zero : (tensor<1xf32>) -> tensor<1xf32>
  %1 = tosa.cos %zero : (tensor<1xf32>) -> tensor<1xf32>
  %2 = tosa.sin %zero : (tensor<1xf32>) -> tensor<1xf32>
  %3 = tosa.log %one : (tensor<1xf32>) -> tensor<1xf32>
  %4 = tosa.rsqrt %four : (tensor<1xf32>) -> tensor<1xf32>
  %5 = tosa.erf %zero : (tensor<1xf32>) -> tensor<1xf32>
  %6 = tosa.tanh %zero : (tensor<1xf32>) -> tensor<1xf32>
  %7 = tosa.sigmoid %zero : (tensor<1xf32>) -> tensor<1xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
         tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// CHECK: integers result 0: tensor<3xi32> [9, -5, 11]
// CHECK: integers result 1: tensor<3xi32> [5, -9, 5]
// CHECK: integers result 2: tensor<3xi32> [14, -14, 24]
// CHECK: integers result 3: tensor<3xi32> [3, -3, 2]
// CHECK: integers result 4: tensor<3xi32> [7, 2, 8]
// CHECK: integers result 5: tensor<3xi32> [2, -7, 3]
// CHECK: integers result 6: tensor<3xi32> [2, 0, 0]
// CHECK: integers result 7: tensor<3xi32> [7, -5, 11]
// CHECK: integers result 8: tensor<3xi32> [5, -5, 11]
// CHECK: integers result 9: tensor<3xi32> [-8, 6, -9]
func.func @integers() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>,
                          tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %x = "tosa.const"() {values = dense<[7, -7, 8]> : tensor<3xi32>} : () -> tensor<3xi32>
  %y = "tosa.const"() {values = dense<[2, 2, 3]> : tensor<3xi32>} : () -> tensor<3xi32>
  %none = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.add %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %1 = tosa.sub %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %2 = tosa.mul %x, %y, %none : (tensor<3xi32>, tensor<3xi32>, tensor<1xi8>) -> tensor<3xi32>
  %3 = tosa.intdiv %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %4 = tosa.maximum %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %5 = tosa.minimum %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %6 = tosa.bitwise_and %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %7 = tosa.bitwise_or %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %8 = tosa.bitwise_xor %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %9 = tosa.bitwise_not %x : (tensor<3xi32>) -> tensor<3xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>,
         tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

// CHECK: shifts result 0: tensor<3xi32> [28, -28, 64]
// CHECK: shifts result 1: tensor<3xi32> [1, 1073741822, 1]
// CHECK: shifts result 2: tensor<3xi32> [1, -2, 1]
// CHECK: shifts result 3: tensor<3xi32> [2, -2, 1]
// CHECK: shifts result 4: tensor<3xi32> [29, 0, 28]
// CHECK: shifts result 5: tensor<3xi32> [4, -3, 6]
// CHECK: shifts result 6: tensor<3xi8> [-7, 127, -8]
func.func @shifts() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>,
                        tensor<3xi8>) {
  %x = "tosa.const"() {values = dense<[7, -7, 8]> : tensor<3xi32>} : () -> tensor<3xi32>
  %y = "tosa.const"() {values = dense<[2, 2, 3]> : tensor<3xi32>} : () -> tensor<3xi32>
  %three = "tosa.const"() {values = dense<3> : tensor<3xi32>} : () -> tensor<3xi32>
  %two = "tosa.const"() {values = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  %bytes = "tosa.const"() {values = dense<[7, -128, 8]> : tensor<3xi8>} : () -> tensor<3xi8>
  %none = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.logical_left_shift %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %1 = tosa.logical_right_shift %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %2 = tosa.arithmetic_right_shift %x, %y {round = false} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %3 = tosa.arithmetic_right_shift %x, %y {round = true} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %4 = tosa.clz %x : (tensor<3xi32>) -> tensor<3xi32>
  %5 = tosa.mul %x, %y, %two : (tensor<3xi32>, tensor<3xi32>, tensor<1xi8>) -> tensor<3xi32>
  %6 = tosa.negate %bytes, %none, %none : (tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<3xi8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>,
         tensor<3xi32>, tensor<3xi8>
}

// CHECK: truths result 0: tensor<2xi1> [false, true]
// CHECK: truths result 1: tensor<2xi1> [true, false]
// CHECK: truths result 2: tensor<2xi1> [true, true]
// CHECK: truths result 3: tensor<2xi1> [false, false]
// CHECK: truths result 4: tensor<2xi1> [true, true]
// CHECK: truths result 5: tensor<2xi1> [true, true]
// CHECK: truths result 6: tensor<2xi1> [true, false]
// CHECK: truths result 7: tensor<2xi32> [1, 4]
func.func @truths() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>,
                        tensor<2xi1>, tensor<2xi32>) {
  %x = "tosa.const"() {values = dense<[3, 4]> : tensor<2xi32>} : () -> tensor<2xi32>
  %y = "tosa.const"() {values = dense<[1, 4]> : tensor<2xi32>} : () -> tensor<2xi32>
  %0 = tosa.equal %x, %y : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %1 = tosa.greater %x, %y : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %2 = tosa.greater_equal %x, %y : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %3 = tosa.logical_and %0, %1 : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %4 = tosa.logical_or %0, %1 : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %5 = tosa.logical_xor %0, %1 : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %6 = tosa.logical_not %0 : (tensor<2xi1>) -> tensor<2xi1>
  %7 = tosa.select %0, %x, %y : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>,
         tensor<2xi1>, tensor<2xi1>, tensor<2xi32>
}

// What is not a number counts nothing, unless there is nothing else.
// CHECK: ignored result 0: tensor<3xf32> [2, 3, nan]
// CHECK: ignored result 1: tensor<3xf32> [0, 1, 0]
// CHECK: ignored result 2: tensor<1xf32> [1]
// CHECK: ignored result 3: tensor<1xf32> [nan]
// CHECK: ignored result 4: tensor<i32> 2
// CHECK: ignored result 5: tensor<1x1x2x1xf32> {{\[\[\[\[}}-5], [nan{{\]\]\]\]}}
func.func @ignored() -> (tensor<3xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<i32>, tensor<1x1x2x1xf32>) {
  %x = "tosa.const"() {values = dense<[2.0, 0x7FC00000, 0x7FC00000]> : tensor<3xf32>} : () -> tensor<3xf32>
  %y = "tosa.const"() {values = dense<[0x7FC00000, 3.0, 0x7FC00000]> : tensor<3xf32>} : () -> tensor<3xf32>
  %z = "tosa.const"() {values = dense<[0x7FC00000, -1.0, 1.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %n = "tosa.const"() {values = dense<0x7FC00000> : tensor<3xf32>} : () -> tensor<3xf32>
  %i = "tosa.const"() {values = dense<[[[[-5.0], [0x7FC00000], [0x7FC00000], [0x7FC00000]]]]> : tensor<1x1x4x1xf32>}
      : () -> tensor<1x1x4x1xf32>
  %0 = tosa.maximum %x, %y {nan_mode = IGNORE} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = tosa.clamp %y {min_val = 0.0 : f32, max_val = 1.0 : f32, nan_mode = IGNORE} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = tosa.reduce_max %z {axis = 0 : i32, nan_mode = IGNORE} : (tensor<3xf32>) -> tensor<1xf32>
  %3 = tosa.reduce_min %n {axis = 0 : i32, nan_mode = IGNORE} : (tensor<3xf32>) -> tensor<1xf32>
  %4 = tosa.argmax %z {axis = 0 : i32, nan_mode = IGNORE} : (tensor<3xf32>) -> tensor<i32>
  %5 = tosa.max_pool2d %i {kernel = array<i64: 1, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 2>,
      nan_mode = IGNORE} : (tensor<1x1x4x1xf32>) -> tensor<1x1x2x1xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<i32>, tensor<1x1x2x1xf32>
}
