func.func @main(%x: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %r = tiny.softmax %x axis -1 : (tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %r : tensor<256x1024xf32>
}
