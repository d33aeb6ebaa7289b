// Rows that lanes read together lie in different banks.
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-pad-tiles))' | FileCheck %s
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-pad-tiles))' --remarks-filter=uop-pad-tiles --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-pad-tiles))' --check-passes -o /dev/null

// Rows of 64 bytes: of eight, four begin in the same bank. 16 bytes more each, and none do.
// REMARK: rows of 32 elements begin 40 apart: lanes that read them met in a bank
// CHECK-LABEL: uop.func @rows
// CHECK: %[[TILE:.*]] = uop.local : memref<1280xf16>
// CHECK: uop.store %{{.*}}, %[[TILE]][%{{.*}}] : vector<8xf16>, memref<1280xf16>
// CHECK: uop.fragment_load %[[TILE]][%{{.*}}] stride(40) : memref<1280xf16>, <left 16x16xf16>
uop.func @rows(%in: memref<1024xf16>, %out: memref<1024xf16>) {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %n = arith.constant 4 : index
  %two = arith.constant 2 : index
  %t = uop.local : memref<1024xf16>
  %l = uop.special local dim(0) extent(32)
  %l8 = arith.muli %l, %c8 : index
  uop.for %r to %n {
    %begin = arith.muli %r, %c256 : index
    %at = arith.addi %begin, %l8 : index
    %x = uop.load %in[%at] : memref<1024xf16>, vector<8xf16>
    uop.store %x, %t[%at] : vector<8xf16>, memref<1024xf16>
  }
  uop.barrier
  uop.for %i to %two {
    %row = arith.muli %i, %c512 : index
    %corner = arith.addi %row, %c16 : index
    %a = uop.fragment_load %t[%corner] stride(32) : memref<1024xf16>, !uop.fragment<left 16x16xf16>
    uop.fragment_store %a, %out[%corner] stride(32) : !uop.fragment<left 16x16xf16>, memref<1024xf16>
  }
  uop.return
}

// Rows of 80 bytes never meet.
// CHECK-LABEL: uop.func @apart
// CHECK: uop.local : memref<640xf16>
// CHECK: stride(40)
uop.func @apart(%in: memref<640xf16>, %out: memref<640xf16>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 20 : index
  %t = uop.local : memref<640xf16>
  %l = uop.special local dim(0) extent(32)
  uop.for %r to %n {
    %begin = arith.muli %r, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf16>, f16
    uop.store %x, %t[%at] : f16, memref<640xf16>
  }
  uop.barrier
  %a = uop.fragment_load %t[%c0] stride(40) : memref<640xf16>, !uop.fragment<left 16x16xf16>
  uop.fragment_store %a, %out[%c0] stride(40) : !uop.fragment<left 16x16xf16>, memref<640xf16>
  uop.return
}

// An access that goes on in the next row would need two places.
// CHECK-LABEL: uop.func @across
// CHECK: uop.local : memref<512xf16>
// CHECK: stride(32)
uop.func @across(%in: memref<512xf16>, %out: memref<512xf16>) {
  %c0 = arith.constant 0 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %t = uop.local : memref<512xf16>
  %l = uop.special local dim(0) extent(32)
  %at = arith.muli %l, %c16 : index
  %x = uop.load %in[%at] : memref<512xf16>, vector<16xf16>
  uop.store %x, %t[%at] : vector<16xf16>, memref<512xf16>
  uop.barrier
  %l12 = arith.muli %l, %c12 : index
  %y = uop.load %t[%l12] : memref<512xf16>, vector<8xf16>
  uop.barrier
  %z = vector.extract %y[0] : f16 from vector<8xf16>
  uop.store %z, %t[%l] : f16, memref<512xf16>
  uop.barrier
  %a = uop.fragment_load %t[%c0] stride(32) : memref<512xf16>, !uop.fragment<left 16x16xf16>
  uop.fragment_store %a, %out[%c0] stride(32) : !uop.fragment<left 16x16xf16>, memref<512xf16>
  uop.return
}

// Longer rows would take more than a workgroup has.
// REMARK: rows meet in a bank: tiles would take 184320 bytes, more than a workgroup's 166912
// CHECK-LABEL: uop.func @large
// CHECK: uop.local : memref<73728xf16>
uop.func @large(%in: memref<73728xf16>, %out: memref<512xf16>) {
  %c0 = arith.constant 0 : index
  %t = uop.local : memref<73728xf16>
  %l = uop.special local dim(0) extent(32)
  %n = arith.constant 2304 : index
  %c32 = arith.constant 32 : index
  uop.for %r to %n {
    %begin = arith.muli %r, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<73728xf16>, f16
    uop.store %x, %t[%at] : f16, memref<73728xf16>
  }
  uop.barrier
  %a = uop.fragment_load %t[%c0] stride(32) : memref<73728xf16>, !uop.fragment<left 16x16xf16>
  uop.fragment_store %a, %out[%c0] stride(32) : !uop.fragment<left 16x16xf16>, memref<512xf16>
  uop.return
}
