// RUN: tiny-interpret %s | FileCheck %s

// CHECK: matmul result 0: tensor<2x2xf32> {{\[\[}}19, 22], [43, 50{{\]\]}}
// CHECK: matmul result 1: tensor<2xf32> [17, 39]
// CHECK: matmul result 2: tensor<f32> 61
// CHECK: matmul result 3: tensor<2x2xi32> {{\[\[}}10000, 20000], [30000, 40000{{\]\]}}
func.func @matmul() -> (tensor<2x2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xi32>) {
  %a = tiny.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = tiny.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %v = tiny.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %0 = tiny.matmul %a, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = tiny.matmul %a, %v : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = tiny.matmul %v, %v : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %i = tiny.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %d = tiny.constant dense<[[10000, 0], [0, 10000]]> : tensor<2x2xi32>
  %3 = tiny.matmul %i, %d : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xi32>
}

// CHECK: gemm result 0: tensor<2x2xf32> {{\[\[}}9.5, 13.5], [20.5, 28.5{{\]\]}}
// CHECK: gemm result 1: tensor<2x1xf32> {{\[\[}}18], [40{{\]\]}}
func.func @gemm() -> (tensor<2x2xf32>, tensor<2x1xf32>) {
  %a = tiny.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = tiny.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %c = tiny.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = tiny.gemm %a, %b plus %c alpha 0.5 transpose_b : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %w = tiny.constant dense<[[5.0, 6.0]]> : tensor<1x2xf32>
  %d = tiny.constant dense<1.0> : tensor<1xf32>
  %1 = tiny.linear %a, %w bias %d : (tensor<2x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<2x1xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x1xf32>
}

// CHECK: conv result 0: tensor<1x1x2x2xf32> {{\[\[\[\[}}12, 16], [24, 28{{\]\]\]\]}}
// CHECK: conv result 1: tensor<1x1x2x2xf32> {{\[\[\[\[}}1, 5], [11, 28{{\]\]\]\]}}
// CHECK: conv result 2: tensor<1x2x1xf32> {{\[\[\[}}3], [-70{{\]\]\]}}
func.func @conv() -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x2x1xf32>) {
  %x = tiny.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %k = tiny.constant dense<1.0> : tensor<1x1x2x2xf32>
  %0 = tiny.conv %x, %k : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %1 = tiny.conv %x, %k strides [2, 2] low [1, 1] : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  // Two groups of one channel each.
  %y = tiny.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %g = tiny.constant dense<[[[1.0, 1.0]], [[-10.0, -10.0]]]> : tensor<2x1x2xf32>
  %2 = tiny.conv %y, %g groups 2 : (tensor<1x2x2xf32>, tensor<2x1x2xf32>) -> tensor<1x2x1xf32>
  return %0, %1, %2 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x2x1xf32>
}

// Of two zeros the positive one is the larger.
// CHECK: zeros result 0: tensor<1x1x2xf32> {{\[\[\[}}0, -0{{\]\]\]}}
func.func @zeros() -> tensor<1x1x2xf32> {
  %x = tiny.constant dense<[[[-0.0, 0.0, -0.0, -0.0]]]> : tensor<1x1x4xf32>
  %0 = tiny.max_pool %x kernel [2] strides [2] : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
}

// Padding never wins, and counts only where it should.
// CHECK: pool result 0: tensor<1x1x2xf32> {{\[\[\[}}-1, -3{{\]\]\]}}
// CHECK: pool result 1: tensor<1x1x2xf32> {{\[\[\[}}-1, -3.5{{\]\]\]}}
// CHECK: pool result 2: tensor<1x1x2xf32> {{\[\[\[}}-0.5, -3.5{{\]\]\]}}
// CHECK: pool result 3: tensor<1x1x1xf32> {{\[\[\[}}-2.6666667{{\]\]\]}}
func.func @pool() -> (tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x1xf32>) {
  %x = tiny.constant dense<[[[-1.0, -4.0, -3.0]]]> : tensor<1x1x3xf32>
  %0 = tiny.max_pool %x kernel [2] strides [2] low [1] : (tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  %1 = tiny.avg_pool %x kernel [2] strides [2] low [1] : (tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  %2 = tiny.avg_pool %x kernel [2] strides [2] low [1] count_include_pad : (tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  %3 = tiny.global_avg_pool %x : (tensor<1x1x3xf32>) -> tensor<1x1x1xf32>
  return %0, %1, %2, %3 : tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x1xf32>
}
