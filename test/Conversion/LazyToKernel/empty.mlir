// RUN: tiny-opt %s -split-input-file --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=lazy.

// Nothing to compute, nothing to launch.
// CHECK-LABEL: kernel.program @main(
// CHECK: %[[OUT:.*]] = kernel.alloc : memref<0xf32>
// CHECK-NEXT: kernel.return %[[OUT]]
// CHECK-NOT: kernel.func
func.func @main(%x: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %0 = lazy.group "nothing" (%x) : (tensor<4x0xf32>) -> tensor<4x0xf32> {
  ^bb0(%a: tensor<4x0xf32>):
    %s = arith.addf %a, %a : tensor<4x0xf32>
    lazy.yield %s : tensor<4x0xf32>
  }
  return %0 : tensor<4x0xf32>
}

// -----

// CHECK-LABEL: kernel.func private @one_is_empty(
// CHECK-SAME: %{{[^:]*}}: memref<0xf32>, %[[OUT:[^:]*]]: memref<4xi32>, %[[NONE:[^:]*]]: memref<0xf32>)
// CHECK: kernel.store %{{.*}}, %[[OUT]]
// CHECK-NOT: kernel.store
func.func @main(%x: tensor<4x0xf32>) -> (tensor<4xi32>, tensor<4x0xf32>) {
  %0:2 = lazy.group "one_is_empty" (%x) : (tensor<4x0xf32>) -> (tensor<4xi32>, tensor<4x0xf32>) {
  ^bb0(%a: tensor<4x0xf32>):
    %i = lazy.iota 0 : tensor<4xi32>
    %s = arith.addf %a, %a : tensor<4x0xf32>
    lazy.yield %i, %s : tensor<4xi32>, tensor<4x0xf32>
  }
  return %0#0, %0#1 : tensor<4xi32>, tensor<4x0xf32>
}

// -----

// A reduction of nothing is its identity, or its initial value.
// CHECK-LABEL: kernel.func private @reduce(
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[INIT:.*]] = arith.constant 2.500000e+00 : f32
// CHECK-DAG: kernel.store %[[LOWEST]], %arg1
// CHECK-DAG: kernel.store %[[INIT]], %arg2
func.func @main(%x: tensor<4x0xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = lazy.group "reduce" (%x) : (tensor<4x0xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4x0xf32>):
    %s = lazy.reduce maximumf (%a) axes [1] : (tensor<4x0xf32>) -> tensor<4xf32>
    %t = lazy.reduce (%a) init [2.5 : f32] axes [1] : (tensor<4x0xf32>) -> tensor<4xf32> {
    ^bb0(%p: f32, %q: f32):
      %d = arith.subf %p, %q : f32
      lazy.yield %d : f32
    }
    lazy.yield %s, %t : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Nothing, padded, is zeros.
// CHECK-LABEL: kernel.func private @pad(
// CHECK-NOT: kernel.load
// CHECK: kernel.store
func.func @main(%x: tensor<0xf32>) -> tensor<4xf32> {
  %0 = lazy.group "pad" (%x) : (tensor<0xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<0xf32>):
    %e = math.exp %a : tensor<0xf32>
    %p = lazy.pad %e low [2] high [2] : tensor<0xf32> -> tensor<4xf32>
    %q = lazy.pad %a low [1] high [3] : tensor<0xf32> -> tensor<4xf32>
    %s = arith.addf %p, %q : tensor<4xf32>
    lazy.yield %s : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// An empty constant is a buffer without elements.
// CHECK-LABEL: kernel.program @main(
// CHECK: %[[OUT:.*]] = kernel.alloc : memref<0xf32>
// CHECK-NEXT: kernel.return %[[OUT]]
func.func @main() -> tensor<0xf32> {
  %0 = arith.constant dense<> : tensor<0xf32>
  return %0 : tensor<0xf32>
}
