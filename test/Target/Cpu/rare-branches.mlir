// What sines compute for large arguments is a function that they share.
//
// RUN: tiny-compile %s --compile-to=llvm-ir -o - | FileCheck %s
// RUN: tiny-run %s --input arange --device=reference --output %t.npy
// RUN: tiny-run %s --input arange --no-cache --expect %t.npy

// CHECK: define void @[[KERNEL:.*]](ptr
// CHECK: !prof
// CHECK: call void @[[KERNEL]].rare(
// CHECK: !prof
// CHECK: call void @[[KERNEL]].rare(
// CHECK-NOT: .rare(
// CHECK: define internal void @[[KERNEL]].rare(
// CHECK-NOT: define

// Squares from 41 x 41 on are more than 1600: the branch is taken.
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tiny.sin %x : (tensor<64xf32>) -> tensor<64xf32>
  %1 = tiny.mul %x, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %2 = tiny.cos %1 : (tensor<64xf32>) -> tensor<64xf32>
  %3 = tiny.add %0, %2 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %3 : tensor<64xf32>
}
