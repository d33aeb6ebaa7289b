// RUN: tiny-opt %s --tensor-lower-collectives | FileCheck %s --implicit-check-not=shard.

shard.grid @grid(shape = 2x3)

// CHECK-LABEL: func.func @reduce(
// CHECK-NEXT: tiny.collective "all_reduce" %{{.*}} grid [2, 3] axes [1] by "max" : (tensor<4xf32>) -> tensor<4xf32>
func.func @reduce(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tiny.grid = array<i64: 2, 3>} {
  %0 = shard.all_reduce %x on @grid grid_axes = [1] reduction = max : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gather(
// CHECK-NEXT: %[[ALL:.*]] = tiny.collective "all_gather" %{{.*}} grid [2, 3] axes [0] : (tensor<4x2xf32>) -> tensor<2x4x2xf32>
// CHECK-NEXT: %[[MOVED:.*]] = tiny.permute %[[ALL]] [1, 0, 2]
// CHECK-NEXT: tiny.reshape %[[MOVED]] : (tensor<4x2x2xf32>) -> tensor<4x4xf32>
func.func @gather(%x: tensor<4x2xf32>) -> tensor<4x4xf32> attributes {tiny.grid = array<i64: 2, 3>} {
  %0 = shard.all_gather %x on @grid grid_axes = [0] gather_axis = 1 : tensor<4x2xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK-NEXT: %[[SPLIT:.*]] = tiny.reshape %{{.*}} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
// CHECK-NEXT: %[[PARTS:.*]] = tiny.permute %[[SPLIT]] [1, 0, 2]
// CHECK-NEXT: tiny.collective "reduce_scatter" %[[PARTS]] grid [2, 3] axes [1] by "sum" : (tensor<3x4x2xf32>) -> tensor<4x2xf32>
func.func @scatter(%x: tensor<4x6xf32>) -> tensor<4x2xf32> attributes {tiny.grid = array<i64: 2, 3>} {
  %0 = shard.reduce_scatter %x on @grid grid_axes = [1] scatter_axis = 1 : tensor<4x6xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @exchange(
// CHECK: tiny.collective "all_to_all" %{{.*}} grid [2, 3] axes [0] : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
func.func @exchange(%x: tensor<4x3xf32>) -> tensor<2x6xf32> attributes {tiny.grid = array<i64: 2, 3>} {
  %0 = shard.all_to_all %x on @grid grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<4x3xf32> -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK-NEXT: tiny.collective "broadcast" %{{.*}} grid [2, 3] axes [0] : (tensor<4xf32>) -> tensor<4xf32>
func.func @broadcast(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tiny.grid = array<i64: 2, 3>} {
  %0 = shard.broadcast %x on @grid grid_axes = [0] root = [0] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A slice reads the rank's place, the last argument.

// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[X:.*]]: tensor<6xf32>, %[[RANK:.*]]: tensor<2xi64> {tiny.rank})
// CHECK: tiny.shrink %[[RANK]] begin [1] end [2]
// CHECK: %[[AT:.*]] = tiny.add
// CHECK: tiny.take %[[X]], %[[AT]] axis 0 : (tensor<6xf32>, tensor<2xi64>) -> tensor<2xf32>
func.func @slice(%x: tensor<6xf32>) -> tensor<2xf32> attributes {tiny.grid = array<i64: 2, 3>} {
  %0 = shard.all_slice %x on @grid grid_axes = [1] slice_axis = 0 : tensor<6xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
