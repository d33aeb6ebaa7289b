// RUN: tiny-opt %s -convert-kernel-to-uop -split-input-file | FileCheck %s
// RUN: tiny-opt %s -split-input-file --check-passes -convert-kernel-to-uop -o /dev/null

// Of a reduce's results, one varies along the upcast axis and one does not: a scalar and a vector are carried, and what
// the combiner computes for all lanes stays scalar.
// CHECK-LABEL: uop.func @lanes(
kernel.func @lanes(%x: memref<32xf32>, %w: memref<128xf32>, %out: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %i = kernel.range loop id(0) extent(4)
  %d = kernel.range upcast id(1) extent(4)
  %j = kernel.range reduce id(2) extent(8)
  %0 = arith.muli %i, %c8 : index
  %1 = arith.addi %0, %j : index
  %a = kernel.load %x[%1] : memref<32xf32>
  %2 = arith.muli %1, %c4 : index
  %3 = arith.addi %2, %d : index
  %b = kernel.load %w[%3] : memref<128xf32>
  // CHECK: uop.for
  // CHECK: %[[R:.*]]:2 = uop.for %{{.*}} to %{{.*}} iter(%[[M:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}) -> (f32, vector<4xf32>)
  // CHECK: %[[A:.*]] = uop.load %{{.*}} : memref<32xf32>, f32
  // CHECK: %[[B:.*]] = uop.load %{{.*}} : memref<128xf32>, vector<4xf32>
  // CHECK: %[[L:.*]] = arith.maximumf %[[M]], %[[A]] : f32
  // CHECK: %[[P:.*]] = arith.mulf %[[B]], %{{.*}} : vector<4xf32>
  // CHECK: %[[T:.*]] = arith.addf %[[S]], %[[P]] : vector<4xf32>
  // CHECK: uop.yield %[[L]], %[[T]] : f32, vector<4xf32>
  %r:2 = kernel.reduce (%a, %b) init (%zero, %zero) over (%j) : f32, f32 {
  ^bb0(%m: f32, %s: f32, %u: f32, %v: f32):
    %l = arith.maximumf %m, %u : f32
    %p = arith.mulf %v, %l : f32
    %t = arith.addf %s, %p : f32
    kernel.yield %l, %t : f32, f32
  }
  // CHECK: arith.mulf %[[R]]#1, %{{.*}} : vector<4xf32>
  %o = arith.mulf %r#1, %r#0 : f32
  %4 = arith.muli %i, %c4 : index
  %5 = arith.addi %4, %d : index
  kernel.store %o, %out[%5] : memref<16xf32>
}

// -----

// Copies instead of lanes; the result that varies along fewer axes comes second, and the reduce is over copies, too.
// CHECK-LABEL: uop.func @copies(
kernel.func @copies(%x: memref<2xi32>, %w: memref<6xi32>, %out: memref<3xi32>) {
  %zero = arith.constant 0 : i32
  %c2 = arith.constant 2 : index
  %d = kernel.range unroll id(0) extent(3)
  %j = kernel.range unroll id(1) extent(2)
  %a = kernel.load %x[%j] : memref<2xi32>
  %1 = arith.muli %d, %c2 : index
  %2 = arith.addi %1, %j : index
  %b = kernel.load %w[%2] : memref<6xi32>
  // CHECK-COUNT-2: arith.maxsi
  // CHECK-NOT: arith.maxsi
  %r:2 = kernel.reduce (%b, %a) init (%zero, %zero) over (%j) : i32, i32 {
  ^bb0(%s: i32, %m: i32, %v: i32, %u: i32):
    %l = arith.maxsi %m, %u : i32
    %p = arith.muli %v, %l : i32
    %t = arith.addi %s, %p : i32
    kernel.yield %t, %l : i32, i32
  }
  // CHECK-COUNT-3: uop.store
  %o = arith.subi %r#0, %r#1 : i32
  kernel.store %o, %out[%d] : memref<3xi32>
}
