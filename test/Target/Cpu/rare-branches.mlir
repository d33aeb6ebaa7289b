// What sines compute for large arguments is a function that they share.
//
// RUN: tiny-compile %s --compile-to=llvm-ir -o - | FileCheck %s
// RUN: tiny-run %s --input random:1 --no-cache --processor=x86-64-v3 | FileCheck %s --check-prefix=RESULT

// CHECK: define void @[[KERNEL:.*]](ptr
// CHECK: !prof
// CHECK: call void @[[KERNEL]].rare(
// CHECK: !prof
// CHECK: call void @[[KERNEL]].rare(
// CHECK-NOT: .rare(
// CHECK: define internal void @[[KERNEL]].rare(
// CHECK-NOT: define

// RESULT: result0: tensor<64xf32>
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tiny.sin %x : (tensor<64xf32>) -> tensor<64xf32>
  %1 = tiny.mul %x, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %2 = tiny.cos %1 : (tensor<64xf32>) -> tensor<64xf32>
  %3 = tiny.add %0, %2 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %3 : tensor<64xf32>
}
