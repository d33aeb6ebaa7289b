// RUN: tiny-opt %s -split-input-file --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=lazy.
// Without lazy-plan-state nothing is written in place: an assignment goes to a copy of its base, and what must be in the
// buffer of an argument is copied there last.

// CHECK-LABEL: kernel.program @assigned(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-NEXT: %[[Y:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[Y]] : memref<8xf32>
// CHECK-NEXT: kernel.launch @neg ins(%[[X]] : memref<8xf32>) outs(%[[Y]] : memref<8xf32>)
// CHECK-NEXT: kernel.copy %[[Y]], %[[X]] : memref<8xf32>
// CHECK-NEXT: kernel.return %[[X]]
func.func @assigned(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "neg" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %v = lazy.view %a <(4):(-1) + 3> : tensor<8xf32> -> tensor<4xf32>
    %w = arith.negf %v : tensor<4xf32>
    %n = lazy.assign %w, %a <(4):(1) + 3> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Two arguments change places, and the old state of one is a result too.
// CHECK-LABEL: kernel.program @swapped(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32> {{[^%]*}}%[[Y:[^:]*]]: memref<8xf32>
// CHECK-NEXT: %[[Y2:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[Y]], %[[Y2]]
// CHECK-NEXT: %[[X2:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[X2]]
// CHECK-NEXT: %[[OLD:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[OLD]]
// CHECK-NEXT: kernel.copy %[[Y2]], %[[X]]
// CHECK-NEXT: kernel.copy %[[X2]], %[[Y]]
// CHECK-NEXT: kernel.return %[[X]], %[[Y]], %[[OLD]]
func.func @swapped(%x: tensor<8xf32> {tiny.donated}, %y: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<8xf32> {tiny.aliases = 1 : i64}, tensor<8xf32>) {
  return %y, %x, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Of a chain of slices each has a buffer of its own; the first is filled, since it is copied.
// CHECK-LABEL: kernel.program @slices(
// CHECK-SAME: %[[X:[^:]*]]: memref<4xf32>
// CHECK-NEXT: %[[A:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.fill %[[A]]
// CHECK-NEXT: kernel.launch @first ins(%[[X]] : memref<4xf32>) outs(%[[A]] : memref<8xf32>)
// CHECK-NEXT: %[[B:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[A]], %[[B]]
// CHECK-NEXT: kernel.launch @second ins(%[[X]] : memref<4xf32>) outs(%[[B]] : memref<8xf32>)
// CHECK-NEXT: kernel.return %[[B]]
func.func @slices(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = lazy.group "first" (%x) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    %z = arith.constant dense<0.0> : tensor<8xf32>
    %w = math.exp %a : tensor<4xf32>
    %n = lazy.assign %w, %z <(4):(1)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "second" (%x, %0) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<8xf32>):
    %w = arith.negf %a : tensor<4xf32>
    %n = lazy.assign %w, %b <(4):(1) + 4> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
