// RUN: tiny-opt %s -split-input-file -verify-diagnostics --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules

// expected-error @+1 {{failed on kernel}}
kernel.func @reduced_rows(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@reduced_rows} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @reduced_rows(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 2 is no free loop}}
    transform.tiny.tensorize %kernel [2, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @free_depth(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@free_depth} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @free_depth(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 0 is no reduced loop}}
    transform.tiny.tensorize %kernel [0, 1, 0] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @named_twice(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@named_twice} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @named_twice(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 1 is named twice}}
    transform.tiny.tensorize %kernel [1, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @live_rows(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>, %n: memref<1xi64>) attributes {schedule = @schedules::@live_rows} {
  %c0 = arith.constant 0 : index
  %n0 = kernel.load %n[%c0] : memref<1xi64>
  %live = arith.index_cast %n0 : i64 to index
  %i = kernel.range loop id(0) extent(64) size(%live)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @live_rows(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 0 ends at a size that is known when the kernel runs}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @two_sums(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@two_sums} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %t = kernel.reduce addf (%xw) over (%k) : f32
  %st = arith.addf %s, %t : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %st, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @two_sums(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 2 is not of exactly one reduction}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @no_product(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@no_product} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%xw) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @no_product(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the sum is not over a product}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @one_factor(%a: memref<8192xf16>, %b: memref<8192xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@one_factor} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik0 = arith.addi %i64, %k : index
  %ik = arith.addi %ik0, %j : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<8192xf16>
  %y = kernel.load %b[%kj] : memref<8192xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @one_factor(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{one factor has to vary along axes 0 and 2 alone of the three, the other one along 1 and 2}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @no_shape(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@no_shape} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @no_shape(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the device's record has no product of 16x16x16 f16 to f32}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 16, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @other_type(%a: memref<4096xf32>, %b: memref<4096xf32>, %c: memref<4096xf32>) attributes {schedule = @schedules::@other_type} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf32>
  %y = kernel.load %b[%kj] : memref<4096xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @other_type(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the device's record has no product of 16x8x16 f32 to f32}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @uneven_rows(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@uneven_rows} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @uneven_rows(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the tile's rows, 24, are not shared evenly by 2 subgroups with matrices of 16}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [24, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @uneven_depth(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@uneven_depth} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @uneven_depth(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the tile's depth, 8, are not shared evenly by 1 subgroups with matrices of 16}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 8] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @many_lanes(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@many_lanes} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @many_lanes(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{a workgroup would have 2048 lanes, more than 1024}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [128, 64, 32] subgroups [8, 8] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @large_tiles(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@large_tiles} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @large_tiles(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{tiles would take 196608 bytes, more than a workgroup's 166912}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [256, 512, 128] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @uneven_lanes(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@uneven_lanes} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @uneven_lanes(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{96 lanes do not share a tile of 256 elements evenly}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [16, 24, 16] subgroups [1, 3] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @other_store(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>, %d: memref<64xf32>) attributes {schedule = @schedules::@other_store} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  %one = arith.constant 1.0 : f32
  kernel.store %one, %d[%i] : memref<64xf32>
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @other_store(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{a store does not vary along axes 0 and 1}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @tile(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@tile} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %l = kernel.range loop id(3) extent(64)
  %z = kernel.load %a[%l] : memref<4096xf16>
  %t = kernel.stage %z over (%l) local : memref<64xf16>
  %u = kernel.load %t[%j] : memref<64xf16>
  %v = arith.extf %u : f16 to f32
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  %sv = arith.addf %s, %v : f32
  kernel.store %sv, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @tile(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the kernel has a tile already}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @other_reduction(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@other_reduction} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %l = kernel.range reduce id(3) extent(64)
  %il = arith.addi %i64, %l : index
  %z = kernel.load %a[%il] : memref<4096xf16>
  %most = kernel.reduce maximumf (%z) over (%l) : f16
  %mw = arith.extf %most : f16 to f32
  %st = arith.addf %s, %mw : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %st, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @other_reduction(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{another reduction varies along axes 0 or 1}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @copies(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@copies} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @copies(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %k0, %k1 = transform.tiny.split %k by 2 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @+1 {{axis 3 is of kind 'upcast' already}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 16] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

kernel.func @few_numbers(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@few_numbers} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @few_numbers(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{'transform.tiny.tensorize' op tile must be 3 numbers, got 2}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

kernel.func @no_rows(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@no_rows} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @no_rows(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{'transform.tiny.tensorize' op tile must be 1 to 65536, got 0}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [0, 32, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @uneven_lanes(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@uneven_lanes} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @uneven_lanes(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the tile's columns, 24, are not shared evenly by 16 lanes}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 24, 32] lanes [16, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

kernel.func @both(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@both} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @both(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{needs either subgroups and a shape or lanes}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 32, 32] : (!transform.any_op) -> ()
    transform.yield
  }
}
