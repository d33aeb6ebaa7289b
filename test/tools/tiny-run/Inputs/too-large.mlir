func.func @main(%x: tensor<1048576x1xf32>, %y: tensor<1x4194304xf32>) -> tensor<1048576xf32> {
  %0 = tiny.add %x, %y : (tensor<1048576x1xf32>, tensor<1x4194304xf32>) -> tensor<1048576x4194304xf32>
  %1 = tiny.sum %0 axes [1] : (tensor<1048576x4194304xf32>) -> tensor<1048576xf32>
  return %1 : tensor<1048576xf32>
}
