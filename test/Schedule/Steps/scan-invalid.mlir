// What follows the points of an axis in order stays one loop.
// RUN: tiny-opt %s --kernel-apply-schedules --split-input-file --verify-diagnostics

// expected-error @+1 {{schedule @schedules::@sums failed on kernel 'sums'}}
kernel.func @sums(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@sums} {
  %r = kernel.range loop id(0) extent(4)
  // expected-note @+1 {{the axis}}
  %k = kernel.range loop id(1) extent(8)
  %c8 = arith.constant 8 : index
  %row = arith.muli %r, %c8 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %s = kernel.scan addf (%x) over (%k) : f32
  kernel.store %s, %out[%at] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @sums(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 1 is run through in order by a scan}}
    %o, %i = transform.tiny.split %a by 4 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@sums failed on kernel 'sums'}}
kernel.func @sums(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@sums} {
  %r = kernel.range loop id(0) extent(4)
  %k = kernel.range loop id(1) extent(8)
  %c8 = arith.constant 8 : index
  %row = arith.muli %r, %c8 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %s = kernel.scan addf (%x) over (%k) : f32
  kernel.store %s, %out[%at] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @sums(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %b = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 1 is run through in order by a scan}}
    %m = transform.tiny.merge %a, %b : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@turned failed on kernel 'turned'}}
kernel.func @turned(%in: memref<8xf32>, %out: memref<8xf32>) attributes {schedule = @schedules::@turned} {
  // expected-note @+1 {{the axis}}
  %k = kernel.range loop id(0) extent(8)
  %i = kernel.range loop id(1) extent(8)
  %c7 = arith.constant 7 : index
  %x = kernel.load %in[%k] : memref<8xf32>
  %s = kernel.scan addf (%x) over (%k) : f32
  %t = kernel.stage %s over (%k) local : memref<8xf32>
  %at = arith.subi %c7, %i : index
  %y = kernel.load %t[%at] : memref<8xf32>
  kernel.store %y, %out[%i] : memref<8xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @turned(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{what the tile is filled with needs a scan that varies along axis 0}}
    transform.tiny.unstage %a : (!transform.any_op) -> ()
    transform.yield
  }
}
