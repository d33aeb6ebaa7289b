// RUN: tiny-opt %s -split-input-file -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file -check-passes -kernel-apply-schedules -verify-kernel -canonicalize -convert-kernel-to-uop -uop-split-live-loops -o /dev/null

// Lanes behind a size are gated; the loop around them ends where there are none inside.
// CHECK-LABEL: kernel.func @upcast
// CHECK-DAG: %[[S:.*]] = sym.range_of %{{.*}}[0, 32]
// CHECK-DAG: %[[N:.*]] = arith.ceildivsi %[[S]], %c8
// CHECK-DAG: %[[O:.*]] = kernel.range loop id(0) extent(4) order(0) size(%[[N]])
// CHECK-DAG: %[[I:.*]] = kernel.range upcast id(1) extent(8) order(0)
// CHECK-DAG: %[[AT:.*]] = arith.addi %{{.*}}, %[[I]]
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi slt, %[[AT]], %[[S]]
// CHECK-DAG: kernel.load %arg0[%[[AT]]] if %[[INSIDE]]
// CHECK-DAG: kernel.store %{{.*}}, %arg2[%[[AT]]] if %[[INSIDE]]
kernel.func @upcast(%in: memref<32xf32>, %sizes: memref<1xi64>, %out: memref<32xf32>) attributes {schedule = @schedules::@upcast} {
  %c0 = arith.constant 0 : index
  %c33 = arith.constant 33 : index
  %read = kernel.load %sizes[%c0] : memref<1xi64>
  %any = arith.index_cast %read : i64 to index
  %n = sym.mod %any, %c33 : index
  %s = sym.range_of %n [0, 32] : index
  %i = kernel.range loop id(0) extent(32) size(%s)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @upcast(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 8 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Threads share the points that there are: each has a size of its own and no gates.
// CHECK-LABEL: kernel.func @thread
// CHECK-DAG: %[[S:.*]] = sym.range_of %{{.*}}[0, 32]
// CHECK-DAG: %[[T:.*]] = kernel.range thread id(0) extent(4) order(0)
// CHECK-DAG: %[[Q:.*]] = arith.ceildivsi %[[S]], %c4
// CHECK-DAG: %[[BEGIN:.*]] = arith.muli %[[T]], %[[Q]]
// CHECK-DAG: %[[LEFT:.*]] = arith.subi %[[S]], %[[BEGIN]]
// CHECK-DAG: %[[MIN:.*]] = arith.minsi %[[Q]], %[[LEFT]]
// CHECK-DAG: %[[OWN:.*]] = arith.maxsi %[[MIN]], %c0
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(1) extent(8) order(0) size(%[[OWN]])
// CHECK-DAG: %[[AT:.*]] = arith.addi %{{.*}}, %[[I]]
// CHECK-DAG: kernel.store %{{.*}}, %arg2[%[[AT]]] : memref
kernel.func @thread(%in: memref<32xf32>, %sizes: memref<1xi64>, %out: memref<32xf32>) attributes {schedule = @schedules::@thread} {
  %c0 = arith.constant 0 : index
  %c33 = arith.constant 33 : index
  %read = kernel.load %sizes[%c0] : memref<1xi64>
  %any = arith.index_cast %read : i64 to index
  %n = sym.mod %any, %c33 : index
  %s = sym.range_of %n [0, 32] : index
  %i = kernel.range loop id(0) extent(32) size(%s)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @thread(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 4 as thread : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Threads of one point each have gates: a loop of one point would have an index that is always 0, and leave with it.
// CHECK-LABEL: kernel.func @thread_each
// CHECK: %[[T:.*]] = kernel.range thread id(0) extent(4)
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[T]], %{{.*}} : index
// CHECK: kernel.store %{{.*}}, %arg2[%[[T]]] if %[[INSIDE]] : memref
kernel.func @thread_each(%in: memref<4xf32>, %sizes: memref<1xi64>, %out: memref<4xf32>) attributes {schedule = @schedules::@thread_each} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %read = kernel.load %sizes[%c0] : memref<1xi64>
  %any = arith.index_cast %read : i64 to index
  %n = sym.mod %any, %c5 : index
  %s = sym.range_of %n [0, 4] : index
  %i = kernel.range loop id(0) extent(4) size(%s)
  %x = kernel.load %in[%i] : memref<4xf32>
  kernel.store %x, %out[%i] : memref<4xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @thread_each(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 4 as thread : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A sum takes -0 behind the size, a maximum -inf.
// CHECK-LABEL: kernel.func @sum
// CHECK-DAG: %[[I:.*]] = kernel.range unroll id(1) extent(4)
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK-DAG: arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : f32
// CHECK-DAG: kernel.reduce addf
kernel.func @sum(%in: memref<32xf32>, %sizes: memref<1xi64>, %out: memref<1xf32>) attributes {schedule = @schedules::@sum} {
  %c0 = arith.constant 0 : index
  %c33 = arith.constant 33 : index
  %read = kernel.load %sizes[%c0] : memref<1xi64>
  %any = arith.index_cast %read : i64 to index
  %n = sym.mod %any, %c33 : index
  %s = sym.range_of %n [0, 32] : index
  %i = kernel.range reduce id(0) extent(32) size(%s)
  %x = kernel.load %in[%i] : memref<32xf32>
  %y = kernel.reduce addf (%x) over (%i) : f32
  kernel.store %y, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @sum(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 4 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A longer axis ends where it did: no gates, though its last points would lie behind the buffers' end.
// CHECK-LABEL: kernel.func @pad
// CHECK: kernel.range loop id(0) extent(16) size(
// CHECK: kernel.load %arg0[%{{.*}}] : memref<10xf32>
// CHECK: kernel.store %{{.*}}, %arg2[%{{.*}}] : memref<10xf32>
kernel.func @pad(%in: memref<10xf32>, %sizes: memref<1xi64>, %out: memref<10xf32>) attributes {schedule = @schedules::@pad} {
  %c0 = arith.constant 0 : index
  %c11 = arith.constant 11 : index
  %read = kernel.load %sizes[%c0] : memref<1xi64>
  %any = arith.index_cast %read : i64 to index
  %n = sym.mod %any, %c11 : index
  %s = sym.range_of %n [0, 10] : index
  %i = kernel.range loop id(0) extent(10) size(%s)
  %x = kernel.load %in[%i] : memref<10xf32>
  kernel.store %x, %out[%i] : memref<10xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @pad(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %padded = transform.tiny.pad_to %axis multiple 8 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
