// RUN: tiny-opt %s -split-input-file --tensor-partition | FileCheck %s
// RUN: tiny-opt %s -split-input-file --tensor-partition --check-passes --check-passes-verbose -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAME --implicit-check-not=error

// A stage sends to the next one. Without microbatches all goes at once.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @two_stages(
// CHECK-SAME: -> (tensor<4x4xf32> {tiny.stage = 1 : i64})
// CHECK-SAME: tiny.grid = array<i64: 2>, tiny.stage_axis = 0 : i64
// CHECK: %[[H:.*]] = tiny.matmul
// CHECK: %[[S:.*]] = tiny.collective "send" %[[H]] grid [2] axes [0] peers [0, 1]
// CHECK: tiny.matmul %[[S]]
// SAME: 'two_stages' is the same after 'tensor-partition'
func.func @two_stages(%x: tensor<4x4xf32>, %v: tensor<4x6xf32>, %w: tensor<6x4xf32>) -> tensor<4x4xf32> {
  %0 = tiny.matmul %x, %v : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = tiny.stage %0 on @grid axis 0 from 0 to 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = tiny.matmul %1, %w : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Two microbatches of a batch of 5: the batch is padded. What depends on no microbatch is there once, and what both have
// a part of is added up.

shard.grid @grid(shape = 2x2) {tiny.microbatches = 1 : i64}

// CHECK-LABEL: func.func @microbatches(
// CHECK-SAME: %[[X:.*]]: tensor<5x4xf32>, %[[V:.*]]: tensor<4x6xf32>
// CHECK-SAME: -> (tensor<5x6xf32> {tiny.stage = 1 : i64}, tensor<6xf32> {tiny.stage = 1 : i64})
// CHECK-SAME: tiny.grid = array<i64: 2>
// CHECK-COUNT-1: tiny.exp
// CHECK-COUNT-2: tiny.matmul {{.*}} : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf32>
// CHECK-COUNT-2: tiny.collective "send" {{.*}} : (tensor<3x6xf32>) -> tensor<3x6xf32>
// CHECK-NOT: shard.all
// SAME: 'microbatches' is the same after 'tensor-partition'
func.func @microbatches(%x: tensor<5x4xf32>, %v: tensor<4x6xf32>) -> (tensor<5x6xf32>, tensor<6xf32>) {
  %how = shard.sharding @grid split_axes = [[1]] : !shard.sharding
  %xs = shard.shard %x to %how : tensor<5x4xf32>
  %e = tiny.exp %v : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = tiny.matmul %xs, %e : (tensor<5x4xf32>, tensor<4x6xf32>) -> tensor<5x6xf32>
  %1 = tiny.stage %0 on @grid axis 0 from 0 to 1 : (tensor<5x6xf32>) -> tensor<5x6xf32>
  %2 = tiny.relu %1 : (tensor<5x6xf32>) -> tensor<5x6xf32>
  %3 = tiny.sum %2 axes [0] : (tensor<5x6xf32>) -> tensor<6xf32>
  return %2, %3 : tensor<5x6xf32>, tensor<6xf32>
}

// -----

// Microbatches need no stages: a rank computes one after the other. A maximum is that of all of them.

shard.grid @grid(shape = 1x4) {tiny.microbatches = 1 : i64}

// CHECK-LABEL: func.func @accumulate(
// CHECK-COUNT-4: tiny.max
// CHECK-COUNT-3: tiny.maximum
// SAME: 'accumulate' is the same after 'tensor-partition'
func.func @accumulate(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  %how = shard.sharding @grid split_axes = [[1]] : !shard.sharding
  %xs = shard.shard %x to %how : tensor<8x4xf32>
  %0 = tiny.max %xs axes [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
