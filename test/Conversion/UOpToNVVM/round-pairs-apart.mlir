// What is computed of one of two alone stays as it is, and a maximum of what was not rounded is one of f32.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s --implicit-check-not="uop."

// CHECK-LABEL: llvm.func @apart(
// CHECK: nvvm.convert.f32x2.to.bf16x2
// CHECK-COUNT-2: llvm.fptrunc {{.*}} : f32 to bf16
// CHECK-NOT: vector<2xbf16> {{.*}}fmul
// CHECK: llvm.fmul {{.*}} : bf16
// CHECK: llvm.intr.maximum({{.*}} : (f32
uop.func @apart(%a: memref<256xbf16>, %b: memref<128xbf16>, %out: memref<128xbf16>, %rows: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : bf16
  %l = uop.special local dim(0) extent(32)
  %x = uop.fragment_load %a[%c0] stride(16) : memref<256xbf16>, !uop.fragment<left 16x8xbf16>
  %y = uop.fragment_load %b[%c0] stride(8) : memref<128xbf16>, !uop.fragment<right 8x8xbf16>
  %z = uop.fragment_fill %zero : !uop.fragment<sum 16x8xf32>
  %s = uop.mma %x, %y, %z : !uop.fragment<left 16x8xbf16>, !uop.fragment<right 8x8xbf16>, !uop.fragment<sum 16x8xf32>
  %e = uop.fragment_elements %s : !uop.fragment<sum 16x8xf32>, vector<4xf32>
  %e0 = vector.extract %e[0] : f32 from vector<4xf32>
  %e1 = vector.extract %e[1] : f32 from vector<4xf32>
  %e2 = vector.extract %e[2] : f32 from vector<4xf32>
  %n2 = arith.addf %e2, %e2 : f32
  %t0 = arith.truncf %e0 : f32 to bf16
  %t1 = arith.truncf %e1 : f32 to bf16
  %t2 = arith.truncf %e2 : f32 to bf16
  %t3 = arith.truncf %n2 : f32 to bf16
  %m0 = arith.mulf %t0, %scale : bf16
  %p1 = arith.addi %l, %c32 : index
  %p2 = arith.addi %l, %c64 : index
  %p3 = arith.addi %l, %c96 : index
  uop.store %m0, %out[%l] : bf16, memref<128xbf16>
  uop.store %t1, %out[%p1] : bf16, memref<128xbf16>
  uop.store %t2, %out[%p2] : bf16, memref<128xbf16>
  uop.store %t3, %out[%p3] : bf16, memref<128xbf16>
  %m = uop.fragment_reduce maximumf %e of !uop.fragment<sum 16x8xf32> : vector<4xf32>
  %r0 = vector.extract %m[0] : f32 from vector<4xf32>
  uop.store %r0, %rows[%l] : f32, memref<128xf32>
  uop.return
}
