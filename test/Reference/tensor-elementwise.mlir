// RUN: tiny-interpret %s | FileCheck %s

// CHECK: broadcast result 0: tensor<2x3xf32> {{\[\[}}11, 22, 33], [14, 25, 36{{\]\]}}
func.func @broadcast() -> tensor<2x3xf32> {
  %a = tiny.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = tiny.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %0 = tiny.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK: promote result 0: tensor<2xi16> [255, -1]
func.func @promote() -> tensor<2xi16> {
  %a = tiny.constant dense<[255, 0]> : tensor<2xui8>
  %b = tiny.constant dense<[0, -1]> : tensor<2xi8>
  %0 = tiny.add %a, %b : (tensor<2xui8>, tensor<2xi8>) -> tensor<2xi16>
  return %0 : tensor<2xi16>
}

// CHECK: wrap result 0: tensor<2xui8> [44, 0]
// CHECK: wrap result 1: tensor<2xi8> [-56, 0]
func.func @wrap() -> (tensor<2xui8>, tensor<2xi8>) {
  %a = tiny.constant dense<[100, 0]> : tensor<2xui8>
  %0 = tiny.mul %a, %a : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %1 = tiny.sub %0, %a : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %b = tiny.constant dense<[100, 0]> : tensor<2xi8>
  %2 = tiny.add %b, %b : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %c = tiny.constant dense<[28, 0]> : tensor<2xui8>
  %3 = tiny.add %0, %c : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %3, %2 : tensor<2xui8>, tensor<2xi8>
}

// Division by an integer zero is zero.
// CHECK: division result 0: tensor<5xi32> [-4, 3, -4, 0, -2]
// CHECK: division result 1: tensor<5xi32> [-3, 3, -3, 0, -2]
// CHECK: division result 2: tensor<5xi32> [1, 1, -1, 0, 0]
// CHECK: division result 3: tensor<5xi32> [-1, 1, 1, 0, 0]
// CHECK: division result 4: tensor<5xf32> [-3.5, 3.5, -3.5, inf, -2]
func.func @division() -> (tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xf32>) {
  %x = tiny.constant dense<[-7, 7, 7, 5, -8]> : tensor<5xi32>
  %y = tiny.constant dense<[2, 2, -2, 0, 4]> : tensor<5xi32>
  %0 = tiny.floordiv %x, %y : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %1 = tiny.truncdiv %x, %y : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %2 = tiny.mod %x, %y : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %3 = tiny.fmod %x, %y : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %4 = tiny.div %x, %y : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xf32>
  return %0, %1, %2, %3, %4 : tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xf32>
}

// CHECK: nan result 0: tensor<3xf32> [nan, nan, 2]
// CHECK: nan result 1: tensor<3xi1> [false, false, true]
// CHECK: nan result 2: tensor<3xi1> [true, true, true]
func.func @nan() -> (tensor<3xf32>, tensor<3xi1>, tensor<3xi1>) {
  %x = tiny.constant dense<[0x7FC00000, 1.0, 2.0]> : tensor<3xf32>
  %y = tiny.constant dense<[1.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %0 = tiny.maximum %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = tiny.gt %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %2 = tiny.ne %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xi1>, tensor<3xi1>
}

// CHECK: shift result 0: tensor<4xi32> [16, 0, -4, 0]
// CHECK: shift result 1: tensor<4xi32> [1, 0, -1, -1]
func.func @shift() -> (tensor<4xi32>, tensor<4xi32>) {
  %x = tiny.constant dense<[4, 5, -2, -3]> : tensor<4xi32>
  %y = tiny.constant dense<[2, 32, 1, -1]> : tensor<4xi32>
  %0 = tiny.shl %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = tiny.shr %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK: cast result 0: tensor<3xi8> [-1, 2, 0]
// CHECK: cast result 1: tensor<3xi1> [true, true, false]
// CHECK: cast result 2: tensor<3xf16> [-1.5, 2.75, 0]
// CHECK: cast result 3: tensor<3xi32> [-1077936128, 1076887552, 0]
func.func @cast() -> (tensor<3xi8>, tensor<3xi1>, tensor<3xf16>, tensor<3xi32>) {
  %x = tiny.constant dense<[-1.5, 2.75, 0.0]> : tensor<3xf32>
  %0 = tiny.cast %x : (tensor<3xf32>) -> tensor<3xi8>
  %1 = tiny.cast %x : (tensor<3xf32>) -> tensor<3xi1>
  %2 = tiny.cast %x : (tensor<3xf32>) -> tensor<3xf16>
  %3 = tiny.bitcast %x : (tensor<3xf32>) -> tensor<3xi32>
  return %0, %1, %2, %3 : tensor<3xi8>, tensor<3xi1>, tensor<3xf16>, tensor<3xi32>
}

// CHECK: activations result 0: tensor<3xf32> [0, 0, 2]
// CHECK: activations result 1: tensor<3xf32> [0.11920292, 0.5, 0.8807971]
// CHECK: activations result 2: tensor<3xf32> [-0.02, 0, 2]
// CHECK: activations result 3: tensor<3xf32> [-0.86466473, 0, 2]
// CHECK: activations result 4: tensor<3xf32> [-0.045500264, 0, 1.9544997]
func.func @activations() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = tiny.constant dense<[-2.0, 0.0, 2.0]> : tensor<3xf32>
  %0 = tiny.relu %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = tiny.sigmoid %x : (tensor<3xf32>) -> tensor<3xf32>
  %2 = tiny.leaky_relu %x : (tensor<3xf32>) -> tensor<3xf32>
  %3 = tiny.elu %x : (tensor<3xf32>) -> tensor<3xf32>
  %4 = tiny.gelu %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK: where result 0: tensor<2xf32> [1, 5]
func.func @where() -> tensor<2xf32> {
  %c = tiny.constant dense<[true, false]> : tensor<2xi1>
  %x = tiny.constant dense<1> : tensor<2xi32>
  %y = tiny.constant dense<5.0> : tensor<f32>
  %0 = tiny.where %c, %x, %y : (tensor<2xi1>, tensor<2xi32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
