// RUN: tiny-opt %s -split-input-file --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=lazy.
// A concatenation is a store for each part, with loops over its own elements; nothing is chosen element by element.

// The loop outside of the axis is shared, what is done to each element is done in each part.
// CHECK-LABEL: kernel.func private @concat(
// CHECK-SAME: %[[X:[^:]*]]: memref<24xf32>, %[[Y:[^:]*]]: memref<12xf32>, %[[OUT:[^:]*]]: memref<36xf32>)
// CHECK-NOT: select
// CHECK: kernel.range loop id(0) extent(4)
// CHECK: kernel.range loop id(1) extent(6)
// CHECK: kernel.range loop id(2) extent(3)
// CHECK-NOT: kernel.range
// CHECK-DAG: kernel.load %[[X]][%{{.*}}] : memref<24xf32>
// CHECK-DAG: kernel.load %[[Y]][%{{.*}}] : memref<12xf32>
// CHECK-COUNT-2: kernel.store %{{.*}}, %[[OUT]][%{{.*}}] : memref<36xf32>
// CHECK-NOT: select
func.func @concat_inner(%x: tensor<4x6xf32>, %y: tensor<4x3xf32>) -> tensor<4x9xf32> {
  %0 = lazy.group "concat" (%x, %y) : (tensor<4x6xf32>, tensor<4x3xf32>) -> tensor<4x9xf32> {
  ^bb0(%a: tensor<4x6xf32>, %b: tensor<4x3xf32>):
    %six = arith.constant dense<6> : tensor<4x9xi64>
    %i = lazy.iota 1 : tensor<4x9xi64>
    %first = arith.cmpi slt, %i, %six : tensor<4x9xi64>
    %p = lazy.pad %a low [0, 0] high [0, 3] : tensor<4x6xf32> -> tensor<4x9xf32>
    %q = lazy.pad %b low [0, 6] high [0, 0] : tensor<4x3xf32> -> tensor<4x9xf32>
    %s = arith.select %first, %p, %q : tensor<4x9xi1>, tensor<4x9xf32>
    %n = arith.negf %s : tensor<4x9xf32>
    lazy.yield %n : tensor<4x9xf32>
  }
  return %0 : tensor<4x9xf32>
}

// -----

// Parts of one size share all loops.
// CHECK-LABEL: kernel.func private @stack(
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(6)
// CHECK-NOT: kernel.range
// CHECK-COUNT-2: kernel.store
// CHECK-NOT: kernel.store
func.func @stack_two(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<2x6xf32> {
  %0 = lazy.group "stack" (%x, %y) : (tensor<6xf32>, tensor<6xf32>) -> tensor<2x6xf32> {
  ^bb0(%a: tensor<6xf32>, %b: tensor<6xf32>):
    %one = arith.constant dense<1> : tensor<2x6xi64>
    %i = lazy.iota 0 : tensor<2x6xi64>
    %first = arith.cmpi ult, %i, %one : tensor<2x6xi64>
    %p = lazy.view %a <(2, 6):(0, 1) mask [0:1, 0:6]> : tensor<6xf32> -> tensor<2x6xf32>
    %q = lazy.view %b <(2, 6):(0, 1) mask [1:2, 0:6]> : tensor<6xf32> -> tensor<2x6xf32>
    %s = arith.select %first, %p, %q : tensor<2x6xi1>, tensor<2x6xf32>
    lazy.yield %s : tensor<2x6xf32>
  }
  return %0 : tensor<2x6xf32>
}

// -----

// Each part would run the reduction again: they stay together.
// CHECK-LABEL: kernel.func private @reduced(
// CHECK: arith.select
// CHECK-COUNT-1: kernel.store
// CHECK-NOT: kernel.store
func.func @with_reduction(%x: tensor<4x6xf32>) -> tensor<6xf32> {
  %0 = lazy.group "reduced" (%x) : (tensor<4x6xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    %r = lazy.reduce addf(%a) axes [0] : (tensor<4x6xf32>) -> tensor<6xf32>
    %two = arith.constant dense<2> : tensor<6xi64>
    %i = lazy.iota 0 : tensor<6xi64>
    %first = arith.cmpi slt, %i, %two : tensor<6xi64>
    %n = arith.negf %r : tensor<6xf32>
    %s = arith.select %first, %r, %n : tensor<6xi1>, tensor<6xf32>
    lazy.yield %s : tensor<6xf32>
  }
  return %0 : tensor<6xf32>
}

// -----

// An index type that wraps around says nothing about places.
// CHECK-LABEL: kernel.func private @wraps(
// CHECK: arith.select
// CHECK-COUNT-1: kernel.store
// CHECK-NOT: kernel.store
func.func @wrapping_index(%x: tensor<300xf32>) -> tensor<300xf32> {
  %0 = lazy.group "wraps" (%x) : (tensor<300xf32>) -> tensor<300xf32> {
  ^bb0(%a: tensor<300xf32>):
    %two = arith.constant dense<2> : tensor<300xi8>
    %i = lazy.iota 0 : tensor<300xi8>
    %first = arith.cmpi slt, %i, %two : tensor<300xi8>
    %n = arith.negf %a : tensor<300xf32>
    %s = arith.select %first, %a, %n : tensor<300xi1>, tensor<300xf32>
    lazy.yield %s : tensor<300xf32>
  }
  return %0 : tensor<300xf32>
}
