// What lanes do together, and their capabilities.
// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-spirv | FileCheck %s --implicit-check-not="uop."

// CHECK: spirv.module Logical GLSL450 requires #spirv.vce<v1.5, [{{.*}}GroupNonUniform{{.*}}GroupNonUniformArithmetic{{.*}}]

// CHECK-LABEL: spirv.func @waits
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|UniformMemory|WorkgroupMemory>
uop.func @waits(%out: memref<64xf32>) {
  %tile = uop.local : memref<64xf32>
  %l = uop.special local dim(0) extent(64)
  %x = uop.load %out[%l] : memref<64xf32>, f32
  uop.store %x, %tile[%l] : f32, memref<64xf32>
  uop.barrier
  %y = uop.load %tile[%l] : memref<64xf32>, f32
  uop.store %y, %out[%l] : f32, memref<64xf32>
  uop.return
}

// With subgroups, lanes are numbered by them.
// CHECK-LABEL: spirv.func @sum
// CHECK-NOT: LocalInvocationId
// CHECK-DAG: spirv.mlir.addressof @SubgroupId
// CHECK-DAG: spirv.mlir.addressof @SubgroupLocalInvocationId
// CHECK: spirv.GroupNonUniformFAdd <Subgroup> <Reduce>
// CHECK: spirv.GroupNonUniformShuffleXor <Subgroup>
uop.func @sum(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(8)
  %x = uop.load %in[%l] : memref<32xf32>, f32
  %y = uop.subgroup_reduce addf %x : f32
  %z = uop.shuffle xor %y, %c1 : f32
  uop.store %z, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK-LABEL: spirv.func @count
// CHECK: spirv.AtomicIAdd <Device> <None>
// CHECK: spirv.AtomicUMax <Device> <None>
uop.func @count(%out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %l = uop.special local dim(0) extent(32)
  uop.atomic addi %one, %out[%c0] : i32, memref<4xi32>
  uop.atomic maxu %one, %out[%c0] : i32, memref<4xi32>
  uop.return
}

// Tiles that stand first in a kernel, with uses below: they were erased before what uses them, and where variables were
// being made.
// CHECK-LABEL: spirv.func @tiles
// CHECK-DAG: spirv.mlir.addressof @tiles_tile : !spirv.ptr<!spirv.array<2 x f32>, Workgroup>
// CHECK-DAG: spirv.mlir.addressof @tiles_tile_0 : !spirv.ptr<!spirv.array<3 x f32>, Workgroup>
// CHECK: spirv.Return
uop.func @tiles(%out: memref<2xf32>) {
  %first = uop.local : memref<2xf32>
  %second = uop.local : memref<3xf32>
  %l = uop.special local dim(0) extent(2)
  %x = uop.load %out[%l] : memref<2xf32>, f32
  uop.store %x, %first[%l] : f32, memref<2xf32>
  uop.store %x, %second[%l] : f32, memref<3xf32>
  %y = uop.load %first[%l] : memref<2xf32>, f32
  %z = uop.load %second[%l] : memref<3xf32>, f32
  %sum = arith.addf %y, %z : f32
  uop.store %sum, %out[%l] : f32, memref<2xf32>
  uop.return
}

// A device forms whole subgroups along x alone: where a row of lanes has none, all lie along it. The first kernel is as
// it was.
// CHECK-LABEL: spirv.func @narrow
// CHECK: spirv.ExecutionMode @waits "LocalSize", 64, 1, 1
// CHECK: spirv.ExecutionMode @narrow "LocalSize", 16, 1, 1
uop.func @narrow(%in: memref<16xf32>, %out: memref<16xf32>) {
  %c4 = arith.constant 4 : index
  %column = uop.special local dim(0) extent(4)
  %row = uop.special local dim(1) extent(4)
  %lane = uop.special lane dim(0) extent(8)
  %begin = arith.muli %row, %c4 : index
  %at = arith.addi %begin, %column : index
  %x = uop.load %in[%at] : memref<16xf32>, f32
  %y = uop.subgroup_reduce addf %x : f32
  uop.store %y, %out[%at] : f32, memref<16xf32>
  uop.return
}
