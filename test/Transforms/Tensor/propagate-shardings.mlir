// RUN: tiny-opt %s -split-input-file --tensor-propagate-shardings | FileCheck %s
// RUN: tiny-opt %s -split-input-file --tensor-propagate-shardings --remarks-filter=tensor-propagate-shardings \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Forwards: the rows of the result are those of the argument. What is whole gets no annotation.

shard.grid @grid(shape = 2x2)

// CHECK-LABEL: func.func @forwards(
// CHECK: %[[Y:.*]] = tiny.matmul
// CHECK-NEXT: %[[S:.*]] = shard.sharding @grid split_axes = {{\[\[}}1], []{{\]}}
// CHECK-NEXT: %[[YS:.*]] = shard.shard %[[Y]] to %[[S]] : tensor<8x6xf32>
// CHECK-NEXT: return %[[YS]]
func.func @forwards(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %s = shard.sharding @grid split_axes = [[1]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x4xf32>
  %y = tiny.matmul %xs, %w : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

// Backwards: through a transposition and a product to an argument, and from one operand to the other.

shard.grid @grid(shape = 4)

// CHECK-LABEL: func.func @backwards(
// CHECK-SAME: %[[X:.*]]: tensor<6x8xf32>, %[[W:.*]]: tensor<6x4xf32>
// CHECK: shard.sharding @grid split_axes = {{\[\[}}], [0]{{\]}}
// CHECK-NEXT: shard.shard %[[X]] to
// CHECK: tiny.transpose
// CHECK-NEXT: shard.sharding @grid split_axes = {{\[\[}}0], []{{\]}}
func.func @backwards(%x: tensor<6x8xf32>, %w: tensor<6x4xf32>) -> tensor<8x4xf32> {
  %t = tiny.transpose %x 0, 1 : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %y = tiny.matmul %t, %w : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %ys = shard.shard %y to %s : tensor<8x4xf32>
  return %ys : tensor<8x4xf32>
}

// -----

// The major part of an axis that a reshape splits.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @heads(
// CHECK: tiny.reshape
// CHECK-NEXT: shard.sharding @grid split_axes = {{\[\[}}], [0], []{{\]}}
func.func @heads(%x: tensor<5x12xf32>) -> tensor<5x4x3xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5x12xf32>
  %y = tiny.reshape %xs : (tensor<5x12xf32>) -> tensor<5x4x3xf32>
  return %y : tensor<5x4x3xf32>
}

// -----

// What somebody wrote stays: the result is whole, and what it is computed from is not.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @fixed(
// CHECK: shard.sharding @grid split_axes = {{\[\[}}0]
// CHECK: tiny.exp
// CHECK-NEXT: shard.sharding @grid split_axes = {{\[\[}}]{{\]}}
// CHECK-NEXT: = shard.shard %
// CHECK-NEXT: return
func.func @fixed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8xf32>
  %y = tiny.exp %xs : (tensor<8xf32>) -> tensor<8xf32>
  %t = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %ys = shard.shard %y to %t : tensor<8xf32>
  return %ys : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @conflict(
func.func @conflict(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x8xf32>
  %t = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %ys = shard.shard %y to %t : tensor<8x8xf32>
  // REMARK: [[@LINE+1]]:8: remark: [Missed] conflict {{.*}}keeps grid axes [0] of the annotation at [[@LINE-3]]:9 and drops [0] of the annotation at [[@LINE-1]]:9
  %z = tiny.add %xs, %ys : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// -----

shard.grid @grid(shape = 2x2) {tiny.microbatches = 1 : i64}

// CHECK-LABEL: func.func @no_rule(
// CHECK: tiny.if
func.func @no_rule(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8xf32>
  // REMARK: [[@LINE+1]]:8: remark: [Missed] replicated {{.*}}'tiny.if' is not cut: every rank computes all of it
  %y = tiny.if %c : (tensor<i1>) -> tensor<8xf32> {
    tiny.yield %xs : tensor<8xf32>
  } else {
    %0 = tiny.neg %xs : (tensor<8xf32>) -> tensor<8xf32>
    tiny.yield %0 : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

// A value is cut alike wherever it goes in and out of bodies, forwards and backwards.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @bodies(
// CHECK: tiny.loop most(3) carry(%{{.*}})
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[OLD:.*]]: tensor<8xf32>):
// CHECK-NEXT: %[[S:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]]
// CHECK-NEXT: %[[CUT:.*]] = shard.shard %[[OLD]] to %[[S]]
// CHECK: tiny.if
// CHECK-NEXT: tiny.yield %[[CUT]]
// CHECK: %[[NEG:.*]] = tiny.neg %[[CUT]]
// CHECK-NEXT: %[[T:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]]
// CHECK-NEXT: shard.shard %[[NEG]] to %[[T]]
// CHECK: return
func.func @bodies(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
  %y, %n = tiny.loop most(3) carry(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<8xf32>):
    %0 = tiny.if %c : (tensor<i1>) -> tensor<8xf32> {
      tiny.yield %old : tensor<8xf32>
    } else {
      %1 = tiny.neg %old : (tensor<8xf32>) -> tensor<8xf32>
      tiny.yield %1 : tensor<8xf32>
    }
    tiny.yield %0 : tensor<8xf32>
  }
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %ys = shard.shard %y to %s : tensor<8xf32>
  return %ys : tensor<8xf32>
}

// -----

// What is carried and what a body gives for it are annotated in different ways.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @conflict_in_loop(
func.func @conflict_in_loop(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x8xf32>
  // REMARK: [[@LINE+1]]:12: remark: [Missed] conflict {{.*}}keeps grid axes [0] of the annotation at [[@LINE-1]]:9 and drops [0] of the annotation at [[@LINE+5]]:13
  %y, %n = tiny.loop most(3) carry(%xs) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<8x8xf32>):
    %0 = tiny.exp %old : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %t = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
    %next = shard.shard %0 to %t : tensor<8x8xf32>
    tiny.yield %next : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// Two bodies give the value of one branch.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @conflict_in_branch(
func.func @conflict_in_branch(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %c: tensor<i1>) -> tensor<8x8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x8xf32>
  %t = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %ys = shard.shard %y to %t : tensor<8x8xf32>
  // REMARK: [[@LINE+1]]:8: remark: [Missed] conflict {{.*}}keeps grid axes [0] of the annotation at [[@LINE-3]]:9 and drops [0] of the annotation at [[@LINE-1]]:9
  %z = tiny.if %c : (tensor<i1>) -> tensor<8x8xf32> {
    tiny.yield %xs : tensor<8x8xf32>
  } else {
    tiny.yield %ys : tensor<8x8xf32>
  }
  return %z : tensor<8x8xf32>
}

// -----

// Axes that are shorter than there are ranks are left alone; a function without annotations is.

shard.grid @grid(shape = 4)

// CHECK-LABEL: func.func @short(
// CHECK: tiny.sum
// CHECK-NEXT: return
func.func @short(%x: tensor<8x3xf32>) -> tensor<3xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x3xf32>
  %y = tiny.sum %xs axes [0] : (tensor<8x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @plain(
// CHECK-NOT: shard.
func.func @plain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = tiny.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
