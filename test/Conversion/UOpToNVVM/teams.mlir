// Products of matrices by warpgroups: factors are descriptors of tiles, and products run on until somebody needs a sum.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s --implicit-check-not="uop."

// Tiles that are swizzled begin at multiples of 1024 bytes. The left factor lies along the depth, the right one across it.
// CHECK: llvm.mlir.global internal @series_tiles() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK-LABEL: llvm.func @series(
// What lanes wrote is shown to wgmma in front of the barrier.
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.barrier
// CHECK: llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;"
// Sums that begin with zeros are dropped.
// CHECK: llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, {{.*}}, $31}, $32, $33, $34, 1, 1, 0, 1;"
// CHECK-NOT: wait_group
// CHECK: llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, {{.*}}, $31}, $64, $65, $66, 1, 1, 0, 1;"
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
// CHECK: llvm.store {{.*}} : f32
uop.func @series(%in: memref<4096xf16>, %other: memref<4096xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(128)
  %left = uop.local : memref<4096xf16>
  %right = uop.local : memref<4096xf16>
  %l8 = arith.muli %l, %c8 : index
  uop.for %r to %n {
    %begin = arith.muli %r, %c1024 : index
    %at = arith.addi %begin, %l8 : index
    %x = uop.load %in[%at] : memref<4096xf16>, vector<8xf16>
    uop.store %x, %left[%at] : vector<8xf16>, memref<4096xf16>
    %y = uop.load %other[%at] : memref<4096xf16>, vector<8xf16>
    uop.store %y, %right[%at] : vector<8xf16>, memref<4096xf16>
  }
  uop.barrier
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %a0 = uop.fragment_load %left[%c0] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
  %b0 = uop.fragment_load %right[%c0] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
  %d0 = uop.mma %a0, %b0, %c : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %a1 = uop.fragment_load %left[%c16] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
  %b1 = uop.fragment_load %right[%c1024] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
  %d1 = uop.mma %a1, %b1, %d0 : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %rows, %columns = uop.fragment_place !uop.fragment<sum 64x64xf32 by 4> : vector<32xindex>
  %x = uop.fragment_elements %d1 : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  %widths = vector.broadcast %c64 : index to vector<32xindex>
  %lines = arith.muli %rows, %widths : vector<32xindex>
  %places = arith.addi %lines, %columns : vector<32xindex>
  %e0 = vector.extract %x[0] : f32 from vector<32xf32>
  %p0 = vector.extract %places[0] : index from vector<32xindex>
  uop.store %e0, %out[%p0] : f32, memref<4096xf32>
  uop.return
}

// Two products that begin with one sum have registers of their own, and a sum that two products take ends a series.
// CHECK-LABEL: llvm.func @chains(
// CHECK: wgmma.fence
// CHECK-COUNT-2: wgmma.mma_async{{.*}}bf16.bf16{{.*}}1, 1, 1, 0;
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: wgmma.wait_group
// CHECK: wgmma.fence
// CHECK-COUNT-2: wgmma.mma_async
// CHECK: wgmma.wait_group
// CHECK-NOT: wgmma
uop.func @chains(%out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(128)
  %left = uop.local : memref<1024xbf16>
  %right = uop.local : memref<4096xbf16>
  uop.barrier
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %a = uop.fragment_load %left[%c0] stride(64) transposed panel(1024) : memref<1024xbf16>, !uop.fragment<left 64x16xbf16 by 4>
  %b = uop.fragment_load %right[%c0] stride(64) transposed panel(4096) : memref<4096xbf16>, !uop.fragment<right 16x64xbf16 by 4>
  %d = uop.mma %a, %b, %c : !uop.fragment<left 64x16xbf16 by 4>, !uop.fragment<right 16x64xbf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %e = uop.mma %a, %b, %c : !uop.fragment<left 64x16xbf16 by 4>, !uop.fragment<right 16x64xbf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %f = uop.mma %a, %b, %e : !uop.fragment<left 64x16xbf16 by 4>, !uop.fragment<right 16x64xbf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %g = uop.mma %a, %b, %e : !uop.fragment<left 64x16xbf16 by 4>, !uop.fragment<right 16x64xbf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %x = uop.fragment_elements %f : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  %y = uop.fragment_elements %g : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  %z = arith.addf %x, %y : vector<32xf32>
  %v = uop.fragment_elements %d : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  %w = arith.addf %z, %v : vector<32xf32>
  %at = arith.muli %l, %c0 : index
  %e0 = vector.extract %w[0] : f32 from vector<32xf32>
  uop.store %e0, %out[%l] : f32, memref<4096xf32>
  uop.return
}

// A left factor in registers: two blocks of eight columns of a sum. Sums that begin with zeros take none, and what a
// product behind the first one needs stands in front of the series. A product by ones is each warp's own.
// CHECK-LABEL: llvm.func @registers(
// CHECK: wgmma.fence
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, {{.*}}, $31}, $32, $33, $34, 1, 1, 0, 0;", "=f,{{.*}}=f,l,l,b"
// CHECK: wgmma.wait_group
// CHECK: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK: "wgmma.fence.sync.aligned;", "=f,{{.*}},=r,=r,=r,=r,=r,=r,=r,=r,0,
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, {{.*}}, $31}, {$64, $65, $66, $67}, $68, $69, 1, 1, 0;"
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, {{.*}}, $31}, {$64, $65, $66, $67}, $68, $69, 1, 1, 0;"
// CHECK: wgmma.wait_group
// CHECK-NOT: wgmma
uop.func @registers(%out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %l = uop.special local dim(0) extent(128)
  %left = uop.local : memref<4096xf16>
  %right = uop.local : memref<4096xf16>
  uop.barrier
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %ones = uop.fragment_fill %one : !uop.fragment<right 16x64xf16 by 4>
  %a = uop.fragment_load %left[%c0] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
  %b = uop.fragment_load %right[%c0] stride(64) transposed panel(4096) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
  %d = uop.mma %a, %b, %c : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %x = uop.fragment_elements %d : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  %p = uop.fragment_pack %x from(0) : vector<32xf32>, !uop.fragment<left 64x16xf16 by 4>
  %q = uop.fragment_pack %x from(48) : vector<32xf32>, !uop.fragment<left 64x16xf16 by 4>
  %r0 = uop.mma %p, %ones, %c : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %r1 = uop.mma %q, %ones, %r0 : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %y = uop.fragment_elements %r1 : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  %rows, %columns = uop.fragment_place !uop.fragment<sum 64x64xf32 by 4> : vector<32xindex>
  %b0 = uop.fragment_load %right[%c0] stride(64) transposed panel(4096) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
  %e0 = uop.mma %p, %b0, %d : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %b1 = uop.fragment_load %right[%c16] stride(64) transposed panel(4096) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
  %e1 = uop.mma %q, %b1, %e0 : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %z = uop.fragment_elements %e1 : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  %all = arith.addf %z, %y : vector<32xf32>
  %m = uop.fragment_reduce maximumf %all of !uop.fragment<sum 64x64xf32 by 4> : vector<32xf32>
  %n = vector.extract %m[0] : f32 from vector<32xf32>
  uop.store %n, %out[%l] : f32, memref<4096xf32>
  uop.return
}

// Of tf32 both factors lie along the depth, and no order is said.
// CHECK-LABEL: llvm.func @upper_bits(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {$0, {{.*}}, $63}, $64, $65, $66, 1, 1;", "{{.*}}=f,l,l,b"
uop.func @upper_bits(%out: memref<8192xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(128)
  %left = uop.local : memref<2048xf32>
  %right = uop.local : memref<4096xf32>
  uop.barrier
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x128xf32 by 4>
  %a = uop.fragment_load %left[%c0] stride(32) panel(2048) : memref<2048xf32>, !uop.fragment<left 64x8xtf32 by 4>
  %b = uop.fragment_load %right[%c0] stride(32) transposed panel(4096) : memref<4096xf32>, !uop.fragment<right 8x128xtf32 by 4>
  %d = uop.mma %a, %b, %c : !uop.fragment<left 64x8xtf32 by 4>, !uop.fragment<right 8x128xtf32 by 4>, !uop.fragment<sum 64x128xf32 by 4>
  %x = uop.fragment_elements %d : !uop.fragment<sum 64x128xf32 by 4>, vector<64xf32>
  %e0 = vector.extract %x[0] : f32 from vector<64xf32>
  uop.store %e0, %out[%l] : f32, memref<8192xf32>
  uop.return
}

// A left factor across the depth is in registers, which lanes read in front of all products of the series: columns t and
// t + 4 of two rows that lie next to each other, of each product. The rows of a sum are these.
// CHECK-LABEL: llvm.func @read_by_lanes(
// CHECK-COUNT-4: llvm.load %{{.*}}alignment = 8 : i64{{.*}} -> vector<2xi32>
// CHECK-NOT: llvm.load
// CHECK: "wgmma.fence.sync.aligned;", "=r,=r,=r,=r,=r,=r,=r,=r,0,1,2,3,4,5,6,7"
// CHECK: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {$0, {{.*}}, $31}, {$32, $33, $34, $35}, $36, $37, 1, 1;", "{{.*}}=f,r,r,r,r,l,b"
// CHECK: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {$0, {{.*}}, $31}, {$64, $65, $66, $67}, $68, $69, 1, 1;"
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: llvm.store
uop.func @read_by_lanes(%out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(128)
  %left = uop.local : memref<2048xf32>
  %right = uop.local : memref<2048xf32>
  uop.barrier
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %a0 = uop.fragment_load %left[%c0] stride(32) transposed panel(1024) : memref<2048xf32>, !uop.fragment<left 64x8xtf32 by 4>
  %b0 = uop.fragment_load %right[%c0] stride(32) transposed panel(2048) : memref<2048xf32>, !uop.fragment<right 8x64xtf32 by 4>
  %d0 = uop.mma %a0, %b0, %c : !uop.fragment<left 64x8xtf32 by 4>, !uop.fragment<right 8x64xtf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %a1 = uop.fragment_load %left[%c256] stride(32) transposed panel(1024) : memref<2048xf32>, !uop.fragment<left 64x8xtf32 by 4>
  %b1 = uop.fragment_load %right[%c8] stride(32) transposed panel(2048) : memref<2048xf32>, !uop.fragment<right 8x64xtf32 by 4>
  %d1 = uop.mma %a1, %b1, %d0 : !uop.fragment<left 64x8xtf32 by 4>, !uop.fragment<right 8x64xtf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %rows, %columns = uop.fragment_place !uop.fragment<sum 64x64xf32 by 4> : vector<32xindex>
  %x = uop.fragment_elements %d1 : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  %widths = vector.broadcast %c64 : index to vector<32xindex>
  %lines = arith.muli %columns, %widths : vector<32xindex>
  %places = arith.addi %lines, %rows : vector<32xindex>
  %e0 = vector.extract %x[0] : f32 from vector<32xf32>
  %p0 = vector.extract %places[0] : index from vector<32xindex>
  uop.store %e0, %out[%p0] : f32, memref<4096xf32>
  uop.return
}
