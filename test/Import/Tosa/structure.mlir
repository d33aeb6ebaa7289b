// RUN: tiny-opt %s --convert-tosa-to-tensor | tiny-interpret | FileCheck %s

// CHECK: reductions result 0: tensor<2x1xi32> {{\[\[}}6], [15{{\]\]}}
// CHECK: reductions result 1: tensor<2x1xi32> {{\[\[}}6], [120{{\]\]}}
// CHECK: reductions result 2: tensor<1x3xi32> {{\[\[}}4, 5, 6{{\]\]}}
// CHECK: reductions result 3: tensor<1x3xi32> {{\[\[}}1, 2, 3{{\]\]}}
// CHECK: reductions result 4: tensor<2xi32> [2, 2]
// CHECK: reductions result 5: tensor<2x1xi1> {{\[\[}}false], [false{{\]\]}}
// CHECK: reductions result 6: tensor<2x1xi1> {{\[\[}}true], [false{{\]\]}}
func.func @reductions() -> (tensor<2x1xi32>, tensor<2x1xi32>, tensor<1x3xi32>, tensor<1x3xi32>, tensor<2xi32>,
                            tensor<2x1xi1>, tensor<2x1xi1>) {
  %x = "tosa.const"() {values = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>} : () -> tensor<2x3xi32>
  %b = "tosa.const"() {values = dense<[[true, false], [false, false]]> : tensor<2x2xi1>} : () -> tensor<2x2xi1>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %1 = tosa.reduce_product %x {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %2 = tosa.reduce_max %x {axis = 0 : i32} : (tensor<2x3xi32>) -> tensor<1x3xi32>
  %3 = tosa.reduce_min %x {axis = 0 : i32} : (tensor<2x3xi32>) -> tensor<1x3xi32>
  %4 = tosa.argmax %x {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2xi32>
  %5 = tosa.reduce_all %b {axis = 1 : i32} : (tensor<2x2xi1>) -> tensor<2x1xi1>
  %6 = tosa.reduce_any %b {axis = 1 : i32} : (tensor<2x2xi1>) -> tensor<2x1xi1>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x1xi32>, tensor<2x1xi32>, tensor<1x3xi32>, tensor<1x3xi32>,
         tensor<2xi32>, tensor<2x1xi1>, tensor<2x1xi1>
}

// CHECK: movement result 0: tensor<3x2xi32> {{\[\[}}1, 4], [2, 5], [3, 6{{\]\]}}
// CHECK: movement result 1: tensor<3x2xi32> {{\[\[}}1, 2], [3, 4], [5, 6{{\]\]}}
// CHECK: movement result 2: tensor<2x3xi32> {{\[\[}}3, 2, 1], [6, 5, 4{{\]\]}}
// CHECK: movement result 3: tensor<1x2xi32> {{\[\[}}5, 6{{\]\]}}
// CHECK: movement result 4: tensor<2x6xi32> {{\[\[}}1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6{{\]\]}}
// CHECK: movement result 5: tensor<3x4xi32> {{\[\[}}9, 1, 2, 3], [9, 4, 5, 6], [9, 9, 9, 9{{\]\]}}
// CHECK: movement result 6: tensor<4x3xi32> {{\[\[}}1, 2, 3], [4, 5, 6], [1, 2, 3], [4, 5, 6{{\]\]}}
// CHECK: movement result 7: tensor<2x3xi32> {{\[\[}}1, 2, 3], [4, 5, 6{{\]\]}}
func.func @movement() -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<1x2xi32>, tensor<2x6xi32>,
                          tensor<3x4xi32>, tensor<4x3xi32>, tensor<2x3xi32>) {
  %x = "tosa.const"() {values = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>} : () -> tensor<2x3xi32>
  %nine = "tosa.const"() {values = dense<9> : tensor<1xi32>} : () -> tensor<1xi32>
  %shape = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %start = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %size = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %padding = tosa.const_shape {values = dense<[0, 1, 1, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = tosa.reshape %x, %shape : (tensor<2x3xi32>, !tosa.shape<2>) -> tensor<3x2xi32>
  %2 = tosa.reverse %x {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = tosa.slice %x, %start, %size : (tensor<2x3xi32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x2xi32>
  %4 = tosa.tile %x, %size : (tensor<2x3xi32>, !tosa.shape<2>) -> tensor<2x6xi32>
  %5 = tosa.pad %x, %padding, %nine : (tensor<2x3xi32>, !tosa.shape<4>, tensor<1xi32>) -> tensor<3x4xi32>
  %6 = tosa.concat %x, %x {axis = 0 : i32} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
  %7 = tosa.identity %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<1x2xi32>,
         tensor<2x6xi32>, tensor<3x4xi32>, tensor<4x3xi32>, tensor<2x3xi32>
}

// CHECK: places result 0: tensor<1x2x2xi32> {{\[\[\[}}5, 6], [1, 2{{\]\]\]}}
// CHECK: places result 1: tensor<1x3x2xi32> {{\[\[\[}}9, 10], [3, 4], [7, 8{{\]\]\]}}
func.func @places() -> (tensor<1x2x2xi32>, tensor<1x3x2xi32>) {
  %x = "tosa.const"() {values = dense<[[[1, 2], [3, 4], [5, 6]]]> : tensor<1x3x2xi32>} : () -> tensor<1x3x2xi32>
  %i = "tosa.const"() {values = dense<[[2, 0]]> : tensor<1x2xi32>} : () -> tensor<1x2xi32>
  %new = "tosa.const"() {values = dense<[[[7, 8], [9, 10]]]> : tensor<1x2x2xi32>} : () -> tensor<1x2x2xi32>
  %0 = tosa.gather %x, %i : (tensor<1x3x2xi32>, tensor<1x2xi32>) -> tensor<1x2x2xi32>
  %1 = tosa.scatter %x, %i, %new : (tensor<1x3x2xi32>, tensor<1x2xi32>, tensor<1x2x2xi32>) -> tensor<1x3x2xi32>
  return %0, %1 : tensor<1x2x2xi32>, tensor<1x3x2xi32>
}
