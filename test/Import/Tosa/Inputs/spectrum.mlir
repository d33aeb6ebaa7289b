func.func @main(%x: tensor<1x4x8xf32>) -> (tensor<1x4x5xf32>, tensor<1x4x5xf32>) {
  %0, %1 = tosa.rfft2d %x : (tensor<1x4x8xf32>) -> (tensor<1x4x5xf32>, tensor<1x4x5xf32>)
  return %0, %1 : tensor<1x4x5xf32>, tensor<1x4x5xf32>
}
