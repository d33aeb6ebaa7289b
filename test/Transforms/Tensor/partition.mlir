// RUN: tiny-opt %s -split-input-file --tensor-partition | FileCheck %s
// RUN: tiny-opt %s -split-input-file --tensor-partition --check-passes --check-passes-verbose -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAME --implicit-check-not=error

// Local shapes; arguments and results say what they are part of.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32> {tiny.sharding = [array<i16: 0>, array<i16>], tiny.whole = tensor<8x4xf32>}, %[[W:.*]]: tensor<4x6xf32>)
// CHECK-SAME: -> (tensor<4x6xf32> {tiny.sharding = [array<i16: 0>, array<i16>], tiny.whole = tensor<8x6xf32>})
// CHECK-SAME: tiny.grid = array<i64: 2>
// CHECK-NEXT: %[[Y:.*]] = tiny.matmul %[[X]], %[[W]] : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: return %[[Y]]
// SAME: 'rows' is the same after 'tensor-partition'
func.func @rows(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x4xf32>
  %y = tiny.matmul %xs, %w : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

// Two products, cut by columns and by rows: one all-reduce, of what the second one gives.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @columns_then_rows(
// CHECK: tiny.matmul {{.*}} -> tensor<8x16xf32>
// CHECK-NEXT: tiny.relu {{.*}} -> tensor<8x16xf32>
// CHECK-NEXT: %[[P:.*]] = tiny.matmul {{.*}} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %[[Y:.*]] = shard.all_reduce %[[P]] on @grid grid_axes = [0] : tensor<8x16xf32> -> tensor<8x16xf32>
// CHECK-NEXT: return %[[Y]]
// SAME: 'columns_then_rows' is the same after 'tensor-partition'
func.func @columns_then_rows(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %v: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %w1 = shard.shard %w to %s : tensor<16x32xf32>
  %0 = tiny.matmul %x, %w1 : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = tiny.relu %0 : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %2 = tiny.matmul %1, %v : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

// An axis of 5 on two ranks is padded to 6, and the padding is masked where it is summed.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @uneven(
// CHECK-SAME: tensor<3xf32>
// CHECK: %[[I:.*]] = tiny.iota 0 : tensor<5xi64>
// CHECK: %[[PADDED:.*]] = tiny.pad %[[I]] low [0] high [1] value -1 : i64
// CHECK: %[[AT:.*]] = shard.all_slice %[[PADDED]] on @grid grid_axes = [0] slice_axis = 0 : tensor<6xi64> -> tensor<3xi64>
// CHECK: %[[INSIDE:.*]] = tiny.ge %[[AT]]
// CHECK: %[[MASKED:.*]] = tiny.where %[[INSIDE]]
// CHECK: %[[PART:.*]] = tiny.sum %[[MASKED]] axes [0]
// CHECK: shard.all_reduce %[[PART]]
// SAME: 'uneven' is the same after 'tensor-partition'
func.func @uneven(%x: tensor<5xf32>) -> tensor<f32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5xf32>
  %0 = tiny.sum %xs axes [0] : (tensor<5xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// What would be reduced and then cut is scattered.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @scatter(
// CHECK: %[[PART:.*]] = tiny.matmul {{.*}} -> tensor<4x6xf32>
// CHECK-NEXT: %[[Y:.*]] = shard.reduce_scatter %[[PART]] on @grid grid_axes = [0] scatter_axis = 0 : tensor<4x6xf32> -> tensor<2x6xf32>
// CHECK-NOT: all_reduce
// SAME: 'scatter' is the same after 'tensor-partition'
func.func @scatter(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4x8xf32>
  %y = tiny.matmul %xs, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %t = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %ys = shard.shard %y to %t : tensor<4x6xf32>
  return %ys : tensor<4x6xf32>
}

// -----

// A sharding that moves to another axis, and one that goes.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @moves(
// CHECK: shard.all_to_all %{{.*}} on @grid grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<2x6xf32> -> tensor<4x3xf32>
// CHECK: shard.all_gather %{{.*}} on @grid grid_axes = [0] gather_axis = 1 : tensor<4x3xf32> -> tensor<4x6xf32>
// SAME: 'moves' is the same after 'tensor-partition'
func.func @moves(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4x6xf32>
  %t = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xt = shard.shard %xs to %t annotate_for_users : tensor<4x6xf32>
  %y = tiny.exp %xt : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %u = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %yu = shard.shard %y to %u annotate_for_users : tensor<4x6xf32>
  return %xt, %yu : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// A softmax along the cut axis is decomposed: a maximum and a sum of all ranks.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @softmax(
// CHECK-NOT: tiny.softmax
// CHECK: tiny.max
// CHECK: shard.all_reduce {{.*}} reduction = max : tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK: tiny.sum
// CHECK: shard.all_reduce {{.*}} : tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK: return %{{.*}} : tensor<4x3xf32>
// SAME: 'softmax' is the same after 'tensor-partition'
func.func @softmax(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4x6xf32>
  %y = tiny.softmax %xs axis 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// An embedding by row: each rank looks up what it has.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @embedding(
// CHECK-SAME: tensor<5x4xf32>
// CHECK: %[[PART:.*]] = tiny.take {{.*}} axis 0 : (tensor<5x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
// CHECK: %[[OWN:.*]] = tiny.where %{{.*}}, %{{.*}}, %[[PART]]
// CHECK-NEXT: shard.all_reduce %[[OWN]]
// SAME: 'embedding' is the same after 'tensor-partition'
func.func @embedding(%table: tensor<9x4xf32>, %tokens: tensor<3xi32>) -> tensor<3x4xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %rows = shard.shard %table to %s : tensor<9x4xf32>
  %y = tiny.take %rows, %tokens axis 0 : (tensor<9x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// Two axes of the grid cut rows unevenly: behind a rank's own rows there is padding, then another rank's rows.

shard.grid @grid(shape = 2x3)

// CHECK-LABEL: func.func @embedding_twice(
// CHECK: %[[VALID:.*]] = tiny.cast %{{.*}} : (tensor<2xi1>) -> tensor<2xi64>
// CHECK: %[[OWN:.*]] = tiny.sum %[[VALID]] axes [0]
// CHECK: tiny.lt %{{.*}}, %[[OWN]]
// SAME: 'embedding_twice' is the same after 'tensor-partition'
func.func @embedding_twice(%table: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = shard.sharding @grid split_axes = [[1, 0]] : !shard.sharding
  %rows = shard.shard %table to %s : tensor<8x4xf32>
  %tokens = tiny.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  %all = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %y = tiny.take %rows, %tokens axis 0 : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
  %whole = shard.shard %y to %all : tensor<8x4xf32>
  return %whole : tensor<8x4xf32>
}

// -----

// Sums stay partial through what is linear: one all-reduce of both.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @partial(
// CHECK: tiny.matmul
// CHECK: tiny.matmul
// CHECK: tiny.add
// CHECK: %[[SUM:.*]] = tiny.transpose
// CHECK-NEXT: shard.all_reduce %[[SUM]]
// CHECK-NOT: shard.all_reduce
// SAME: 'partial' is the same after 'tensor-partition'
func.func @partial(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %v: tensor<8x6xf32>) -> tensor<6x4xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4x8xf32>
  %0 = tiny.matmul %xs, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = tiny.matmul %xs, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = tiny.add %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = tiny.transpose %2 0, 1 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}

// -----

// A result in an argument's buffer is cut as the argument is.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @state(
// CHECK: return %{{.*}} : tensor<4xf32>
// SAME: 'state' is the same after 'tensor-partition'
func.func @state(%x: tensor<8xf32> {tiny.donated}, %g: tensor<3x8xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8xf32>
  %t = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %gs = shard.shard %g to %t : tensor<3x8xf32>
  %sum = tiny.sum %gs axes [0] : (tensor<3x8xf32>) -> tensor<8xf32>
  %y = tiny.sub %xs, %sum : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
