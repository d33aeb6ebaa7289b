// States that groups make slice by slice, and what reads some of them in between.
// RUN: tiny-opt %s --lazy-plan-state --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s

// @late reads what @second leaves, and must run after it: it finds that in the new state.
// CHECK-LABEL: kernel.program @behind(
// CHECK-NEXT: %[[ALL:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.launch @first ins(%{{.*}}) outs(%[[ALL]] :
// CHECK-NEXT: kernel.launch @second ins(%[[ALL]] : memref<8xf32>) outs(%[[ALL]] :
// CHECK-NEXT: %[[LATE:.*]] = kernel.alloc : memref<4xf32>
// CHECK-NEXT: kernel.launch @late ins(%[[ALL]], %[[ALL]] : {{.*}}) outs(%[[LATE]] :
// CHECK-NEXT: kernel.return %[[ALL]], %[[LATE]]
func.func @behind(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = lazy.group "first" (%x) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<4xf32>):
    %z = arith.constant dense<0.0> : tensor<8xf32>
    %e = math.exp %i : tensor<4xf32>
    %s = lazy.assign %e, %z <(4):(1)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %s : tensor<8xf32>
  }
  %1 = lazy.group "second" (%0) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<8xf32>):
    %v = lazy.view %i <(4):(-1) + 3> : tensor<8xf32> -> tensor<4xf32>
    %n = arith.negf %v : tensor<4xf32>
    %s = lazy.assign %n, %i <(4):(1) + 4> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %s : tensor<8xf32>
  }
  %2 = lazy.group "late" (%0, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<8xf32>, %j: tensor<8xf32>):
    %v = lazy.view %i <(4):(1)> : tensor<8xf32> -> tensor<4xf32>
    %w = lazy.view %j <(4):(1) + 4> : tensor<8xf32> -> tensor<4xf32>
    %r = arith.mulf %v, %w : tensor<4xf32>
    lazy.yield %r : tensor<4xf32>
  }
  return %1, %2 : tensor<8xf32>, tensor<4xf32>
}

// Here it reads what @second writes: a copy of it is made before.
// CHECK-LABEL: kernel.program @overwritten(
// CHECK: kernel.launch @first
// CHECK: kernel.copy
// CHECK: kernel.launch @second
// CHECK: kernel.launch @late
func.func @overwritten(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = lazy.group "first" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<8xf32>):
    %e = math.exp %i : tensor<8xf32>
    lazy.yield %e : tensor<8xf32>
  }
  %1 = lazy.group "second" (%0) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<8xf32>):
    %v = lazy.view %i <(4):(-1) + 3> : tensor<8xf32> -> tensor<4xf32>
    %n = arith.negf %v : tensor<4xf32>
    %s = lazy.assign %n, %i <(4):(1) + 4> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %s : tensor<8xf32>
  }
  %2 = lazy.group "late" (%0, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<8xf32>, %j: tensor<8xf32>):
    %v = lazy.view %i <(4):(1) + 2> : tensor<8xf32> -> tensor<4xf32>
    %w = lazy.view %j <(4):(1) + 4> : tensor<8xf32> -> tensor<4xf32>
    %r = arith.mulf %v, %w : tensor<4xf32>
    lazy.yield %r : tensor<4xf32>
  }
  return %1, %2 : tensor<8xf32>, tensor<4xf32>
}

// What is padded is loaded under its mask, since the elements behind it are not there yet.
// CHECK-LABEL: kernel.program @masked(
// CHECK-NOT: kernel.fill
// CHECK: kernel.func private @padded(
// CHECK: kernel.load %{{.*}}[%{{.*}}] if %{{.*}} : memref<8xf32>
func.func @masked(%x: tensor<5xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = lazy.group "begin" (%x) : (tensor<5xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<5xf32>):
    %z = arith.constant dense<0.0> : tensor<8xf32>
    %e = math.exp %i : tensor<5xf32>
    %s = lazy.assign %e, %z <(5):(1)> : tensor<5xf32>, tensor<8xf32>
    lazy.yield %s : tensor<8xf32>
  }
  %1 = lazy.group "padded" (%0) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<8xf32>):
    %v = lazy.view %i <(8):(1) mask [0:5]> : tensor<8xf32> -> tensor<8xf32>
    %n = arith.negf %v : tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %2 = lazy.group "end" (%x, %0, %1) : (tensor<5xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<5xf32>, %s: tensor<8xf32>, %j: tensor<8xf32>):
    %v = lazy.view %j <(3):(1)> : tensor<8xf32> -> tensor<3xf32>
    %t = lazy.assign %v, %s <(3):(1) + 5> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %t : tensor<8xf32>
  }
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// Under which of two masks a load stands is open: what it ignores must be there.
// CHECK-LABEL: kernel.program @either(
// CHECK: %[[ALL:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.fill %[[ALL]]
// CHECK: kernel.launch @begin
func.func @either(%x: tensor<5xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = lazy.group "begin" (%x) : (tensor<5xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<5xf32>):
    %z = arith.constant dense<0.0> : tensor<8xf32>
    %e = math.exp %i : tensor<5xf32>
    %s = lazy.assign %e, %z <(5):(1)> : tensor<5xf32>, tensor<8xf32>
    lazy.yield %s : tensor<8xf32>
  }
  %1 = lazy.group "padded" (%0) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<8xf32>):
    %v = lazy.view %i <(8):(1) mask [0:5]> : tensor<8xf32> -> tensor<8xf32>
    %w = lazy.view %i <(8):(1) mask [0:3]> : tensor<8xf32> -> tensor<8xf32>
    %n = arith.mulf %v, %w : tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %2 = lazy.group "end" (%x, %0, %1) : (tensor<5xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<5xf32>, %s: tensor<8xf32>, %j: tensor<8xf32>):
    %v = lazy.view %j <(3):(1)> : tensor<8xf32> -> tensor<3xf32>
    %t = lazy.assign %v, %s <(3):(1) + 5> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %t : tensor<8xf32>
  }
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
