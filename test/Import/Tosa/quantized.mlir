// RUN: tiny-opt %s --convert-tosa-to-tensor | tiny-interpret | FileCheck %s

// Half of each number, rounded up; 100 is too large for the result's type.
// CHECK: rescale result 0: tensor<3xi8> [4, -3, 127]
func.func @rescale() -> tensor<3xi8> {
  %x = "tosa.const"() {values = dense<[7, -7, 1000]> : tensor<3xi32>} : () -> tensor<3xi32>
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<31> : tensor<1xi8>} : () -> tensor<1xi8>
  %zi = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %zo = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false,
      input_unsigned = false, output_unsigned = false}
      : (tensor<3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// CHECK: resize result 0: tensor<1x1x4x1xf32> {{\[\[\[\[}}1], [2], [3], [3{{\]\]\]\]}}
// CHECK: resize result 1: tensor<1x1x4x1xf32> {{\[\[\[\[}}1], [3], [3], [3{{\]\]\]\]}}
func.func @resize() -> (tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>) {
  %x = "tosa.const"() {values = dense<[[[[1.0], [3.0]]]]> : tensor<1x1x2x1xf32>} : () -> tensor<1x1x2x1xf32>
  %scale = tosa.const_shape {values = dense<[1, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %x, %scale, %offset, %border {mode = BILINEAR}
      : (tensor<1x1x2x1xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x1x4x1xf32>
  %1 = tosa.resize %x, %scale, %offset, %border {mode = NEAREST_NEIGHBOR}
      : (tensor<1x1x2x1xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x1x4x1xf32>
  return %0, %1 : tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>
}

// CHECK: table result 0: tensor<2xi8> [5, 5]
func.func @table() -> tensor<2xi8> {
  %x = "tosa.const"() {values = dense<[-128, 127]> : tensor<2xi8>} : () -> tensor<2xi8>
  %t = "tosa.const"() {values = dense<5> : tensor<256xi8>} : () -> tensor<256xi8>
  %0 = tosa.table %x, %t : (tensor<2xi8>, tensor<256xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// Means of 4 and of 2 elements, less 1 and plus 2; the second window hangs over the end.
// CHECK: mean result 0: tensor<1x1x2x1xi8> {{\[\[\[\[}}4], [9{{\]\]\]\]}}
func.func @mean() -> tensor<1x1x2x1xi8> {
  %x = "tosa.const"() {values = dense<[[[[1], [2], [6]], [[3], [5], [9]]]]> : tensor<1x2x3x1xi8>} : () -> tensor<1x2x3x1xi8>
  %from = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %to = "tosa.const"() {values = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.avg_pool2d %x, %from, %to {acc_type = i32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 1>,
      stride = array<i64: 2, 2>} : (tensor<1x2x3x1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x2x1xi8>
  return %0 : tensor<1x1x2x1xi8>
}
