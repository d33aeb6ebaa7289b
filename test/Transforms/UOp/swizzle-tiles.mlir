// Tiles of which teams multiply matrices lie as units for matrices read them.
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_90a},uop.func(uop-swizzle-tiles))' --check-passes | FileCheck %s
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_90a},uop.func(uop-swizzle-tiles))' --remarks-filter=uop-swizzle-tiles --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Lines of 256 bytes: two panels of 32 lines. A line begins where it is in its panel, and groups of 8 elements change
// places by the line's number.
// REMARK: lines are pieces of 128 bytes, swizzled
// CHECK-LABEL: uop.func @panels
// CHECK: %[[TILE:.*]] = uop.local : memref<4096xf16>
// CHECK: %[[MOVED:.*]] = arith.xori
// CHECK: uop.store %{{.*}}, %[[TILE]][%{{.*}}] : vector<8xf16>, memref<4096xf16>
// CHECK: uop.fragment_load %[[TILE]][%{{.*}}] stride(64) panel(2048) : memref<4096xf16>, <right 16x128xf16 by 4>
// CHECK: uop.fragment_load %[[TILE]][%{{.*}}] stride(64) transposed panel(2048) : memref<4096xf16>, <right 16x16xf16 by 4>
uop.func @panels(%in: memref<4096xf16>, %out: memref<2048xf16>, %other: memref<256xf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %c1040 = arith.constant 1040 : index
  %n = arith.constant 4 : index
  %t = uop.local : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %l8 = arith.muli %l, %c8 : index
  uop.for %r to %n {
    %begin = arith.muli %r, %c1024 : index
    %at = arith.addi %begin, %l8 : index
    %x = uop.load %in[%at] : memref<4096xf16>, vector<8xf16>
    uop.store %x, %t[%at] : vector<8xf16>, memref<4096xf16>
  }
  uop.barrier
  %a = uop.fragment_load %t[%c1024] stride(128) : memref<4096xf16>, !uop.fragment<right 16x128xf16 by 4>
  uop.fragment_store %a, %out[%c0] stride(128) : !uop.fragment<right 16x128xf16 by 4>, memref<2048xf16>
  %b = uop.fragment_load %t[%c1040] stride(128) transposed : memref<4096xf16>, !uop.fragment<right 16x16xf16 by 4>
  uop.fragment_store %b, %other[%c0] stride(16) : !uop.fragment<right 16x16xf16 by 4>, memref<256xf16>
  uop.return
}

// Copies of one line after the other: what is a multiple of eight lines stays outside.
// CHECK-LABEL: uop.func @copies
// CHECK: %[[PLACE:.*]] = arith.xori
// CHECK: uop.copy_async %{{.*}}, %{{.*}}[%[[PLACE]]] count(8)
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: uop.copy_async %{{.*}}, %{{.*}}[%{{.*}}] count(8)
// CHECK: stride(64) panel(2048)
uop.func @copies(%in: memref<2048xf16>, %out: memref<1024xf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1024 = arith.constant 1024 : index
  %t = uop.local : memref<2048xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  uop.copy_async %in[%at], %t[%at] count(8) : memref<2048xf16>, memref<2048xf16>
  %next = arith.addi %at, %c1024 : index
  uop.copy_async %in[%next], %t[%next] count(8) : memref<2048xf16>, memref<2048xf16>
  uop.copy_commit
  uop.copy_wait pending(0)
  uop.barrier
  %a = uop.fragment_load %t[%c1024] stride(64) : memref<2048xf16>, !uop.fragment<right 16x64xf16 by 4>
  uop.fragment_store %a, %out[%c0] stride(64) : !uop.fragment<right 16x64xf16 by 4>, memref<1024xf16>
  uop.return
}

// What a subgroup multiplies is padded, not swizzled.
// CHECK-LABEL: uop.func @subgroups
// CHECK-NOT: panel
// CHECK: uop.return
uop.func @subgroups(%in: memref<1024xf16>, %out: memref<256xf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %t = uop.local : memref<1024xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %x = uop.load %in[%at] : memref<1024xf16>, vector<8xf16>
  uop.store %x, %t[%at] : vector<8xf16>, memref<1024xf16>
  uop.barrier
  %a = uop.fragment_load %t[%c0] stride(64) : memref<1024xf16>, !uop.fragment<left 16x16xf16>
  uop.fragment_store %a, %out[%c0] stride(16) : !uop.fragment<left 16x16xf16>, memref<256xf16>
  uop.return
}

// Lines of 64 bytes.
// REMARK: a tile stays as it lies: its lines are not of pieces of 128 bytes, eight lines at a time
// CHECK-LABEL: uop.func @short
// CHECK-NOT: panel
// CHECK: uop.return
uop.func @short(%in: memref<1024xf16>, %out: memref<512xf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %t = uop.local : memref<1024xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %x = uop.load %in[%at] : memref<1024xf16>, vector<8xf16>
  uop.store %x, %t[%at] : vector<8xf16>, memref<1024xf16>
  uop.barrier
  %a = uop.fragment_load %t[%c0] stride(32) : memref<1024xf16>, !uop.fragment<right 16x32xf16 by 4>
  uop.fragment_store %a, %out[%c0] stride(32) : !uop.fragment<right 16x32xf16 by 4>, memref<512xf16>
  uop.return
}

// A matrix that begins in the fifth line.
// REMARK: a tile stays as it lies: an access is over the end of a piece, or begins within eight lines
// CHECK-LABEL: uop.func @within
// CHECK-NOT: panel
// CHECK: uop.return
uop.func @within(%in: memref<2048xf16>, %out: memref<1024xf16>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %t = uop.local : memref<2048xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c16 : index
  %x = uop.load %in[%at] : memref<2048xf16>, vector<8xf16>
  uop.store %x, %t[%at] : vector<8xf16>, memref<2048xf16>
  %c8 = arith.constant 8 : index
  %next = arith.addi %at, %c8 : index
  %y = uop.load %in[%next] : memref<2048xf16>, vector<8xf16>
  uop.store %y, %t[%next] : vector<8xf16>, memref<2048xf16>
  uop.barrier
  %a = uop.fragment_load %t[%c256] stride(64) : memref<2048xf16>, !uop.fragment<right 16x64xf16 by 4>
  uop.fragment_store %a, %out[%c0] stride(64) : !uop.fragment<right 16x64xf16 by 4>, memref<1024xf16>
  uop.return
}

// Lanes read it one by one, too.
// REMARK: a tile stays as it lies: something else than a product reads it
// CHECK-LABEL: uop.func @read
// CHECK-NOT: panel
// CHECK: uop.return
uop.func @read(%in: memref<1024xf16>, %out: memref<1024xf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %t = uop.local : memref<1024xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %x = uop.load %in[%at] : memref<1024xf16>, vector<8xf16>
  uop.store %x, %t[%at] : vector<8xf16>, memref<1024xf16>
  uop.barrier
  %a = uop.fragment_load %t[%c0] stride(64) : memref<1024xf16>, !uop.fragment<right 16x64xf16 by 4>
  %y = uop.load %t[%l] : memref<1024xf16>, f16
  uop.barrier
  uop.fragment_store %a, %out[%c0] stride(64) : !uop.fragment<right 16x64xf16 by 4>, memref<1024xf16>
  uop.return
}

// Matrices of lines of two lengths.
// REMARK: a tile stays as it lies: its matrices have lines of different kinds
// CHECK-LABEL: uop.func @lengths
// CHECK-NOT: panel
// CHECK: uop.return
uop.func @lengths(%in: memref<2048xf16>, %out: memref<1024xf16>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %t = uop.local : memref<2048xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c16 : index
  %x = uop.load %in[%at] : memref<2048xf16>, vector<16xf16>
  uop.store %x, %t[%at] : vector<16xf16>, memref<2048xf16>
  uop.barrier
  %a = uop.fragment_load %t[%c0] stride(64) : memref<2048xf16>, !uop.fragment<right 16x64xf16 by 4>
  %b = uop.fragment_load %t[%c0] stride(128) : memref<2048xf16>, !uop.fragment<right 16x64xf16 by 4>
  uop.fragment_store %a, %out[%c0] stride(64) : !uop.fragment<right 16x64xf16 by 4>, memref<1024xf16>
  uop.barrier
  uop.fragment_store %b, %out[%c0] stride(64) : !uop.fragment<right 16x64xf16 by 4>, memref<1024xf16>
  uop.return
}
