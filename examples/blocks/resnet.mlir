// A basic block of a ResNet, in inference: two convolutions, each with its batch norm, relu between, the input added.
func.func @main(%x: tensor<1x16x14x14xf32>, %w1: tensor<16x16x3x3xf32>, %w2: tensor<16x16x3x3xf32>,
    %s1: tensor<16xf32>, %b1: tensor<16xf32>, %m1: tensor<16xf32>, %v1: tensor<16xf32>,
    %s2: tensor<16xf32>, %b2: tensor<16xf32>, %m2: tensor<16xf32>, %v2: tensor<16xf32>) -> tensor<1x16x14x14xf32> {
  %0 = tiny.conv %x, %w1 low [1, 1] high [1, 1] : (tensor<1x16x14x14xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x14x14xf32>
  %1 = tiny.batch_norm %0, %s1, %b1, %m1, %v1 epsilon 1.0e-5 : (tensor<1x16x14x14xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x14x14xf32>
  %2 = tiny.relu %1 : (tensor<1x16x14x14xf32>) -> tensor<1x16x14x14xf32>
  %3 = tiny.conv %2, %w2 low [1, 1] high [1, 1] : (tensor<1x16x14x14xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x14x14xf32>
  %4 = tiny.batch_norm %3, %s2, %b2, %m2, %v2 epsilon 1.0e-5 : (tensor<1x16x14x14xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x14x14xf32>
  %5 = tiny.add %4, %x : (tensor<1x16x14x14xf32>, tensor<1x16x14x14xf32>) -> tensor<1x16x14x14xf32>
  %6 = tiny.relu %5 : (tensor<1x16x14x14xf32>) -> tensor<1x16x14x14xf32>
  return %6 : tensor<1x16x14x14xf32>
}
