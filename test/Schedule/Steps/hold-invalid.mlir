// RUN: tiny-opt %s -split-input-file -verify-diagnostics --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules

// expected-error @+1 {{failed on kernel}}
kernel.func @no_parameter(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {schedule = @schedules::@no_parameter} {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range reduce id(1) extent(256)
  %k = kernel.range loop id(2) extent(256)
  %c256 = arith.constant 256 : index
  %row = arith.muli %i, %c256 : index
  %at = arith.addi %row, %j : index
  %a = kernel.load %x[%at] : memref<1024xf32>
  %sum = kernel.reduce addf (%a) over (%j) : f32
  %to = arith.addi %row, %k : index
  %b = kernel.load %x[%to] : memref<1024xf32>
  %c = arith.subf %b, %sum : f32
  kernel.store %c, %y[%to] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @no_parameter(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{names parameter 2 and 2 axes, but the kernel has 2 parameters}}
    %row = transform.tiny.hold %kernel [2] along [1, 2] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @lengths(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {schedule = @schedules::@lengths} {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range reduce id(1) extent(128)
  %k = kernel.range loop id(2) extent(256)
  %c256 = arith.constant 256 : index
  %row = arith.muli %i, %c256 : index
  %at = arith.addi %row, %j : index
  %a = kernel.load %x[%at] : memref<1024xf32>
  %sum = kernel.reduce addf (%a) over (%j) : f32
  %to = arith.addi %row, %k : index
  %b = kernel.load %x[%to] : memref<1024xf32>
  %c = arith.subf %b, %sum : f32
  kernel.store %c, %y[%to] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @lengths(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 2 has another length than axis 1}}
    %row = transform.tiny.hold %kernel [0] along [1, 2] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @one_load(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {schedule = @schedules::@one_load} {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range reduce id(1) extent(256)
  %k = kernel.range loop id(2) extent(256)
  %c256 = arith.constant 256 : index
  %row = arith.muli %i, %c256 : index
  %at = arith.addi %row, %j : index
  %a = kernel.load %x[%at] : memref<1024xf32>
  %sum = kernel.reduce addf (%a) over (%j) : f32
  %to = arith.addi %row, %k : index
  %b = kernel.load %y[%to] : memref<1024xf32>
  %c = arith.subf %b, %sum : f32
  kernel.store %c, %y[%to] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @one_load(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the buffer is written, too}}
    %row = transform.tiny.hold %kernel [1] along [1, 2] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @other_axes(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {schedule = @schedules::@other_axes} {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range reduce id(1) extent(256)
  %k = kernel.range loop id(2) extent(256)
  %c256 = arith.constant 256 : index
  %row = arith.muli %i, %c256 : index
  %at = arith.addi %row, %j : index
  %a = kernel.load %x[%at] : memref<1024xf32>
  %sum = kernel.reduce addf (%a) over (%j) : f32
  %to = arith.addi %row, %k : index
  %b = kernel.load %x[%to] : memref<1024xf32>
  %c = arith.subf %b, %sum : f32
  kernel.store %c, %y[%to] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @other_axes(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{a load varies along none of the axes}}
    %row = transform.tiny.hold %kernel [0] along [1, 1] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @other_places(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {schedule = @schedules::@other_places} {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range reduce id(1) extent(256)
  %k = kernel.range loop id(2) extent(256)
  %c256 = arith.constant 256 : index
  %row = arith.muli %i, %c256 : index
  %at = arith.addi %row, %j : index
  %a = kernel.load %x[%j] : memref<1024xf32>
  %sum = kernel.reduce addf (%a) over (%j) : f32
  %to = arith.addi %row, %k : index
  %b = kernel.load %x[%to] : memref<1024xf32>
  %c = arith.subf %b, %sum : f32
  kernel.store %c, %y[%to] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @other_places(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{loads differ in more than the axis}}
    %row = transform.tiny.hold %kernel [0] along [1, 2] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
