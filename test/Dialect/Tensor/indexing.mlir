// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-interpret %s | FileCheck %s --check-prefix=VALUES

// CHECK-LABEL: func.func @round_trip
func.func @round_trip(%x: tensor<4x6xf32>, %i: tensor<8x1xi64>, %j: tensor<3xui8>) -> (tensor<8x3xf32>, tensor<4x8x1xf32>, tensor<4x2xf32>) {
  // CHECK: tiny.gather %{{.*}}[%{{.*}}, %{{.*}}] : (tensor<4x6xf32>, tensor<8x1xi64>, tensor<3xui8>) -> tensor<8x3xf32>
  %0 = tiny.gather %x [%i, %j] : (tensor<4x6xf32>, tensor<8x1xi64>, tensor<3xui8>) -> tensor<8x3xf32>
  // CHECK: tiny.take %{{.*}}, %{{.*}} axis -1 : (tensor<4x6xf32>, tensor<8x1xi64>) -> tensor<4x8x1xf32>
  %1 = tiny.take %x, %i axis -1 : (tensor<4x6xf32>, tensor<8x1xi64>) -> tensor<4x8x1xf32>
  %k = tiny.constant dense<0> : tensor<4x2xi8>
  // CHECK: tiny.take_along %{{.*}}, %{{.*}} axis 1 : (tensor<4x6xf32>, tensor<4x2xi8>) -> tensor<4x2xf32>
  %2 = tiny.take_along %x, %k axis 1 : (tensor<4x6xf32>, tensor<4x2xi8>) -> tensor<4x2xf32>
  return %0, %1, %2 : tensor<8x3xf32>, tensor<4x8x1xf32>, tensor<4x2xf32>
}

// VALUES: values result 0: tensor<2x3xi32> {{\[\[}}21, 23, 0], [11, 13, 0{{\]\]}}
// VALUES: values result 1: tensor<2x2x3xi32> {{\[\[\[}}21, 22, 23], [11, 12, 13]], {{\[\[}}0, 0, 0], [11, 12, 13{{\]\]\]}}
// VALUES: values result 2: tensor<2x1xi32> {{\[\[}}13], [21{{\]\]}}
func.func @values() -> (tensor<2x3xi32>, tensor<2x2x3xi32>, tensor<2x1xi32>) {
  %x = tiny.constant dense<[[11, 12, 13], [21, 22, 23]]> : tensor<2x3xi32>
  %i = tiny.constant dense<[[-1], [0]]> : tensor<2x1xi64>
  %j = tiny.constant dense<[0, -1, 3]> : tensor<3xi8>
  %0 = tiny.gather %x [%i, %j] : (tensor<2x3xi32>, tensor<2x1xi64>, tensor<3xi8>) -> tensor<2x3xi32>
  %rows = tiny.constant dense<[[1, -2], [-3, 0]]> : tensor<2x2xi32>
  %1 = tiny.take %x, %rows axis 0 : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2x3xi32>
  %k = tiny.constant dense<[[2], [-3]]> : tensor<2x1xi16>
  %2 = tiny.take_along %x, %k axis 1 : (tensor<2x3xi32>, tensor<2x1xi16>) -> tensor<2x1xi32>
  return %0, %1, %2 : tensor<2x3xi32>, tensor<2x2x3xi32>, tensor<2x1xi32>
}
