// RUN: tiny-opt %s -split-input-file -verify-diagnostics -kernel-apply-schedules

// A loop is no block.
// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@k} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-note @+1 {{the axis}}
  %b = kernel.range reduce id(0) extent(8)
  %j = kernel.range upcast id(1) extent(4)
  %row = arith.muli %b, %c4 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %r:2 = kernel.reduce (%x, %one) init (%lowest, %zero) over (%b, %j) : f32, f32 {
  ^bb0(%m1: f32, %s1: f32, %m2: f32, %s2: f32):
    %unit = arith.constant 1.0 : f32
    %m = arith.maximumf %m1, %m2 : f32
    %difference = arith.subf %m1, %m2 : f32
    %distance = math.absf %difference : f32
    %negative = arith.negf %distance : f32
    %e = math.exp %negative : f32
    %first = arith.cmpf oge, %m1, %m2 : f32
    %f = arith.select %first, %unit, %e : f32
    %second = arith.cmpf ole, %m1, %m2 : f32
    %g = arith.select %second, %unit, %e : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %s2, %g : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %s : f32, f32
  }
  kernel.store %r#1, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 0 is of kind 'reduce'; expected upcast or unroll}}
    transform.tiny.block_reduce %axis : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// The sum's factor for the larger maximum is not 1.
// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@k} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %b = kernel.range reduce id(0) extent(8)
  // expected-note @+1 {{the axis}}
  %j = kernel.range upcast id(1) extent(4)
  %row = arith.muli %b, %c4 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %r:2 = kernel.reduce (%x, %one) init (%lowest, %zero) over (%b, %j) : f32, f32 {
  ^bb0(%m1: f32, %s1: f32, %m2: f32, %s2: f32):
    %unit = arith.constant 1.0 : f32
    %m = arith.maximumf %m1, %m2 : f32
    %difference = arith.subf %m1, %m2 : f32
    %distance = math.absf %difference : f32
    %negative = arith.negf %distance : f32
    %e = math.exp %negative : f32
    %first = arith.cmpf oge, %m1, %m2 : f32
    %f = arith.select %first, %e, %e : f32
    %second = arith.cmpf ole, %m1, %m2 : f32
    %g = arith.select %second, %unit, %e : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %s2, %g : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %s : f32, f32
  }
  kernel.store %r#1, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 1 is not that of one reduction of a maximum and of sums relative to it}}
    transform.tiny.block_reduce %axis : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// Blocks of what?
// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@k} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-note @+1 {{the axis}}
  %j = kernel.range upcast id(1) extent(4)
  %at = arith.addi %j, %c0 : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %r:2 = kernel.reduce (%x, %one) init (%lowest, %zero) over (%j) : f32, f32 {
  ^bb0(%m1: f32, %s1: f32, %m2: f32, %s2: f32):
    %unit = arith.constant 1.0 : f32
    %m = arith.maximumf %m1, %m2 : f32
    %difference = arith.subf %m1, %m2 : f32
    %distance = math.absf %difference : f32
    %negative = arith.negf %distance : f32
    %e = math.exp %negative : f32
    %first = arith.cmpf oge, %m1, %m2 : f32
    %f = arith.select %first, %unit, %e : f32
    %second = arith.cmpf ole, %m1, %m2 : f32
    %g = arith.select %second, %unit, %e : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %s2, %g : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %s : f32, f32
  }
  kernel.store %r#1, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 1 is all that the reduction is over: there is one block}}
    transform.tiny.block_reduce %axis : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// The elements come one after the other.
// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@k} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %b = kernel.range reduce id(0) extent(8)
  // expected-note @+1 {{the axis}}
  %j = kernel.range upcast id(1) extent(4)
  %row = arith.muli %b, %c4 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %r:2 = kernel.reduce (%x, %one) init (%lowest, %zero) over (%b, %j) fastmath<none> : f32, f32 {
  ^bb0(%m1: f32, %s1: f32, %m2: f32, %s2: f32):
    %unit = arith.constant 1.0 : f32
    %m = arith.maximumf %m1, %m2 : f32
    %difference = arith.subf %m1, %m2 : f32
    %distance = math.absf %difference : f32
    %negative = arith.negf %distance : f32
    %e = math.exp %negative : f32
    %first = arith.cmpf oge, %m1, %m2 : f32
    %f = arith.select %first, %unit, %e : f32
    %second = arith.cmpf ole, %m1, %m2 : f32
    %g = arith.select %second, %unit, %e : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %s2, %g : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %s : f32, f32
  }
  kernel.store %r#1, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{the reduction's flags keep the order of its elements}}
    transform.tiny.block_reduce %axis : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// One element for all of a block.
// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@k} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %b = kernel.range reduce id(0) extent(8)
  // expected-note @+1 {{the axis}}
  %j = kernel.range upcast id(1) extent(4)
  %at = arith.addi %b, %c0 : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %r:2 = kernel.reduce (%x, %one) init (%lowest, %zero) over (%b, %j) : f32, f32 {
  ^bb0(%m1: f32, %s1: f32, %m2: f32, %s2: f32):
    %unit = arith.constant 1.0 : f32
    %m = arith.maximumf %m1, %m2 : f32
    %difference = arith.subf %m1, %m2 : f32
    %distance = math.absf %difference : f32
    %negative = arith.negf %distance : f32
    %e = math.exp %negative : f32
    %first = arith.cmpf oge, %m1, %m2 : f32
    %f = arith.select %first, %unit, %e : f32
    %second = arith.cmpf ole, %m1, %m2 : f32
    %g = arith.select %second, %unit, %e : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %s2, %g : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %s : f32, f32
  }
  kernel.store %r#1, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{the elements do not vary along axis 1}}
    transform.tiny.block_reduce %axis : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// A tile has fewer points than memory has.
// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@k} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %b = kernel.range reduce id(0) extent(8)
  // expected-note @+1 {{the axis}}
  %j = kernel.range upcast id(1) extent(2147483648)
  %row = arith.muli %b, %c4 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %r:2 = kernel.reduce (%x, %one) init (%lowest, %zero) over (%b, %j) : f32, f32 {
  ^bb0(%m1: f32, %s1: f32, %m2: f32, %s2: f32):
    %unit = arith.constant 1.0 : f32
    %m = arith.maximumf %m1, %m2 : f32
    %difference = arith.subf %m1, %m2 : f32
    %distance = math.absf %difference : f32
    %negative = arith.negf %distance : f32
    %e = math.exp %negative : f32
    %first = arith.cmpf oge, %m1, %m2 : f32
    %f = arith.select %first, %unit, %e : f32
    %second = arith.cmpf ole, %m1, %m2 : f32
    %g = arith.select %second, %unit, %e : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %s2, %g : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %s : f32, f32
  }
  kernel.store %r#1, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{the tile would have 2^31 elements or more}}
    transform.tiny.block_reduce %axis : (!transform.any_op) -> ()
    transform.yield
  }
}
