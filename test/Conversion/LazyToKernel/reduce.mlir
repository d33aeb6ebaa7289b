// RUN: tiny-opt %s -split-input-file --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=lazy.

// Reduce over reduce has ranges of its own: softmax's maximum and sum.
// CHECK-LABEL: kernel.func private @softmax(
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(4)
// CHECK: %[[J:.*]] = kernel.range loop id(1) extent(8)
// CHECK: %[[K:.*]] = kernel.range reduce id(2) extent(8)
// CHECK: %[[L:.*]] = kernel.range reduce id(3) extent(8)
// CHECK: kernel.reduce maximumf (%{{.*}}) over (%[[L]]) : f32
// CHECK: kernel.reduce addf (%{{.*}}) over (%[[K]]) : f32
// CHECK-NOT: kernel.reduce
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "softmax" (%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %m = lazy.reduce maximumf (%a) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %mb = lazy.view %m <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
    %c = arith.subf %a, %mb : tensor<4x8xf32>
    %e = math.exp %c : tensor<4x8xf32>
    %s = lazy.reduce addf (%e) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %sb = lazy.view %s <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
    %d = arith.divf %e, %sb : tensor<4x8xf32>
    lazy.yield %d : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: kernel.func private @argmax(
// CHECK: %[[M:.*]]:2 = kernel.reduce (%{{.*}}, %{{.*}}) init (%{{.*}}, %{{.*}}) over (%{{.*}}) : f32, i32 {
// CHECK-NEXT: ^bb0(
// CHECK: kernel.yield
// CHECK: kernel.store %[[M]]#1, %arg1
func.func @main(%x: tensor<4x8xf32>) -> tensor<4xi32> {
  %0 = lazy.group "argmax" (%x) : (tensor<4x8xf32>) -> tensor<4xi32> {
  ^bb0(%a: tensor<4x8xf32>):
    %i = lazy.iota 1 : tensor<4x8xi32>
    %m:2 = lazy.reduce (%a, %i) init [0xFF800000 : f32, 0 : i32] axes [1]
        : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%p: f32, %pi: i32, %q: f32, %qi: i32):
      %gt = arith.cmpf ogt, %q, %p : f32
      %v = arith.select %gt, %q, %p : f32
      %w = arith.select %gt, %qi, %pi : i32
      lazy.yield %v, %w : f32, i32
    }
    lazy.yield %m#1 : tensor<4xi32>
  }
  return %0 : tensor<4xi32>
}

// -----

// Over unit axes alone there is no loop, yet the initial value counts.
// CHECK-LABEL: kernel.func private @unit_axes(
// CHECK-NOT: kernel.reduce
// CHECK-DAG: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// CHECK-DAG: arith.subf
func.func @main(%x: tensor<4x1xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = lazy.group "unit_axes" (%x) : (tensor<4x1xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4x1xf32>):
    %s = lazy.reduce addf (%a) axes [1] : (tensor<4x1xf32>) -> tensor<4xf32>
    %t = lazy.reduce (%a) init [2.5 : f32] axes [1] : (tensor<4x1xf32>) -> tensor<4xf32> {
    ^bb0(%p: f32, %q: f32):
      %d = arith.subf %p, %q : f32
      lazy.yield %d : f32
    }
    lazy.yield %s, %t : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: kernel.func private @unit_axis_beside_another(
// CHECK: %[[K:.*]] = kernel.range reduce id(1) extent(3)
// CHECK: kernel.reduce muli (%{{.*}}) over (%[[K]]) : i32
func.func @main(%x: tensor<4x1x3xi32>) -> tensor<4xi32> {
  %0 = lazy.group "unit_axis_beside_another" (%x) : (tensor<4x1x3xi32>) -> tensor<4xi32> {
  ^bb0(%a: tensor<4x1x3xi32>):
    %s = lazy.reduce muli (%a) axes [1, 2] : (tensor<4x1x3xi32>) -> tensor<4xi32>
    lazy.yield %s : tensor<4xi32>
  }
  return %0 : tensor<4xi32>
}

// -----

// Everything: the ranges go from the outermost axis inwards.
// CHECK-LABEL: kernel.func private @all(
// CHECK: %[[I:.*]] = kernel.range reduce id(0) extent(4)
// CHECK: %[[J:.*]] = kernel.range reduce id(1) extent(3)
// CHECK: kernel.reduce addf (%{{.*}}) over (%[[I]], %[[J]]) fastmath<none> : f32
func.func @main(%x: tensor<4x3xf32>) -> tensor<f32> {
  %0 = lazy.group "all" (%x) : (tensor<4x3xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<4x3xf32>):
    %s = lazy.reduce addf (%a) axes [0, 1] fastmath<none> : (tensor<4x3xf32>) -> tensor<f32>
    lazy.yield %s : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// One reduce at two indices is two reduces.
// CHECK-LABEL: kernel.func private @twice(
// CHECK-COUNT-2: kernel.reduce addf
// CHECK-NOT: kernel.reduce
func.func @main(%x: tensor<4x3xf32>) -> tensor<4xf32> {
  %0 = lazy.group "twice" (%x) : (tensor<4x3xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x3xf32>):
    %s = lazy.reduce addf (%a) axes [1] : (tensor<4x3xf32>) -> tensor<4xf32>
    %f = lazy.flip %s [0] : tensor<4xf32> -> tensor<4xf32>
    %t = arith.addf %s, %f : tensor<4xf32>
    %u = arith.mulf %t, %s : tensor<4xf32>
    lazy.yield %u : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
