// Barriers between accesses that share nothing go.
// RUN: tiny-opt %s --pass-pipeline='builtin.module(uop.func(uop-drop-barriers))' | FileCheck %s
// RUN: tiny-opt %s --check-passes --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-drop-barriers))' -o /dev/null

// Two tiles are filled by all lanes, then read.
// CHECK-LABEL: uop.func @two_tiles
// CHECK: uop.barrier
// CHECK-NEXT: uop.store
// CHECK-NEXT: uop.store
// CHECK-NEXT: uop.barrier
// CHECK: uop.load
// CHECK-NOT: uop.barrier
uop.func @two_tiles(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %n = arith.constant 3 : index
  %s = uop.local : memref<32xf32>
  %t = uop.local : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %x = uop.load %in[%l] : memref<32xf32>, f32
  %other = arith.subi %c31, %l : index
  uop.for %k to %n {
    uop.barrier
    uop.store %x, %s[%l] : f32, memref<32xf32>
    uop.barrier
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.barrier
    %a = uop.load %s[%other] : memref<32xf32>, f32
    %b = uop.load %t[%other] : memref<32xf32>, f32
    %c = arith.addf %a, %b : f32
    uop.store %c, %out[%l] : f32, memref<32xf32>
  }
  uop.return
}

// What is read behind the barrier was written in front of it.
// CHECK-LABEL: uop.func @one_tile
// CHECK-COUNT-3: uop.barrier
uop.func @one_tile(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c31 = arith.constant 31 : index
  %s = uop.local : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %x = uop.load %in[%l] : memref<32xf32>, f32
  %other = arith.subi %c31, %l : index
  uop.barrier
  uop.store %x, %s[%l] : f32, memref<32xf32>
  uop.barrier
  %a = uop.load %s[%other] : memref<32xf32>, f32
  uop.barrier
  uop.store %a, %out[%l] : f32, memref<32xf32>
  uop.return
}

// What is written behind it was read in front of it.
// CHECK-LABEL: uop.func @read_first
// CHECK-COUNT-3: uop.barrier
uop.func @read_first(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c31 = arith.constant 31 : index
  %s = uop.local : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %x = uop.load %in[%l] : memref<32xf32>, f32
  %other = arith.subi %c31, %l : index
  uop.store %x, %s[%l] : f32, memref<32xf32>
  uop.barrier
  %a = uop.load %s[%other] : memref<32xf32>, f32
  uop.barrier
  uop.store %a, %s[%l] : f32, memref<32xf32>
  uop.barrier
  %b = uop.load %s[%other] : memref<32xf32>, f32
  uop.store %b, %out[%l] : f32, memref<32xf32>
  uop.return
}

// Buffers may be one where a kernel runs in place.
// CHECK-LABEL: uop.func @buffers
// CHECK-COUNT-3: uop.barrier
uop.func @buffers(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c31 = arith.constant 31 : index
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  uop.barrier
  %x = uop.load %in[%l] : memref<32xf32>, f32
  uop.barrier
  uop.store %x, %out[%other] : f32, memref<32xf32>
  uop.barrier
  uop.return
}

// Barriers of a loop are no barriers of its own block.
// CHECK-LABEL: uop.func @around_a_loop
// CHECK-COUNT-3: uop.barrier
uop.func @around_a_loop(%in: memref<32xf32>, %out: memref<32xf32>) {
  %n = arith.constant 3 : index
  %s = uop.local : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %x = uop.load %in[%l] : memref<32xf32>, f32
  uop.barrier
  uop.for %k to %n {
    uop.barrier
    uop.store %x, %s[%l] : f32, memref<32xf32>
  }
  uop.barrier
  %a = uop.load %s[%l] : memref<32xf32>, f32
  uop.store %a, %out[%l] : f32, memref<32xf32>
  uop.return
}
