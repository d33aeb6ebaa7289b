// RUN: tiny-opt %s -split-input-file -verify-diagnostics --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules

// expected-error @+1 {{failed on kernel}}
kernel.func @no_tile(%a: memref<256xf16>, %c: memref<8xf16>) attributes {schedule = @schedules::@no_tile} {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(8)
  %l = kernel.range loop id(2) extent(32)
  %m = kernel.range reduce id(3) extent(32)
  %c32 = arith.constant 32 : index
  %k32 = arith.muli %k, %c32 : index
  %kl = arith.addi %k32, %l : index
  %x = kernel.load %a[%kl] : memref<256xf16>
  %t = kernel.stage %x over (%l) local : memref<32xf16>
  %y = kernel.load %t[%m] : memref<32xf16>
  %s = kernel.reduce addf (%y) over (%k, %m) : f16
  kernel.store %s, %c[%i] : memref<8xf16>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @no_tile(%kernel: !transform.any_op {transform.readonly}) {
    %l = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 0 fills no tile}}
    transform.tiny.pipeline %l by 2 : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @one_tile(%a: memref<256xf16>, %c: memref<8xf16>) attributes {schedule = @schedules::@one_tile} {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(8)
  %l = kernel.range loop id(2) extent(32)
  %m = kernel.range reduce id(3) extent(32)
  %c32 = arith.constant 32 : index
  %k32 = arith.muli %k, %c32 : index
  %kl = arith.addi %k32, %l : index
  %x = kernel.load %a[%kl] : memref<256xf16>
  %t = kernel.stage %x over (%l) local : memref<32xf16>
  %y = kernel.load %t[%m] : memref<32xf16>
  %s = kernel.reduce addf (%y) over (%k, %m) : f16
  kernel.store %s, %c[%i] : memref<8xf16>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @one_tile(%kernel: !transform.any_op {transform.readonly}) {
    %l = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{1 tiles are not 2 to 8}}
    transform.tiny.pipeline %l by 1 : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @registers(%a: memref<256xf16>, %c: memref<8xf16>) attributes {schedule = @schedules::@registers} {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(8)
  %l = kernel.range loop id(2) extent(32)
  %m = kernel.range reduce id(3) extent(32)
  %c32 = arith.constant 32 : index
  %k32 = arith.muli %k, %c32 : index
  %kl = arith.addi %k32, %l : index
  %x = kernel.load %a[%kl] : memref<256xf16>
  %t = kernel.stage %x over (%l) register : memref<32xf16>
  %y = kernel.load %t[%m] : memref<32xf16>
  %s = kernel.reduce addf (%y) over (%k, %m) : f16
  kernel.store %s, %c[%i] : memref<8xf16>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @registers(%kernel: !transform.any_op {transform.readonly}) {
    %l = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{the tile is not in the memory of a workgroup}}
    transform.tiny.pipeline %l by 2 : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @once(%a: memref<256xf16>, %c: memref<8xf16>) attributes {schedule = @schedules::@once} {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(8)
  %l = kernel.range loop id(2) extent(32)
  %m = kernel.range reduce id(3) extent(32)
  %c32 = arith.constant 32 : index
  %k32 = arith.muli %k, %c32 : index
  %kl = arith.addi %c32, %l : index
  %x = kernel.load %a[%kl] : memref<256xf16>
  %t = kernel.stage %x over (%l) local : memref<32xf16>
  %y = kernel.load %t[%m] : memref<32xf16>
  %s = kernel.reduce addf (%y) over (%k, %m) : f16
  kernel.store %s, %c[%i] : memref<8xf16>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @once(%kernel: !transform.any_op {transform.readonly}) {
    %l = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{the tile is not filled again by a reduced loop}}
    transform.tiny.pipeline %l by 2 : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @large(%a: memref<131072xf16>, %c: memref<8xf16>) attributes {schedule = @schedules::@large} {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(8)
  %l = kernel.range loop id(2) extent(16384)
  %m = kernel.range reduce id(3) extent(16384)
  %c32 = arith.constant 16384 : index
  %k32 = arith.muli %k, %c32 : index
  %kl = arith.addi %k32, %l : index
  %x = kernel.load %a[%kl] : memref<131072xf16>
  %t = kernel.stage %x over (%l) local : memref<16384xf16>
  %y = kernel.load %t[%m] : memref<16384xf16>
  %s = kernel.reduce addf (%y) over (%k, %m) : f16
  kernel.store %s, %c[%i] : memref<8xf16>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @large(%kernel: !transform.any_op {transform.readonly}) {
    %l = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{tiles would take 196608 bytes, more than a workgroup's 166912}}
    transform.tiny.pipeline %l by 6 : (!transform.any_op) -> ()
    transform.yield
  }
}
