// RUN: tiny-opt %s --lazy-plan-state --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=kernel.fill --implicit-check-not=kernel.copy
// A chain of assignments to slices that make up the whole needs nothing of what it begins with.

// Both launches write into one buffer that nothing fills.
// CHECK-LABEL: kernel.program @whole(
// CHECK-NEXT: %[[ALL:.*]] = kernel.alloc
// CHECK-NEXT: kernel.launch {{.*}} outs(%[[ALL]] :
// CHECK-NEXT: kernel.launch {{.*}} outs(%[[ALL]] :
// CHECK-NEXT: kernel.return %[[ALL]]
func.func @whole(%x: tensor<4x2xf32>, %y: tensor<4x4xf32>) -> (tensor<4x6xf32>) {
  %0 = lazy.group "part" (%x) : (tensor<4x2xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x2xf32>):
    %s = arith.constant dense<0.0> : tensor<4x6xf32>
    %n = arith.negf %a : tensor<4x2xf32>
    %r = lazy.assign %n, %s <(4, 2):(6, 1)> : tensor<4x2xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  %1 = lazy.group "part" (%y, %0) : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x4xf32>, %s: tensor<4x6xf32>):
    %n = arith.negf %a : tensor<4x4xf32>
    %r = lazy.assign %n, %s <(4, 4):(6, 1) + 2> : tensor<4x4xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  return %1 : tensor<4x6xf32>
}

// As many elements, but one column twice and one never.
// CHECK-LABEL: kernel.program @overlapping(
// CHECK: kernel.fill
func.func @overlapping(%x: tensor<4x2xf32>, %y: tensor<4x4xf32>) -> (tensor<4x6xf32>) {
  %0 = lazy.group "part" (%x) : (tensor<4x2xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x2xf32>):
    %s = arith.constant dense<0.0> : tensor<4x6xf32>
    %n = arith.negf %a : tensor<4x2xf32>
    %r = lazy.assign %n, %s <(4, 2):(6, 1)> : tensor<4x2xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  %1 = lazy.group "part" (%y, %0) : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x4xf32>, %s: tensor<4x6xf32>):
    %n = arith.negf %a : tensor<4x4xf32>
    %r = lazy.assign %n, %s <(4, 4):(6, 1) + 1> : tensor<4x4xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  return %1 : tensor<4x6xf32>
}

// The last two columns are left.
// CHECK-LABEL: kernel.program @gap(
// CHECK: kernel.fill
func.func @gap(%x: tensor<4x2xf32>, %y: tensor<4x4xf32>) -> (tensor<4x6xf32>) {
  %0 = lazy.group "part" (%x) : (tensor<4x2xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x2xf32>):
    %s = arith.constant dense<0.0> : tensor<4x6xf32>
    %n = arith.negf %a : tensor<4x2xf32>
    %r = lazy.assign %n, %s <(4, 2):(6, 1)> : tensor<4x2xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  %1 = lazy.group "part" (%x, %0) : (tensor<4x2xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x2xf32>, %s: tensor<4x6xf32>):
    %n = arith.negf %a : tensor<4x2xf32>
    %r = lazy.assign %n, %s <(4, 2):(6, 1) + 2> : tensor<4x2xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  return %1 : tensor<4x6xf32>
}

// Every second column is no slice.
// CHECK-LABEL: kernel.program @strided(
// CHECK: kernel.fill
func.func @strided(%x: tensor<4x2xf32>, %y: tensor<4x4xf32>) -> (tensor<4x6xf32>) {
  %0 = lazy.group "part" (%x) : (tensor<4x2xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x2xf32>):
    %s = arith.constant dense<0.0> : tensor<4x6xf32>
    %n = arith.negf %a : tensor<4x2xf32>
    %r = lazy.assign %n, %s <(4, 2):(6, 2)> : tensor<4x2xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  %1 = lazy.group "part" (%y, %0) : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x4xf32>, %s: tensor<4x6xf32>):
    %n = arith.negf %a : tensor<4x4xf32>
    %r = lazy.assign %n, %s <(4, 4):(6, 1) + 2> : tensor<4x4xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  return %1 : tensor<4x6xf32>
}

// The state between is a result: it shows what the chain began with.
// CHECK-LABEL: kernel.program @returned(
// CHECK: kernel.fill
// CHECK: kernel.copy
func.func @returned(%x: tensor<4x2xf32>, %y: tensor<4x4xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = lazy.group "part" (%x) : (tensor<4x2xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x2xf32>):
    %s = arith.constant dense<0.0> : tensor<4x6xf32>
    %n = arith.negf %a : tensor<4x2xf32>
    %r = lazy.assign %n, %s <(4, 2):(6, 1)> : tensor<4x2xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  %1 = lazy.group "part" (%y, %0) : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x4xf32>, %s: tensor<4x6xf32>):
    %n = arith.negf %a : tensor<4x4xf32>
    %r = lazy.assign %n, %s <(4, 4):(6, 1) + 2> : tensor<4x4xf32>, tensor<4x6xf32>
    lazy.yield %r : tensor<4x6xf32>
  }
  return %1, %0 : tensor<4x6xf32>, tensor<4x6xf32>
}
