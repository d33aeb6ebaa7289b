// RUN: tiny-opt %s --tiny-tensor-to-lazy-pipeline -lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline -check-passes -o /dev/null

// A chain of reductions over one small row does not become one kernel: each would run all before it again.
// CHECK-LABEL: func.func @chain
// CHECK: lazy.group
// CHECK: lazy.group
func.func @chain(%x0: tensor<6xf32>) -> tensor<6xf32> {
  %x1 = tiny.softmax %x0 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x2 = tiny.softmax %x1 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x3 = tiny.softmax %x2 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x4 = tiny.softmax %x3 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x5 = tiny.softmax %x4 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x6 = tiny.softmax %x5 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x7 = tiny.softmax %x6 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x8 = tiny.softmax %x7 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x9 = tiny.softmax %x8 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x10 = tiny.softmax %x9 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x11 = tiny.softmax %x10 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x12 = tiny.softmax %x11 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  return %x12 : tensor<6xf32>
}
