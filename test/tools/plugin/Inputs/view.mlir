func.func @main(%x: tensor<4x8xf32>) -> tensor<2x4xf32> {
  %0 = lazy.view %x <(2, 4, 8):(0, 8, 1)> : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %1 = lazy.reduce addf (%0) axes [2] : (tensor<2x4x8xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
