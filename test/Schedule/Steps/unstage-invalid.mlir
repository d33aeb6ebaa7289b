// RUN: tiny-opt %s -split-input-file -verify-diagnostics --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules

// expected-error @+1 {{failed on kernel 'nothing'}}
kernel.func @nothing(%in: memref<24xf32>, %out: memref<24xf32>) attributes {schedule = @schedules::@nothing} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(24)
  %x = kernel.load %in[%i] : memref<24xf32>
  kernel.store %x, %out[%i] : memref<24xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @nothing(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 0 fills no tile}}
    transform.tiny.unstage %a : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel 'twice'}}
kernel.func @twice(%in: memref<24xf32>, %out: memref<24xf32>) attributes {schedule = @schedules::@twice} {
  // expected-note @+1 {{the axis}}
  %f = kernel.range loop id(1) extent(24)
  %i = kernel.range loop id(0) extent(24)
  %x = kernel.load %in[%f] : memref<24xf32>
  %e = math.exp %x : f32
  %s = kernel.stage %x over (%f) local : memref<24xf32>
  %t = kernel.stage %e over (%f) local : memref<24xf32>
  %a = kernel.load %s[%i] : memref<24xf32>
  %b = kernel.load %t[%i] : memref<24xf32>
  %y = arith.addf %a, %b : f32
  kernel.store %y, %out[%i] : memref<24xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @twice(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 1 fills another tile, too}}
    transform.tiny.unstage %a : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel 'gated'}}
kernel.func @gated(%in: memref<24xf32>, %out: memref<24xf32>) attributes {schedule = @schedules::@gated} {
  // expected-note @+1 {{the axis}}
  %f = kernel.range loop id(1) extent(24)
  %i = kernel.range loop id(0) extent(24)
  %c12 = arith.constant 12 : index
  %x = kernel.load %in[%f] : memref<24xf32>
  %t = kernel.stage %x over (%f) local : memref<24xf32>
  %g = arith.cmpi slt, %i, %c12 : index
  %y = kernel.load %t[%i] if %g : memref<24xf32>
  kernel.store %y, %out[%i] : memref<24xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @gated(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a read of the tile has a gate}}
    transform.tiny.unstage %a : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel 'sums'}}
kernel.func @sums(%in: memref<96xf32>, %out: memref<24xf32>) attributes {schedule = @schedules::@sums} {
  // expected-note @+1 {{the axis}}
  %f = kernel.range loop id(1) extent(24)
  %i = kernel.range loop id(0) extent(24)
  %k = kernel.range reduce id(2) extent(4)
  %c4 = arith.constant 4 : index
  %row = arith.muli %f, %c4 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<96xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  %t = kernel.stage %s over (%f) local : memref<24xf32>
  %y = kernel.load %t[%i] : memref<24xf32>
  kernel.store %y, %out[%i] : memref<24xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @sums(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{what the tile is filled with needs a reduction that varies along axis 1}}
    transform.tiny.unstage %a : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// Rows behind the end of the matrix are filled with 0.
// expected-error @+1 {{failed on kernel 'padded'}}
kernel.func @padded(%a: memref<640xf16>, %b: memref<256xf16>, %c: memref<320xf32>) attributes {schedule = @schedules::@padded} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(20)
  %j = kernel.range loop id(1) extent(8)
  %k = kernel.range reduce id(2) extent(32)
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i32 = arith.muli %i, %c32 : index
  %ik = arith.addi %i32, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<640xf16>
  %y = kernel.load %b[%kj] : memref<256xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<320xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @padded(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [16, 8, 16] subgroups [1, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %a = transform.tiny.axis %kernel [5] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{subgroups read matrices as they lie, and what the tile is filled with is computed}}
    transform.tiny.unstage %a : (!transform.any_op) -> ()
    transform.yield
  }
}
