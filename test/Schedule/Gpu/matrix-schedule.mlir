// Products by the matrix instructions of the record, where prediction is for them.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --remarks-filter=kernel-default-schedule --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --target-attach="target=vulkan processor=lavapipe" --kernel-default-schedule --kernel-apply-schedules | FileCheck %s --check-prefix=NONE

// REMARK: the rule that fits is about products of matrices by the subgroups of a workgroup
// REMARK: a product along axes 0, 1 and 2 in tiles of {{.*}}, axis 0 by {{.*}} as global, axis 1 by {{.*}} as global, {{[2-4]}} tiles in place of

// NONE-NOT: kernel.range fragment

// CHECK-LABEL: kernel.func @product
// CHECK-DAG: kernel.range global id(0)
// CHECK-DAG: kernel.range global id(1)
// CHECK-DAG: kernel.range reduce id(2)
// CHECK-DAG: kernel.range fragment {{.*}}extent(16)
// CHECK-DAG: kernel.range fragment {{.*}}extent(8)
// CHECK-DAG: kernel.range fragment {{.*}}extent(16)
// CHECK-DAG: kernel.stage {{.*}} local buffers({{[2-4]}})
// CHECK-DAG: kernel.stage {{.*}} local buffers({{[2-4]}})
kernel.func @product(%a: memref<1048576xbf16>, %b: memref<1048576xbf16>, %c: memref<1048576xf32>) {
  %i = kernel.range loop id(0) extent(1024)
  %j = kernel.range loop id(1) extent(1024)
  %k = kernel.range reduce id(2) extent(1024)
  %n = arith.constant 1024 : index
  %row = arith.muli %i, %n : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<1048576xbf16>
  %column = arith.muli %k, %n : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<1048576xbf16>
  %xw = arith.extf %x : bf16 to f32
  %yw = arith.extf %y : bf16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %row, %j : index
  kernel.store %s, %c[%ij] : memref<1048576xf32>
}

// There is no instruction for products of f32: each lane multiplies elements.
// CHECK-LABEL: kernel.func @of_f32
// CHECK-NOT: kernel.range fragment
// CHECK-DAG: kernel.range local
// CHECK-DAG: kernel.range unroll
// CHECK-DAG: kernel.stage {{.*}} local buffers({{[2-4]}})
// CHECK-DAG: kernel.stage {{.*}} local buffers({{[2-4]}})
kernel.func @of_f32(%a: memref<65536xf32>, %b: memref<65536xf32>, %c: memref<65536xf32>) {
  %i = kernel.range loop id(0) extent(256)
  %j = kernel.range loop id(1) extent(256)
  %k = kernel.range reduce id(2) extent(256)
  %n = arith.constant 256 : index
  %row = arith.muli %i, %n : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<65536xf32>
  %column = arith.muli %k, %n : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<65536xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %row, %j : index
  kernel.store %s, %c[%ij] : memref<65536xf32>
}

// Workgroups are enough for all cores: larger tiles, and more of them on their way than an entry may have by itself.
// CHECK-LABEL: kernel.func @large
// CHECK-DAG: kernel.stage {{.*}} local buffers(3) : memref<16384xbf16>
// CHECK-DAG: kernel.stage {{.*}} local buffers(3) : memref<8192xbf16>
kernel.func @large(%a: memref<16777216xbf16>, %b: memref<16777216xbf16>, %c: memref<16777216xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %j = kernel.range loop id(1) extent(4096)
  %k = kernel.range reduce id(2) extent(4096)
  %n = arith.constant 4096 : index
  %row = arith.muli %i, %n : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<16777216xbf16>
  %column = arith.muli %k, %n : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<16777216xbf16>
  %xw = arith.extf %x : bf16 to f32
  %yw = arith.extf %y : bf16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %row, %j : index
  kernel.store %s, %c[%ij] : memref<16777216xf32>
}
