// RUN: tiny-opt %s -split-input-file -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// CHECK-LABEL: kernel.func @product
// CHECK-DAG: kernel.range loop id(0) extent(5) order(1)
// CHECK-DAG: kernel.range loop id(1) extent(6) order(0)
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
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    transform.tiny.swap %i, %j : (!transform.any_op, !transform.any_op) -> ()
    transform.yield
  }
}

// -----

// Parts of one axis have one order; they change places too.
// CHECK-LABEL: kernel.func @product
// CHECK-DAG: kernel.range loop id(0) extent(5) order(0)
// CHECK-DAG: kernel.range loop id(1) extent(3) order(2)
// CHECK-DAG: kernel.range loop id(3) extent(2) order(1)
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
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %j by 2 as loop : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.tiny.swap %outer, %inner : (!transform.any_op, !transform.any_op) -> ()
    transform.yield
  }
}
