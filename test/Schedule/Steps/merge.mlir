// RUN: tiny-opt %s -split-input-file -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file -check-passes -kernel-apply-schedules -verify-kernel -canonicalize -convert-kernel-to-uop -o /dev/null

// Accesses take the merged axis as their index; the gate takes a part of it.
// CHECK-LABEL: kernel.func @product
// CHECK: %[[M:.*]] = kernel.range loop id(0) extent(96)
// CHECK-NOT: kernel.range
// CHECK-DAG: %[[J:.*]] = sym.mod %[[M]], %c24
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi slt, %[[J]], %c3
// CHECK-DAG: kernel.load %arg0[%[[M]]] if %[[INSIDE]]
// CHECK-DAG: kernel.store %{{.*}}, %arg1[%[[M]]]
kernel.func @product(%in: memref<96xf32>, %out: memref<96xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range loop id(1) extent(24)
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %zero = arith.constant 0.0 : f32
  %row = arith.muli %i, %c24 : index
  %at = arith.addi %row, %j : index
  %inside = arith.cmpi slt, %j, %c3 : index
  %x = kernel.load %in[%at] if %inside : memref<96xf32>
  %y = arith.select %inside, %x, %zero : f32
  kernel.store %y, %out[%at] : memref<96xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %m = transform.tiny.merge %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A reduction that may combine in any order is over the merged axis.
// CHECK-LABEL: kernel.func @product
// CHECK: %[[M:.*]] = kernel.range reduce id(0) extent(96)
// CHECK: %[[X:.*]] = kernel.load %arg0[%[[M]]]
// CHECK: kernel.reduce addf (%[[X]]) over (%[[M]])
kernel.func @product(%in: memref<96xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range reduce id(0) extent(4)
  %j = kernel.range reduce id(1) extent(24)
  %c0 = arith.constant 0 : index
  %c24 = arith.constant 24 : index
  %row = arith.muli %i, %c24 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<96xf32>
  %s = kernel.reduce addf (%x) over (%i, %j) : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %m = transform.tiny.merge %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// What walks the two apart, here the picture that a window of stride 2 reads, takes the merged axis apart.
// CHECK-LABEL: kernel.func @product
// CHECK: %[[M:.*]] = kernel.range loop id(0) extent(12)
// CHECK-DAG: %[[I:.*]] = arith.floordivsi %[[M]], %c4
// CHECK-DAG: %[[J:.*]] = sym.mod %[[M]], %c4
// CHECK-DAG: arith.muli %[[I]], %c16
// CHECK-DAG: arith.muli %[[J]], %c2
// CHECK-DAG: kernel.store %{{.*}}, %arg1[%[[M]]]
kernel.func @product(%in: memref<48xf32>, %out: memref<12xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(3)
  %j = kernel.range loop id(1) extent(4)
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %j2 = arith.muli %j, %c2 : index
  %from = arith.addi %i16, %j2 : index
  %x = kernel.load %in[%from] : memref<48xf32>
  %i4 = arith.muli %i, %c4 : index
  %to = arith.addi %i4, %j : index
  kernel.store %x, %out[%to] : memref<12xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %m = transform.tiny.merge %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A load that nothing reads, and that walks only one of the two, stays within its buffer.
// CHECK-LABEL: kernel.func @product
// CHECK: kernel.range loop id(0) extent(12)
kernel.func @product(%in: memref<4xf32>, %out: memref<12xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(3)
  %j = kernel.range loop id(1) extent(4)
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %unread = kernel.load %in[%j] : memref<4xf32>
  %i4 = arith.muli %i, %c4 : index
  %to = arith.addi %i4, %j : index
  kernel.store %one, %out[%to] : memref<12xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %m = transform.tiny.merge %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
