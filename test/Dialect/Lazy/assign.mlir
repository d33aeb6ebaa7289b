// RUN: tiny-opt %s --verify-roundtrip -o /dev/null
// RUN: tiny-opt %s --canonicalize="test-convergence" --check-passes | FileCheck %s
// Assignments that fold, and those that stay.

// CHECK-LABEL: func.func @stays(
// CHECK: lazy.assign %{{.*}}, %{{.*}} <(2, 3):(4, -1) + 3> : tensor<2x3xf32>, tensor<2x4xf32>
func.func @stays(%v: tensor<2x3xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = lazy.assign %v, %b <(2, 3):(4, -1) + 3> : tensor<2x3xf32>, tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// A masked element writes nothing: position 3 keeps what it was.
// CHECK-LABEL: func.func @masked(
// CHECK: lazy.assign {{.*}}<(4):(1) mask [0:3]>
func.func @masked(%v: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.assign %v, %b <(4):(1) mask [0:3]> : tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @nothing(
// CHECK-SAME: %{{[^:]*}}: tensor<0xf32>, %[[B:[^:]*]]: tensor<4xf32>
// CHECK-NEXT: return %[[B]]
func.func @nothing(%v: tensor<0xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.assign %v, %b <(0):(0)> : tensor<0xf32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @everything(
// CHECK-SAME: %[[V:[^:]*]]: tensor<2x4xf32>
// CHECK-NEXT: return %[[V]]
func.func @everything(%v: tensor<2x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = lazy.assign %v, %b <(2, 4):(4, 1)> : tensor<2x4xf32>, tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// All elements in another order are a view.
// CHECK-LABEL: func.func @permuted(
// CHECK-SAME: %[[V:[^:]*]]: tensor<4x2xf32>
// CHECK-NEXT: %[[W:.*]] = lazy.view %[[V]] <(2, 4):(1, 2)>
// CHECK-NEXT: return %[[W]]
func.func @permuted(%v: tensor<4x2xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = lazy.assign %v, %b <(4, 2):(1, 4)> : tensor<4x2xf32>, tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @own_elements(
// CHECK-SAME: %[[B:[^:]*]]: tensor<8xf32>
// CHECK-NEXT: return %[[B]]
func.func @own_elements(%b: tensor<8xf32>) -> tensor<8xf32> {
  %v = lazy.shrink %b begin [2] end [5] : tensor<8xf32> -> tensor<3xf32>
  %0 = lazy.assign %v, %b <(3):(1) + 2> : tensor<3xf32>, tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Elsewhere is another matter.
// CHECK-LABEL: func.func @own_elements_elsewhere(
// CHECK: lazy.assign
func.func @own_elements_elsewhere(%b: tensor<8xf32>) -> tensor<8xf32> {
  %v = lazy.shrink %b begin [2] end [5] : tensor<8xf32> -> tensor<3xf32>
  %0 = lazy.assign %v, %b <(3):(1) + 1> : tensor<3xf32>, tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @over(
// CHECK-SAME: %{{[^:]*}}: tensor<3xf32>, %[[V:[^:]*]]: tensor<3xf32>, %[[B:[^:]*]]: tensor<8xf32>
// CHECK-NEXT: %[[A:.*]] = lazy.assign %[[V]], %[[B]]
// CHECK-NEXT: return %[[A]]
func.func @over(%u: tensor<3xf32>, %v: tensor<3xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.assign %u, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
  %1 = lazy.assign %v, %0 <(3):(2)> : tensor<3xf32>, tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Overlapping places are two assignments.
// CHECK-LABEL: func.func @overlapping(
// CHECK-COUNT-2: lazy.assign
func.func @overlapping(%u: tensor<3xf32>, %v: tensor<3xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.assign %u, %b <(3):(1)> : tensor<3xf32>, tensor<8xf32>
  %1 = lazy.assign %v, %0 <(3):(1) + 1> : tensor<3xf32>, tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME: %[[V:[^:]*]]: tensor<3xf32>, %[[B:[^:]*]]: tensor<2x4xf32>
// CHECK-NEXT: %[[A:.*]] = lazy.assign %[[V]], %[[B]] <(3):(2)> : tensor<3xf32>, tensor<2x4xf32>
// CHECK-NEXT: lazy.reshape %[[A]]
func.func @reshaped(%v: tensor<3xf32>, %b: tensor<2x4xf32>) -> tensor<8xf32> {
  %r = lazy.reshape %b : tensor<2x4xf32> -> tensor<8xf32>
  %0 = lazy.assign %v, %r <(3):(2)> : tensor<3xf32>, tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @simpler_places(
// CHECK: lazy.assign %{{.*}}, %{{.*}} <(2, 3):(3, 1) + 1> :
func.func @simpler_places(%v: tensor<2x3xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.assign %v, %b <(6):(1) + 1, (2, 3):(3, 1)> : tensor<2x3xf32>, tensor<8xf32>
  return %0 : tensor<8xf32>
}
