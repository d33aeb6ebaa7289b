// Blocks of a product's rows share panels of the other factor: all of them are packed at once, before the first block.
// RUN: tiny-opt %s -split-input-file --target-attach=processor=x86-64-v3 --tiny-tensor-to-kernel-pipeline | FileCheck %s
// RUN: tiny-opt %s -split-input-file --target-attach=processor=x86-64-v3 --tiny-cpu-pipeline --check-passes -o /dev/null

// 1500 rows are some blocks: the panel's own loop, 6, is an axis of what is packed.
// CHECK-LABEL: kernel.func private @
// CHECK: transform.named_sequence @
// CHECK: transform.tiny.widen_stage
// CHECK: transform.tiny.stage %{{.*}} argument 1 over [6, 7, {{[0-9]+}}] local
func.func @blocks(%x: tensor<2x1500x32xf32>, %y: tensor<2x48x32xf32>) -> tensor<2x1500x48xf32> {
  %t = tiny.permute %y [0, 2, 1] : (tensor<2x48x32xf32>) -> tensor<2x32x48xf32>
  %0 = tiny.matmul %x, %t : (tensor<2x1500x32xf32>, tensor<2x32x48xf32>) -> tensor<2x1500x48xf32>
  %1 = tiny.softmax %0 axis -1 : (tensor<2x1500x48xf32>) -> tensor<2x1500x48xf32>
  return %1 : tensor<2x1500x48xf32>
}

// -----

// 60 rows are one block: a panel is packed where it is read, over the reduced axis and its lanes.
// CHECK-LABEL: kernel.func private @
// CHECK: transform.named_sequence @
// CHECK: transform.tiny.widen_stage
// CHECK: transform.tiny.stage %{{.*}} argument 1 over [7, {{[0-9]+}}] local
func.func @block(%x: tensor<2x60x32xf32>, %y: tensor<2x48x32xf32>) -> tensor<2x60x48xf32> {
  %t = tiny.permute %y [0, 2, 1] : (tensor<2x48x32xf32>) -> tensor<2x32x48xf32>
  %0 = tiny.matmul %x, %t : (tensor<2x60x32xf32>, tensor<2x32x48xf32>) -> tensor<2x60x48xf32>
  %1 = tiny.softmax %0 axis -1 : (tensor<2x60x48xf32>) -> tensor<2x60x48xf32>
  return %1 : tensor<2x60x48xf32>
}
