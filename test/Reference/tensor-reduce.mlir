// RUN: tiny-interpret %s | FileCheck %s

// CHECK: sums result 0: tensor<2x1xf32> {{\[\[}}6], [15{{\]\]}}
// CHECK: sums result 1: tensor<f32> 720
// CHECK: sums result 2: tensor<i32> 510
func.func @sums() -> (tensor<2x1xf32>, tensor<f32>, tensor<i32>) {
  %x = tiny.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = tiny.sum %x axes [-1] keepdims : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %1 = tiny.prod %x axes [1, 0] : (tensor<2x3xf32>) -> tensor<f32>
  %b = tiny.constant dense<[127, 127, 127, 127, 2]> : tensor<5xi8>
  %2 = tiny.sum %b axes [0] : (tensor<5xi8>) -> tensor<i32>
  return %0, %1, %2 : tensor<2x1xf32>, tensor<f32>, tensor<i32>
}

// The first NaN wins, else the first of equals.
// CHECK: extremes result 0: tensor<3xf32> [3, nan, 2]
// CHECK: extremes result 1: tensor<3xi32> [1, 1, 0]
// CHECK: extremes result 2: tensor<3xi32> [0, 1, 0]
// CHECK: extremes result 3: tensor<2xui8> [200, 7]
func.func @extremes() -> (tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<2xui8>) {
  %x = tiny.constant dense<[[1.0, 3.0, 3.0], [9.0, 0x7FC00000, 0xFFC00000], [2.0, 2.0, 2.0]]> : tensor<3x3xf32>
  %0 = tiny.max %x axes [1] : (tensor<3x3xf32>) -> tensor<3xf32>
  %1 = tiny.argmax %x axes [1] : (tensor<3x3xf32>) -> tensor<3xi32>
  %2 = tiny.argmin %x axes [1] : (tensor<3x3xf32>) -> tensor<3xi32>
  %y = tiny.constant dense<[[200, 7], [100, 3]]> : tensor<2x2xui8>
  %3 = tiny.max %y axes [0] : (tensor<2x2xui8>) -> tensor<2xui8>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<2xui8>
}

// CHECK: moments result 0: tensor<f32> 2.5
// CHECK: moments result 1: tensor<f32> 1.25
// CHECK: moments result 2: tensor<f32> 1.6666666
// CHECK: moments result 3: tensor<i1> true
// CHECK: moments result 4: tensor<i1> false
// CHECK: moments result 5: tensor<f32> 1000.6932
func.func @moments() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>, tensor<i1>, tensor<f32>) {
  %x = tiny.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = tiny.mean %x axes [0] : (tensor<4xf32>) -> tensor<f32>
  %1 = tiny.var %x axes [0] : (tensor<4xf32>) -> tensor<f32>
  %2 = tiny.var %x axes [0] correction 1 : (tensor<4xf32>) -> tensor<f32>
  %y = tiny.constant dense<[0.0, 2.0]> : tensor<2xf32>
  %3 = tiny.any %y axes [0] : (tensor<2xf32>) -> tensor<i1>
  %4 = tiny.all %y axes [0] : (tensor<2xf32>) -> tensor<i1>
  %z = tiny.constant dense<1000.0> : tensor<2xf32>
  %5 = tiny.logsumexp %z axes [0] : (tensor<2xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>, tensor<i1>, tensor<f32>
}

// CHECK: along result 0: tensor<2xf32> [0.5, 0.5]
// CHECK: along result 1: tensor<2xf32> [-0.6931472, -0.6931472]
// CHECK: along result 2: tensor<1x2xf32> {{\[\[}}-1, 3{{\]\]}}
func.func @along() -> (tensor<2xf32>, tensor<2xf32>, tensor<1x2xf32>) {
  %x = tiny.constant dense<1000.0> : tensor<2xf32>
  %0 = tiny.softmax %x axis 0 : (tensor<2xf32>) -> tensor<2xf32>
  %1 = tiny.log_softmax %x axis 0 : (tensor<2xf32>) -> tensor<2xf32>
  %y = tiny.constant dense<[[3.0, 5.0]]> : tensor<1x2xf32>
  %s = tiny.constant dense<2.0> : tensor<2xf32>
  %b = tiny.constant dense<1.0> : tensor<2xf32>
  %2 = tiny.layer_norm %y scale %s bias %b axis 1 epsilon 0.0
      : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<1x2xf32>
}
