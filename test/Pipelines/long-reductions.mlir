// A reduction of a million elements and more to few results becomes two kernels; a shorter one stays one.
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline=default-schedule=false --check-passes -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline | FileCheck %s
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline=parallelism=1 | FileCheck %s --check-prefix=ONE
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline=fusion=all | FileCheck %s --check-prefix=ONE

// CHECK-LABEL: kernel.program @long
// CHECK-COUNT-2: kernel.launch
// CHECK-NOT: kernel.launch
// ONE-LABEL: kernel.program @long
// ONE-COUNT-1: kernel.launch
// ONE-NOT: kernel.launch
func.func @long(%x: tensor<1024x1xi32>, %y: tensor<1024xi32>) -> tensor<i32> {
  %0 = tiny.mul %x, %y : (tensor<1024x1xi32>, tensor<1024xi32>) -> tensor<1024x1024xi32>
  %1 = tiny.sum %0 axes [0, 1] : (tensor<1024x1024xi32>) -> tensor<i32>
  return %1 : tensor<i32>
}

// What a person groups is not split.
// CHECK-LABEL: kernel.program @grouped
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
// ONE-LABEL: kernel.program @grouped
func.func @grouped(%x: tensor<1024x1xi32>, %y: tensor<1x1024xi32>) -> tensor<i32> {
  %0 = lazy.expand %x : tensor<1024x1xi32> -> tensor<1024x1024xi32>
  %1 = lazy.expand %y : tensor<1x1024xi32> -> tensor<1024x1024xi32>
  %2 = arith.muli %0, %1 {lazy.group_id = "a"} : tensor<1024x1024xi32>
  %3 = lazy.reduce addi (%2) axes [0, 1] {lazy.group_id = "a"} : (tensor<1024x1024xi32>) -> tensor<i32>
  return %3 : tensor<i32>
}

// CHECK-LABEL: kernel.program @short
// ONE-LABEL: kernel.program @short
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
func.func @short(%x: tensor<512x1xi32>, %y: tensor<1024xi32>) -> tensor<i32> {
  %0 = tiny.mul %x, %y : (tensor<512x1xi32>, tensor<1024xi32>) -> tensor<512x1024xi32>
  %1 = tiny.sum %0 axes [0, 1] : (tensor<512x1024xi32>) -> tensor<i32>
  return %1 : tensor<i32>
}
