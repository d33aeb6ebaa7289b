// RUN: tiny-opt %s -split-input-file -verify-diagnostics -kernel-apply-schedules

// expected-error @+1 {{failed on kernel}}
kernel.func @fills_nothing(%in: memref<24xf32>, %out: memref<24xf32>) attributes {schedule = @schedules::@fills_nothing} {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range loop id(1) extent(6)
  %c6 = arith.constant 6 : index
  %row = arith.muli %i, %c6 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<24xf32>
  kernel.store %x, %out[%at] : memref<24xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @fills_nothing(%kernel: !transform.any_op {transform.readonly}) {
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 1 fills no tile}}
    %r = transform.tiny.widen_stage %j, %i : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @reduced(%in: memref<24xf32>, %out: memref<4xf32>) attributes {schedule = @schedules::@reduced} {
  %i = kernel.range loop id(0) extent(4)
  %c = kernel.range loop id(1) extent(6)
  %j = kernel.range reduce id(2) extent(6)
  %c6 = arith.constant 6 : index
  %row = arith.muli %i, %c6 : index
  %at = arith.addi %row, %c : index
  %x = kernel.load %in[%at] : memref<24xf32>
  %t = kernel.stage %x over (%c) local : memref<6xf32>
  %y = kernel.load %t[%j] : memref<6xf32>
  %s = kernel.reduce addf (%y) over (%j) : f32
  kernel.store %s, %out[%i] : memref<4xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @reduced(%kernel: !transform.any_op {transform.readonly}) {
    %c = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 2 is no free loop}}
    %r = transform.tiny.widen_stage %c, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @still(%in: memref<6xf32>, %out: memref<24xf32>) attributes {schedule = @schedules::@still} {
  %i = kernel.range loop id(0) extent(4)
  %c = kernel.range loop id(1) extent(6)
  %j = kernel.range loop id(2) extent(6)
  %c6 = arith.constant 6 : index
  %row = arith.muli %i, %c6 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%c] : memref<6xf32>
  %t = kernel.stage %x over (%c) local : memref<6xf32>
  %y = kernel.load %t[%j] : memref<6xf32>
  kernel.store %y, %out[%at] : memref<24xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @still(%kernel: !transform.any_op {transform.readonly}) {
    %c = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{the tile does not vary along axis 0}}
    %r = transform.tiny.widen_stage %c, %i : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @large(%in: memref<4294967296xf32>, %out: memref<4294967296xf32>) attributes {schedule = @schedules::@large} {
  %i = kernel.range loop id(0) extent(65536)
  %c = kernel.range loop id(1) extent(65536)
  %j = kernel.range loop id(2) extent(65536)
  %n = arith.constant 65536 : index
  %row = arith.muli %i, %n : index
  %from = arith.addi %row, %c : index
  %to = arith.addi %row, %j : index
  %x = kernel.load %in[%from] : memref<4294967296xf32>
  %t = kernel.stage %x over (%c) local : memref<65536xf32>
  %y = kernel.load %t[%j] : memref<65536xf32>
  kernel.store %y, %out[%to] : memref<4294967296xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @large(%kernel: !transform.any_op {transform.readonly}) {
    %c = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{the tile would have 2^31 elements or more}}
    %r = transform.tiny.widen_stage %c, %i : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @longer(%in: memref<6xf32>, %out: memref<6xf32>) attributes {schedule = @schedules::@longer} {
  %c = kernel.range loop id(1) extent(6)
  %j = kernel.range loop id(2) extent(6)
  %x = kernel.load %in[%c] : memref<6xf32>
  %t = kernel.stage %x over (%c) local : memref<6xf32>
  %y = kernel.load %t[%j] : memref<6xf32>
  kernel.store %y, %out[%j] : memref<6xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @longer(%kernel: !transform.any_op {transform.readonly}) {
    %c = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %twice = transform.tiny.pad_to %c multiple 1500000000 : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{the tile would have 2^31 elements or more}}
    %p = transform.tiny.pad_to %twice multiple 1400000000 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @tiles(%in: memref<24xf32>, %out: memref<24xf32>) attributes {schedule = @schedules::@tiles} {
  %i = kernel.range loop id(0) extent(4)
  %c = kernel.range loop id(1) extent(6)
  %d = kernel.range loop id(2) extent(6)
  %j = kernel.range loop id(3) extent(6)
  %c6 = arith.constant 6 : index
  %row = arith.muli %i, %c6 : index
  %from = arith.addi %row, %c : index
  %to = arith.addi %row, %j : index
  %x = kernel.load %in[%from] : memref<24xf32>
  %t = kernel.stage %x over (%c) local : memref<6xf32>
  %y = kernel.load %t[%d] : memref<6xf32>
  %e = math.exp %y : f32
  %u = kernel.stage %e over (%d) local : memref<6xf32>
  %z = kernel.load %u[%j] : memref<6xf32>
  kernel.store %z, %out[%to] : memref<24xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @tiles(%kernel: !transform.any_op {transform.readonly}) {
    %d = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{another tile that varies along axis 0 takes part}}
    %r = transform.tiny.widen_stage %d, %i : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @besides(%in: memref<32xf32>, %out: memref<24xf32>) attributes {schedule = @schedules::@besides} {
  %i = kernel.range loop id(0) extent(4)
  %c = kernel.range loop id(1) extent(6)
  %j = kernel.range loop id(2) extent(6)
  %k = kernel.range reduce id(3) extent(8)
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %in[%ik] : memref<32xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  %number = arith.index_cast %c : index to i32
  %f = arith.sitofp %number : i32 to f32
  %v = arith.mulf %s, %f : f32
  %t = kernel.stage %v over (%c) local : memref<6xf32>
  %y = kernel.load %t[%j] : memref<6xf32>
  %z = arith.addf %y, %s : f32
  %row = arith.muli %i, %c6 : index
  %to = arith.addi %row, %j : index
  kernel.store %z, %out[%to] : memref<24xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @besides(%kernel: !transform.any_op {transform.readonly}) {
    %c = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a reduction or a scan that varies along axis 0 is used besides}}
    %r = transform.tiny.widen_stage %c, %i : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
