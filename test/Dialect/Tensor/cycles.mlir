// A module's body is a graph region, where operations may form a cycle: each fold leaves one alone, and ends.
// RUN: tiny-opt %s -split-input-file -allow-unregistered-dialect -canonicalize="top-down=true" | FileCheck %s
// RUN: tiny-opt %s -split-input-file -allow-unregistered-dialect -canonicalize="top-down=false" | FileCheck %s

// CHECK-LABEL: module @involutions
module @involutions {
  // CHECK: tiny.neg
  %0 = tiny.neg %1 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  "test.use"(%0) : (tensor<4xf32>) -> ()
  %2 = tiny.neg %2 : (tensor<4xf32>) -> tensor<4xf32>
  "test.use"(%2) : (tensor<4xf32>) -> ()
  %3 = tiny.not %5 : (tensor<4xi1>) -> tensor<4xi1>
  %4 = tiny.not %3 : (tensor<4xi1>) -> tensor<4xi1>
  %5 = tiny.not %4 : (tensor<4xi1>) -> tensor<4xi1>
  "test.use"(%3) : (tensor<4xi1>) -> ()
}

// -----

// CHECK-LABEL: module @identities
module @identities {
  %one = tiny.constant dense<1.0> : tensor<4xf32>
  // CHECK: tiny.mul
  %0 = tiny.mul %0, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  "test.use"(%0) : (tensor<4xf32>) -> ()
  %1 = tiny.maximum %2, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = tiny.maximum %1, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  "test.use"(%1) : (tensor<4xf32>) -> ()
  %3 = tiny.floor %4 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = tiny.floor %3 : (tensor<4xf32>) -> tensor<4xf32>
  "test.use"(%3) : (tensor<4xf32>) -> ()
  %5 = tiny.pow %5, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  "test.use"(%5) : (tensor<4xf32>) -> ()
}

// -----

// CHECK-LABEL: module @movements
module @movements {
  // CHECK: tiny.reshape
  %0 = tiny.reshape %1 : (tensor<4xf32>) -> tensor<2x2xf32>
  %1 = tiny.reshape %0 : (tensor<2x2xf32>) -> tensor<4xf32>
  %2 = tiny.reshape %1 : (tensor<4xf32>) -> tensor<4x1xf32>
  "test.use"(%2) : (tensor<4x1xf32>) -> ()
  %3 = tiny.reshape %3 : (tensor<4xf32>) -> tensor<4xf32>
  "test.use"(%3) : (tensor<4xf32>) -> ()
  %4 = tiny.flip %5 [0] : (tensor<4xf32>) -> tensor<4xf32>
  %5 = tiny.flip %4 [0] : (tensor<4xf32>) -> tensor<4xf32>
  "test.use"(%5) : (tensor<4xf32>) -> ()
}
