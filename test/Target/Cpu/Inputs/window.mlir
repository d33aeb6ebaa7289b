func.func @main(%0: tensor<1x384x60x60xf32>, %1: tensor<384x1x7x7xf32>) -> tensor<1x384x60x60xf32> {
  %r = tiny.conv %0, %1 strides [1, 1] dilations [1, 1] low [3, 3] high [3, 3] groups 384 : (tensor<1x384x60x60xf32>, tensor<384x1x7x7xf32>) -> tensor<1x384x60x60xf32>
  return %r : tensor<1x384x60x60xf32>
}
