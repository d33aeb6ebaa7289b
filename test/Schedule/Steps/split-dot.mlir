// The innermost four points of a sum of products of bytes become a range of kind dot, or a reason says why not.
// RUN: tiny-opt %s -split-input-file -kernel-apply-schedules -verify-diagnostics | FileCheck %s

// CHECK-LABEL: kernel.func @split
// CHECK-DAG: kernel.range reduce id(0) extent(8) order(0)
// CHECK-DAG: kernel.range dot id(1) extent(4) order(0)
kernel.func @split(%a: memref<32xi8>, %b: memref<32xi8>, %out: memref<1xi32>) attributes {schedule = @schedules::@dot} {
  %zero = arith.constant 0 : index
  %k = kernel.range reduce id(0) extent(32)
  %x = kernel.load %a[%k] : memref<32xi8>
  %xw = arith.extsi %x : i8 to i32
  %y = kernel.load %b[%k] : memref<32xi8>
  %yw = arith.extui %y : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %s = kernel.reduce addi (%p) over (%k) : i32
  kernel.store %s, %out[%zero] : memref<1xi32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @dot(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 4 as dot : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @below {{schedule @schedules::@dot failed on kernel 'factor'}}
kernel.func @factor(%a: memref<32xi8>, %out: memref<1xi32>) attributes {schedule = @schedules::@dot} {
  %zero = arith.constant 0 : index
  // expected-note @below {{the axis}}
  %k = kernel.range reduce id(0) extent(32)
  %x = kernel.load %a[%k] : memref<32xi8>
  %xw = arith.extsi %x : i8 to i32
  %p = arith.muli %xw, %xw : i32
  %s = kernel.reduce addi (%p) over (%k) : i32
  kernel.store %s, %out[%zero] : memref<1xi32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @dot(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{an instruction multiplies 4 bytes, got 8}}
    %outer, %inner = transform.tiny.split %axis by 8 as dot : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @below {{schedule @schedules::@dot failed on kernel 'free'}}
kernel.func @free(%a: memref<32xi8>, %out: memref<32xi8>) attributes {schedule = @schedules::@dot} {
  // expected-note @below {{the axis}}
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %a[%i] : memref<32xi8>
  kernel.store %x, %out[%i] : memref<32xi8>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @dot(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{kind 'dot' does not fit axis 0, which is free}}
    %outer, %inner = transform.tiny.split %axis by 4 as dot : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @below {{schedule @schedules::@dot failed on kernel 'rows'}}
kernel.func @rows(%a: memref<64xi8>, %out: memref<1xi32>) attributes {schedule = @schedules::@dot} {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  // expected-note @below {{the axis}}
  %k = kernel.range reduce id(0) extent(32)
  %i = arith.muli %k, %two : index
  %x = kernel.load %a[%i] : memref<64xi8>
  %xw = arith.extsi %x : i8 to i32
  %p = arith.muli %xw, %xw : i32
  %s = kernel.reduce addi (%p) over (%k) : i32
  kernel.store %s, %out[%zero] : memref<1xi32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @dot(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{a load does not move along axis 0 by one element, or is gated by it}}
    %outer, %inner = transform.tiny.split %axis by 4 as dot : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @below {{schedule @schedules::@dot failed on kernel 'tile'}}
kernel.func @tile(%a: memref<32xi8>, %out: memref<8xi32>) attributes {schedule = @schedules::@dot} {
  %c4 = arith.constant 4 : index
  %j = kernel.range loop id(1) extent(8)
  // expected-note @below {{the axis}}
  %k = kernel.range reduce id(0) extent(4)
  %f = kernel.range loop id(2) extent(8)
  %f4 = arith.muli %f, %c4 : index
  %fk = arith.addi %f4, %k : index
  %from = kernel.load %a[%fk] : memref<32xi8>
  %tile = kernel.stage %from over (%f) register : memref<8xi8>
  %x = kernel.load %tile[%j] : memref<8xi8>
  %xw = arith.extsi %x : i8 to i32
  %p = arith.muli %xw, %xw : i32
  %s = kernel.reduce addi (%p) over (%k) : i32
  kernel.store %s, %out[%j] : memref<8xi32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @dot(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{axis 0 is not only summed up}}
    %outer, %inner = transform.tiny.split %axis by 4 as dot : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
