// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline | FileCheck %s

// What is multiplied to a softmax is a weight that differs from row to row, but not along the product's columns: it is a
// factor of the elements, so that rows share what is loaded and keys come in blocks. 96 columns are three vectors.
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
// CHECK: transform.tiny.split %{{.*}} by 32 as upcast
// CHECK: transform.tiny.split %{{.*}} by 3 as upcast
// CHECK: transform.tiny.block_reduce
func.func @main(%a0: tensor<2x24x16xf32>, %a1: tensor<2x64x16xf32>, %a2: tensor<2x64x96xf32>, %a3: tensor<2x24x64xf32>) -> (tensor<2x24x96xf32>) {
  %v1 = tiny.permute %a1 [0, 2, 1] : (tensor<2x64x16xf32>) -> tensor<2x16x64xf32>
  %v2 = tiny.matmul %a0, %v1 : (tensor<2x24x16xf32>, tensor<2x16x64xf32>) -> tensor<2x24x64xf32>
  %v3 = tiny.softmax %v2 axis -1 : (tensor<2x24x64xf32>) -> tensor<2x24x64xf32>
  %v4 = tiny.mul %v3, %a3 : (tensor<2x24x64xf32>, tensor<2x24x64xf32>) -> tensor<2x24x64xf32>
  %v5 = tiny.matmul %v4, %a2 : (tensor<2x24x64xf32>, tensor<2x64x96xf32>) -> tensor<2x24x96xf32>
  return %v5 : tensor<2x24x96xf32>
}
