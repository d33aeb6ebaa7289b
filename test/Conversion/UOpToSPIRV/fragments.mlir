// Fragments are cooperative matrices, and their module has Vulkan's memory model.
// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-spirv | FileCheck %s --implicit-check-not="uop."

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "example", types = [f32, i32, i16, i8], converts = [f16],
  instructions = [hidden_fragments], subgroup = 8, workgroup = 128, cores = 4, shared = 32768,
  matrices = [(8, 8, 16, f16, f32), (8, 8, 32, i8, i32)]>>} {

// CHECK: spirv.module Logical Vulkan requires #spirv.vce<v1.6, [{{.*}}VulkanMemoryModel{{.*}}CooperativeMatrixKHR{{.*}}], [SPV_KHR_cooperative_matrix]>

// CHECK-LABEL: spirv.func @product
// CHECK: %[[LEFT:.*]] = spirv.KHR.CooperativeMatrixLoad %{{.*}}, %{{.*}}, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<f16, StorageBuffer>, i32 -> !spirv.coopmatrix<8x16xf16, Subgroup, MatrixA>
// CHECK: %[[RIGHT:.*]] = spirv.KHR.CooperativeMatrixLoad %{{.*}}, <ColumnMajor>, <NonPrivatePointer> : !spirv.ptr<f16, Workgroup>, i32 -> !spirv.coopmatrix<16x8xf16, Subgroup, MatrixB>
// CHECK: spirv.CompositeConstruct %{{.*}} : (f32) -> !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
// CHECK: spirv.mlir.loop
// CHECK: spirv.KHR.CooperativeMatrixMulAdd %[[LEFT]], %[[RIGHT]], %{{.*}} : !spirv.coopmatrix<8x16xf16, Subgroup, MatrixA>, !spirv.coopmatrix<16x8xf16, Subgroup, MatrixB> -> !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
// CHECK: spirv.KHR.CooperativeMatrixStore %{{.*}}, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<f32, Workgroup>
// CHECK: spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|UniformMemory|WorkgroupMemory|MakeAvailable|MakeVisible>
// CHECK: spirv.Load "Workgroup" %{{.*}} ["NonPrivatePointer"] : f32
// CHECK: spirv.Store "StorageBuffer" %{{.*}} ["NonPrivatePointer"] : f32
uop.func @product(%a: memref<128xf16>, %b: memref<128xf16>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %tile = uop.local : memref<128xf16>
  %sums = uop.local : memref<64xf32>
  %l = uop.special local dim(0) extent(8)
  uop.for %k to %c16 {
    %c8 = arith.constant 8 : index
    %row = arith.muli %k, %c8 : index
    %at = arith.addi %row, %l : index
    %e = uop.load %b[%at] : memref<128xf16>, f16
    uop.store %e, %tile[%at] : f16, memref<128xf16>
    uop.yield
  }
  uop.barrier
  %zero = arith.constant 0.0 : f32
  %x = uop.fragment_load %a[%c0] stride(16) : memref<128xf16>, !uop.fragment<left 8x16xf16>
  %y = uop.fragment_load %tile[%c0] stride(16) transposed : memref<128xf16>, !uop.fragment<right 16x8xf16>
  %c = uop.fragment_fill %zero : !uop.fragment<sum 8x8xf32>
  %d = uop.for %k to %c3 iter(%s = %c) -> (!uop.fragment<sum 8x8xf32>) {
    %t = uop.mma %x, %y, %s : !uop.fragment<left 8x16xf16>, !uop.fragment<right 16x8xf16>, !uop.fragment<sum 8x8xf32>
    uop.yield %t : !uop.fragment<sum 8x8xf32>
  }
  uop.fragment_store %d, %sums[%c0] stride(8) : !uop.fragment<sum 8x8xf32>, memref<64xf32>
  uop.subgroup_barrier
  %v = uop.load %sums[%l] : memref<64xf32>, f32
  uop.store %v, %out[%l] : f32, memref<64xf32>
  uop.return
}

// CHECK-LABEL: spirv.func @bytes
// CHECK: spirv.KHR.CooperativeMatrixMulAdd {{.*}}, <ASigned|BSigned|CSigned|ResultSigned> : !spirv.coopmatrix<8x32xi8, Subgroup, MatrixA>
uop.func @bytes(%a: memref<256xi8>, %b: memref<256xi8>, %out: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(8)
  %zero = arith.constant 0 : i32
  %x = uop.fragment_load %a[%c0] stride(32) : memref<256xi8>, !uop.fragment<left 8x32xi8>
  %y = uop.fragment_load %b[%c0] stride(8) : memref<256xi8>, !uop.fragment<right 32x8xi8>
  %c = uop.fragment_fill %zero : !uop.fragment<sum 8x8xi32>
  %d = uop.mma %x, %y, %c : !uop.fragment<left 8x32xi8>, !uop.fragment<right 32x8xi8>, !uop.fragment<sum 8x8xi32>
  uop.fragment_store %d, %out[%c0] stride(8) : !uop.fragment<sum 8x8xi32>, memref<64xi32>
  uop.return
}

// The model has the whole device as an option only.
// CHECK-LABEL: spirv.func @count
// CHECK: spirv.AtomicIAdd <QueueFamily> <None>
uop.func @count(%out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %l = uop.special local dim(0) extent(32)
  uop.atomic addi %one, %out[%c0] : i32, memref<4xi32>
  uop.return
}
}
