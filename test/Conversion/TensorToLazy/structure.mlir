// RUN: tiny-opt %s --convert-tensor-to-lazy | FileCheck %s --implicit-check-not="= tiny."
// RUN: tiny-opt %s --check-passes --convert-tensor-to-lazy -o /dev/null

// No kernel is named for a constant.
// CHECK-LABEL: func @constants(
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<-56> : tensor<3xi8>
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<[true, false]> : tensor<2xi1>
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = arith.constant dense<[-1, 1]> : tensor<2xi16>
// CHECK: return %[[CONSTANT]], %[[CONSTANT2]], %[[CONSTANT3]], %[[CONSTANT4]]
func.func @constants() -> (tensor<2xf32>, tensor<3xui8>, tensor<2xi1>, tensor<2xui16>) {
  %0 = tiny.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = tiny.constant dense<200> : tensor<3xui8>
  %2 = tiny.constant dense<[true, false]> : tensor<2xi1>
  %3 = tiny.constant dense<[65535, 1]> : tensor<2xui16>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<3xui8>, tensor<2xi1>, tensor<2xui16>
}

// CHECK-LABEL: func @iota(
// CHECK: %[[IOTA:[a-z0-9_]+]] = lazy.iota 1 : tensor<4x6xi32>
// CHECK: %[[IOTA2:[a-z0-9_]+]] = lazy.iota 0 : tensor<4xi8>
// CHECK: return %[[IOTA]], %[[IOTA2]]
func.func @iota() -> (tensor<4x6xi32>, tensor<4xui8>) {
  %0 = tiny.iota 1 : tensor<4x6xi32>
  %1 = tiny.iota 0 : tensor<4xui8>
  return %0, %1 : tensor<4x6xi32>, tensor<4xui8>
}

// CHECK-LABEL: func @movement(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = lazy.reshape %[[X]] : tensor<4x6xf32> -> tensor<24xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = lazy.expand %[[Y]] : tensor<4x1xf32> -> tensor<4x6xf32>
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = lazy.permute %[[X]] [1, 0]
// CHECK: %[[PAD:[a-z0-9_]+]] = lazy.pad %[[X]] low [1, 0] high [0, 2] : tensor<4x6xf32> -> tensor<5x8xf32>
// CHECK: %[[PAD2:[a-z0-9_]+]] = lazy.pad %[[X]] low [1, 0] high [0, 2] : tensor<4x6xf32> -> tensor<5x8xf32>
// CHECK: %[[SHRINK:[a-z0-9_]+]] = lazy.shrink %[[X]] begin [1, 0] end [3, 6]
// CHECK: %[[FLIP:[a-z0-9_]+]] = lazy.flip %[[X]] [0, 1]
// CHECK: return %[[RESHAPE]], %[[EXPAND]], %[[PERMUTE]], %[[PAD]], %[[PAD2]], %[[SHRINK]], %[[FLIP]]
func.func @movement(%x: tensor<4x6xf32>, %y: tensor<4x1xf32>) -> (tensor<24xf32>, tensor<4x6xf32>, tensor<6x4xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<2x6xf32>, tensor<4x6xf32>) {
  %0 = tiny.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  %1 = tiny.expand %y : (tensor<4x1xf32>) -> tensor<4x6xf32>
  %2 = tiny.permute %x [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %3 = tiny.pad %x low [1, 0] high [0, 2] : (tensor<4x6xf32>) -> tensor<5x8xf32>
  %4 = tiny.pad %x low [1, 0] high [0, 2] value 0.0 : f32 : (tensor<4x6xf32>) -> tensor<5x8xf32>
  %5 = tiny.shrink %x begin [1, 0] end [3, 6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %6 = tiny.flip %x [-1, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<24xf32>, tensor<4x6xf32>, tensor<6x4xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<2x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func @boundary(
// CHECK: lazy.contiguous %{{.*}} : tensor<4x6xf32>
func.func @boundary(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tiny.contiguous %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @reduce_floats(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[REDUCE:[a-z0-9_]+]] = lazy.reduce addf(%[[X]]) axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
// CHECK: %[[REDUCE2:[a-z0-9_]+]] = lazy.reduce mulf(%[[X]]) axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
// CHECK: %[[REDUCE3:[a-z0-9_]+]] = lazy.reduce maximumf(%[[X]]) axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
// CHECK: %[[REDUCE4:[a-z0-9_]+]] = lazy.reduce minimumf(%[[X]]) axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
// CHECK: return %[[REDUCE]], %[[REDUCE2]], %[[REDUCE3]], %[[REDUCE4]]
func.func @reduce_floats(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tiny.sum %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %1 = tiny.prod %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %2 = tiny.max %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  %3 = tiny.min %x axes [1] : (tensor<4x6xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @reduce_signed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[REDUCE:[a-z0-9_]+]] = lazy.reduce addi(%[[X]]) axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
// CHECK: %[[REDUCE2:[a-z0-9_]+]] = lazy.reduce muli(%[[X]]) axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
// CHECK: %[[REDUCE3:[a-z0-9_]+]] = lazy.reduce maxs(%[[X]]) axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
// CHECK: %[[REDUCE4:[a-z0-9_]+]] = lazy.reduce mins(%[[X]]) axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
// CHECK: return %[[REDUCE]], %[[REDUCE2]], %[[REDUCE3]], %[[REDUCE4]]
func.func @reduce_signed(%x: tensor<4x6xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = tiny.sum %x axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
  %1 = tiny.prod %x axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
  %2 = tiny.max %x axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
  %3 = tiny.min %x axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func @reduce_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[REDUCE:[a-z0-9_]+]] = lazy.reduce addi(%[[X]]) axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
// CHECK: %[[REDUCE2:[a-z0-9_]+]] = lazy.reduce muli(%[[X]]) axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
// CHECK: %[[REDUCE3:[a-z0-9_]+]] = lazy.reduce maxu(%[[X]]) axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
// CHECK: %[[REDUCE4:[a-z0-9_]+]] = lazy.reduce minu(%[[X]]) axes [1] : (tensor<4x6xi32>) -> tensor<4xi32>
// CHECK: return %[[REDUCE]], %[[REDUCE2]], %[[REDUCE3]], %[[REDUCE4]]
func.func @reduce_unsigned(%x: tensor<4x6xui32>) -> (tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>) {
  %0 = tiny.sum %x axes [1] : (tensor<4x6xui32>) -> tensor<4xui32>
  %1 = tiny.prod %x axes [1] : (tensor<4x6xui32>) -> tensor<4xui32>
  %2 = tiny.max %x axes [1] : (tensor<4x6xui32>) -> tensor<4xui32>
  %3 = tiny.min %x axes [1] : (tensor<4x6xui32>) -> tensor<4xui32>
  return %0, %1, %2, %3 : tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>
}

// CHECK-LABEL: func @reduce_truth_values(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[REDUCE:[a-z0-9_]+]] = lazy.reduce ori(%[[X]]) axes [1] : (tensor<4x6xi1>) -> tensor<4xi1>
// CHECK: %[[REDUCE2:[a-z0-9_]+]] = lazy.reduce andi(%[[X]]) axes [1] : (tensor<4x6xi1>) -> tensor<4xi1>
// CHECK: return %[[REDUCE]], %[[REDUCE2]]
func.func @reduce_truth_values(%x: tensor<4x6xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = tiny.max %x axes [1] : (tensor<4x6xi1>) -> tensor<4xi1>
  %1 = tiny.min %x axes [1] : (tensor<4x6xi1>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}
