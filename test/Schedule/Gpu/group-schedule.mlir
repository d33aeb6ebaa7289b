// Reductions by the lanes of a workgroup, where prediction is for them.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --remarks-filter=kernel-default-schedule --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --target-attach="target=vulkan processor=lavapipe" --kernel-default-schedule --kernel-apply-schedules --convert-kernel-to-uop --verify-uop --check-passes -o /dev/null

// REMARK: the rule that fits is about reductions of vectors by the lanes of a workgroup
// REMARK: axis 1 by 4 as upcast, axis 1 by {{[0-9]+}} as group_reduce, axis 0 by 64 as global

// Lanes next to each other read neighbours.
// CHECK-LABEL: kernel.func @row_sum
// CHECK-DAG: kernel.range global id(0) extent(64)
// CHECK-DAG: kernel.range reduce id(1)
// CHECK-DAG: kernel.range group_reduce
// CHECK-DAG: kernel.range upcast {{.*}} extent(4)
// CHECK-NOT: kernel.range
kernel.func @row_sum(%in: memref<65536xf32>, %out: memref<64xf32>) {
  %i = kernel.range loop id(0) extent(64)
  %k = kernel.range reduce id(1) extent(1024)
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<65536xf32>
  %sum = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %sum, %out[%i] : memref<64xf32>
}

// Of columns, lanes along the output read neighbours, and others read blocks of the rows, whose sums lie in a tile.
// CHECK-LABEL: kernel.func @column_sum
// CHECK-DAG: kernel.range local id(2) extent(32)
// CHECK-DAG: kernel.range local id(4) extent([[BLOCKS:[0-9]+]])
// CHECK-DAG: kernel.range local id(5) extent(32)
// CHECK-DAG: kernel.range reduce id(3) extent([[BLOCKS]])
// CHECK-DAG: kernel.stage {{.*}} local
// CHECK-NOT: group_reduce
kernel.func @column_sum(%in: memref<131072xf32>, %out: memref<512xf32>) {
  %i = kernel.range loop id(0) extent(512)
  %k = kernel.range reduce id(1) extent(256)
  %c512 = arith.constant 512 : index
  %row = arith.muli %k, %c512 : index
  %at = arith.addi %row, %i : index
  %x = kernel.load %in[%at] : memref<131072xf32>
  %sum = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %sum, %out[%i] : memref<512xf32>
}

// All axes of lanes are cut alike. What does not divide is padded.
// CHECK-LABEL: kernel.func @softmax
// CHECK-DAG: kernel.range global id(0) extent(8)
// CHECK-DAG: kernel.range group_reduce {{.*}}extent([[LANES:[0-9]+]])
// CHECK-DAG: kernel.range group_reduce {{.*}}extent([[LANES]])
// CHECK-DAG: kernel.range local {{.*}}extent([[LANES]])
kernel.func @softmax(%in: memref<8000xf32>, %out: memref<8000xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(1000)
  %m = kernel.range reduce id(2) extent(1000)
  %j = kernel.range loop id(3) extent(1000)
  %c1000 = arith.constant 1000 : index
  %row = arith.muli %i, %c1000 : index
  %atK = arith.addi %row, %k : index
  %x = kernel.load %in[%atK] : memref<8000xf32>
  %max = kernel.reduce maximumf (%x) over (%k) : f32
  %atM = arith.addi %row, %m : index
  %y = kernel.load %in[%atM] : memref<8000xf32>
  %d = arith.subf %y, %max : f32
  %e = math.exp2 %d : f32
  %sum = kernel.reduce addf (%e) over (%m) : f32
  %atJ = arith.addi %row, %j : index
  %z = kernel.load %in[%atJ] : memref<8000xf32>
  %dz = arith.subf %z, %max : f32
  %ez = math.exp2 %dz : f32
  %q = arith.divf %ez, %sum : f32
  kernel.store %q, %out[%atJ] : memref<8000xf32>
}

// A single number takes one workgroup.
// CHECK-LABEL: kernel.func @total
// CHECK: kernel.range group_reduce
// CHECK-NOT: kernel.range global
kernel.func @total(%in: memref<100000xf32>, %out: memref<1xf32>) {
  %k = kernel.range reduce id(0) extent(100000)
  %c0 = arith.constant 0 : index
  %x = kernel.load %in[%k] : memref<100000xf32>
  %sum = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %sum, %out[%c0] : memref<1xf32>
}

// An order that is fixed stays: a lane reduces alone.
// CHECK-LABEL: kernel.func @ordered
// CHECK-NOT: group_reduce
// CHECK-NOT: group_reduce
kernel.func @ordered(%in: memref<65536xf32>, %out: memref<64xf32>) {
  %i = kernel.range loop id(0) extent(64)
  %k = kernel.range reduce id(1) extent(1024)
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<65536xf32>
  %sum = kernel.reduce addf (%x) over (%k) fastmath<none> : f32
  kernel.store %sum, %out[%i] : memref<64xf32>
}
