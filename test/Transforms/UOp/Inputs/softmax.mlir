func.func @main(%x: tensor<4x256xf32>) -> tensor<4x256xf32> {
  %y = tiny.softmax %x axis 1 : (tensor<4x256xf32>) -> tensor<4x256xf32>
  return %y : tensor<4x256xf32>
}
