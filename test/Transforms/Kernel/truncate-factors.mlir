// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},kernel.func(kernel-truncate-factors))' | FileCheck %s
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_75},kernel.func(kernel-truncate-factors))' | FileCheck %s --check-prefix=NONE --implicit-check-not=arith.andi
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},kernel.func(kernel-truncate-factors))' --remarks-filter=kernel-truncate-factors --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: factors are truncated to tf32
// REMARK-NOT: truncated

// CHECK-LABEL: kernel.func @product
// NONE-LABEL: kernel.func @product
kernel.func @product(%a: memref<32xf32>, %b: memref<24xf32>, %c: memref<12xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range loop id(1) extent(3)
  %k = kernel.range reduce id(2) extent(8)
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  %a0 = arith.muli %i, %c8 : index
  %a1 = arith.addi %a0, %k : index
  // CHECK: %[[X:.*]] = kernel.load %arg0
  // NONE: %[[X:.*]] = kernel.load %arg0
  %x = kernel.load %a[%a1] : memref<32xf32>
  %b0 = arith.muli %k, %c3 : index
  %b1 = arith.addi %b0, %j : index
  // CHECK: %[[Y:.*]] = kernel.load %arg1
  %y = kernel.load %b[%b1] : memref<24xf32>
  // CHECK: %[[XB:.*]] = arith.bitcast %[[X]] : f32 to i32
  // CHECK: %[[XU:.*]] = arith.andi %[[XB]], %{{.*}} : i32
  // CHECK: %[[XT:.*]] = arith.bitcast %[[XU]] : i32 to f32
  // CHECK: %[[YB:.*]] = arith.bitcast %[[Y]] : f32 to i32
  // CHECK: %[[YU:.*]] = arith.andi %[[YB]], %{{.*}} : i32
  // CHECK: %[[YT:.*]] = arith.bitcast %[[YU]] : i32 to f32
  // CHECK: arith.mulf %[[XT]], %[[YT]] : f32
  // NONE: arith.mulf %[[X]], %{{.*}} : f32
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %o0 = arith.muli %i, %c3 : index
  %o1 = arith.addi %o0, %j : index
  kernel.store %s, %c[%o1] : memref<12xf32>
}

// Each element is multiplied once: no product of matrices.
// CHECK-LABEL: kernel.func @squares
// CHECK-NOT: arith.andi
kernel.func @squares(%a: memref<32xf32>, %c: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %k = kernel.range reduce id(1) extent(8)
  %c8 = arith.constant 8 : index
  %a0 = arith.muli %i, %c8 : index
  %a1 = arith.addi %a0, %k : index
  %x = kernel.load %a[%a1] : memref<32xf32>
  %p = arith.mulf %x, %x : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %c[%i] : memref<4xf32>
}

// A matrix by a vector: elements of the matrix are multiplied once.
// CHECK-LABEL: kernel.func @vector
// CHECK-NOT: arith.andi
kernel.func @vector(%a: memref<32xf32>, %b: memref<8xf32>, %c: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %k = kernel.range reduce id(1) extent(8)
  %c8 = arith.constant 8 : index
  %a0 = arith.muli %i, %c8 : index
  %a1 = arith.addi %a0, %k : index
  %x = kernel.load %a[%a1] : memref<32xf32>
  %y = kernel.load %b[%k] : memref<8xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %c[%i] : memref<4xf32>
}
