// RUN: tiny-interpret %s | FileCheck %s

// CHECK: sources result 0: tensor<2x3xi32> {{\[\[}}0, 1, 2], [0, 1, 2{{\]\]}}
// CHECK: sources result 1: tensor<4xf32> [2, 2.5, 3, 3.5]
// CHECK: sources result 2: tensor<2x3xf32> {{\[\[}}0, 1, 0], [0, 0, 1{{\]\]}}
// CHECK: sources result 3: tensor<2xui8> [200, 200]
func.func @sources() -> (tensor<2x3xi32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2xui8>) {
  %0 = tiny.iota 1 : tensor<2x3xi32>
  %1 = tiny.arange 2.0, 0.5 : tensor<4xf32>
  %2 = tiny.eye diagonal 1 : tensor<2x3xf32>
  %3 = tiny.full 200 : ui8 -> tensor<2xui8>
  return %0, %1, %2, %3 : tensor<2x3xi32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2xui8>
}

// CHECK: movement result 0: tensor<3x2xi32> {{\[\[}}1, 4], [2, 5], [3, 6{{\]\]}}
// CHECK: movement result 1: tensor<2x2x3xi32> {{\[\[\[}}1, 2, 3], [4, 5, 6{{\]\]}}, {{\[\[}}1, 2, 3], [4, 5, 6{{\]\]\]}}
// CHECK: movement result 2: tensor<3x4xi32> {{\[\[}}9, 1, 2, 3], [9, 4, 5, 6], [9, 9, 9, 9{{\]\]}}
// CHECK: movement result 3: tensor<1x2xi32> {{\[\[}}5, 6{{\]\]}}
// CHECK: movement result 4: tensor<2x3xi32> {{\[\[}}3, 2, 1], [6, 5, 4{{\]\]}}
// CHECK: movement result 5: tensor<2x2xi32> {{\[\[}}3, 1], [6, 4{{\]\]}}
func.func @movement() -> (tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<3x4xi32>, tensor<1x2xi32>, tensor<2x3xi32>,
                          tensor<2x2xi32>) {
  %x = tiny.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = tiny.transpose %x -1, -2 : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = tiny.expand %x : (tensor<2x3xi32>) -> tensor<2x2x3xi32>
  %2 = tiny.pad %x low [0, 1] high [1, 0] value 9 : i32 : (tensor<2x3xi32>) -> tensor<3x4xi32>
  %3 = tiny.shrink %x begin [1, 1] end [2, 3] : (tensor<2x3xi32>) -> tensor<1x2xi32>
  %4 = tiny.flip %x [1] : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %5 = tiny.slice %x begin [0, 2] end [2, -1] strides [1, -2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<3x4xi32>, tensor<1x2xi32>,
                                   tensor<2x3xi32>, tensor<2x2xi32>
}

// CHECK: join result 0: tensor<3x2xi32> {{\[\[}}1, 2], [3, 4], [5, 6{{\]\]}}
// CHECK: join result 1: tensor<2x2xi32> {{\[\[}}1, 5], [2, 6{{\]\]}}
func.func @join() -> (tensor<3x2xi32>, tensor<2x2xi32>) {
  %x = tiny.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = tiny.constant dense<[[5, 6]]> : tensor<1x2xi32>
  %0 = tiny.concat %x, %y axis 0 : (tensor<2x2xi32>, tensor<1x2xi32>) -> tensor<3x2xi32>
  %a = tiny.constant dense<[1, 2]> : tensor<2xi32>
  %b = tiny.squeeze %y [0] : (tensor<1x2xi32>) -> tensor<2xi32>
  %1 = tiny.stack %a, %b axis -1 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  return %0, %1 : tensor<3x2xi32>, tensor<2x2xi32>
}
