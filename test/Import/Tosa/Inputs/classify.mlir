// A convolution, a pool and a softmax, as converters to tosa write them.
func.func @main(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4xf32> {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %zero, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>,
      pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
      : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %2 = tosa.avg_pool2d %1, %zero, %zero {acc_type = f32, kernel = array<i64: 8, 8>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 8, 8>} : (tensor<1x8x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x4xf32>
  %shape = tosa.const_shape {values = dense<[1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %3 = tosa.reshape %2, %shape : (tensor<1x1x1x4xf32>, !tosa.shape<2>) -> tensor<1x4xf32>
  %4 = tosa.exp %3 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %5 = tosa.reduce_sum %4 {axis = 1 : i32} : (tensor<1x4xf32>) -> tensor<1x1xf32>
  %6 = tosa.reciprocal %5 : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %none = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %7 = tosa.mul %4, %6, %none : (tensor<1x4xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x4xf32>
  return %7 : tensor<1x4xf32>
}
