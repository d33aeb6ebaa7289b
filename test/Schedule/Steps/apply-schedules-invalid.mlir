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

// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
    // expected-error @+1 {{kernel 'product' has no argument 3}}
    %t = transform.tiny.stage %kernel argument 3 over [0] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
    // expected-error @+1 {{argument 2 of kernel 'product' is not read}}
    %t = transform.tiny.stage %kernel argument 2 over [0] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
    // expected-error @+1 {{kernel 'product' has no axis 9}}
    %t = transform.tiny.stage %kernel argument 0 over [9] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
  // expected-note @+1 {{what is read}}
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
    // expected-error @+1 {{a tile is over at least one axis}}
    %t = transform.tiny.stage %kernel argument 0 over [] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
  // expected-note @+1 {{what is read}}
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
    // expected-error @+1 {{axis 0 is named twice}}
    %t = transform.tiny.stage %kernel argument 0 over [0, 0] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
  // expected-note @+1 {{what is read}}
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
    // expected-error @+1 {{what is read does not vary along axis 1}}
    %t = transform.tiny.stage %kernel argument 0 over [1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
  // expected-note @+1 {{what is read}}
  %y = kernel.load %b[%kj] : memref<48xf32>
  %p = arith.mulf %relu, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %o, %i = transform.tiny.split %a by 3 as thread : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @+1 {{axis 1 of kind 'thread' runs on several threads, and a tile is filled by one}}
    %t = transform.tiny.stage %kernel argument 1 over [1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
  // expected-note @+1 {{what is read}}
  %y = kernel.load %b[%kj] : memref<48xf32>
  %p = arith.mulf %relu, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %o, %i = transform.tiny.split %a by 3 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @+1 {{axis 3 of kind 'upcast' is not listed, and each of its copies would need a tile of its own}}
    %t = transform.tiny.stage %kernel argument 1 over [2] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<40xf32>, %out: memref<40xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(5)
  %j = kernel.range loop id(1) extent(8)
  %k = kernel.range reduce id(2) extent(8)
  %c8 = arith.constant 8 : index
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %out[%ik] : memref<40xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  %ij = arith.addi %i8, %j : index
  %y = kernel.load %a[%ij] : memref<40xf32>
  // expected-note @+1 {{what is read}}
  %z = arith.addf %y, %s : f32
  kernel.store %z, %out[%ij] : memref<40xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{what is read depends on a reduction that varies along the axes}}
    %t = transform.tiny.stage %kernel argument 0 over [0, 1] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<4000000000xf32>, %b: memref<48xf32>, %out: memref<3000000000xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(500000000)
  %j = kernel.range loop id(1) extent(6)
  %k = kernel.range reduce id(2) extent(8)
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %a[%ik] : memref<4000000000xf32>
  // expected-note @+1 {{what is read}}
  %relu = arith.maximumf %x, %zero : f32
  %k6 = arith.muli %k, %c6 : index
  %kj = arith.addi %k6, %j : index
  %y = kernel.load %b[%kj] : memref<48xf32>
  %p = arith.mulf %relu, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<3000000000xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the tile would have 2^31 elements or more}}
    %t = transform.tiny.stage %kernel argument 0 over [0, 2] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
    %a = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %b = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 0 is named twice}}
    transform.tiny.swap %a, %b : (!transform.any_op, !transform.any_op) -> ()
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
    %a = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %b = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 0 is of kind 'loop' and axis 2 of kind 'reduce'; loops nest by kind first}}
    transform.tiny.swap %a, %b : (!transform.any_op, !transform.any_op) -> ()
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
  %s = kernel.reduce addf (%p) over (%k) fastmath<none> : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %a, %b = transform.tiny.split %k by 2 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @+1 {{exchanging axes 2 and 3 would reassociate a reduction that does not allow it}}
    transform.tiny.swap %a, %b : (!transform.any_op, !transform.any_op) -> ()
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
    %a = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{multiple 0 is not between 1 and 2^31 - 1}}
    %p = transform.tiny.pad_to %a multiple 0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
    %t = transform.tiny.stage %kernel argument 0 over [0, 2] local : (!transform.any_op) -> !transform.any_op
    %a = transform.tiny.axis %kernel [3] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 3 fills a tile, whose layout would change}}
    %p = transform.tiny.pad_to %a multiple 3 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
  %s = kernel.reduce (%p) init (%zero) over (%k) : f32 {
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    kernel.yield %w : f32
  }
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 2 is reduced by a combiner without a known identity}}
    %p = transform.tiny.pad_to %a multiple 3 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%a: memref<40xf32>, %b: memref<48xf32>, %out: memref<30xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(5)
  %j = kernel.range loop id(1) extent(6)
  // expected-note @+1 {{the axis}}
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
    %t = transform.tiny.stage %kernel argument 0 over [2] local : (!transform.any_op) -> !transform.any_op
    %a = transform.tiny.axis %kernel [3] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{kind 'thread' does not fit axis 3, which fills a tile}}
    %o, %i = transform.tiny.split %a by 2 as thread : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
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
    %j = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axes 0 and 2 are neither free loops nor reduced ones}}
    %m = transform.tiny.merge %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%in: memref<96xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range reduce id(0) extent(4)
  %j = kernel.range reduce id(1) extent(24)
  %c0 = arith.constant 0 : index
  %c24 = arith.constant 24 : index
  %row = arith.muli %i, %c24 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<96xf32>
  %s = kernel.reduce addf (%x) over (%i, %j) fastmath<none> : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a reduction is not over axes 0 and 1 together, or not in any order}}
    %m = transform.tiny.merge %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

// expected-error @+1 {{schedule @schedules::@product failed on kernel 'product'}}
kernel.func @product(%in: memref<96xf32>, %out: memref<96xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(4000000000000000000)
  %j = kernel.range loop id(1) extent(24)
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %zero = arith.constant 0.0 : f32
  %row = arith.muli %i, %c24 : index
  %at = arith.addi %row, %j : index
  %inside = arith.cmpi slt, %j, %c3 : index
  %x = kernel.load %in[%at] if %inside : memref<96xf32>
  %y = arith.select %inside, %x, %zero : f32
  kernel.store %y, %out[%at] : memref<96xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{the axis would have 2^62 points or more}}
    %m = transform.tiny.merge %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}


// -----

module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected an axis kind (global, thread, local, warp, loop, group_reduce, reduce, upcast, unroll, fragment or dot), got 'sideways'}}
    transform.tiny.split %axis by 4 as sideways : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{expected a space (local or register), got 'attic'}}
    transform.tiny.stage %kernel argument 0 over [0] attic : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(4)
  %c4 = arith.constant 4 : index
  %row = arith.muli %i, %c4 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<32xf32>
  kernel.store %x, %out[%at] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %both = transform.merge_handles %i, %j : !transform.any_op
    // expected-error @+1 {{got 2 axes to exchange with 1}}
    transform.tiny.swap %both, %i : (!transform.any_op, !transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@k failed on kernel 'k'}}
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(4)
  %l = kernel.range loop id(2) extent(1)
  %c4 = arith.constant 4 : index
  %row = arith.muli %i, %c4 : index
  %column = arith.addi %j, %l : index
  %at = arith.addi %row, %column : index
  %x = kernel.load %in[%at] : memref<32xf32>
  kernel.store %x, %out[%at] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %l = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %both = transform.merge_handles %i, %j : !transform.any_op
    // expected-error @+1 {{got 2 axes to merge with 1}}
    transform.tiny.merge %both, %l : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

kernel.func @constant(%in: memref<8xf32>, %out: memref<8xf32>) attributes {schedule = @schedules::@constant} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  kernel.store %x, %out[%i] : memref<8xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @constant(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{is no transform operation, which a schedule consists of}}
    %c8 = arith.constant 8 : index
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The factor of an element of -inf is no 0 here: padding would add the weight behind the end.
// expected-error @+1 {{schedule @schedules::@even failed on kernel 'even'}}
kernel.func @even(%in: memref<29xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@even} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %j = kernel.range reduce id(0) extent(29)
  %x = kernel.load %in[%j] : memref<29xf32>
  %r:2 = kernel.reduce (%x, %one) init (%lowest, %zero) over (%j) : f32, f32 {
  ^bb0(%m1: f32, %s1: f32, %m2: f32, %s2: f32):
    %unit = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %m = arith.maximumf %m1, %m2 : f32
    %first = arith.cmpf oge, %m1, %m2 : f32
    %f = arith.select %first, %unit, %half : f32
    %second = arith.cmpf ole, %m1, %m2 : f32
    %g = arith.select %second, %unit, %half : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %s2, %g : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %s : f32, f32
  }
  kernel.store %r#1, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @even(%kernel: !transform.any_op {transform.readonly}) {
    %j = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 0 is reduced by a combiner without a known identity}}
    %padded = transform.tiny.pad_to %j multiple 16 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{schedule @schedules::@sums failed on kernel 'sums'}}
kernel.func @sums(%a: memref<40xf32>, %out: memref<40xf32>, %first: memref<5xf32>) attributes {schedule = @schedules::@sums} {
  %i = kernel.range loop id(0) extent(5)
  // expected-note @+1 {{the axis}}
  %j = kernel.range loop id(1) extent(8)
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  %x = kernel.load %a[%ij] : memref<40xf32>
  kernel.store %x, %out[%ij] : memref<40xf32>
  %y = kernel.load %a[%i8] : memref<40xf32>
  kernel.store %y, %first[%i] : memref<5xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @sums(%kernel: !transform.any_op {transform.readonly}) {
    %a = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a store does not depend on axis 1: several threads would write its place}}
    %o, %i = transform.tiny.split %a by 2 as thread : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// What is staged is what is computed of an argument alone: here a place.
// expected-error @+1 {{schedule @schedules::@places failed on kernel 'places'}}
kernel.func @places(%a: memref<12xi32>, %b: memref<6xf32>, %out: memref<12xf32>) attributes {schedule = @schedules::@places} {
  %i = kernel.range loop id(0) extent(12)
  %n = kernel.load %a[%i] : memref<12xi32>
  %least = arith.constant 0 : i32
  %most = arith.constant 5 : i32
  %low = arith.maxsi %n, %least : i32
  %held = arith.minsi %low, %most : i32
  // expected-note @+1 {{what is read}}
  %at = arith.index_cast %held : i32 to index
  %x = kernel.load %b[%at] : memref<6xf32>
  kernel.store %x, %out[%i] : memref<12xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @places(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{what is read is an index, and no tile holds these}}
    %t = transform.tiny.stage %kernel argument 0 over [0] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
