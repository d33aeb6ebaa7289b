// What lanes do together, as instructions of a warp.
// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s --implicit-check-not="uop."

// CHECK-LABEL: llvm.func @waits(
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: llvm.urem {{.*}} : i32
// CHECK: llvm.store
// CHECK: nvvm.barrier
// CHECK: llvm.load
uop.func @waits(%out: memref<64xindex>) {
  %tile = uop.local : memref<64xindex>
  %l = uop.special local dim(0) extent(64)
  %lane = uop.special lane dim(0) extent(32)
  uop.store %lane, %tile[%l] : index, memref<64xindex>
  uop.barrier
  %x = uop.load %tile[%lane] : memref<64xindex>, index
  uop.store %x, %out[%l] : index, memref<64xindex>
  uop.return
}

// A sum by halves.
// CHECK-LABEL: llvm.func @sum(
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
uop.func @sum(%in: memref<32xf32>, %out: memref<32xf32>) {
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  %x = uop.load %in[%l] : memref<32xf32>, f32
  %y = uop.subgroup_reduce addf %x : f32
  uop.store %y, %out[%l] : f32, memref<32xf32>
  uop.return
}

// 64 bits go in two parts, with one clamp upwards and another one otherwise.
// CHECK-LABEL: llvm.func @wide(
// CHECK-COUNT-2: nvvm.shfl.sync up
// CHECK: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl.sync
uop.func @wide(%in: memref<32xi64>, %narrow: memref<32xi8>) {
  %c1 = arith.constant 1 : index
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  %x = uop.load %in[%l] : memref<32xi64>, i64
  %y = uop.shuffle up %x, %c1 : i64
  uop.store %y, %in[%l] : i64, memref<32xi64>
  %z = uop.load %narrow[%l] : memref<32xi8>, i8
  %w = uop.shuffle from %z, %c1 : i8
  uop.store %w, %narrow[%l] : i8, memref<32xi8>
  uop.return
}

// CHECK-LABEL: llvm.func @pairs(
// CHECK: nvvm.bar.warp.sync %{{.*}} : i32
uop.func @pairs(%out: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  %tile = uop.local : memref<32xf32>
  %x = uop.load %out[%l] : memref<32xf32>, f32
  uop.store %x, %tile[%l] : f32, memref<32xf32>
  uop.subgroup_barrier
  %other = arith.xori %l, %c1 : index
  %y = uop.load %tile[%other] : memref<32xf32>, f32
  uop.store %y, %out[%l] : f32, memref<32xf32>
  uop.return
}

// What is counted into is not only read.
// CHECK-LABEL: llvm.func @count(
// CHECK-NOT: llvm.readonly
// CHECK: llvm.atomicrmw add {{.*}} syncscope("device") monotonic
// CHECK: llvm.atomicrmw fadd
uop.func @count(%out: memref<4xi32>, %sum: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %x = arith.constant 1.0 : f32
  %l = uop.special local dim(0) extent(32)
  %gate = arith.cmpi ne, %l, %c0 : index
  uop.atomic addi %one, %out[%c0] if %gate : i32, memref<4xi32>
  uop.atomic addf %x, %sum[%c0] : f32, memref<4xf32>
  uop.return
}
