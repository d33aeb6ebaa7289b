func.func @main(%x: tensor<1x3xf32>, %w: tensor<3x8xf32>) -> tensor<1x8xf32> {
  %0 = tiny.matmul %x, %w : (tensor<1x3xf32>, tensor<3x8xf32>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}
