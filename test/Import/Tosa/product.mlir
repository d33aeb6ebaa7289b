// RUN: tiny-opt %s --convert-tosa-to-tensor | tiny-interpret | FileCheck %s

// CHECK: matmul result 0: tensor<1x2x1xf32> {{\[\[\[}}11], [25{{\]\]\]}}
// CHECK: matmul result 1: tensor<1x2x1xi32> {{\[\[\[}}4], [14{{\]\]\]}}
func.func @matmul() -> (tensor<1x2x1xf32>, tensor<1x2x1xi32>) {
  %a = "tosa.const"() {values = dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>} : () -> tensor<1x2x2xf32>
  %b = "tosa.const"() {values = dense<[[[3.0], [4.0]]]> : tensor<1x2x1xf32>} : () -> tensor<1x2x1xf32>
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %zp, %zp : (tensor<1x2x2xf32>, tensor<1x2x1xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x2x1xf32>
  %c = "tosa.const"() {values = dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi8>} : () -> tensor<1x2x2xi8>
  %d = "tosa.const"() {values = dense<[[[3], [4]]]> : tensor<1x2x1xi8>} : () -> tensor<1x2x1xi8>
  %one = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %none = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %1 = tosa.matmul %c, %d, %one, %none : (tensor<1x2x2xi8>, tensor<1x2x1xi8>, tensor<1xi8>, tensor<1xi8>)
      -> tensor<1x2x1xi32>
  %four = "tosa.const"() {values = dense<[[[0], [4]]]> : tensor<1x2x1xi32>} : () -> tensor<1x2x1xi32>
  %2 = tosa.sub %1, %four : (tensor<1x2x1xi32>, tensor<1x2x1xi32>) -> tensor<1x2x1xi32>
  return %0, %2 : tensor<1x2x1xf32>, tensor<1x2x1xi32>
}

// The image is 1 2 / 3 4, the kernel 1 10 / 100 1000; the bias is 0.5.
// CHECK: conv result 0: tensor<1x1x1x1xf32> {{.*}}4321.5
// CHECK: conv result 1: tensor<1x1x1x1xi32> {{.*}}321{{\]}}
// CHECK: conv result 2: tensor<1x1x1x2xf32> {{.*}}4321, 8642
// CHECK: conv result 3: tensor<1x3x3x1xf32> {{.*}}[1], [12], [20{{\]\].*}}[103], [1234], [2040{{\]\].*}}[300], [3400], [4000
// CHECK: conv result 4: tensor<1x1x1x1x1xf32> {{.*}}4321
func.func @conv() -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xi32>, tensor<1x1x1x2xf32>, tensor<1x3x3x1xf32>,
                      tensor<1x1x1x1x1xf32>) {
  %x = "tosa.const"() {values = dense<[[[[1.0], [2.0]], [[3.0], [4.0]]]]> : tensor<1x2x2x1xf32>} : () -> tensor<1x2x2x1xf32>
  %w = "tosa.const"() {values = dense<[[[[1.0], [10.0]], [[100.0], [1000.0]]]]> : tensor<1x2x2x1xf32>} : () -> tensor<1x2x2x1xf32>
  %half = "tosa.const"() {values = dense<0.5> : tensor<1xf32>} : () -> tensor<1xf32>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %half, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x1x1x1xf32>
  %xi = "tosa.const"() {values = dense<[[[[1], [2]], [[3], [4]]]]> : tensor<1x2x2x1xi8>} : () -> tensor<1x2x2x1xi8>
  %wi = "tosa.const"() {values = dense<[[[[1], [10]], [[100], [0]]]]> : tensor<1x2x2x1xi8>} : () -> tensor<1x2x2x1xi8>
  %no = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %nothing = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %1 = tosa.conv2d %xi, %wi, %nothing, %no, %no {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x2x2x1xi8>, tensor<1x2x2x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>)
      -> tensor<1x1x1x1xi32>
  %wd = "tosa.const"() {values = dense<[[[[1.0, 2.0]], [[10.0, 20.0]]], [[[100.0, 200.0]], [[1000.0, 2000.0]]]]> : tensor<2x2x1x2xf32>} : () -> tensor<2x2x1x2xf32>
  %2 = tosa.depthwise_conv2d %x, %wd, %zero, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>,
      pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x1xf32>, tensor<2x2x1x2xf32>, tensor<1xf32>,
      tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x2xf32>
  %3 = tosa.transpose_conv2d %x, %w, %zero, %zero, %zero {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x3x3x1xf32>
  %x3 = "tosa.const"() {values = dense<[[[[[1.0], [2.0]], [[3.0], [4.0]]]]]> : tensor<1x1x2x2x1xf32>} : () -> tensor<1x1x2x2x1xf32>
  %w3 = "tosa.const"() {values = dense<[[[[[1.0], [10.0]], [[100.0], [1000.0]]]]]> : tensor<1x1x2x2x1xf32>} : () -> tensor<1x1x2x2x1xf32>
  %4 = tosa.conv3d %x3, %w3, %zero, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1, 1>,
      pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<1x1x2x2x1xf32>, tensor<1x1x2x2x1xf32>,
      tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x1x1xf32>
  return %0, %1, %2, %3, %4 : tensor<1x1x1x1xf32>, tensor<1x1x1x1xi32>, tensor<1x1x1x2xf32>, tensor<1x3x3x1xf32>,
         tensor<1x1x1x1x1xf32>
}

// CHECK: pools result 0: tensor<1x1x1x1xf32> {{.*}}[4{{\]}}
// CHECK: pools result 1: tensor<1x1x1x1xf32> {{.*}}[2.5{{\]}}
func.func @pools() -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) {
  %x = "tosa.const"() {values = dense<[[[[1.0], [2.0]], [[3.0], [4.0]]]]> : tensor<1x2x2x1xf32>} : () -> tensor<1x2x2x1xf32>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32>
  %1 = tosa.avg_pool2d %x, %zero, %zero {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x2x2x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x1xf32>
  return %0, %1 : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>
}
