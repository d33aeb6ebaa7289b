// Ranges of kind group_reduce and local are lanes of a workgroup.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --convert-kernel-to-uop --verify-uop --split-input-file | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --convert-kernel-to-uop --split-input-file --check-passes -o /dev/null

// Each lane sums up its share. One of them stores.
// CHECK-LABEL: uop.func @row_sum
// CHECK-DAG: %[[LANE:.*]] = uop.special local dim(0) extent(4)
// CHECK-DAG: %[[ROW:.*]] = uop.special global dim(0) extent(3)
// CHECK: %[[PART:.*]] = uop.for
// CHECK: %[[SUM:.*]] = uop.workgroup_reduce addf %[[PART]] dims(1) : f32
// CHECK: uop.store %[[SUM]], %{{.*}}[%[[ROW]]] if %{{.*}} as i1
kernel.func @row_sum(%in: memref<24xf32>, %out: memref<3xf32>) {
  %r = kernel.range global id(0) extent(3)
  %k = kernel.range reduce id(1) extent(2)
  %l = kernel.range group_reduce id(2) extent(4)
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %row = arith.muli %r, %c8 : index
  %block = arith.muli %k, %c4 : index
  %column = arith.addi %block, %l : index
  %at = arith.addi %row, %column : index
  %x = kernel.load %in[%at] : memref<24xf32>
  %sum = kernel.reduce addf (%x) over (%k, %l) : f32
  kernel.store %sum, %out[%r] : memref<3xf32>
}

// -----

// What is stored for each element has the same lanes as the reductions, and needs no gate.
// CHECK-LABEL: uop.func @softmax
// CHECK: uop.special local dim(0) extent(4)
// CHECK-NOT: uop.special local
// CHECK: uop.workgroup_reduce maximumf {{.*}} dims(1)
// CHECK: uop.workgroup_reduce addf {{.*}} dims(1)
// CHECK-NOT: if %
// CHECK: uop.return
kernel.func @softmax(%in: memref<12xf32>, %out: memref<12xf32>) {
  %r = kernel.range global id(0) extent(3)
  %k = kernel.range group_reduce id(1) extent(4)
  %m = kernel.range group_reduce id(2) extent(4)
  %j = kernel.range local id(3) extent(4)
  %c4 = arith.constant 4 : index
  %row = arith.muli %r, %c4 : index
  %atK = arith.addi %row, %k : index
  %x = kernel.load %in[%atK] : memref<12xf32>
  %max = kernel.reduce maximumf (%x) over (%k) : f32
  %atM = arith.addi %row, %m : index
  %y = kernel.load %in[%atM] : memref<12xf32>
  %d = arith.subf %y, %max : f32
  %e = math.exp2 %d : f32
  %sum = kernel.reduce addf (%e) over (%m) : f32
  %atJ = arith.addi %row, %j : index
  %z = kernel.load %in[%atJ] : memref<12xf32>
  %dz = arith.subf %z, %max : f32
  %ez = math.exp2 %dz : f32
  %q = arith.divf %ez, %sum : f32
  kernel.store %q, %out[%atJ] : memref<12xf32>
}

// -----

// Rows as lanes, too: the lanes of a reduction are consecutive.
// CHECK-LABEL: uop.func @rows
// CHECK-DAG: uop.special local dim(0) extent(8)
// CHECK-DAG: uop.special local dim(1) extent(3)
// CHECK: uop.workgroup_reduce addf {{.*}} dims(1)
kernel.func @rows(%in: memref<24xf32>, %out: memref<3xf32>) {
  %r = kernel.range local id(0) extent(3)
  %k = kernel.range group_reduce id(1) extent(8)
  %c8 = arith.constant 8 : index
  %row = arith.muli %r, %c8 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<24xf32>
  %sum = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %sum, %out[%r] : memref<3xf32>
}

// -----

// A combiner region, or an order that is fixed, loops in each lane.
// CHECK-LABEL: uop.func @loops
// CHECK-NOT: uop.special
// CHECK: uop.for
// CHECK-NOT: workgroup_reduce
kernel.func @loops(%in: memref<4xf32>, %out: memref<1xf32>) {
  %k = kernel.range group_reduce id(0) extent(4)
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %x = kernel.load %in[%k] : memref<4xf32>
  %sum = kernel.reduce (%x) init (%zero) over (%k) : f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    kernel.yield %s : f32
  }
  kernel.store %sum, %out[%c0] : memref<1xf32>
}
