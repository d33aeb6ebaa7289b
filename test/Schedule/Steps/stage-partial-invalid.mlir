// RUN: tiny-opt %s -split-input-file -verify-diagnostics -kernel-apply-schedules

// No such axis.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{kernel 'product' has no axis 7}}
    %sums = transform.tiny.stage_partial %kernel [7] over [0, 1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A free axis is not reduced.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 0 is not that of one reduction}}
    %sums = transform.tiny.stage_partial %kernel [0] over [1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// There is nothing inside of a block.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 2 is all that the reduction is over: there is nothing to combine in a block}}
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Blocks are a loop.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %ko, %ki = transform.tiny.split %k by 8 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %again = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %none, %all = transform.tiny.split %again by 0 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @+1 {{axis 2 is of kind 'upcast'; expected reduce}}
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The tile is over free axes.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %ko, %ki = transform.tiny.split %k by 8 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @+1 {{axis 3 is reduced with axis 2; expected a free one}}
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 3] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The reasons of a stage hold here, too.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %ko, %ki = transform.tiny.split %k by 8 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @+1 {{axis 0 is named twice}}
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 1, 0] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The order must be kept.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) fastmath<none> : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %ko, %ki = transform.tiny.split %k by 8 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @+1 {{the reduction's flags keep the order of its elements}}
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A region starts from values of its own, which each block would add.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %zero = arith.constant 0.0 : f32
  %s = kernel.reduce (%p) init (%zero) over (%k) associative commutative : f32 {
  ^bb0(%l: f32, %r: f32):
    %lr = arith.addf %l, %r : f32
    kernel.yield %lr : f32
  }
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %ko, %ki = transform.tiny.split %k by 8 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @+1 {{the reduction over axis 2 has a region and no kind}}
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The loop over a block would stand in the tile and elsewhere.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %o = kernel.range reduce id(2) extent(4)
  %within = kernel.range reduce id(3) extent(8)
  %c8 = arith.constant 8 : index
  %o8 = arith.muli %o, %c8 : index
  %k = arith.addi %o8, %within : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%o, %within) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  %z = kernel.load %a[%within] : memref<256xf32>
  %t = kernel.reduce addf (%z) over (%within) : f32
  %st = arith.addf %s, %t : f32
  kernel.store %st, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 3 is that of another reduction, too}}
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// There would be no tile.
// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{a tile is over at least one axis}}
    %sums = transform.tiny.stage_partial %kernel [2] over [] local accumulates : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
