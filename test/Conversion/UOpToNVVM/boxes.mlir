// Copies of boxes and barriers of phases, mbarrier; and products that run on over a loop's end.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s --implicit-check-not="uop."
// RUN: not tiny-opt %s --target-attach="target=cuda processor=sm_90" --uop-describe-entry --convert-uop-to-nvvm 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'uop.mbarrier_init' op needs a device whose record has bulk_copy
// RUN: not tiny-opt %s --target-attach="target=vulkan" --uop-describe-entry --convert-uop-to-spirv 2>&1 | FileCheck %s --check-prefix=VULKAN
// VULKAN: error: 'uop.mbarrier_init' op needs barriers that count bytes, which a Vulkan does not have

// The matrix is a parameter by value behind the buffers, whose two copies have one.
// CHECK: llvm.func @boxes(%{{[^:]*}}: !llvm.ptr {{{[^}]*}}}, %[[MAP:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK-SAME: maps = [#kernel.tensor_map<buffer = 0, element = bf16, rows = 64, columns = 64, stride = 64, box_rows = 8, box_columns = 64>]
// One lane begins the barriers, side by side, and all see them.
// CHECK: llvm.cond_br
// CHECK: llvm.inline_asm has_side_effects "mbarrier.init.shared::cta.b64 [$0+0], $1;", "r,r,~{memory}"
// CHECK: llvm.inline_asm has_side_effects "mbarrier.init.shared::cta.b64 [$0+8], $1;"
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.inline_asm has_side_effects "mbarrier.init.shared::cta.b64 [$0+0], $1;"
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.barrier
// CHECK: llvm.inline_asm has_side_effects "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
// CHECK: llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];", "r,l,r,r,r,~{memory}" %{{.*}}, %[[MAP]], %{{.*}}
// CHECK: llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d{{.*}}" %{{.*}}, %[[MAP]], %{{.*}}
// A lane asks until the phase is over.
// CHECK: llvm.inline_asm has_side_effects "{{.*}}mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;{{.*}}@!done bra $$wait_${:uid};{{.*}}"
// All lanes of a warp are done, and one of them says so.
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.cond_br
// CHECK: llvm.inline_asm has_side_effects "mbarrier.arrive.shared::cta.b64 _, [$0];"
uop.func @boxes(%in: memref<4096xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c512 = arith.constant 512 : index
  %tile = uop.local : memref<1024xbf16>
  %full = uop.local : memref<2xi64>
  %empty = uop.local : memref<1xi64>
  %l = uop.special local dim(0) extent(64)
  uop.mbarrier_init %full arrivals(1) : memref<2xi64>
  uop.mbarrier_init %empty arrivals(2) : memref<1xi64>
  %first = arith.cmpi eq, %l, %c0 : index
  uop.if %first {
    uop.mbarrier_expect %full[%c1] bytes(2048) : memref<2xi64>
    uop.copy_bulk %in[%c0, %c0] extents(64, 64) stride(64), %tile[%c0] box(8, 64), %full[%c1] : memref<4096xbf16>, memref<1024xbf16>, memref<2xi64>
    uop.copy_bulk %in[%c8, %c0] extents(64, 64) stride(64), %tile[%c512] box(8, 64), %full[%c1] : memref<4096xbf16>, memref<1024xbf16>, memref<2xi64>
  }
  uop.mbarrier_wait %full[%c1] phase(%c0) : memref<2xi64>
  uop.mbarrier_arrive %empty[%c0] : memref<1xi64>
  uop.return
}

// The series of an iteration is left to the next one, in the registers that its sums are in.
// CHECK-LABEL: llvm.func @series(
// CHECK: llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;"
// CHECK: llvm.inline_asm has_side_effects "wgmma.mma_async
// CHECK-NOT: wait_group
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;"
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
// CHECK: llvm.store {{.*}} : f32
uop.func @series(%out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 4 : index
  %x = arith.constant dense<1.0> : vector<8xf16>
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(128)
  %tile = uop.local : memref<4096xf16>
  %at = arith.muli %l, %c64 : index
  uop.store %x, %tile[%c0] : vector<8xf16>, memref<4096xf16>
  uop.barrier
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    %a = uop.fragment_load %tile[%c0] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %b = uop.fragment_load %tile[%c0] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %d = uop.mma %a, %b, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    %w = uop.mma_wait %d pending(1) : !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %w : !uop.fragment<sum 64x64xf32 by 4>
  }
  %e = uop.mma_wait %s pending(0) : !uop.fragment<sum 64x64xf32 by 4>
  %f = uop.fragment_elements %e : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  %g = vector.extract %f[0] : f32 from vector<32xf32>
  uop.store %g, %out[%l] : f32, memref<4096xf32>
  uop.return
}
