// RUN: tiny-opt %s --uop-describe-entry -convert-uop-to-llvm -o %t.mlir
// RUN: tiny-translate --kernels-to-llvmir %t.mlir | FileCheck %s --check-prefix=IR --implicit-check-not=declare
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --uop-describe-entry -convert-uop-to-llvm | tiny-translate --kernels-to-llvmir | FileCheck %s --check-prefix=RECORD
// RUN: tiny-translate --kernels-to-assembly %t.mlir | FileCheck %s --check-prefix=ASSEMBLY
// RUN: not tiny-translate --kernels-to-llvmir --processor=abacus %t.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tiny-translate --kernels-to-llvmir %S/Inputs/no-kernel.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tiny-translate --no-implicit-module --kernels-to-llvmir %S/Inputs/no-module.mlir 2>&1 | FileCheck %s --check-prefix=NO-MODULE

// UNKNOWN: error: unknown processor 'abacus'
// NONE: error: has no kernel at the llvm level; convert-uop-to-llvm makes them
// NO-MODULE: error: expected a module

// A loop that LLVM knows as memset stays a loop.

// IR: define void @half(
// IR: fmul
// IR: ret void
// IR: define void @zero(
// IR-NOT: call
// IR: ret void
// IR: "no-builtins"

// RECORD: "target-cpu"="x86-64-v3"

// ASSEMBLY: half:
// ASSEMBLY: zero:

kernel.program @main(%x: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %y = kernel.alloc : memref<8xf32>
  kernel.launch @half ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  kernel.return %y : memref<8xf32>
}

uop.func @half(%in: memref<8xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %half = arith.constant dense<0.5> : vector<8xf32>
  %x = uop.load %in[%c0] : memref<8xf32>, vector<8xf32>
  %y = arith.mulf %x, %half : vector<8xf32>
  uop.store %y, %out[%c0] : vector<8xf32>, memref<8xf32>
  uop.return
}

uop.func @zero(%n: memref<1xindex>, %out: memref<1000xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %bound = uop.load %n[%c0] : memref<1xindex>, index
  uop.for %i to %bound {
    uop.store %zero, %out[%i] : i8, memref<1000xi8>
  }
  uop.return
}
