// Every operation and attribute round-trips, as text and as bytecode.
// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --emit-bytecode | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --mlir-print-op-generic | tiny-opt | FileCheck %s

// CHECK-LABEL: func.func @movement(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
func.func @movement(%x: tensor<4x6xf32>, %row: tensor<4x1xf32>) {
  // CHECK: lazy.reshape %[[X]] : tensor<4x6xf32> -> tensor<24xf32>
  %0 = lazy.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  // CHECK: lazy.expand %{{.*}} : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = lazy.expand %row : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK: lazy.permute %[[X]] [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %2 = lazy.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK: lazy.pad %[[X]] low [1, 0] high [1, 2] : tensor<4x6xf32> -> tensor<6x8xf32>
  %3 = lazy.pad %x low [1, 0] high [1, 2] : tensor<4x6xf32> -> tensor<6x8xf32>
  // CHECK: lazy.shrink %[[X]] begin [1, 0] end [3, 6] : tensor<4x6xf32> -> tensor<2x6xf32>
  %4 = lazy.shrink %x begin [1, 0] end [3, 6] : tensor<4x6xf32> -> tensor<2x6xf32>
  // CHECK: lazy.flip %[[X]] [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %5 = lazy.flip %x [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func.func @views(
func.func @views(%x: tensor<4x8xf32>, %image: tensor<4x4xf32>, %scalar: tensor<f32>, %none: tensor<0x4xf32>) {
  // CHECK: lazy.view %{{.*}} <(4, 3, 8):(8, 0, 1)> : tensor<4x8xf32> -> tensor<4x3x8xf32>
  %0 = lazy.view %x <(4, 3, 8):(8, 0, 1)> : tensor<4x8xf32> -> tensor<4x3x8xf32>
  // CHECK: lazy.view %{{.*}} <(6, 6):(4, 1) + -5 mask [1:5, 1:5], (36):(1)> : tensor<4x4xf32> -> tensor<36xf32>
  %1 = lazy.view %image <(6, 6):(4, 1) + -5 mask [1:5, 1:5], (36):(1)> : tensor<4x4xf32> -> tensor<36xf32>
  // CHECK: lazy.view %{{.*}} <():()> : tensor<f32> -> tensor<f32>
  %2 = lazy.view %scalar <():()> : tensor<f32> -> tensor<f32>
  // CHECK: lazy.view %{{.*}} <(4, 0):(0, 0)> : tensor<0x4xf32> -> tensor<4x0xf32>
  %3 = lazy.view %none <(4, 0):(0, 0)> : tensor<0x4xf32> -> tensor<4x0xf32>
  return
}

// CHECK-LABEL: func.func @sources_and_reductions(
func.func @sources_and_reductions(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // CHECK: lazy.iota 1 : tensor<4x8xi32>
  %0 = lazy.iota 1 : tensor<4x8xi32>
  // CHECK: lazy.reduce addf(%{{.*}}) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = lazy.reduce addf (%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK: lazy.reduce maxs(%{{.*}}) axes [0, 1] fastmath<none> : (tensor<4x8xi32>) -> tensor<i32>
  %2 = lazy.reduce maxs (%i) axes [0, 1] fastmath<none> : (tensor<4x8xi32>) -> tensor<i32>
  // CHECK: lazy.reduce(%{{.*}}, %{{.*}}) init [0xFF800000 : f32, 0 : i32] axes [1] : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK: lazy.yield %{{.*}}, %{{.*}} : f32, i32
  %m:2 = lazy.reduce (%x, %i) init [0xFF800000 : f32, 0 : i32] axes [1]
      : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %gt = arith.cmpf ogt, %b, %a : f32
    %v = arith.select %gt, %b, %a : f32
    %k = arith.select %gt, %bi, %ai : i32
    lazy.yield %v, %k : f32, i32
  }
  // CHECK: lazy.scan addf %{{.*}} axis 1 : tensor<4x8xf32>
  %s = lazy.scan addf %x axis 1 : tensor<4x8xf32>
  // CHECK: lazy.contiguous %{{.*}} : tensor<4x8xf32>
  %3 = lazy.contiguous %x : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @groups(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: lazy.group "relu"(%[[X]]) : (tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xf32>):
  %1 = lazy.group "relu" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    %r = arith.maximumf %a, %zero : tensor<4xf32>
    lazy.yield %r : tensor<4xf32>
  }
  // CHECK: lazy.group() attributes {note} : () -> tensor<4xf32> {
  %2 = lazy.group () attributes {note} : () -> tensor<4xf32> {
    %one = arith.constant dense<1.0> : tensor<4xf32>
    lazy.yield %one : tensor<4xf32>
  }
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
