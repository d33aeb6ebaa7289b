// RUN: tiny-opt %s -split-input-file --tensor-expand-gradients --tensor-partition | FileCheck %s
// RUN: tiny-opt %s -split-input-file --tensor-expand-gradients --tensor-partition --check-passes --check-passes-verbose \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME --implicit-check-not=error

// What is carried is cut alike in each iteration, rows along their own axes.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32> {tiny.sharding = [array<i16>, array<i16: 0>], tiny.whole = tensor<4x3xf32>})
// CHECK-NEXT: tiny.loop most(3) carry(%[[X]]) : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<3x4x2xf32>, tensor<i64>)
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[OLD:.*]]: tensor<4x2xf32>):
// CHECK-NEXT: %[[NEW:.*]] = tiny.add %[[OLD]], %[[X]] : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: tiny.yield %[[NEW]], %[[OLD]]
// SAME: 'rows' is the same after 'tensor-partition'
func.func @rows(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x4x3xf32>) {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4x3xf32>
  %y, %rows, %n = tiny.loop most(3) carry(%xs) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x4x3xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4x3xf32>):
    %new = tiny.add %old, %xs : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    tiny.yield %new, %old : tensor<4x3xf32>, tensor<4x3xf32>
  }
  return %y, %rows : tensor<4x3xf32>, tensor<3x4x3xf32>
}

// -----

// One axis of the grid cuts several values of a loop.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @several(
// CHECK: tiny.loop most(3) carry(%{{.*}}, %{{.*}}) : (tensor<2x4xf32>, tensor<4x3xf32>) -> (tensor<2x4xf32>, tensor<4x3xf32>, tensor<i64>)
// CHECK-NOT: shard.
// CHECK: tiny.yield
// SAME: 'several' is the same after 'tensor-partition'
func.func @several(%x: tensor<4x4xf32>, %y: tensor<4x6xf32>) -> (tensor<4x4xf32>, tensor<4x6xf32>) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4x4xf32>
  %t = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %ys = shard.shard %y to %t : tensor<4x6xf32>
  %a, %b, %n = tiny.loop most(3) carry(%xs, %ys) : (tensor<4x4xf32>, tensor<4x6xf32>) -> (tensor<4x4xf32>, tensor<4x6xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %p: tensor<4x4xf32>, %q: tensor<4x6xf32>):
    %0 = tiny.neg %p : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = tiny.exp %q : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tiny.yield %0, %1 : tensor<4x4xf32>, tensor<4x6xf32>
  }
  return %a, %b : tensor<4x4xf32>, tensor<4x6xf32>
}

// -----

// A product over what is cut is summed up in each iteration. The condition is whole: all ranks run as many.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @products(
// CHECK: tiny.loop most(5) while(%{{.*}}) carry(%{{.*}}) : (tensor<i1>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<i64>)
// CHECK: tiny.matmul %{{.*}} : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
// CHECK: %[[PART:.*]] = tiny.matmul %{{.*}} : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %[[WHOLE:.*]] = shard.all_reduce %[[PART]] on @grid grid_axes = [0]
// CHECK: %[[SUM:.*]] = tiny.sum %[[WHOLE]] axes [0, 1]
// CHECK: %[[GOES:.*]] = tiny.lt %[[SUM]]
// CHECK: %[[NEXT:.*]] = shard.all_reduce %[[PART]] on @grid grid_axes = [0]
// CHECK: tiny.yield %[[GOES]], %[[NEXT]]
// SAME: 'products' is the same after 'tensor-partition'
func.func @products(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>, %v: tensor<4x4xf32>, %c: tensor<i1>) -> (tensor<2x4xf32>, tensor<i64>) {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %ws = shard.shard %w to %s : tensor<4x4xf32>
  %whole = shard.sharding @grid split_axes = [[], []] : !shard.sharding
  %xw = shard.shard %x to %whole : tensor<2x4xf32>
  %most = tiny.constant dense<1.0e3> : tensor<f32>
  %y, %n = tiny.loop most(5) while(%c) carry(%xw) : (tensor<i1>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<2x4xf32>):
    %0 = tiny.matmul %old, %ws : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %1 = tiny.matmul %0, %v : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %2 = tiny.sum %1 axes [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
    %3 = tiny.lt %2, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tiny.yield %3, %1 : tensor<i1>, tensor<2x4xf32>
  }
  return %y, %n : tensor<2x4xf32>, tensor<i64>
}

// -----

// Conditions and limits that are computed from what is cut: each rank has its own part, and all have the sum.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @counted(
// CHECK: %[[PART:.*]] = tiny.sum
// CHECK: %[[LEAST:.*]] = tiny.min
// CHECK: %[[LIMIT:.*]] = shard.all_reduce %[[PART]] on @grid grid_axes = [0] : tensor<i64>
// CHECK: %[[ALL:.*]] = shard.all_reduce %[[LEAST]] on @grid grid_axes = [0] reduction =  min : tensor<i1>
// CHECK: tiny.loop most(9) limit(%[[LIMIT]]) while(%[[ALL]])
// CHECK: tiny.sub
// CHECK: %[[LESS:.*]] = tiny.min
// CHECK: %[[GOES:.*]] = shard.all_reduce %[[LESS]] on @grid grid_axes = [0] reduction =  min : tensor<i1>
// CHECK: tiny.yield %[[GOES]]
// SAME: 'counted' is the same after 'tensor-partition'
func.func @counted(%x: tensor<5xi64>, %flags: tensor<5xi1>) -> (tensor<5xi64>, tensor<i64>) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5xi64>
  %fs = shard.shard %flags to %s : tensor<5xi1>
  %limit = tiny.sum %xs axes [0] : (tensor<5xi64>) -> tensor<i64>
  %goes = tiny.min %fs axes [0] : (tensor<5xi1>) -> tensor<i1>
  %one = tiny.constant dense<1> : tensor<i64>
  %y, %n = tiny.loop most(9) limit(%limit) while(%goes) carry(%xs) : (tensor<i64>, tensor<i1>, tensor<5xi64>) -> (tensor<5xi64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<5xi64>):
    %0 = tiny.sub %old, %one : (tensor<5xi64>, tensor<i64>) -> tensor<5xi64>
    %1 = tiny.gt %0, %i : (tensor<5xi64>, tensor<i64>) -> tensor<5xi1>
    %2 = tiny.min %1 axes [0] : (tensor<5xi1>) -> tensor<i1>
    tiny.yield %2, %0 : tensor<i1>, tensor<5xi64>
  }
  return %y, %n : tensor<5xi64>, tensor<i64>
}

// -----

// What loops read whole is gathered before the outer one.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @gathered(
// CHECK-SAME: %{{.*}}: tensor<4x4xf32>, %[[W:[^:]*]]: tensor<2x4xf32>
// CHECK-NEXT: %[[ALL:.*]] = shard.all_gather %[[W]]
// CHECK-NEXT: tiny.loop
// CHECK: tiny.loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tiny.flip %[[ALL]] [0]
// SAME: 'gathered' is the same after 'tensor-partition'
func.func @gathered(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %ws = shard.shard %w to %s : tensor<4x4xf32>
  %y, %n = tiny.loop most(5) carry(%x) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4x4xf32>):
    %in, %m = tiny.loop most(2) carry(%old) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i64>) {
    ^bb0(%j: tensor<i64>, %older: tensor<4x4xf32>):
      %0 = tiny.flip %ws [0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %1 = tiny.mul %older, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      tiny.yield %1 : tensor<4x4xf32>
    }
    tiny.yield %in : tensor<4x4xf32>
  }
  return %y : tensor<4x4xf32>
}

// -----

// Both branches give what is cut alike; padding is masked in each of them. The condition is whole.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @branch(
// CHECK: %[[SUM:.*]] = shard.all_reduce
// CHECK: %[[C:.*]] = tiny.gt %[[SUM]]
// CHECK: tiny.if %[[C]] : (tensor<i1>) -> tensor<3xf32> {
// CHECK: tiny.where
// CHECK: shard.all_reduce
// CHECK: } else {
// CHECK-NEXT: tiny.neg %{{.*}} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: tiny.yield
// CHECK: tiny.where
// CHECK: shard.all_reduce
// SAME: 'branch' is the same after 'tensor-partition'
func.func @branch(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<f32>) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5xf32>
  %sum = tiny.sum %xs axes [0] : (tensor<5xf32>) -> tensor<f32>
  %zero = tiny.constant dense<0.0> : tensor<f32>
  %c = tiny.gt %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %y = tiny.if %c : (tensor<i1>) -> tensor<5xf32> {
    %0 = tiny.max %xs axes [0] : (tensor<5xf32>) -> tensor<f32>
    %1 = tiny.add %xs, %0 : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
    tiny.yield %1 : tensor<5xf32>
  } else {
    %0 = tiny.neg %xs : (tensor<5xf32>) -> tensor<5xf32>
    tiny.yield %0 : tensor<5xf32>
  }
  %z = tiny.sum %y axes [0] : (tensor<5xf32>) -> tensor<f32>
  return %y, %z : tensor<5xf32>, tensor<f32>
}

// -----

// What is cut in a body alone is annotated there.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @inside(
// CHECK: tiny.loop
// CHECK: shard.all_slice
// CHECK: tiny.exp %{{.*}} : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: shard.all_gather
// CHECK: tiny.yield
// SAME: 'inside' is the same after 'tensor-partition'
func.func @inside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y, %n = tiny.loop most(3) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
    %cut = shard.shard %old to %s annotate_for_users : tensor<4xf32>
    %0 = tiny.exp %cut : (tensor<4xf32>) -> tensor<4xf32>
    %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
    %all = shard.shard %0 to %whole annotate_for_users : tensor<4xf32>
    tiny.yield %all : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// An argument of a body that is annotated as whole is gathered once in an iteration.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @whole_argument(
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[OLD:.*]]: tensor<2xf32>):
// CHECK-NEXT: shard.all_gather %[[OLD]]
// CHECK-NOT: shard.all_gather
// CHECK: shard.all_slice
// CHECK: tiny.yield
// SAME: 'whole_argument' is the same after 'tensor-partition'
func.func @whole_argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4xf32>
  %y, %n = tiny.loop most(3) carry(%xs) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
    %all = shard.shard %old to %whole : tensor<4xf32>
    %0 = tiny.flip %all [0] : (tensor<4xf32>) -> tensor<4xf32>
    %1 = tiny.add %0, %old : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %1 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// What is added up from zero on is reduced once, behind the loop.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @sum(
// CHECK: %[[Y:.*]]:2 = tiny.loop
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[OLD:.*]]: tensor<4x6xf32>):
// CHECK-NEXT: %[[PART:.*]] = tiny.matmul
// CHECK-NEXT: %[[NEW:.*]] = tiny.add %[[OLD]], %[[PART]]
// CHECK-NEXT: tiny.yield %[[NEW]]
// CHECK-NEXT: }
// CHECK-NEXT: shard.all_reduce %[[Y]]#0
// SAME: 'sum' is the same after 'tensor-partition'
func.func @sum(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4x8xf32>
  %zero = tiny.full 0.0 : f32 -> tensor<4x6xf32>
  %y, %n = tiny.loop most(3) carry(%zero) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4x6xf32>):
    %0 = tiny.matmul %xs, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = tiny.add %old, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    tiny.yield %1 : tensor<4x6xf32>
  }
  return %y : tensor<4x6xf32>
}

// -----

// Where it starts at something else each rank would add that.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @from_something(
// CHECK: tiny.loop
// CHECK: %[[PART:.*]] = tiny.matmul
// CHECK-NEXT: %[[ALL:.*]] = shard.all_reduce %[[PART]]
// CHECK-NEXT: tiny.add %{{.*}}, %[[ALL]]
// SAME: 'from_something' is the same after 'tensor-partition'
func.func @from_something(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4x8xf32>
  %half = tiny.full 0.5 : f32 -> tensor<4x6xf32>
  %y, %n = tiny.loop most(3) carry(%half) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4x6xf32>):
    %0 = tiny.matmul %xs, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = tiny.add %old, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    tiny.yield %1 : tensor<4x6xf32>
  }
  return %y : tensor<4x6xf32>
}

// -----

// Where it is read before the end it is reduced.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @read_before(
// CHECK: tiny.loop
// CHECK: %[[PART:.*]] = tiny.matmul
// CHECK-NEXT: %[[ALL:.*]] = shard.all_reduce %[[PART]]
// CHECK-NEXT: tiny.add %{{.*}}, %[[ALL]]
// SAME: 'read_before' is the same after 'tensor-partition'
func.func @read_before(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<3x4x6xf32>) {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4x8xf32>
  %zero = tiny.full 0.0 : f32 -> tensor<4x6xf32>
  %y, %rows, %n = tiny.loop most(3) carry(%zero) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<3x4x6xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4x6xf32>):
    %0 = tiny.matmul %xs, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = tiny.add %old, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    tiny.yield %1, %old : tensor<4x6xf32>, tensor<4x6xf32>
  }
  return %y, %rows : tensor<4x6xf32>, tensor<3x4x6xf32>
}

// -----

// Data parallel through time: both loops run on rows of the batch, and the weight's gradient is reduced once.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @recurrent(
// CHECK: tiny.loop most(3) carry(%{{.*}}) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<i64>)
// CHECK-NOT: shard.all_reduce
// CHECK: %[[BACK:.*]]:3 = tiny.loop most(3) carry(%{{.*}}, %{{.*}}) : (tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-NOT: shard.all_reduce
// CHECK: tiny.yield
// CHECK: shard.all_reduce %{{.*}} : tensor<f32>
// CHECK-NEXT: %[[GRADIENT:.*]] = shard.all_reduce %[[BACK]]#1
// CHECK-NEXT: return %{{.*}}, %[[GRADIENT]]
// SAME: 'recurrent' is the same after 'tensor-partition'
func.func @recurrent(%x: tensor<3x8x4xf32>, %w: tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>) {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<3x8x4xf32>
  %h = tiny.full 0.5 : f32 -> tensor<8x4xf32>
  %y, %n = tiny.loop most(3) carry(%h) : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<8x4xf32>):
    %now = tiny.take %xs, %i axis 0 : (tensor<3x8x4xf32>, tensor<i64>) -> tensor<8x4xf32>
    %0 = tiny.add %old, %now : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = tiny.matmul %0, %w : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %2 = tiny.tanh %1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    tiny.yield %2 : tensor<8x4xf32>
  }
  %loss = tiny.sum %y axes [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  %g = tiny.gradient %loss wrt %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss, %g : tensor<f32>, tensor<4x4xf32>
}

// -----

// The gradient of a branch is one, on the same condition.

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @branch_back(
// CHECK-SAME: %[[C:[^:]*]]: tensor<i1>
// CHECK: tiny.if %[[C]] : (tensor<i1>) -> tensor<4x4xf32> {
// CHECK: tiny.if %[[C]] : (tensor<i1>) -> tensor<4x4xf32> {
// CHECK: shard.all_reduce
// CHECK: tiny.yield
// SAME: 'branch_back' is the same after 'tensor-partition'
func.func @branch_back(%c: tensor<i1>, %x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<4x4xf32>) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x4xf32>
  %y = tiny.if %c : (tensor<i1>) -> tensor<8x4xf32> {
    %0 = tiny.matmul %xs, %w : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %1 = tiny.sin %0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    tiny.yield %1 : tensor<8x4xf32>
  } else {
    tiny.yield %xs : tensor<8x4xf32>
  }
  %g = tiny.gradient %y wrt %w : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %g : tensor<8x4xf32>, tensor<4x4xf32>
}

// -----

// Bodies of a pipeline are whole.

shard.grid @grid(shape = 2x2) {tiny.microbatches = 1 : i64}

// CHECK-LABEL: func.func @pipeline(
// CHECK: shard.all_gather
// CHECK: tiny.loop {{.*}} (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>)
// CHECK-NOT: shard.
// SAME: 'pipeline' is the same after 'tensor-partition'
func.func @pipeline(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4xf32>
  %y, %n = tiny.loop most(3) carry(%xs) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %new = tiny.add %old, %xs : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %new : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
