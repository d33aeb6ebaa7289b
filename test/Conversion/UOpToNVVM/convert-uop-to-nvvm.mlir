// RUN: tiny-opt %s -split-input-file --uop-describe-entry -convert-uop-to-nvvm | FileCheck %s --implicit-check-not=uop. --implicit-check-not=arith. --implicit-check-not=cf. --implicit-check-not=unrealized

// Buffers are arguments, axes special registers: of workgroups and of lanes.

// CHECK-LABEL: llvm.func @double(
// CHECK-SAME: %[[IN:[^ ]+]]: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: %[[OUT:[^ ]+]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias})
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>
// CHECK: %[[G:.+]] = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2> : i32
// CHECK: %[[GWIDE:.+]] = llvm.zext %[[G]] : i32 to i64
// CHECK: %[[L:.+]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
// CHECK: %[[LWIDE:.+]] = llvm.zext %[[L]] : i32 to i64
// CHECK: %[[BASE:.+]] = llvm.mul %[[GWIDE]]
// CHECK: %[[I:.+]] = llvm.add %[[BASE]], %[[LWIDE]]
// CHECK: %[[FROM:.+]] = llvm.getelementptr inbounds|nuw %[[IN]][%[[I]]]
// CHECK: llvm.load %[[FROM]] {alias_scopes = {{.*}}, alignment = 4 : i64
uop.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
  %g = uop.special global dim(0) extent(2)
  %l = uop.special local dim(0) extent(64)
  %c64 = arith.constant 64 : index
  %base = arith.muli %g, %c64 : index
  %i = arith.addi %base, %l : index
  %x = uop.load %in[%i] : memref<128xf32>, f32
  %y = arith.addf %x, %x fastmath<contract> : f32
  uop.store %y, %out[%i] : f32, memref<128xf32>
  uop.return
}

// -----

// Thread axes take the axes of the grid that global ones leave.

// CHECK-LABEL: llvm.func @axes(
// CHECK-SAME: nvvm.reqntid = array<i32: 1, 2, 3>
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 4> : i32
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 3> : i32
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.z range <i32, 0, 5> : i32
// CHECK-DAG: nvvm.read.ptx.sreg.tid.y range <i32, 0, 2> : i32
// CHECK-DAG: nvvm.read.ptx.sreg.tid.z range <i32, 0, 3> : i32
uop.func @axes(%out: memref<16xi64>) {
  %t = uop.special thread dim(0) extent(4)
  %g1 = uop.special global dim(1) extent(3)
  %g2 = uop.special global dim(2) extent(5)
  %l1 = uop.special local dim(1) extent(2)
  %l2 = uop.special local dim(2) extent(3)
  %a = arith.addi %g2, %t : index
  %b = arith.addi %a, %g1 : index
  %c = arith.addi %b, %l1 : index
  %d = arith.addi %c, %l2 : index
  %one = arith.constant 1 : i64
  uop.store %one, %out[%d] : i64, memref<16xi64>
  uop.return
}

// -----

// A launch gives more of them than 48 KiB.

// CHECK: llvm.mlir.global external @many_tiles() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @many(
// CHECK: %[[GLOBAL:.+]] = llvm.mlir.addressof @many_tiles : !llvm.ptr<3>
// CHECK: %[[MEMORY:.+]] = llvm.addrspacecast %[[GLOBAL]] : !llvm.ptr<3> to !llvm.ptr
// CHECK: %[[SECOND:.+]] = llvm.mlir.constant(49152 : i64)
// CHECK: llvm.getelementptr inbounds %[[MEMORY]][%[[SECOND]]]
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "cuda" = #target.record<gpu "sm_80", subgroup = 32, workgroup = 1024, shared = 166912, cores = 108>>} {
  uop.func @many(%x: memref<4xf32>) {
    %a = uop.local : memref<12288xf32>
    %b = uop.local : memref<1xf32>
    %i = arith.constant 0 : index
    %v = uop.load %x[%i] : memref<4xf32>, f32
    uop.store %v, %b[%i] : f32, memref<1xf32>
    %w = uop.load %a[%i] : memref<12288xf32>, f32
    uop.store %w, %x[%i] : f32, memref<4xf32>
    uop.return
  }
}

// -----

// Tiles of the workgroup lie one after the other in one global; those of a lane on its stack.

// CHECK: llvm.mlir.global internal @tiles_tiles() {addr_space = 3 : i32, alignment = 64 : i64} : !llvm.array<192 x i8>
// CHECK-LABEL: llvm.func @tiles(
// CHECK: %[[GLOBAL:.+]] = llvm.mlir.addressof @tiles_tiles : !llvm.ptr<3>
// CHECK: %[[MEMORY:.+]] = llvm.addrspacecast %[[GLOBAL]] : !llvm.ptr<3> to !llvm.ptr
// CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.getelementptr inbounds %[[MEMORY]][%[[ZERO]]]
// CHECK: %[[SECOND:.+]] = llvm.mlir.constant(128 : i64)
// CHECK: llvm.getelementptr inbounds %[[MEMORY]][%[[SECOND]]]
// CHECK: llvm.alloca
uop.func @tiles(%x: memref<4xf32>) {
  %a = uop.local : memref<32xf32>
  %b = uop.local : memref<3xi8>
  %r = uop.register : memref<4xf32>
  %i = arith.constant 0 : index
  %v = uop.load %x[%i] : memref<4xf32>, f32
  uop.store %v, %a[%i] : f32, memref<32xf32>
  %w = uop.load %a[%i] : memref<32xf32>, f32
  %byte = arith.fptosi %w : f32 to i8
  uop.store %byte, %b[%i] : i8, memref<3xi8>
  uop.store %w, %r[%i] : f32, memref<4xf32>
  %y = uop.load %r[%i] : memref<4xf32>, f32
  uop.store %y, %x[%i] : f32, memref<4xf32>
  uop.return
}

// -----

// A name that is taken gets a number.

// CHECK: llvm.mlir.global internal @taken_tiles_0()
// CHECK: llvm.mlir.addressof @taken_tiles_0
uop.func @taken(%x: memref<4xf32>) {
  %a = uop.local : memref<4xf32>
  %i = arith.constant 0 : index
  %v = uop.load %x[%i] : memref<4xf32>, f32
  uop.store %v, %a[%i] : f32, memref<4xf32>
  uop.return
}
llvm.func @taken_tiles()

// -----

// A prefetch goes.

// CHECK-LABEL: llvm.func @prefetch(
// CHECK-NOT: prefetch
// CHECK: llvm.return
uop.func @prefetch(%x: memref<4xf32>) {
  %i = arith.constant 0 : index
  uop.prefetch %x[%i] : memref<4xf32>
  uop.return
}
