// A batch that no number of parts up to four for each core divides: each of its matrices is a part.
// RUN: tiny-opt %s -target-attach=processor=x86-64-v4 -tiny-tensor-to-kernel-pipeline | FileCheck %s

// CHECK: split %{{.*}} by 67 as thread
func.func @batch(%x: tensor<67x192x192xf32>, %y: tensor<67x192x192xf32>) -> tensor<67x192x192xf32> {
  %0 = tiny.matmul %x, %y : (tensor<67x192x192xf32>, tensor<67x192x192xf32>) -> tensor<67x192x192xf32>
  return %0 : tensor<67x192x192xf32>
}
