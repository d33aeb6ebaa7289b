// A module's body is a graph region, where operations may form a cycle: each fold leaves one alone, and ends.
// RUN: tiny-opt %s -split-input-file -allow-unregistered-dialect -canonicalize="top-down=true" | FileCheck %s
// RUN: tiny-opt %s -split-input-file -allow-unregistered-dialect -canonicalize="top-down=false" | FileCheck %s

// CHECK-LABEL: module @reshapes
module @reshapes {
  // CHECK: lazy.reshape
  %0 = lazy.reshape %1 : tensor<4xf32> -> tensor<2x2xf32>
  %1 = lazy.reshape %0 : tensor<2x2xf32> -> tensor<4xf32>
  %2 = lazy.reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  "test.use"(%2) : (tensor<4x1xf32>) -> ()
  %3 = lazy.reshape %3 : tensor<4xf32> -> tensor<4xf32>
  "test.use"(%3) : (tensor<4xf32>) -> ()
}

// -----

// CHECK-LABEL: module @views
module @views {
  // CHECK: lazy.view
  %0 = lazy.view %1 <(4):(-1) + 3> : tensor<4xf32> -> tensor<4xf32>
  %1 = lazy.view %2 <(4):(-1) + 3> : tensor<4xf32> -> tensor<4xf32>
  %2 = lazy.view %0 <(4):(-1) + 3> : tensor<4xf32> -> tensor<4xf32>
  "test.use"(%1) : (tensor<4xf32>) -> ()
  %3 = lazy.contiguous %4 : tensor<4xf32>
  %4 = lazy.contiguous %3 : tensor<4xf32>
  "test.use"(%3) : (tensor<4xf32>) -> ()
}
