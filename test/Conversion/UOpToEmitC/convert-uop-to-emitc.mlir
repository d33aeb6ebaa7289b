// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-emitc | FileCheck %s --implicit-check-not=uop.

// A vector is an array, and an operation on it a loop over its lanes.
// CHECK-LABEL: emitc.func @double(
// CHECK-SAME: %[[IN:.*]]: !emitc.ptr<f32>, %[[OUT:.*]]: !emitc.ptr<f32>, %[[G:.*]]: i64)
// CHECK-SAME: kernel.entry = #kernel.entry<grid = [2, 1, 1]
// CHECK: %[[X:.*]] = "emitc.variable"() {{.*}} -> !emitc.array<4xf32>
// CHECK: for
// CHECK: load
// CHECK: %[[Y:.*]] = "emitc.variable"() {{.*}} -> !emitc.array<4xf32>
// CHECK: for
// CHECK: add %{{.*}}, %{{.*}} : (f32, f32) -> f32
// CHECK: for
// CHECK: subscript %[[OUT]]
uop.func @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %g = uop.special global dim(0) extent(2)
  %c4 = arith.constant 4 : index
  %i = arith.muli %g, %c4 : index
  %x = uop.load %in[%i] : memref<8xf32>, vector<4xf32>
  %y = arith.addf %x, %x : vector<4xf32>
  uop.store %y, %out[%i] : vector<4xf32>, memref<8xf32>
  uop.return
}

// A sum that overflows is a call, a carried value a variable, a gated store a condition.
// CHECK-LABEL: emitc.func @sum(
// CHECK: %[[ACC:.*]] = "emitc.variable"() {{.*}} -> !emitc.lvalue<i32>
// CHECK: for
// CHECK: call_opaque "tiny_add_i32"
// CHECK: assign %{{.*}} to %[[ACC]]
// CHECK: if
uop.func @sum(%in: memref<8xi32>, %out: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %s = uop.for %i to %c8 iter(%acc = %zero) -> (i32) {
    %x = uop.load %in[%i] : memref<8xi32>, i32
    %t = arith.addi %acc, %x : i32
    uop.yield %t : i32
  }
  %positive = arith.cmpi sgt, %s, %zero : i32
  uop.store %s, %out[%c0] if %positive as i1 : i32, memref<1xi32>
  uop.return
}

// The result that nothing uses is not read into a variable behind the loop.

// CHECK-LABEL: emitc.func @unused_result(
// CHECK: for %
// CHECK: {{^    }}}
// CHECK: load %{{.*}} : <f32>
// CHECK-NOT: load
// CHECK: return
uop.func @unused_result(%in: memref<4xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %sums:2 = uop.for %i to %c4 iter(%a = %zero, %b = %zero) -> (f32, f32) {
    %x = uop.load %in[%i] : memref<4xf32>, f32
    %c = arith.addf %a, %x : f32
    %d = arith.mulf %b, %c : f32
    uop.yield %d, %c : f32, f32
  }
  uop.store %sums#1, %out[%c0] : f32, memref<1xf32>
  uop.return
}

// Each lane adds up four products of widened bytes.
// CHECK-LABEL: emitc.func @dot(
// CHECK: for %[[LANE:.*]] = {{.*}} to
// CHECK: %[[TWICE:.*]] = add %[[LANE]], %[[LANE]]
// CHECK: %[[FIRST:.*]] = add %[[TWICE]], %[[TWICE]]
// CHECK-COUNT-4: add %[[FIRST]], %{{.*}}
// CHECK: assign
uop.func @dot(%a: memref<8xi8>, %b: memref<8xi8>, %out: memref<2xi32>) {
  %i = arith.constant 0 : index
  %one = arith.constant dense<1> : vector<2xi32>
  %x = uop.load %a[%i] : memref<8xi8>, vector<8xi8>
  %y = uop.load %b[%i] : memref<8xi8>, vector<8xi8>
  %d = uop.dot %x, %y, %one unsigned_left : vector<8xi8>, vector<2xi32>
  uop.store %d, %out[%i] : vector<2xi32>, memref<2xi32>
  uop.return
}

// A prefetch goes, and with it what its index alone needs.
// CHECK-LABEL: emitc.func @prefetch(
// CHECK-NOT: = add
// CHECK: return
uop.func @prefetch(%in: memref<96xf32>, %out: memref<4xf32>) {
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  uop.for %i to %c4 {
    %ahead = arith.addi %i, %c16 : index
    uop.prefetch %in[%ahead] : memref<96xf32>
    %x = uop.load %in[%i] : memref<96xf32>, f32
    uop.store %x, %out[%i] : f32, memref<4xf32>
  }
  uop.return
}
