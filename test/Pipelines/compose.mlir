// Walking down level by level gives what the whole way gives (locations carry the kernels' names), and every step
// passes the check of its results.
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline -o %t.whole
// RUN: tiny-opt %s --tiny-tensor-to-lazy-pipeline --mlir-print-debuginfo \
// RUN:   | tiny-opt --tiny-lazy-to-kernel-pipeline --mlir-print-debuginfo \
// RUN:   | tiny-opt --tiny-kernel-to-uop-pipeline -o %t.steps
// RUN: diff %t.whole %t.steps
// RUN: tiny-opt %s --tiny-tensor-to-llvm-pipeline -o %t.llvm
// RUN: tiny-opt %s --tiny-cpu-pipeline | diff %t.llvm -
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline --check-passes -o /dev/null

// The fusion policy reaches lazy-kernelize, the schedule options reach the kernels, and whether products may be fused reaches
// convert-kernel-to-uop, which asks the record, too.
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline | FileCheck %s --check-prefix=DEFAULT
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline=fusion=none | FileCheck %s --check-prefix=NONE
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline=fusion=all | FileCheck %s --check-prefix=ALL
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline=default-schedule=false | FileCheck %s --check-prefix=PLAIN
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline | FileCheck %s --check-prefix=FUSED
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline=contract=false | FileCheck %s --check-prefix=APART
// RUN: tiny-opt %s --target-attach=processor=x86-64 --tiny-tensor-to-uop-pipeline | FileCheck %s --check-prefix=APART
// RUN: not tiny-opt %s --tiny-tensor-to-kernel-pipeline=fusion=some 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// DEFAULT-COUNT-2: kernel.launch
// DEFAULT-NOT: kernel.launch
// DEFAULT: module @schedules
// NONE-COUNT-4: kernel.launch
// ALL-COUNT-1: kernel.launch
// ALL-NOT: kernel.launch
// PLAIN-NOT: schedules
// FUSED: math.fma
// APART-NOT: math.fma
// APART: arith.mulf
// APART: arith.addf
// UNKNOWN: Cannot find option named 'some'

// Large enough that the product is no reduction inside of the sum, with rows too short to be kept for it.
func.func @main(%x: tensor<80x64xf32>, %w: tensor<64x20xf32>) -> tensor<80xf32> {
  %0 = tiny.matmul %x, %w : (tensor<80x64xf32>, tensor<64x20xf32>) -> tensor<80x20xf32>
  %1 = tiny.relu %0 : (tensor<80x20xf32>) -> tensor<80x20xf32>
  %2 = tiny.sum %1 axes [1] : (tensor<80x20xf32>) -> tensor<80xf32>
  return %2 : tensor<80xf32>
}
