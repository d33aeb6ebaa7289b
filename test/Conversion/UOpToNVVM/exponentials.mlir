// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s --implicit-check-not=math. --implicit-check-not=llvm.intr.exp2

// CHECK-LABEL: llvm.func @exponentials
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%{{.*}}) : (f32) -> f32
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%{{.*}}) : (f32) -> f32
uop.func @exponentials(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  %a = math.exp2 %x fastmath<afn> : f32
  uop.store %a, %out[%i] : f32, memref<8xf32>
  %v = uop.load %in[%c4] : memref<8xf32>, vector<4xf32>
  %b = math.exp2 %v fastmath<afn> : vector<4xf32>
  uop.store %b, %out[%c4] : vector<4xf32>, memref<8xf32>
  uop.return
}
