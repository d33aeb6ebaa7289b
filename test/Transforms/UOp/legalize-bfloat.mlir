// A target that computes in bf16 keeps its operations. From f64 it rounds through f32, rounded to odd.
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-legalize),verify-uop{legal})' | FileCheck %s
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-legalize),uop-describe-entry,convert-uop-to-nvvm)' | FileCheck %s --check-prefix=NVVM

// CHECK-LABEL: uop.func @product
// CHECK: %[[R:.*]] = arith.mulf {{.*}} : vector<8xbf16>
// CHECK: uop.store %[[R]]
// NVVM-LABEL: llvm.func @product
// NVVM: %[[R:.*]] = llvm.fmul {{.*}} : vector<8xbf16>
// NVVM: llvm.store %[[R]]
uop.func @product(%in: memref<8xbf16>, %out: memref<8xbf16>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xbf16>, vector<8xbf16>
  %y = arith.mulf %x, %x : vector<8xbf16>
  uop.store %y, %out[%i] : vector<8xbf16>, memref<8xbf16>
  uop.return
}

// CHECK-LABEL: uop.func @double
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK: arith.ori
// CHECK: arith.truncf {{.*}} : f32 to bf16
uop.func @double(%in: memref<8xf64>, %out: memref<8xbf16>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf64>, f64
  %y = arith.truncf %x : f64 to bf16
  uop.store %y, %out[%i] : bf16, memref<8xbf16>
  uop.return
}
