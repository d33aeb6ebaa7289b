func.func @main() -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c0 = tiny.constant dense<[-1.0, 0.0, 1.0]> : tensor<3xf32>
  %x0 = tiny.watch %c0 : (tensor<3xf32>) -> tensor<3xf32>
  %y0 = tiny.relu %x0 : (tensor<3xf32>) -> tensor<3xf32>
  %g0 = tiny.gradient %y0 wrt %x0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c1 = tiny.constant dense<[4.0, 4.0, 1.0]> : tensor<3xf32>
  %x1 = tiny.watch %c1 : (tensor<3xf32>) -> tensor<3xf32>
  %y1 = tiny.max %x1 axes [0] : (tensor<3xf32>) -> tensor<f32>
  %g1 = tiny.gradient %y1 wrt %x1 : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  %c2 = tiny.constant dense<[[0.0, 2.0, 3.0], [0.0, 0.0, 3.0]]> : tensor<2x3xf32>
  %x2 = tiny.watch %c2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y2 = tiny.prod %x2 axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %g2 = tiny.gradient %y2 wrt %x2 : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %c3 = tiny.constant dense<[0.0, 0.0, 0.0]> : tensor<3xf32>
  %e3 = tiny.constant dense<[1.0, 2.0, 0.0]> : tensor<3xf32>
  %x3 = tiny.watch %c3 : (tensor<3xf32>) -> tensor<3xf32>
  %y3 = tiny.pow %x3, %e3 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %g3 = tiny.gradient %y3 wrt %x3 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %i4 = tiny.constant dense<[0, 2, -3, 7]> : tensor<4xi64>
  %x4 = tiny.watch %c1 : (tensor<3xf32>) -> tensor<3xf32>
  %y4 = tiny.take %x4, %i4 axis 0 : (tensor<3xf32>, tensor<4xi64>) -> tensor<4xf32>
  %g4 = tiny.gradient %y4 wrt %x4 : (tensor<4xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %g0, %g1, %g2, %g3, %g4 : tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
