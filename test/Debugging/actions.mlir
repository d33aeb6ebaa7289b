// What happens inside passes is an action with a name; a counter stops it after the n-th, and what comes out is right.
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline --mlir-disable-threading --log-actions-to=- -o /dev/null | FileCheck %s --check-prefix=LOG
// RUN: tiny-opt %s --tiny-tensor-to-lazy-pipeline --mlir-disable-threading --mlir-debug-counter=view-merge-skip=0,view-merge-count=0 | FileCheck %s --check-prefix=VIEWS
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline --mlir-disable-threading --mlir-debug-counter=fusion-skip=0,fusion-count=0 --remarks-filter=lazy-kernelize --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=FUSION
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline --mlir-disable-threading --mlir-debug-counter=schedule-step-skip=0,schedule-step-count=0 | FileCheck %s --check-prefix=STEPS --implicit-check-not=transform.tiny
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline --mlir-disable-threading --mlir-debug-counter=lazy-rewrite-skip=0,lazy-rewrite-count=0 | FileCheck %s --check-prefix=APART
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline --check-passes --mlir-disable-threading --mlir-debug-counter=view-merge-skip=0,view-merge-count=0 -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline --check-passes --mlir-disable-threading --mlir-debug-counter=symbolic-rule-skip=0,symbolic-rule-count=0 -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline --check-passes --mlir-disable-threading --mlir-debug-counter=symbolic-rule-skip=0,symbolic-rule-count=9 -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline --check-passes --mlir-disable-threading --mlir-debug-counter=fusion-skip=0,fusion-count=2 -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline --check-passes --mlir-disable-threading --mlir-debug-counter=schedule-step-skip=0,schedule-step-count=1 -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline --check-passes --mlir-disable-threading --mlir-debug-counter=lazy-rewrite-skip=0,lazy-rewrite-count=0 -o /dev/null

// LOG-DAG: Action `view-merge` pair
// LOG-DAG: Action `lazy-rewrite` merge-reductions
// LOG-DAG: Action `fusion` fuse
// LOG-DAG: Action `schedule-step` split
// LOG-DAG: Action `symbolic-rule` affine-quotient

// Two views stay two.
// VIEWS: lazy.view %{{.*}} <(32, 16):(1, 32), (8, 32, 16):(0, 16, 1)>

// FUSION: remark: [Missed] stored {{.*}}whoever watches actions stops it
// FUSION: remark: [Missed] apart {{.*}}whoever watches actions stops it
// FUSION: kernel.func private @matmul(
// FUSION: kernel.func private @matmul_0(

// STEPS: kernel.func private @matmul

// APART: kernel.func private @matmul
// APART: kernel.reduce maximumf
// APART: kernel.reduce addf

func.func @main(%q: tensor<8x16xf32>, %k: tensor<16x32xf32>, %v: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %s = tiny.matmul %q, %k : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %p = tiny.softmax %s axis 1 : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %o = tiny.matmul %p, %v : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %o : tensor<8x16xf32>
}
