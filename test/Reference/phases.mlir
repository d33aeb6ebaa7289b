// A ring of two tiles, which the device fills with boxes: barriers of phases say which one is full, and which one no
// subgroup reads any more. What breaks it is found.
// RUN: split-file %s %t
// RUN: tiny-interpret %t/ring.mlir --input='dense<1.0> : tensor<2048xf16>' --input='dense<2.0> : tensor<40xf16>' --program=ring | FileCheck %s --check-prefix=ONES
// ONES: ring result 1: tensor<40xf16> [1, 1, {{.*}}, 1, 0, 0, 0, 0, 0, 0, 0, 0]

// Somebody reads the tile before the wait for it.
// RUN: sed -e '/FULL/d' %t/ring.mlir > %t/unseen.mlir
// RUN: not tiny-interpret %t/unseen.mlir 2>&1 | FileCheck %s --check-prefix=UNSEEN
// UNSEEN: error: reads element 0 of tile 0 in lane 0 before the wait for the asynchronous copy to it
// Of the wrong phase, which is over already.
// RUN: sed -e '/FULL/s/phase([^)]*)/phase(%c1)/' %t/ring.mlir > %t/wrong.mlir
// RUN: not tiny-interpret %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=UNSEEN
// RUN: sed -e '/FULL/s/phase([^)]*)/phase(%c0)/' %t/ring.mlir > %t/wrong.mlir
// RUN: not tiny-interpret %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=UNSEEN
// RUN: sed -e '/FULL/s/phase([^)]*)/phase(%c2)/' %t/ring.mlir > %t/wrong.mlir
// RUN: not tiny-interpret %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=PARITY
// PARITY: error: has parity 2, expected 0 or 1
// Other bytes than are copied.
// RUN: sed -e 's/bytes(1024)/bytes(512)/' %t/ring.mlir > %t/bytes.mlir
// RUN: not tiny-interpret %t/bytes.mlir 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: is about a barrier that expects 512 bytes, and 1024 are copied
// The tile is filled again while others may read it.
// RUN: sed -e '/EMPTY/d' %t/ring.mlir > %t/early.mlir
// RUN: not tiny-interpret %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: has a race: lane 0 writes element 72 of tile 0 by 'uop.copy_bulk', and lane 1 reads it by 'uop.load', with no barrier between
// And where the others say too early that they are done.
// RUN: sed -e 's/uop.mbarrier_arrive.*DONE//' -e 's/BEFORE/\n    uop.mbarrier_arrive %empty[%which] : memref<2xi64>/' %t/ring.mlir > %t/hasty.mlir
// RUN: not tiny-interpret %t/hasty.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// Nobody arrives.
// RUN: sed -e '/DONE/d' %t/ring.mlir > %t/never.mlir
// RUN: not tiny-interpret %t/never.mlir 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: error: waits for phase 0 of barrier 0 of tile 2, which does not end: 2 of 2 arrivals are missing
// A copy that nobody waits for, one to a place of no box, one without a barrier, and barriers that begin twice.
// RUN: not tiny-interpret %t/faults.mlir --program=left 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: is not waited for before the workgroup ends
// RUN: not tiny-interpret %t/faults.mlir --program=place 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: copies to element 8 of tile 0, which is no multiple of 128 bytes
// RUN: not tiny-interpret %t/faults.mlir --program=none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: is about barrier 0 of tile 1, which has not begun
// RUN: not tiny-interpret %t/faults.mlir --program=twice 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: begins barriers that have begun
// RUN: not tiny-interpret %t/faults.mlir --program=over 2>&1 | FileCheck %s --check-prefix=OVER
// OVER: error: copies to element 0 of tile 0 in workgroup 0 before the wait for another copy to it
// RUN: not tiny-interpret %t/faults.mlir --program=apart 2>&1 | FileCheck %s --check-prefix=APART
// APART: error: has an index that differs between the lanes of a subgroup

//--- ring.mlir
// Boxes of 8 rows of a matrix of 32, and one outside of it. A lane reads the first element of its row, which is swizzled.
uop.func @ring(%in: memref<2048xf16>, %out: memref<40xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c72 = arith.constant 72 : index
  %c512 = arith.constant 512 : index
  %tile = uop.local : memref<1024xf16>
  %full = uop.local : memref<2xi64>
  %empty = uop.local : memref<2xi64>
  %l = uop.special local dim(0) extent(8)
  %lane = uop.special lane dim(0) extent(4)
  uop.mbarrier_init %full arrivals(1) : memref<2xi64>
  uop.mbarrier_init %empty arrivals(2) : memref<2xi64>
  %first = arith.cmpi eq, %l, %c0 : index
  uop.if %first {
    uop.for %ahead to %c2 {
      %row = arith.muli %ahead, %c8 : index
      %to = arith.muli %ahead, %c512 : index
      uop.mbarrier_expect %full[%ahead] bytes(1024) : memref<2xi64>
      uop.copy_bulk %in[%row, %c0] extents(32, 64) stride(64), %tile[%to] box(8, 64), %full[%ahead] : memref<2048xf16>, memref<1024xf16>, memref<2xi64>
    }
  }
  uop.for %k to %c5 iter(%which = %c0, %parity = %c0) -> (index, index) {
    uop.mbarrier_wait %full[%which] phase(%parity) : memref<2xi64>  // FULL
    // BEFORE
    %begin = arith.muli %which, %c512 : index
    %swizzled = arith.muli %l, %c72 : index
    %at = arith.addi %begin, %swizzled : index
    %x = uop.load %tile[%at] : memref<1024xf16>, f16
    %k8 = arith.muli %k, %c8 : index
    %place = arith.addi %k8, %l : index
    uop.store %x, %out[%place] : f16, memref<40xf16>
    uop.mbarrier_arrive %empty[%which] : memref<2xi64>  // DONE
    %next = arith.addi %k, %c2 : index
    %inside = arith.cmpi slt, %next, %c5 : index
    %more = arith.andi %first, %inside : i1
    uop.if %more {
      uop.mbarrier_wait %empty[%which] phase(%parity) : memref<2xi64>  // EMPTY
      %row = arith.muli %next, %c8 : index
      uop.mbarrier_expect %full[%which] bytes(1024) : memref<2xi64>
      uop.copy_bulk %in[%row, %c0] extents(32, 64) stride(64), %tile[%begin] box(8, 64), %full[%which] : memref<2048xf16>, memref<1024xf16>, memref<2xi64>
    }
    %other = arith.subi %c1, %which : index
    %isLast = arith.cmpi eq, %which, %c1 : index
    %parityed = arith.subi %c1, %parity : index
    %after = arith.select %isLast, %parityed, %parity : index
    uop.yield %other, %after : index, index
  }
  uop.return
}
//--- faults.mlir
uop.func @left(%in: memref<512xf16>) {
  %c0 = arith.constant 0 : index
  %tile = uop.local : memref<512xf16>
  %full = uop.local : memref<1xi64>
  uop.mbarrier_init %full arrivals(1) : memref<1xi64>
  uop.mbarrier_expect %full[%c0] bytes(1024) : memref<1xi64>
  uop.copy_bulk %in[%c0, %c0] extents(8, 64) stride(64), %tile[%c0] box(8, 64), %full[%c0] : memref<512xf16>, memref<512xf16>, memref<1xi64>
  uop.return
}
uop.func @place(%in: memref<512xf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %tile = uop.local : memref<1024xf16>
  %full = uop.local : memref<1xi64>
  uop.mbarrier_init %full arrivals(1) : memref<1xi64>
  uop.copy_bulk %in[%c0, %c0] extents(8, 64) stride(64), %tile[%c8] box(8, 64), %full[%c0] : memref<512xf16>, memref<1024xf16>, memref<1xi64>
  uop.return
}
uop.func @none(%in: memref<512xf16>) {
  %c0 = arith.constant 0 : index
  %tile = uop.local : memref<512xf16>
  %full = uop.local : memref<1xi64>
  uop.copy_bulk %in[%c0, %c0] extents(8, 64) stride(64), %tile[%c0] box(8, 64), %full[%c0] : memref<512xf16>, memref<512xf16>, memref<1xi64>
  uop.return
}
uop.func @twice(%in: memref<512xf16>) {
  %full = uop.local : memref<1xi64>
  uop.mbarrier_init %full arrivals(1) : memref<1xi64>
  uop.mbarrier_init %full arrivals(1) : memref<1xi64>
  uop.return
}
uop.func @over(%in: memref<512xf16>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %tile = uop.local : memref<512xf16>
  %full = uop.local : memref<1xi64>
  uop.mbarrier_init %full arrivals(1) : memref<1xi64>
  uop.for %k to %c2 {
    uop.copy_bulk %in[%c0, %c0] extents(8, 64) stride(64), %tile[%c0] box(8, 64), %full[%c0] : memref<512xf16>, memref<512xf16>, memref<1xi64>
  }
  uop.return
}
uop.func @apart(%in: memref<512xf16>) {
  %full = uop.local : memref<4xi64>
  %l = uop.special local dim(0) extent(4)
  %lane = uop.special lane dim(0) extent(4)
  uop.mbarrier_init %full arrivals(1) : memref<4xi64>
  uop.mbarrier_arrive %full[%l] : memref<4xi64>
  uop.return
}
