// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --uop-simplify-copies --split-input-file | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --uop-simplify-copies --split-input-file --check-passes -o /dev/null
// RUN: tiny-opt %s --target-attach=processor=x86-64-v4 --uop-simplify-copies --split-input-file | FileCheck %s --check-prefix=CPU

// Four columns beside each other lie in a row of 56: the one in front of them may not.
// CHECK-LABEL: uop.func @windows
// CHECK: %[[FIRST:.*]] = arith.cmpi sge
// CHECK-NOT: arith.cmpi
// CHECK: uop.load {{.*}} if %[[FIRST]]
// CHECK: uop.load %{{.*}}[%{{.*}}] : memref<784xf32>
// CPU-LABEL: uop.func @windows
// CPU-COUNT-2: arith.cmpi
uop.func @windows(%in: memref<784xf32>, %out: memref<784xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c14 = arith.constant 14 : index
  %c56 = arith.constant 56 : index
  %lane = uop.special local dim(0) extent(196)
  %block = sym.mod %lane, %c14 : index
  %column = arith.muli %block, %c4 : index
  %at = arith.muli %lane, %c4 : index
  %before = arith.subi %at, %c1 : index
  %isInside = arith.cmpi sge, %column, %c1 : index
  %x = uop.load %in[%before] if %isInside as i1 : memref<784xf32>, f32
  %last = arith.addi %column, %c3 : index
  %end = arith.addi %at, %c3 : index
  %isBelow = arith.cmpi slt, %last, %c56 : index
  %y = uop.load %in[%end] if %isBelow as i1 : memref<784xf32>, f32
  %zero = arith.constant 0.0 : f32
  %kept = arith.select %isInside, %x, %zero : f32
  %sum = arith.addf %kept, %y : f32
  uop.store %sum, %out[%at] : f32, memref<784xf32>
  uop.return
}

// -----

// What is around tiles stays.
// CHECK-LABEL: uop.func @tile
// CHECK: arith.cmpi slt
uop.func @tile(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c64 = arith.constant 64 : index
  %lane = uop.special local dim(0) extent(64)
  %t = uop.local : memref<64xf32>
  %isBelow = arith.cmpi slt, %lane, %c64 : index
  %x = uop.load %in[%lane] if %isBelow as i1 : memref<64xf32>, f32
  uop.store %x, %t[%lane] : f32, memref<64xf32>
  uop.barrier
  %y = uop.load %t[%lane] : memref<64xf32>, f32
  uop.store %y, %out[%lane] : f32, memref<64xf32>
  uop.return
}
