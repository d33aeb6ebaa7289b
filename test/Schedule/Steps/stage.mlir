// RUN: tiny-opt %s -split-input-file -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// A tile over ranges of its own, with the function of the one operand inside; the product, which varies over more, is not.
// CHECK-LABEL: kernel.func @product
// CHECK-DAG: %[[K:.*]] = kernel.range reduce id(2) extent(8)
// CHECK-DAG: %[[TK:.*]] = kernel.range loop id(3) extent(8) order(0)
// CHECK-DAG: %[[TI:.*]] = kernel.range loop id(4) extent(5) order(1)
// CHECK-DAG: %[[X:.*]] = kernel.load %arg0[
// CHECK-DAG: %[[RELU:.*]] = arith.maximumf %[[X]]
// CHECK: %[[TILE:.*]] = kernel.stage %[[RELU]] over (%[[TK]], %[[TI]]) local : memref<40xf32>
// CHECK: %[[STAGED:.*]] = kernel.load %[[TILE]]
// CHECK: arith.mulf %[[STAGED]]
kernel.func @product(%a: memref<40xf32>, %b: memref<48xf32>, %out: memref<30xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(5)
  %j = kernel.range loop id(1) extent(6)
  %k = kernel.range reduce id(2) extent(8)
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %a[%ik] : memref<40xf32>
  %relu = arith.maximumf %x, %zero : f32
  %k6 = arith.muli %k, %c6 : index
  %kj = arith.addi %k6, %j : index
  %y = kernel.load %b[%kj] : memref<48xf32>
  %p = arith.mulf %relu, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %tile = transform.tiny.stage %kernel argument 0 over [2, 0] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Each read of a buffer that varies along the axes has a tile of its own; what else is read of it stays.
// CHECK-LABEL: kernel.func @reads
// CHECK-DAG: kernel.stage %{{.*}} over (%{{.*}}, %{{.*}}) local : memref<48xf32>
// CHECK-DAG: kernel.stage %{{.*}} over (%{{.*}}, %{{.*}}) local : memref<48xf32>
// CHECK-NOT: kernel.stage
kernel.func @reads(%a: memref<96xf32>, %out: memref<6xf32>) attributes {schedule = @schedules::@reads} {
  %j = kernel.range loop id(0) extent(6)
  %k = kernel.range reduce id(1) extent(8)
  %c12 = arith.constant 12 : index
  %c6 = arith.constant 6 : index
  %k12 = arith.muli %k, %c12 : index
  %kj = arith.addi %k12, %j : index
  %kj6 = arith.addi %kj, %c6 : index
  %x = kernel.load %a[%kj] : memref<96xf32>
  %y = kernel.load %a[%kj6] : memref<96xf32>
  %z = kernel.load %a[%j] : memref<96xf32>
  %p = kernel.reduce addf (%x) over (%k) : f32
  %q = kernel.reduce addf (%y) over (%k) : f32
  %pq = arith.mulf %p, %q : f32
  %s = arith.addf %pq, %z : f32
  kernel.store %s, %out[%j] : memref<6xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @reads(%kernel: !transform.any_op {transform.readonly}) {
    %tiles = transform.tiny.stage %kernel argument 0 over [1, 0] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// What is not listed is outer: the tile is filled for each iteration of it.
// CHECK-LABEL: kernel.func @product
// CHECK: kernel.stage %{{.*}} over (%{{.*}}) register : memref<8xf32>
kernel.func @product(%a: memref<40xf32>, %b: memref<48xf32>, %out: memref<30xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(5)
  %j = kernel.range loop id(1) extent(6)
  %k = kernel.range reduce id(2) extent(8)
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %a[%ik] : memref<40xf32>
  %relu = arith.maximumf %x, %zero : f32
  %k6 = arith.muli %k, %c6 : index
  %kj = arith.addi %k6, %j : index
  %y = kernel.load %b[%kj] : memref<48xf32>
  %p = arith.mulf %relu, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %tile = transform.tiny.stage %kernel argument 0 over [2] register : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The axes of a tile can be split, into what an axis of a tile can be.
// CHECK-LABEL: kernel.func @product
// CHECK: kernel.stage %{{.*}} over (%{{.*}}, %{{.*}}, %{{.*}}) local : memref<48xf32>
kernel.func @product(%a: memref<40xf32>, %b: memref<48xf32>, %out: memref<30xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(5)
  %j = kernel.range loop id(1) extent(6)
  %k = kernel.range reduce id(2) extent(8)
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %a[%ik] : memref<40xf32>
  %relu = arith.maximumf %x, %zero : f32
  %k6 = arith.muli %k, %c6 : index
  %kj = arith.addi %k6, %j : index
  %y = kernel.load %b[%kj] : memref<48xf32>
  %p = arith.mulf %relu, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %tile = transform.tiny.stage %kernel argument 1 over [2, 1] local : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [4] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %j by 2 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
