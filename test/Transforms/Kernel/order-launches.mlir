// RUN: tiny-opt %s -split-input-file --kernel-order-launches --check-passes | FileCheck %s
// RUN: tiny-opt %s -split-input-file --kernel-order-launches --remarks-filter=kernel-order-launches --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two long temporaries and what is short of each: one is spent before the other is made.
// REMARK: temporaries: peak of 544 bytes, now 320, in any order at least 288
// CHECK-LABEL: kernel.program @two_branches(
// CHECK: %[[A:.*]] = kernel.alloc : memref<64xf32>
// CHECK: kernel.launch @expand ins(%{{.*}}) outs(%[[A]]
// CHECK: %[[S:.*]] = kernel.alloc : memref<8xf32>
// CHECK: kernel.launch @shorten ins(%[[A]] {{.*}}) outs(%[[S]]
// CHECK: %[[B:.*]] = kernel.alloc : memref<64xf32>
// CHECK: kernel.launch @expand ins(%{{.*}}) outs(%[[B]]
// CHECK: %[[T:.*]] = kernel.alloc : memref<8xf32>
// CHECK: kernel.launch @shorten ins(%[[B]] {{.*}}) outs(%[[T]]
// CHECK: kernel.launch @join ins(%[[S]], %[[T]]
kernel.program @two_branches(%x: memref<8xf32>) -> memref<8xf32> {
  %a = kernel.alloc : memref<64xf32>
  %b = kernel.alloc : memref<64xf32>
  %s = kernel.alloc : memref<8xf32>
  %t = kernel.alloc : memref<8xf32>
  %r = kernel.alloc : memref<8xf32>
  kernel.launch @expand ins(%x : memref<8xf32>) outs(%a : memref<64xf32>)
  kernel.launch @expand ins(%x : memref<8xf32>) outs(%b : memref<64xf32>)
  kernel.launch @shorten ins(%a : memref<64xf32>) outs(%s : memref<8xf32>)
  kernel.launch @shorten ins(%b : memref<64xf32>) outs(%t : memref<8xf32>)
  kernel.launch @join ins(%s, %t : memref<8xf32>, memref<8xf32>) outs(%r : memref<8xf32>)
  kernel.return %r : memref<8xf32>
}
kernel.func private @expand(%in: memref<8xf32>, %out: memref<64xf32>) {
  %i = kernel.range loop id(0) extent(64)
  %c8 = arith.constant 8 : index
  %j = sym.mod %i, %c8 : index
  %v = kernel.load %in[%j] : memref<8xf32>
  kernel.store %v, %out[%i] : memref<64xf32>
}
kernel.func private @shorten(%in: memref<64xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %v = kernel.load %in[%i] : memref<64xf32>
  kernel.store %v, %out[%i] : memref<8xf32>
}
kernel.func private @join(%a: memref<8xf32>, %b: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %v = kernel.load %a[%i] : memref<8xf32>
  %w = kernel.load %b[%i] : memref<8xf32>
  %s = arith.addf %v, %w : f32
  kernel.store %s, %out[%i] : memref<8xf32>
}

// -----

// A buffer's reads stay behind the write before them and before the one behind them, also through aliases: here no
// order but one is left.
// REMARK: temporaries: peak of 64 bytes, now 64, in any order at least 64
// CHECK-LABEL: kernel.program @in_order(
// CHECK: kernel.fill %[[X:.*]], 1.0
// CHECK: kernel.alias
// CHECK: kernel.copy
// CHECK: kernel.fill %[[X]], 2.0
// CHECK: kernel.copy
kernel.program @in_order() -> (memref<4xf32>, memref<8xf32>) {
  %x = kernel.alloc : memref<16xf32>
  %r = kernel.alloc : memref<4xf32>
  %q = kernel.alloc : memref<8xf32>
  kernel.fill %x, 1.0 : f32 -> memref<16xf32>
  %part = kernel.alias %x[4] : memref<16xf32> -> memref<4xf32>
  kernel.copy %part, %r : memref<4xf32>
  %half = kernel.alias %x[8] : memref<16xf32> -> memref<8xf32>
  kernel.fill %x, 2.0 : f32 -> memref<16xf32>
  kernel.copy %half, %q : memref<8xf32>
  kernel.return %r, %q : memref<4xf32>, memref<8xf32>
}

// -----

// Lists are ordered, and a loop is one step of the list that it stands in: it waits for all that its own items use.
// REMARK: temporaries: peak of 544 bytes, now 320, in any order at least 288
// CHECK-LABEL: kernel.program @in_a_loop(
// CHECK: kernel.fill %[[Y:.*]], 0.0
// CHECK: kernel.loop most(3) {
// CHECK:   %[[A:.*]] = kernel.alloc : memref<64xf32>
// CHECK:   kernel.launch @expand_again ins(%{{.*}}) outs(%[[A]]
// CHECK:   kernel.launch @shorten_again ins(%[[A]] {{.*}}) outs(%[[S:[a-z0-9]*]]
// CHECK:   %[[B:.*]] = kernel.alloc : memref<64xf32>
// CHECK:   kernel.launch @expand_again ins(%{{.*}}) outs(%[[B]]
// CHECK:   kernel.launch @shorten_again ins(%[[B]] {{.*}}) outs(%[[T:[a-z0-9]*]]
// CHECK:   kernel.launch @join_again ins(%[[S]], %[[T]]
// CHECK: }
// CHECK: kernel.copy %[[Y]]
kernel.program @in_a_loop(%x: memref<8xf32>) -> memref<8xf32> {
  %y = kernel.alloc : memref<8xf32>
  %z = kernel.alloc : memref<8xf32>
  kernel.fill %y, 0.0 : f32 -> memref<8xf32>
  kernel.loop most(3) {
    %a = kernel.alloc : memref<64xf32>
    %b = kernel.alloc : memref<64xf32>
    %s = kernel.alloc : memref<8xf32>
    %t = kernel.alloc : memref<8xf32>
    kernel.launch @expand_again ins(%x : memref<8xf32>) outs(%a : memref<64xf32>)
    kernel.launch @expand_again ins(%x : memref<8xf32>) outs(%b : memref<64xf32>)
    kernel.launch @shorten_again ins(%a : memref<64xf32>) outs(%s : memref<8xf32>)
    kernel.launch @shorten_again ins(%b : memref<64xf32>) outs(%t : memref<8xf32>)
    kernel.launch @join_again ins(%s, %t : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
  }
  kernel.copy %y, %z : memref<8xf32>
  kernel.return %z : memref<8xf32>
}
kernel.func private @expand_again(%in: memref<8xf32>, %out: memref<64xf32>) {
  %i = kernel.range loop id(0) extent(64)
  %c8 = arith.constant 8 : index
  %j = sym.mod %i, %c8 : index
  %v = kernel.load %in[%j] : memref<8xf32>
  kernel.store %v, %out[%i] : memref<64xf32>
}
kernel.func private @shorten_again(%in: memref<64xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %v = kernel.load %in[%i] : memref<64xf32>
  kernel.store %v, %out[%i] : memref<8xf32>
}
kernel.func private @join_again(%s: memref<8xf32>, %t: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %v = kernel.load %s[%i] : memref<8xf32>
  %w = kernel.load %t[%i] : memref<8xf32>
  %z = arith.addf %v, %w : f32
  kernel.store %z, %out[%i] : memref<8xf32>
}
