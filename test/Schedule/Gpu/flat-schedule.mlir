// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --remarks-filter=kernel-default-schedule --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules --check-passes
// RUN: tiny-opt %s --target-attach="target=vulkan processor=lavapipe" --kernel-default-schedule --kernel-apply-schedules | FileCheck %s --check-prefix=NARROW

// REMARK: the rule that fits is about vectors of lanes along shared axes
// REMARK: predicted to take {{.*}} us
// REMARK: axes 0 and 1 merged, axis 0 by 4 as upcast, axis 0 by 256 as local, axis 0 by 1024 as global

// Axes that are walked as one become one, for workgroups of 64 lanes; of 256, each of which moves 16 bytes at once, if
// it can.
// CHECK-LABEL: kernel.func @elementwise
// CHECK-DAG: kernel.range global id(0) extent(1024)
// CHECK-DAG: kernel.range local id(2) extent(256)
// CHECK-DAG: kernel.range upcast id(1) extent(4)
// CHECK-NOT: kernel.range
// NARROW-LABEL: kernel.func @elementwise
// NARROW-DAG: kernel.range global id(0) extent(16384)
// NARROW-DAG: kernel.range local id(1) extent(64)
// NARROW-NOT: kernel.range
kernel.func @elementwise(%in: memref<1048576xf32>, %out: memref<1048576xf32>) {
  %i = kernel.range loop id(0) extent(1024)
  %j = kernel.range loop id(1) extent(1024)
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<1048576xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%at] : memref<1048576xf32>
}

// Lanes behind the end store nothing.
// CHECK-LABEL: kernel.func @padded
// NARROW-LABEL: kernel.func @padded
// CHECK-DAG: kernel.range global id(0) extent(2)
// CHECK-DAG: kernel.range local id(1) extent(64)
// CHECK: kernel.store {{.*}} if
kernel.func @padded(%in: memref<67xf32>, %out: memref<67xf32>) {
  %i = kernel.range loop id(0) extent(67)
  %x = kernel.load %in[%i] : memref<67xf32>
  kernel.store %x, %out[%i] : memref<67xf32>
}

// More workgroups than an axis has become rounds of a loop.
// CHECK-LABEL: kernel.func @rounds
// CHECK-DAG: kernel.range global id(0) extent(4883)
// CHECK-NOT: kernel.range loop
// NARROW-LABEL: kernel.func @rounds
// NARROW-DAG: kernel.range global id(0) extent(39063)
// NARROW-DAG: kernel.range loop {{.*}}extent(2)
// NARROW-DAG: kernel.range local {{.*}}extent(64)
kernel.func @rounds(%in: memref<5000000xf32>, %out: memref<5000000xf32>) {
  %i = kernel.range loop id(0) extent(5000000)
  %x = kernel.load %in[%i] : memref<5000000xf32>
  kernel.store %x, %out[%i] : memref<5000000xf32>
}

// A reduction whose order is fixed loops in a lane. Short axes share the lanes of a workgroup.
// CHECK-LABEL: kernel.func @product
// CHECK-DAG: kernel.range local id(0) extent(16)
// CHECK-DAG: kernel.range upcast {{.*}} extent(4)
// CHECK-DAG: kernel.range reduce id(2) extent(20000)
// CHECK-NOT: kernel.range
// CHECK-NOT: kernel.stage
// NARROW-LABEL: kernel.func @product
// NARROW-DAG: kernel.range local id(0) extent(64)
kernel.func @product(%a: memref<160000xf32>, %b: memref<160000xf32>, %out: memref<64xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(8)
  %k = kernel.range reduce id(2) extent(20000)
  %c8 = arith.constant 8 : index
  %c20000 = arith.constant 20000 : index
  %rowA = arith.muli %i, %c20000 : index
  %atA = arith.addi %rowA, %k : index
  %rowB = arith.muli %k, %c8 : index
  %atB = arith.addi %rowB, %j : index
  %x = kernel.load %a[%atA] : memref<160000xf32>
  %y = kernel.load %b[%atB] : memref<160000xf32>
  %xy = arith.mulf %x, %y : f32
  %sum = kernel.reduce addf (%xy) over (%k) fastmath<none> : f32
  %row = arith.muli %i, %c8 : index
  %at = arith.addi %row, %j : index
  kernel.store %sum, %out[%at] : memref<64xf32>
}

// A short reduction is done again by each lane along an axis that it does not vary along.
// CHECK-LABEL: kernel.func @centred
// CHECK-DAG: kernel.range global id(0) extent(16)
// CHECK-DAG: kernel.range local {{.*}}extent(64)
// CHECK-DAG: kernel.range upcast {{.*}}extent(4)
// CHECK-DAG: kernel.range reduce id(2) extent(32)
// CHECK-NOT: kernel.range
kernel.func @centred(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %i = kernel.range loop id(0) extent(128)
  %j = kernel.range loop id(1) extent(32)
  %k = kernel.range reduce id(2) extent(32)
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %atK = arith.addi %row, %k : index
  %atJ = arith.addi %row, %j : index
  %x = kernel.load %in[%atK] : memref<4096xf32>
  %sum = kernel.reduce addf (%x) over (%k) fastmath<none> : f32
  %y = kernel.load %in[%atJ] : memref<4096xf32>
  %z = arith.subf %y, %sum : f32
  kernel.store %z, %out[%atJ] : memref<4096xf32>
}

// A scalar has no axes: one lane computes it.
// CHECK-LABEL: kernel.func @total
// CHECK: kernel.range reduce id(0) extent(100)
// CHECK-NOT: kernel.range
kernel.func @total(%in: memref<100xf32>, %out: memref<1xf32>) {
  %k = kernel.range reduce id(0) extent(100)
  %c0 = arith.constant 0 : index
  %x = kernel.load %in[%k] : memref<100xf32>
  %sum = kernel.reduce addf (%x) over (%k) fastmath<none> : f32
  kernel.store %sum, %out[%c0] : memref<1xf32>
}

// An axis of one of two stores loops in a lane.
// CHECK-LABEL: kernel.func @two_stores
// CHECK-DAG: kernel.range local id(0) extent(4)
// CHECK-DAG: kernel.range loop id(1) extent(3)
kernel.func @two_stores(%in: memref<12xf32>, %out: memref<12xf32>, %rows: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range loop id(1) extent(3)
  %c3 = arith.constant 3 : index
  %row = arith.muli %i, %c3 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<12xf32>
  %y = kernel.load %in[%i] : memref<12xf32>
  kernel.store %x, %out[%at] : memref<12xf32>
  kernel.store %y, %rows[%i] : memref<4xf32>
}

// A tile that is cheap to compute again is taken back.
// CHECK-LABEL: kernel.func @cheap_tile
// CHECK-DAG: kernel.range local id(0) extent(8)
// CHECK-NOT: kernel.stage
kernel.func @cheap_tile(%in: memref<32xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %f = kernel.range loop id(1) extent(4)
  %k = kernel.range reduce id(2) extent(4)
  %c4 = arith.constant 4 : index
  %row = arith.muli %i, %c4 : index
  %at = arith.addi %row, %f : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %e = arith.mulf %x, %x : f32
  %t = kernel.stage %e over (%f) local : memref<4xf32>
  %y = kernel.load %t[%k] : memref<4xf32>
  %sum = kernel.reduce addf (%y) over (%k) fastmath<none> : f32
  kernel.store %sum, %out[%i] : memref<8xf32>
}

// One with a reduction stays. It belongs to one lane: a workgroup has no more.
// CHECK-LABEL: kernel.func @dear_tile
// CHECK-DAG: kernel.range global id(0) extent(8)
// CHECK-DAG: kernel.stage
// CHECK-NOT: kernel.range local
kernel.func @dear_tile(%in: memref<32xf32>, %weights: memref<16xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %f = kernel.range loop id(1) extent(4)
  %k = kernel.range reduce id(2) extent(4)
  %l = kernel.range reduce id(3) extent(4)
  %c4 = arith.constant 4 : index
  %row = arith.muli %i, %c4 : index
  %at = arith.addi %row, %l : index
  %column = arith.muli %l, %c4 : index
  %atWeight = arith.addi %column, %f : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %w = kernel.load %weights[%atWeight] : memref<16xf32>
  %xw = arith.mulf %x, %w : f32
  %e = kernel.reduce addf (%xw) over (%l) : f32
  %t = kernel.stage %e over (%f) local : memref<4xf32>
  %y = kernel.load %t[%k] : memref<4xf32>
  %sum = kernel.reduce addf (%y) over (%k) : f32
  kernel.store %sum, %out[%i] : memref<8xf32>
}

// Stores that have no axis in common run along one of as many points.
// CHECK-LABEL: kernel.func @beside
// CHECK-DAG: kernel.range global id(0)
// CHECK-DAG: kernel.range local
// CHECK-NOT: kernel.range
// CHECK: kernel.store
// CHECK: kernel.store
kernel.func @beside(%a: memref<600xf32>, %b: memref<600xf32>, %c: memref<1200xf32>) {
  %i = kernel.range loop id(0) extent(600)
  %j = kernel.range loop id(1) extent(600)
  %c600 = arith.constant 600 : index
  %x = kernel.load %a[%i] : memref<600xf32>
  kernel.store %x, %c[%i] : memref<1200xf32>
  %at = arith.addi %j, %c600 : index
  %y = kernel.load %b[%j] : memref<600xf32>
  kernel.store %y, %c[%at] : memref<1200xf32>
}

// Where there are no such axes, one workgroup has lanes along an axis of each.
// CHECK-LABEL: kernel.func @apart
// CHECK-NOT: global
// CHECK-DAG: kernel.range local {{.*}}extent(256)
// CHECK-DAG: kernel.range local {{.*}}extent(256)
// CHECK-DAG: kernel.store {{.*}} if
// CHECK-DAG: kernel.store {{.*}} if
kernel.func @apart(%a: memref<600xf32>, %b: memref<70xf32>, %c: memref<670xf32>) {
  %i = kernel.range loop id(0) extent(600)
  %j = kernel.range loop id(1) extent(70)
  %c600 = arith.constant 600 : index
  %x = kernel.load %a[%i] : memref<600xf32>
  kernel.store %x, %c[%i] : memref<670xf32>
  %at = arith.addi %j, %c600 : index
  %y = kernel.load %b[%j] : memref<70xf32>
  kernel.store %y, %c[%at] : memref<670xf32>
}
