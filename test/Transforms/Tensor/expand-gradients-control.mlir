// RUN: tiny-opt %s -split-input-file --tensor-expand-gradients --canonicalize --cse | FileCheck %s

// A branch gives the gradients of either body; a body that reads nothing of a value gives zeros.

// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>)
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[ZERO:.*]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[D:.*]]:2 = tiny.if %[[C]]
  // CHECK-NEXT: tiny.yield %[[W]], %[[X]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %[[COS:.*]] = tiny.cos %[[X]]
  // CHECK-NEXT: tiny.yield %[[COS]], %[[ZERO]]
  // CHECK: return %[[D]]#0, %[[D]]#1
  %y = tiny.if %c : (tensor<i1>) -> tensor<4xf32> {
    %0 = tiny.mul %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  } else {
    %0 = tiny.sin %x : (tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  %d:2 = tiny.gradient %y wrt %x, %w : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %d#0, %d#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop keeps what it carried, and another goes back; a value of outside adds up what each iteration gives.

// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>, %{{.*}}: tensor<i64>)
func.func @loop(%x: tensor<4xf32>, %w: tensor<4xf32>, %limit: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[THERE:.*]]:3 = tiny.loop most(5) limit(%{{.*}}) carry(%[[X]])
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[OLD:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[NEW:.*]] = tiny.mul %[[OLD]], %[[W]]
  // CHECK-NEXT: tiny.yield %[[NEW]], %[[OLD]]
  // CHECK: %[[BACK:.*]]:3 = tiny.loop most(5) limit(%[[THERE]]#2) carry(
  // CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %[[G:.*]]: tensor<4xf32>, %[[SUM:.*]]: tensor<4xf32>):
  // CHECK: %[[LAST:.*]] = tiny.sub %[[THERE]]#2,
  // CHECK: %[[PLACE:.*]] = tiny.sub %[[LAST]], %[[I]]
  // CHECK: %[[KEPT:.*]] = tiny.take %[[THERE]]#1, %[[PLACE]] axis 0
  // CHECK: %[[DX:.*]] = tiny.mul %[[G]], %[[W]]
  // CHECK: %[[EACH:.*]] = tiny.mul %[[G]], %[[KEPT]]
  // CHECK: %[[DW:.*]] = tiny.add %[[SUM]], %[[EACH]]
  // CHECK: tiny.yield %[[DX]], %[[DW]]
  // CHECK: return %[[BACK]]#0, %[[BACK]]#1
  %y, %n = tiny.loop most(5) limit(%limit) carry(%x) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.mul %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  %d:2 = tiny.gradient %y wrt %x, %w : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %d#0, %d#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Where each iteration reads a row of its own, it gives that row of the gradient: rows come back last first, unless they
// were read from the end.

// CHECK-LABEL: func.func @rows(
// CHECK: %[[BACK:.*]]:4 = tiny.loop most(5) carry(%{{.*}}) : (tensor<4xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[G:.*]]: tensor<4xf32>):
// CHECK-NOT: tiny.add
// CHECK: tiny.yield %{{.*}}, %[[DX:.*]], %[[DY:.*]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK: %[[X:.*]] = tiny.flip %[[BACK]]#1 [0]
// CHECK: return %[[X]], %[[BACK]]#2
func.func @rows(%h: tensor<4xf32>, %x: tensor<5x4xf32>, %y: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  %r, %n = tiny.loop most(5) carry(%h) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %last = tiny.constant dense<4> : tensor<i64>
    %j = tiny.sub %last, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %0 = tiny.take %x, %i axis 0 : (tensor<5x4xf32>, tensor<i64>) -> tensor<4xf32>
    %1 = tiny.take %y, %j axis 0 : (tensor<5x4xf32>, tensor<i64>) -> tensor<4xf32>
    %2 = tiny.mul %old, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = tiny.mul %2, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %3 : tensor<4xf32>
  }
  %d:2 = tiny.gradient %r wrt %x, %y : (tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return %d#0, %d#1 : tensor<5x4xf32>, tensor<5x4xf32>
}

// -----

// Other reads of rows add up: here two iterations read one, and a part of the value is no row of any.

// CHECK-LABEL: func.func @other_rows(
// CHECK: tiny.loop most(5) carry(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<5x4xf32>)
func.func @other_rows(%h: tensor<4xf32>, %x: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %r, %n = tiny.loop most(5) carry(%h) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %two = tiny.constant dense<2> : tensor<i64>
    %j = tiny.floordiv %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %0 = tiny.take %x, %j axis 0 : (tensor<5x4xf32>, tensor<i64>) -> tensor<4xf32>
    %1 = tiny.mul %old, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %1 : tensor<4xf32>
  }
  %d = tiny.gradient %r wrt %x : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return %d : tensor<5x4xf32>
}

// -----

// Bodies in bodies: what is expanded leaves no gradient behind.

// CHECK-LABEL: func.func @nested(
// CHECK-NOT: tiny.gradient
// CHECK-NOT: tiny.watch
// CHECK: return
func.func @nested(%x: tensor<3xf32>, %c: tensor<i1>) -> tensor<3xf32> {
  %y, %rows, %n = tiny.loop most(4) carry(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<3xf32>):
    %new = tiny.if %c : (tensor<i1>) -> tensor<3xf32> {
      %z, %m = tiny.loop most(3) limit(%i) carry(%old) : (tensor<i64>, tensor<3xf32>) -> (tensor<3xf32>, tensor<i64>) {
      ^bb0(%j: tensor<i64>, %in: tensor<3xf32>):
        %0 = tiny.mul %in, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
        tiny.yield %0 : tensor<3xf32>
      }
      tiny.yield %z : tensor<3xf32>
    } else {
      %0 = tiny.sin %old : (tensor<3xf32>) -> tensor<3xf32>
      tiny.yield %0 : tensor<3xf32>
    }
    tiny.yield %new, %new : tensor<3xf32>, tensor<3xf32>
  }
  %d = tiny.gradient %rows wrt %x : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

// A loop without iterations passes the gradient on.

// CHECK-LABEL: func.func @none(
// CHECK: %[[ONES:.*]] = tiny.constant dense<1.000000e+00> : tensor<3xf32>
// CHECK: return %[[ONES]]
func.func @none(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y, %n = tiny.loop most(0) carry(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<3xf32>):
    %0 = tiny.sin %old : (tensor<3xf32>) -> tensor<3xf32>
    tiny.yield %0 : tensor<3xf32>
  }
  %d = tiny.gradient %y wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

// Products are kept and not computed again. What iterations add to a weight is one product behind the loop, of rows that
// are there or that it gives; what they add to a bias is a sum of these.

// CHECK-LABEL: func.func @weights(
// CHECK-SAME: %[[X:.*]]: tensor<2x8xf32>, %[[W:.*]]: tensor<8x8xf32>,
// CHECK: %[[THERE:.*]]:4 = tiny.loop most(5) carry(%[[X]])
// CHECK: %[[PRODUCT:.*]] = tiny.matmul
// CHECK: tiny.yield %{{.*}}, %{{.*}}, %[[PRODUCT]]
// CHECK: %[[BACK:.*]]:3 = tiny.loop most(5) carry(%{{.*}}) : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<5x2x8xf32>, tensor<i64>)
// CHECK: tiny.take %[[THERE]]#2
// CHECK: %[[D:.*]] = tiny.mul
// CHECK: tiny.matmul %[[D]],
// CHECK-NOT: tiny.matmul
// CHECK: tiny.yield %{{.*}}, %[[D]]
// CHECK: %[[LAST:.*]] = tiny.flip %[[THERE]]#1 [0]
// CHECK: tiny.permute %[[LAST]]
// CHECK: %[[RIGHT:.*]] = tiny.reshape %[[BACK]]#1
// CHECK: %[[DW:.*]] = tiny.matmul %{{.*}}, %[[RIGHT]] : (tensor<8x10xf32>, tensor<10x8xf32>)
// CHECK: %[[DB:.*]] = tiny.sum %[[BACK]]#1 axes [0, 1]
func.func @weights(%x: tensor<2x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %y, %n = tiny.loop most(5) carry(%x) : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<2x8xf32>):
    %0 = tiny.matmul %old, %w : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
    %1 = tiny.add %0, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
    %2 = tiny.sin %1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
    tiny.yield %2 : tensor<2x8xf32>
  }
  %loss = tiny.sum %y axes [0, 1] : (tensor<2x8xf32>) -> tensor<f32>
  %d:2 = tiny.gradient %loss wrt %w, %b : (tensor<f32>, tensor<8x8xf32>, tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>)
  return %d#0, %d#1 : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// Factors that are more than the sum stay in the loop.

// CHECK-LABEL: func.func @large_factors(
// CHECK: tiny.loop most(5) carry(%{{.*}}, %{{.*}}) : (tensor<8x2xf32>, tensor<2x2xf32>)
// CHECK-NOT: tiny.matmul %{{.*}} : (tensor<2x40xf32>
func.func @large_factors(%x: tensor<8x2xf32>, %w: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y, %n = tiny.loop most(5) carry(%x) : (tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<8x2xf32>):
    %0 = tiny.matmul %old, %w : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %1 = tiny.sin %0 : (tensor<8x2xf32>) -> tensor<8x2xf32>
    tiny.yield %1 : tensor<8x2xf32>
  }
  %loss = tiny.sum %y axes [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  %d = tiny.gradient %loss wrt %w : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %d : tensor<2x2xf32>
}
