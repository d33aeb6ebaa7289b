// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --emit-bytecode | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --mlir-print-op-generic | tiny-opt | FileCheck %s

// CHECK-LABEL: func @sources
func.func @sources() {
  // CHECK: tiny.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = tiny.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  // CHECK: tiny.constant dense<200> : tensor<3xui8>
  %1 = tiny.constant dense<200> : tensor<3xui8>
  // CHECK: tiny.full 1.500000e+00 : f32 -> tensor<4x3xf32>
  %2 = tiny.full 1.500000e+00 : f32 -> tensor<4x3xf32>
  // CHECK: tiny.iota 1 : tensor<4x8xi32>
  %3 = tiny.iota 1 : tensor<4x8xi32>
  // CHECK: tiny.arange 2.000000e+00, 5.000000e-01 : tensor<4xf32>
  %4 = tiny.arange 2.000000e+00, 5.000000e-01 : tensor<4xf32>
  // CHECK: tiny.eye : tensor<3x3xf32>
  %5 = tiny.eye : tensor<3x3xf32>
  // CHECK: tiny.eye diagonal -1 : tensor<3x4xi64>
  %6 = tiny.eye diagonal -1 : tensor<3x4xi64>
  return
}

// CHECK-LABEL: func @movement
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
func.func @movement(%x: tensor<4x6xf32>, %y: tensor<4x1xui8>) {
  // CHECK: tiny.reshape %[[X]] : (tensor<4x6xf32>) -> tensor<24xf32>
  %0 = tiny.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  // CHECK: tiny.expand %[[Y]] : (tensor<4x1xui8>) -> tensor<2x4x8xui8>
  %1 = tiny.expand %y : (tensor<4x1xui8>) -> tensor<2x4x8xui8>
  // CHECK: tiny.permute %[[X]] [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = tiny.permute %x [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  // CHECK: tiny.transpose %[[X]] -1, 0 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %3 = tiny.transpose %x -1, 0 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  // CHECK: tiny.pad %[[X]] low [1, 0] high [1, 2] : (tensor<4x6xf32>) -> tensor<6x8xf32>
  %4 = tiny.pad %x low [1, 0] high [1, 2] : (tensor<4x6xf32>) -> tensor<6x8xf32>
  // CHECK: tiny.pad %[[X]] low [1, 0] high [1, 2] value 1.000000e+00 : f32 : (tensor<4x6xf32>) -> tensor<6x8xf32>
  %5 = tiny.pad %x low [1, 0] high [1, 2] value 1.000000e+00 : f32 : (tensor<4x6xf32>) -> tensor<6x8xf32>
  // CHECK: tiny.pad %[[Y]] low [0, 0] high [0, 2] value 7 : ui8 : (tensor<4x1xui8>) -> tensor<4x3xui8>
  %6 = tiny.pad %y low [0, 0] high [0, 2] value 7 : ui8 : (tensor<4x1xui8>) -> tensor<4x3xui8>
  // CHECK: tiny.shrink %[[X]] begin [1, 0] end [3, 6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %7 = tiny.shrink %x begin [1, 0] end [3, 6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  // CHECK: tiny.flip %[[X]] [0, -1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %8 = tiny.flip %x [0, -1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: tiny.slice %[[X]] begin [0, 5] end [4, -1] strides [2, -1] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %9 = tiny.slice %x begin [0, 5] end [4, -1] strides [2, -1] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  // CHECK: tiny.squeeze %[[Y]] [-1] : (tensor<4x1xui8>) -> tensor<4xui8>
  %10 = tiny.squeeze %y [-1] : (tensor<4x1xui8>) -> tensor<4xui8>
  // CHECK: tiny.unsqueeze %[[X]] [0, -1] : (tensor<4x6xf32>) -> tensor<1x4x6x1xf32>
  %11 = tiny.unsqueeze %x [0, -1] : (tensor<4x6xf32>) -> tensor<1x4x6x1xf32>
  // CHECK: tiny.flatten %[[X]] axes 0 to -1 : (tensor<4x6xf32>) -> tensor<24xf32>
  %12 = tiny.flatten %x axes 0 to -1 : (tensor<4x6xf32>) -> tensor<24xf32>
  // CHECK: tiny.concat %[[X]], %[[X]] axis 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %13 = tiny.concat %x, %x axis 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  // CHECK: tiny.concat %[[X]], %[[Y]] axis 1 : (tensor<4x6xf32>, tensor<4x1xui8>) -> tensor<4x7xf32>
  %14 = tiny.concat %x, %y axis 1 : (tensor<4x6xf32>, tensor<4x1xui8>) -> tensor<4x7xf32>
  // CHECK: tiny.stack %[[X]], %[[X]], %[[X]] axis -1 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6x3xf32>
  %15 = tiny.stack %x, %x, %x axis -1 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6x3xf32>
  return
}

// CHECK-LABEL: func @casts
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
func.func @casts(%x: tensor<4xf32>) {
  // CHECK: tiny.cast %[[X]] : (tensor<4xf32>) -> tensor<4xui16>
  %0 = tiny.cast %x : (tensor<4xf32>) -> tensor<4xui16>
  // CHECK: tiny.bitcast %[[X]] : (tensor<4xf32>) -> tensor<4xi32>
  %1 = tiny.bitcast %x : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func @unary
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[I:[a-z0-9]+]]: {{[^,)]+}}, %[[P:[a-z0-9]+]]: {{[^,)]+}}
func.func @unary(%x: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>) {
  // CHECK: tiny.neg %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %0 = tiny.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.abs %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.sign %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tiny.sign %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.square %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %3 = tiny.square %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.reciprocal %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %4 = tiny.reciprocal %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.exp %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %5 = tiny.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.exp2 %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %6 = tiny.exp2 %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.expm1 %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %7 = tiny.expm1 %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.log %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %8 = tiny.log %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.log2 %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %9 = tiny.log2 %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.log1p %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %10 = tiny.log1p %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.sqrt %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %11 = tiny.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.rsqrt %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %12 = tiny.rsqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.sin %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %13 = tiny.sin %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.cos %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %14 = tiny.cos %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.tan %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %15 = tiny.tan %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.asin %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %16 = tiny.asin %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.acos %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %17 = tiny.acos %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.atan %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %18 = tiny.atan %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.sinh %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %19 = tiny.sinh %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.cosh %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %20 = tiny.cosh %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.tanh %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %21 = tiny.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.erf %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %22 = tiny.erf %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.floor %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %23 = tiny.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.ceil %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %24 = tiny.ceil %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.round %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %25 = tiny.round %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.trunc %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %26 = tiny.trunc %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.not %[[I]] : (tensor<4xi32>) -> tensor<4xi32>
  %27 = tiny.not %i : (tensor<4xi32>) -> tensor<4xi32>
  // CHECK: tiny.not %[[P]] : (tensor<4xi1>) -> tensor<4xi1>
  %28 = tiny.not %p : (tensor<4xi1>) -> tensor<4xi1>
  // CHECK: tiny.isnan %[[X]] : (tensor<4xf32>) -> tensor<4xi1>
  %29 = tiny.isnan %x : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: tiny.isinf %[[X]] : (tensor<4xf32>) -> tensor<4xi1>
  %30 = tiny.isinf %x : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: tiny.exp %[[I]] : (tensor<4xi32>) -> tensor<4xf32>
  %31 = tiny.exp %i : (tensor<4xi32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func @activations
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
func.func @activations(%x: tensor<4xf32>) {
  // CHECK: tiny.relu %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %0 = tiny.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.relu6 %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.relu6 %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.sigmoid %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tiny.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.silu %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %3 = tiny.silu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.softplus %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %4 = tiny.softplus %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.softsign %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %5 = tiny.softsign %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.mish %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %6 = tiny.mish %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.hardswish %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %7 = tiny.hardswish %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.hardsigmoid %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %8 = tiny.hardsigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.leaky_relu %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %9 = tiny.leaky_relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.elu %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %10 = tiny.elu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.gelu %[[X]] : (tensor<4xf32>) -> tensor<4xf32>
  %11 = tiny.gelu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.hardsigmoid %[[X]] alpha 2.000000e-01 beta 2.500000e-01 : (tensor<4xf32>) -> tensor<4xf32>
  %12 = tiny.hardsigmoid %x alpha 2.000000e-01 beta 2.500000e-01 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.leaky_relu %[[X]] alpha 1.000000e-01 : (tensor<4xf32>) -> tensor<4xf32>
  %13 = tiny.leaky_relu %x alpha 1.000000e-01 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.elu %[[X]] alpha 5.000000e-01 : (tensor<4xf32>) -> tensor<4xf32>
  %14 = tiny.elu %x alpha 5.000000e-01 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tiny.gelu %[[X]] approximate : (tensor<4xf32>) -> tensor<4xf32>
  %15 = tiny.gelu %x approximate : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func @binary
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}, %[[I:[a-z0-9]+]]: {{[^,)]+}}, %[[J:[a-z0-9]+]]: {{[^,)]+}}
func.func @binary(%x: tensor<4x3xf32>, %y: tensor<3xf32>, %i: tensor<3xi32>, %j: tensor<i32>) {
  // CHECK: tiny.add %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %0 = tiny.add %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.sub %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = tiny.sub %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.mul %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = tiny.mul %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.div %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %3 = tiny.div %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.floordiv %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %4 = tiny.floordiv %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.truncdiv %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = tiny.truncdiv %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.mod %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %6 = tiny.mod %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.fmod %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %7 = tiny.fmod %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.pow %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %8 = tiny.pow %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.maximum %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %9 = tiny.maximum %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.minimum %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %10 = tiny.minimum %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.and %[[I]], %[[J]] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %11 = tiny.and %i, %j : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  // CHECK: tiny.or %[[I]], %[[J]] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %12 = tiny.or %i, %j : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  // CHECK: tiny.xor %[[I]], %[[J]] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %13 = tiny.xor %i, %j : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  // CHECK: tiny.shl %[[I]], %[[J]] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %14 = tiny.shl %i, %j : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  // CHECK: tiny.shr %[[I]], %[[J]] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %15 = tiny.shr %i, %j : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  // CHECK: tiny.eq %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %16 = tiny.eq %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  // CHECK: tiny.ne %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %17 = tiny.ne %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  // CHECK: tiny.lt %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %18 = tiny.lt %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  // CHECK: tiny.le %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %19 = tiny.le %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  // CHECK: tiny.gt %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %20 = tiny.gt %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  // CHECK: tiny.ge %[[X]], %[[Y]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %21 = tiny.ge %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  // CHECK: tiny.div %[[I]], %[[J]] : (tensor<3xi32>, tensor<i32>) -> tensor<3xf32>
  %22 = tiny.div %i, %j : (tensor<3xi32>, tensor<i32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @ternary
// CHECK-SAME: %[[P:[a-z0-9]+]]: {{[^,)]+}}, %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
func.func @ternary(%p: tensor<4x1xi1>, %x: tensor<4x3xf32>, %y: tensor<f32>) {
  // CHECK: tiny.where %[[P]], %[[X]], %[[Y]] : (tensor<4x1xi1>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %0 = tiny.where %p, %x, %y : (tensor<4x1xi1>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  // CHECK: tiny.clamp %[[X]], %[[Y]], %[[Y]] : (tensor<4x3xf32>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
  %1 = tiny.clamp %x, %y, %y : (tensor<4x3xf32>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func @reductions
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[I:[a-z0-9]+]]: {{[^,)]+}}, %[[P:[a-z0-9]+]]: {{[^,)]+}}
func.func @reductions(%x: tensor<4x6xf32>, %i: tensor<4x6xi8>, %p: tensor<4x6xi1>) {
  // CHECK: tiny.sum %[[X]] axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %0 = tiny.sum %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: tiny.prod %[[X]] axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %1 = tiny.prod %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: tiny.max %[[X]] axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %2 = tiny.max %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: tiny.min %[[X]] axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %3 = tiny.min %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: tiny.mean %[[X]] axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %4 = tiny.mean %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: tiny.var %[[X]] axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %5 = tiny.var %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: tiny.logsumexp %[[X]] axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %6 = tiny.logsumexp %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: tiny.sum %[[X]] axes [-1, 0] keepdims : (tensor<4x6xf32>) -> tensor<1x1xf32>
  %7 = tiny.sum %x axes [-1, 0] keepdims : (tensor<4x6xf32>) -> tensor<1x1xf32>
  // CHECK: tiny.sum %[[I]] axes [0] : (tensor<4x6xi8>) -> tensor<6xi32>
  %8 = tiny.sum %i axes [0] : (tensor<4x6xi8>) -> tensor<6xi32>
  // CHECK: tiny.mean %[[I]] axes [0] : (tensor<4x6xi8>) -> tensor<6xf32>
  %9 = tiny.mean %i axes [0] : (tensor<4x6xi8>) -> tensor<6xf32>
  // CHECK: tiny.var %[[X]] axes [0] correction 1 keepdims : (tensor<4x6xf32>) -> tensor<1x6xf32>
  %10 = tiny.var %x axes [0] correction 1 keepdims : (tensor<4x6xf32>) -> tensor<1x6xf32>
  // CHECK: tiny.any %[[P]] axes [] : (tensor<4x6xi1>) -> tensor<4x6xi1>
  %11 = tiny.any %p axes [] : (tensor<4x6xi1>) -> tensor<4x6xi1>
  // CHECK: tiny.all %[[X]] axes [0, 1] : (tensor<4x6xf32>) -> tensor<i1>
  %12 = tiny.all %x axes [0, 1] : (tensor<4x6xf32>) -> tensor<i1>
  // CHECK: tiny.argmax %[[X]] axes [1] : (tensor<4x6xf32>) -> tensor<4xi32>
  %13 = tiny.argmax %x axes [1] : (tensor<4x6xf32>) -> tensor<4xi32>
  // CHECK: tiny.argmin %[[I]] axes [0, 1] : (tensor<4x6xi8>) -> tensor<i32>
  %14 = tiny.argmin %i axes [0, 1] : (tensor<4x6xi8>) -> tensor<i32>
  return
}

// CHECK-LABEL: func @along_axis
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[S:[a-z0-9]+]]: {{[^,)]+}}, %[[H:[a-z0-9]+]]: {{[^,)]+}}
func.func @along_axis(%x: tensor<4x10xf32>, %s: tensor<10xf32>, %h: tensor<4x10xf16>) {
  // CHECK: tiny.softmax %[[X]] axis -1 : (tensor<4x10xf32>) -> tensor<4x10xf32>
  %0 = tiny.softmax %x axis -1 : (tensor<4x10xf32>) -> tensor<4x10xf32>
  // CHECK: tiny.cumsum %[[H]] axis 0 : (tensor<4x10xf16>) -> tensor<4x10xf16>
  %c = tiny.cumsum %h axis 0 : (tensor<4x10xf16>) -> tensor<4x10xf16>
  // CHECK: tiny.log_softmax %[[H]] axis 0 : (tensor<4x10xf16>) -> tensor<4x10xf16>
  %1 = tiny.log_softmax %h axis 0 : (tensor<4x10xf16>) -> tensor<4x10xf16>
  // CHECK: tiny.layer_norm %[[X]] axis 1 epsilon 1.000000e-05 : (tensor<4x10xf32>) -> tensor<4x10xf32>
  %2 = tiny.layer_norm %x axis 1 epsilon 1.000000e-05 : (tensor<4x10xf32>) -> tensor<4x10xf32>
  // CHECK: tiny.layer_norm %[[X]] scale %[[S]] bias %[[S]] axis 1 epsilon 1.000000e-05 : (tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<4x10xf32>
  %3 = tiny.layer_norm %x scale %s bias %s axis 1 epsilon 1.000000e-05 : (tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<4x10xf32>
  // CHECK: tiny.layer_norm %[[H]] bias %[[S]] axis 1 epsilon 1.000000e-05 : (tensor<4x10xf16>, tensor<10xf32>) -> tensor<4x10xf32>
  %4 = tiny.layer_norm %h bias %s axis 1 epsilon 1.000000e-05 : (tensor<4x10xf16>, tensor<10xf32>) -> tensor<4x10xf32>
  // CHECK: tiny.rms_norm %[[X]] axis 0 epsilon 1.000000e-05 : (tensor<4x10xf32>) -> tensor<4x10xf32>
  %5 = tiny.rms_norm %x axis 0 epsilon 1.000000e-05 : (tensor<4x10xf32>) -> tensor<4x10xf32>
  // CHECK: tiny.rms_norm %[[X]] scale %[[S]] axis 1 epsilon 1.000000e-05 : (tensor<4x10xf32>, tensor<10xf32>) -> tensor<4x10xf32>
  %6 = tiny.rms_norm %x scale %s axis 1 epsilon 1.000000e-05 : (tensor<4x10xf32>, tensor<10xf32>) -> tensor<4x10xf32>
  // CHECK: tiny.batch_norm %[[X]], %[[S]], %[[S]], %[[S]], %[[S]] epsilon 1.000000e-05 : (tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<4x10xf32>
  %7 = tiny.batch_norm %x, %s, %s, %s, %s epsilon 1.000000e-05 : (tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<4x10xf32>
  return
}

// CHECK-LABEL: func @products
// CHECK-SAME: %[[A:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}, %[[W:[a-z0-9]+]]: {{[^,)]+}}, %[[C:[a-z0-9]+]]: {{[^,)]+}}, %[[V:[a-z0-9]+]]: {{[^,)]+}}
func.func @products(%a: tensor<4x6xf32>, %b: tensor<6x3xf32>, %w: tensor<3x6xf32>, %c: tensor<3xf32>, %v: tensor<6xf32>) {
  // CHECK: tiny.matmul %[[A]], %[[B]] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %0 = tiny.matmul %a, %b : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.matmul %[[V]], %[[B]] : (tensor<6xf32>, tensor<6x3xf32>) -> tensor<3xf32>
  %1 = tiny.matmul %v, %b : (tensor<6xf32>, tensor<6x3xf32>) -> tensor<3xf32>
  // CHECK: tiny.matmul %[[V]], %[[V]] : (tensor<6xf32>, tensor<6xf32>) -> tensor<f32>
  %2 = tiny.matmul %v, %v : (tensor<6xf32>, tensor<6xf32>) -> tensor<f32>
  // CHECK: tiny.linear %[[A]], %[[W]] : (tensor<4x6xf32>, tensor<3x6xf32>) -> tensor<4x3xf32>
  %3 = tiny.linear %a, %w : (tensor<4x6xf32>, tensor<3x6xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.linear %[[V]], %[[W]] bias %[[C]] : (tensor<6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<3xf32>
  %4 = tiny.linear %v, %w bias %c : (tensor<6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: tiny.gemm %[[A]], %[[B]] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %5 = tiny.gemm %a, %b : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  // CHECK: tiny.gemm %[[W]], %[[B]] plus %[[V]] alpha 5.000000e-01 beta 2.000000e+00 transpose_a transpose_b : (tensor<3x6xf32>, tensor<6x3xf32>, tensor<6xf32>) -> tensor<6x6xf32>
  %6 = tiny.gemm %w, %b plus %v alpha 5.000000e-01 beta 2.000000e+00 transpose_a transpose_b : (tensor<3x6xf32>, tensor<6x3xf32>, tensor<6xf32>) -> tensor<6x6xf32>
  return
}

// CHECK-LABEL: func @windows
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[W:[a-z0-9]+]]: {{[^,)]+}}, %[[G:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}, %[[I:[a-z0-9]+]]: {{[^,)]+}}
func.func @windows(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %g: tensor<6x2x3x3xf32>, %b: tensor<6xf32>, %i: tensor<1x4x8x8xi32>) {
  // CHECK: tiny.conv %[[X]], %[[W]] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  %0 = tiny.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  // CHECK: tiny.conv %[[X]], %[[G]] bias %[[B]] strides [2, 1] dilations [1, 2] low [1, 0] high [0, 2] groups 2 : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x6xf32>
  %1 = tiny.conv %x, %g bias %b strides [2, 1] dilations [1, 2] low [1, 0] high [0, 2] groups 2 : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x6xf32>
  // CHECK: tiny.conv %[[X]], %[[W]] low [1, 1] winograd [4, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x7x7xf32>
  %winograd = tiny.conv %x, %w low [1, 1] winograd [4, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x7x7xf32>
  // CHECK: tiny.max_pool %[[X]] kernel [2, 2] : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  %2 = tiny.max_pool %x kernel [2, 2] : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  // CHECK: tiny.max_pool %[[I]] kernel [3, 3] strides [2, 2] dilations [1, 1] low [0, 0] high [0, 0] ceil_mode : (tensor<1x4x8x8xi32>) -> tensor<1x4x4x4xi32>
  %3 = tiny.max_pool %i kernel [3, 3] strides [2, 2] dilations [1, 1] low [0, 0] high [0, 0] ceil_mode : (tensor<1x4x8x8xi32>) -> tensor<1x4x4x4xi32>
  // CHECK: tiny.avg_pool %[[X]] kernel [2, 2] strides [2, 2] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %4 = tiny.avg_pool %x kernel [2, 2] strides [2, 2] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  // CHECK: tiny.avg_pool %[[I]] kernel [3, 3] low [1, 1] high [1, 1] ceil_mode count_include_pad : (tensor<1x4x8x8xi32>) -> tensor<1x4x8x8xf32>
  %5 = tiny.avg_pool %i kernel [3, 3] low [1, 1] high [1, 1] ceil_mode count_include_pad : (tensor<1x4x8x8xi32>) -> tensor<1x4x8x8xf32>
  // CHECK: tiny.global_max_pool %[[X]] : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
  %6 = tiny.global_max_pool %x : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
  // CHECK: tiny.global_avg_pool %[[I]] : (tensor<1x4x8x8xi32>) -> tensor<1x4x1x1xf32>
  %7 = tiny.global_avg_pool %i : (tensor<1x4x8x8xi32>) -> tensor<1x4x1x1xf32>
  return
}
