// Neighbours of a sum that are rounded are rounded, scaled and combined in pairs.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s --implicit-check-not="uop."
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_75" --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s --check-prefix=OLDER --implicit-check-not=convert.f32x2

// CHECK-LABEL: llvm.func @scores(
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f16x2
// CHECK-COUNT-2: llvm.fmul {{.*}} : vector<2xf16>
// CHECK-COUNT-3: llvm.intr.maximum({{.*}} vector<2xf16>
// CHECK-NOT: llvm.intr.maximum({{.*}} : (f32
// CHECK-NOT: llvm.fptrunc
// OLDER-LABEL: llvm.func @scores(
// OLDER-COUNT-4: llvm.fptrunc
uop.func @scores(%a: memref<256xf16>, %b: memref<128xf16>, %out: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f16
  %l = uop.special local dim(0) extent(32)
  %x = uop.fragment_load %a[%c0] stride(16) : memref<256xf16>, !uop.fragment<left 16x8xf16>
  %y = uop.fragment_load %b[%c0] stride(8) : memref<128xf16>, !uop.fragment<right 8x8xf16>
  %z = uop.fragment_fill %zero : !uop.fragment<sum 16x8xf32>
  %s = uop.mma %x, %y, %z : !uop.fragment<left 16x8xf16>, !uop.fragment<right 8x8xf16>, !uop.fragment<sum 16x8xf32>
  %e = uop.fragment_elements %s : !uop.fragment<sum 16x8xf32>, vector<4xf32>
  %e0 = vector.extract %e[0] : f32 from vector<4xf32>
  %e1 = vector.extract %e[1] : f32 from vector<4xf32>
  %e2 = vector.extract %e[2] : f32 from vector<4xf32>
  %e3 = vector.extract %e[3] : f32 from vector<4xf32>
  %t0 = arith.truncf %e0 : f32 to f16
  %t1 = arith.truncf %e1 : f32 to f16
  %t2 = arith.truncf %e2 : f32 to f16
  %t3 = arith.truncf %e3 : f32 to f16
  %m0 = arith.mulf %t0, %scale : f16
  %m1 = arith.mulf %t1, %scale : f16
  %m2 = arith.mulf %t2, %scale : f16
  %m3 = arith.mulf %t3, %scale : f16
  %w0 = arith.extf %m0 : f16 to f32
  %w1 = arith.extf %m1 : f16 to f32
  %w2 = arith.extf %m2 : f16 to f32
  %w3 = arith.extf %m3 : f16 to f32
  %w = vector.from_elements %w0, %w1, %w2, %w3 : vector<4xf32>
  %m = uop.fragment_reduce maximumf %w of !uop.fragment<sum 16x8xf32> : vector<4xf32>
  %r0 = vector.extract %m[0] : f32 from vector<4xf32>
  %d0 = arith.subf %w0, %r0 : f32
  uop.store %d0, %out[%l] : f32, memref<128xf32>
  uop.return
}
