// RUN: tiny-opt %s --tensor-decompose | FileCheck %s
// RUN: tiny-opt %s --check-passes --tensor-decompose --convert-tensor-to-lazy -o /dev/null

// CHECK-LABEL: func @softmax(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[X]] axes [1]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[MAX]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[SUB:[a-z0-9_]+]] = tiny.sub %[[X]], %[[EXPAND]]
// CHECK: %[[EXP:[a-z0-9_]+]] = tiny.exp %[[SUB]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[EXP]] axes [1]
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[SUM]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[EXP]], %[[EXPAND2]]
// CHECK: return %[[DIV]]
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tiny.softmax %x axis -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @softmax_of_halves(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<2x3xf16>) -> tensor<2x3xf32>
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[CAST]] axes [0]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[MAX]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[SUB:[a-z0-9_]+]] = tiny.sub %[[CAST]], %[[EXPAND]]
// CHECK: %[[EXP:[a-z0-9_]+]] = tiny.exp %[[SUB]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[EXP]] axes [0]
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[SUM]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[EXP]], %[[EXPAND2]]
// CHECK: %[[CAST2:[a-z0-9_]+]] = tiny.cast %[[DIV]] : (tensor<2x3xf32>) -> tensor<2x3xf16>
// CHECK: return %[[CAST2]]
func.func @softmax_of_halves(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %0 = tiny.softmax %x axis 0 : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}

// CHECK-LABEL: func @log_softmax(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[X]] axes [1]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[MAX]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[SUB:[a-z0-9_]+]] = tiny.sub %[[X]], %[[EXPAND]]
// CHECK: %[[EXP:[a-z0-9_]+]] = tiny.exp %[[SUB]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[EXP]] axes [1]
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[SUM]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[LOG:[a-z0-9_]+]] = tiny.log %[[RESHAPE2]]
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[LOG]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[SUB2:[a-z0-9_]+]] = tiny.sub %[[SUB]], %[[EXPAND2]]
// CHECK: return %[[SUB2]]
func.func @log_softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tiny.log_softmax %x axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @layer_norm(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[S:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[X]] axes [1]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[SUM]], %[[CONSTANT]]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[DIV]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[SUB:[a-z0-9_]+]] = tiny.sub %[[X]], %[[EXPAND]]
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[SUB]], %[[SUB]]
// CHECK: %[[SUM2:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [1]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK: %[[DIV2:[a-z0-9_]+]] = tiny.div %[[SUM2]], %[[CONSTANT2]]
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[DIV2]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = tiny.constant dense<9.99999974E-6> : tensor<2x1xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[RESHAPE2]], %[[CONSTANT3]]
// CHECK: %[[RSQRT:[a-z0-9_]+]] = tiny.rsqrt %[[ADD]]
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RSQRT]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[MUL2:[a-z0-9_]+]] = tiny.mul %[[SUB]], %[[EXPAND2]]
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[S]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[EXPAND3:[a-z0-9_]+]] = tiny.expand %[[RESHAPE3]] : (tensor<1x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[MUL3:[a-z0-9_]+]] = tiny.mul %[[MUL2]], %[[EXPAND3]]
// CHECK: %[[RESHAPE4:[a-z0-9_]+]] = tiny.reshape %[[B]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[EXPAND4:[a-z0-9_]+]] = tiny.expand %[[RESHAPE4]] : (tensor<1x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[ADD2:[a-z0-9_]+]] = tiny.add %[[MUL3]], %[[EXPAND4]]
// CHECK: return %[[ADD2]]
func.func @layer_norm(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = tiny.layer_norm %x scale %s bias %b axis 1 epsilon 1.0e-5 : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @rms_norm(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[S:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[X]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [1]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[SUM]], %[[CONSTANT]]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[DIV]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<9.99999974E-6> : tensor<2x1xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[RESHAPE]], %[[CONSTANT2]]
// CHECK: %[[RSQRT:[a-z0-9_]+]] = tiny.rsqrt %[[ADD]]
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RSQRT]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[MUL2:[a-z0-9_]+]] = tiny.mul %[[X]], %[[EXPAND]]
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[S]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[MUL3:[a-z0-9_]+]] = tiny.mul %[[MUL2]], %[[EXPAND2]]
// CHECK: return %[[MUL3]]
func.func @rms_norm(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = tiny.rms_norm %x scale %s axis 1 epsilon 1.0e-5 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @batch_norm(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[S:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}, %[[M:[a-z0-9]+]]: {{[^,)]+}}, %[[V:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<9.99999974E-6> : tensor<3xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[V]], %[[CONSTANT]]
// CHECK: %[[RSQRT:[a-z0-9_]+]] = tiny.rsqrt %[[ADD]]
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[RSQRT]], %[[S]]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[M]] : (tensor<3xf32>) -> tensor<1x3x1xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: %[[SUB:[a-z0-9_]+]] = tiny.sub %[[X]], %[[EXPAND]]
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[MUL]] : (tensor<3xf32>) -> tensor<1x3x1xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1x3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: %[[MUL2:[a-z0-9_]+]] = tiny.mul %[[SUB]], %[[EXPAND2]]
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[B]] : (tensor<3xf32>) -> tensor<1x3x1xf32>
// CHECK: %[[EXPAND3:[a-z0-9_]+]] = tiny.expand %[[RESHAPE3]] : (tensor<1x3x1xf32>) -> tensor<2x3x4xf32>
// CHECK: %[[ADD2:[a-z0-9_]+]] = tiny.add %[[MUL2]], %[[EXPAND3]]
// CHECK: return %[[ADD2]]
func.func @batch_norm(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = tiny.batch_norm %x, %s, %b, %m, %v epsilon 1.0e-5 : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
