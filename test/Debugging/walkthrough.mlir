// What docs/Debugging.md shows works, on the program it shows it on.
// RUN: tiny-opt %source/examples/affine-relu.mlir --pass-pipeline='builtin.module(func.func(tensor-decompose),convert-tensor-to-lazy,canonicalize)' | FileCheck %s --check-prefix=TEXT
// RUN: tiny-opt %source/examples/affine-relu.mlir --tiny-tensor-to-uop-pipeline --check-passes -o /dev/null
// RUN: tiny-opt %source/examples/affine-relu.mlir --tiny-tensor-to-lazy-pipeline --mlir-print-ir-after-all --mlir-print-ir-after-change -o /dev/null 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: rm -rf %t && tiny-opt %source/examples/affine-relu.mlir --tiny-tensor-to-lazy-pipeline --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t -o /dev/null
// RUN: ls -R %t | FileCheck %s --check-prefix=TREE
// RUN: tiny-opt %source/examples/affine-relu.mlir --tiny-tensor-to-uop-pipeline --mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: tiny-opt %source/examples/affine-relu.mlir --tiny-tensor-to-kernel-pipeline --remarks-filter=kernel-default-schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %source/examples/affine-relu.mlir --tiny-tensor-to-lazy-pipeline --mlir-print-debuginfo | FileCheck %s --check-prefix=ORIGIN

// A pipeline that fails writes a reproducer, and the reproducer fails in the same way.
// RUN: not tiny-opt %s --pass-pipeline='builtin.module(convert-lazy-to-kernel)' --mlir-pass-pipeline-crash-reproducer=%t.repro.mlir 2>&1 | FileCheck %s --check-prefix=FAILED
// RUN: not tiny-opt %t.repro.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=FAILED

// TEXT: lazy.reduce addf
// AFTER: IR Dump After TensorDecompose (tensor-decompose)
// TREE-DAG: convert-tensor-to-lazy.mlir
// TREE-DAG: tensor-decompose.mlir
// TIMING: ConvertKernelToUOp
// REMARK: remark: [Passed] schedule
// ORIGIN: loc(fused<{tiny.origin = "matmul"}>
// FAILED: error: {{.*}}run lazy-kernelize first

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
