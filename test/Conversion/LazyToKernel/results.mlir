// RUN: tiny-opt %s -split-input-file --lazy-plan-state --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=lazy.
// Results and inputs that need no kernel.

// CHECK-LABEL: kernel.program @argument(
// CHECK-SAME: %[[X:[^:]*]]: memref<4xf32>
// CHECK-NEXT: kernel.return %[[X]], %[[X]]
func.func @argument(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// A splat is a fill; another constant is copied, since a result is the caller's.
// CHECK-LABEL: kernel.program @constants(
// CHECK: %[[F:.*]] = kernel.alloc : memref<6xf32>
// CHECK: kernel.fill %[[F]], 1.500000e+00 : f32 -> memref<6xf32>
// CHECK: %[[C:.*]] = kernel.constant dense<[1, 2, 3]> : tensor<3xi32> -> memref<3xi32>
// CHECK: %[[D:.*]] = kernel.alloc : memref<3xi32>
// CHECK: kernel.copy %[[C]], %[[D]] : memref<3xi32>
// CHECK: %[[B:.*]] = kernel.alloc : memref<2xi1>
// CHECK: kernel.fill %[[B]], true -> memref<2xi1>
// CHECK: kernel.return %[[F]], %[[D]], %[[B]]
func.func @constants() -> (tensor<2x3xf32>, tensor<3xi32>, tensor<2xi1>) {
  %0 = arith.constant dense<1.5> : tensor<2x3xf32>
  %1 = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %2 = arith.constant dense<true> : tensor<2xi1>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<3xi32>, tensor<2xi1>
}

// -----

// A resource stays one, and is one buffer for all its users.
// CHECK-LABEL: kernel.program @resource(
// CHECK: %[[W:.*]] = kernel.constant dense_resource<w> : tensor<4xf32> -> memref<4xf32>
// CHECK-NOT: kernel.constant
// CHECK: kernel.launch @a ins(%[[W]] : memref<4xf32>)
// CHECK: kernel.launch @b ins(%[[W]], %{{.*}} : memref<4xf32>, memref<4xf32>)
func.func @resource() -> tensor<4xf32> {
  %w = arith.constant dense_resource<w> : tensor<4xf32>
  %0 = lazy.group "a" (%w) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %n = arith.negf %a : tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  %1 = lazy.group "b" (%w, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %s = arith.addf %a, %b : tensor<4xf32>
    lazy.yield %s : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F000000400000404000008040" } } #-}

// -----

// A group that only copies a contiguous part, or makes a splat, is no kernel.
// CHECK-LABEL: kernel.program @moves(
// CHECK-SAME: %[[X:[^:]*]]: memref<24xf32>
// CHECK-NEXT: %[[C:.*]] = kernel.alloc : memref<24xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[C]] : memref<24xf32>
// CHECK-NEXT: %[[R:.*]] = kernel.alloc : memref<6xf32>
// CHECK-NEXT: %[[P:.*]] = kernel.alias %[[X]][6] : memref<24xf32> -> memref<6xf32>
// CHECK-NEXT: kernel.copy %[[P]], %[[R]] : memref<6xf32>
// CHECK-NEXT: %[[F:.*]] = kernel.alloc : memref<6xf32>
// CHECK-NEXT: kernel.fill %[[F]], 2.000000e+00 : f32 -> memref<6xf32>
// CHECK-NEXT: kernel.return %[[C]], %[[R]], %[[F]]
func.func @moves(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = lazy.group "all" (%x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    lazy.yield %a : tensor<4x6xf32>
  }
  %1 = lazy.group "row" (%x) : (tensor<4x6xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    %r = lazy.view %a <(6):(1) + 6> : tensor<4x6xf32> -> tensor<6xf32>
    lazy.yield %r : tensor<6xf32>
  }
  %2 = lazy.group "two" () : () -> tensor<6xf32> {
    %c = arith.constant dense<2.0> : tensor<6xf32>
    lazy.yield %c : tensor<6xf32>
  }
  return %0, %1, %2 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
}

// -----

// Contiguous parts are aliases, also of aliases; a reshape is nothing at all.
// CHECK-LABEL: kernel.program @views(
// CHECK-SAME: %[[X:[^:]*]]: memref<24xf32>
// CHECK-NEXT: %[[ROWS:.*]] = kernel.alias %[[X]][6] : memref<24xf32> -> memref<12xf32>
// CHECK-NEXT: %[[ROW:.*]] = kernel.alias %[[ROWS]][6] : memref<12xf32> -> memref<6xf32>
// CHECK-NEXT: %[[VIEW:.*]] = kernel.alias %[[X]][3] : memref<24xf32> -> memref<3xf32>
// CHECK-NEXT: kernel.return %[[X]], %[[ROW]], %[[VIEW]]
func.func @views(%x: tensor<4x6xf32>) -> (tensor<2x12xf32>, tensor<1x6xf32>, tensor<3xf32>) {
  %0 = lazy.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  %1 = lazy.shrink %x begin [1, 0] end [3, 6] : tensor<4x6xf32> -> tensor<2x6xf32>
  %2 = lazy.shrink %1 begin [1, 0] end [2, 6] : tensor<2x6xf32> -> tensor<1x6xf32>
  %3 = lazy.view %x <(3):(1) + 3> : tensor<4x6xf32> -> tensor<3xf32>
  return %0, %2, %3 : tensor<2x12xf32>, tensor<1x6xf32>, tensor<3xf32>
}

// -----

// What nobody uses needs no buffer.
// CHECK-LABEL: kernel.program @unused(
// CHECK-NEXT: kernel.return
func.func @unused(%x: tensor<4x6xf32>) {
  %0 = lazy.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  return
}

// What rows have in common is stored in the loop over rows, where it is computed, not by one of its own.
// CHECK-LABEL: kernel.func private @rows
// CHECK-COUNT-2: kernel.range loop
// CHECK-NOT: kernel.range loop
// CHECK: %[[S:.*]] = kernel.reduce maximumf
// CHECK-NOT: kernel.reduce
// CHECK: kernel.store %[[S]], %arg1[%0]
func.func @rows(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %0:2 = lazy.group "rows"(%x) : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    %s = lazy.reduce maximumf (%a) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %w = lazy.view %s <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
    %r = arith.mulf %a, %w : tensor<4x8xf32>
    lazy.yield %s, %r : tensor<4xf32>, tensor<4x8xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4x8xf32>
}
