// Parts for threads where no number that would do divides an extent. Of a batch of 67 each matrix is a part.
// RUN: tiny-opt %s -target-attach=processor=x86-64-v4 -tiny-tensor-to-kernel-pipeline | FileCheck %s

// CHECK: split %{{.*}} by 67 as thread
func.func @batch(%x: tensor<67x192x192xf32>, %y: tensor<67x192x192xf32>) -> tensor<67x192x192xf32> {
  %0 = tiny.matmul %x, %y : (tensor<67x192x192xf32>, tensor<67x192x192xf32>) -> tensor<67x192x192xf32>
  return %0 : tensor<67x192x192xf32>
}

// Nor does any divide 12,967 tiles, each of which computes little: parts of many tiles, of which the last has fewer.
// CHECK-LABEL: named_sequence @matmul_0(
// CHECK: pad_to %{{.*}} multiple 4
// CHECK: swap
// CHECK: pad_to %{{.*}} multiple [[PARTS:[0-9]+]]
// CHECK: split %{{.*}} by [[PARTS]] as thread
func.func @tiles(%x: tensor<12x384xf32>, %y: tensor<51865x384xf32>) -> tensor<12x51865xf32> {
  %0 = tiny.permute %y [1, 0] : (tensor<51865x384xf32>) -> tensor<384x51865xf32>
  %1 = tiny.matmul %x, %0 : (tensor<12x384xf32>, tensor<384x51865xf32>) -> tensor<12x51865xf32>
  return %1 : tensor<12x51865xf32>
}
