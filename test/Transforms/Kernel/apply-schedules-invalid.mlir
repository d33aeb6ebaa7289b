// RUN: tiny-opt %s -split-input-file -verify-diagnostics -kernel-apply-schedules

// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{factor 5 does not divide the extent 32 of axis 0}}
    %outer, %inner = transform.tiny.split %axis by 5 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{factor -2 is negative}}
    %outer, %inner = transform.tiny.split %axis by -2 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{kind 'reduce' does not fit axis 0, which is free}}
    %outer, %inner = transform.tiny.split %axis by 4 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{kernel 'k' has no axis 7}}
    %axis = transform.tiny.axis %kernel [7] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// An outer reduced axis can't go innermost without a change of order.
// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@k} {
  %zero = arith.constant 0 : index
  // expected-note @+1 {{the axis}}
  %j = kernel.range reduce id(0) extent(4)
  %k = kernel.range reduce id(1) extent(8)
  %c8 = arith.constant 8 : index
  %row = arith.muli %j, %c8 : index
  %i = arith.addi %row, %k : index
  %x = kernel.load %in[%i] : memref<32xf32>
  %s = kernel.reduce addf (%x) over (%j, %k) fastmath<none> : f32
  kernel.store %s, %out[%zero] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{splitting axis 0 would reassociate a reduction that does not allow it}}
    %outer, %inner = transform.tiny.split %axis by 2 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{names the schedule @schedules::@missing, which is no transform.named_sequence}}
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@missing} {
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
}

// -----

kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  // expected-error @+1 {{expected a body with one argument, the kernel, and no results}}
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}, %other: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// -----

// Handles of the wrong kind of operation.
// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a kernel.func, got 'kernel.range'}}
    %again = transform.tiny.axis %axis [0] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.consumed}) {
    // expected-error @+1 {{expected a kernel.range, got 'kernel.func'}}
    %outer, %inner = transform.tiny.split %kernel by 2 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
