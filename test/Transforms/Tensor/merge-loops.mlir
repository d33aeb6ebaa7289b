// RUN: tiny-opt %s -split-input-file --tensor-merge-loops --canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file --check-passes --tensor-merge-loops -o /dev/null

// The second loop computes what the first one does, and more.

// CHECK-LABEL: func.func @later(
// CHECK: %[[LOOP:.*]]:3 = tiny.loop most(5)
// CHECK: tiny.yield %[[NEW:.*]], %[[OLD:.*]] :
// CHECK-NOT: tiny.loop
// CHECK: tiny.exp %[[LOOP]]#0
// CHECK: return %{{.*}}, %[[LOOP]]#1
func.func @later(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  %y, %n = tiny.loop most(5) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.mul %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  %exp = tiny.exp %y : (tensor<4xf32>) -> tensor<4xf32>
  %z, %rows, %m = tiny.loop most(5) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.mul %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0, %old : tensor<4xf32>, tensor<4xf32>
  }
  return %exp, %rows : tensor<4xf32>, tensor<5x4xf32>
}

// -----

// The first loop computes what the second one does, and gets the row that it misses.

// CHECK-LABEL: func.func @earlier(
// CHECK: %[[LOOP:.*]]:4 = tiny.loop most(5)
// CHECK: %[[NEW:.*]] = tiny.mul
// CHECK: %[[SIN:.*]] = tiny.sin %[[NEW]]
// CHECK: tiny.yield %[[NEW]], %[[SIN]], %[[NEW]] :
// CHECK-NOT: tiny.loop
// CHECK: return %[[LOOP]]#1, %[[LOOP]]#2
func.func @earlier(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  %y, %sins, %n = tiny.loop most(5) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.mul %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = tiny.sin %0 : (tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  %z, %rows, %m = tiny.loop most(5) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.mul %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  return %sins, %rows : tensor<5x4xf32>, tensor<5x4xf32>
}

// -----

// What differs stays: how often they run, what they carry, what the next value is, and what is not there yet.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-5: tiny.loop
func.func @others(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>) {
  %a, %n0 = tiny.loop most(5) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.mul %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  %b, %n1 = tiny.loop most(6) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.mul %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  %c, %n2 = tiny.loop most(5) carry(%w) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.mul %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  %d, %n3 = tiny.loop most(5) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.add %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  %e, %rows, %n4 = tiny.loop most(5) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.mul %old, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = tiny.mul %0, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %a, %b, %c, %d, %rows : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>
}
