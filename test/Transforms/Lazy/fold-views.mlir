// RUN: tiny-opt %s -split-input-file --lazy-fold-views | FileCheck %s --implicit-check-not=lazy.reshape --implicit-check-not=lazy.permute --implicit-check-not=lazy.pad
// RUN: tiny-opt %s -split-input-file --lazy-fold-views --lazy-fold-views | FileCheck %s

// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
func.func @chain(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  // CHECK-NEXT: %[[V:.*]] = lazy.view %[[X]] <(3, 8):(-8, -1) + 23> : tensor<4x6xf32> -> tensor<3x8xf32>
  // CHECK-NEXT: return %[[V]]
  %0 = lazy.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  %1 = lazy.flip %0 [0] : tensor<24xf32> -> tensor<24xf32>
  %2 = lazy.reshape %1 : tensor<24xf32> -> tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}

// -----

// Every movement has its place in a tracker.
// CHECK-LABEL: func.func @each(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>, %[[ROW:.*]]: tensor<4x1xf32>
func.func @each(%x: tensor<4x6xf32>, %row: tensor<4x1xf32>)
    -> (tensor<24xf32>, tensor<4x8xf32>, tensor<6x4xf32>, tensor<5x6xf32>, tensor<2x6xf32>, tensor<4x6xf32>) {
  // CHECK-DAG: lazy.view %[[X]] <(24):(1)>
  %0 = lazy.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  // CHECK-DAG: lazy.view %[[ROW]] <(4, 8):(1, 0)>
  %1 = lazy.expand %row : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK-DAG: lazy.view %[[X]] <(6, 4):(1, 6)>
  %2 = lazy.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK-DAG: lazy.view %[[X]] <(5, 6):(6, 1) + -6 mask [1:5, 0:6]>
  %3 = lazy.pad %x low [1, 0] high [0, 0] : tensor<4x6xf32> -> tensor<5x6xf32>
  // CHECK-DAG: lazy.view %[[X]] <(2, 6):(6, 1) + 6>
  %4 = lazy.shrink %x begin [1, 0] end [3, 6] : tensor<4x6xf32> -> tensor<2x6xf32>
  // CHECK-DAG: lazy.view %[[X]] <(4, 6):(-6, 1) + 18>
  %5 = lazy.flip %x [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<24xf32>, tensor<4x8xf32>, tensor<6x4xf32>, tensor<5x6xf32>, tensor<2x6xf32>, tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func.func @identity_vanishes(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
func.func @identity_vanishes(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = lazy.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = lazy.pad %0 low [1, 0] high [2, 0] : tensor<6x4xf32> -> tensor<9x4xf32>
  %2 = lazy.shrink %1 begin [1, 0] end [7, 4] : tensor<9x4xf32> -> tensor<6x4xf32>
  %3 = lazy.permute %2 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// -----

// A link that something else reads gets a view of the same base.
// CHECK-LABEL: func.func @every_reader_sees_the_base(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
func.func @every_reader_sees_the_base(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  // CHECK-DAG: %[[A:.*]] = lazy.view %[[X]] <(6, 4):(1, 6)>
  // CHECK-DAG: %[[E:.*]] = math.exp %[[A]]
  // CHECK-DAG: %[[B:.*]] = lazy.view %[[X]] <(6, 4):(-1, 6) + 5>
  // CHECK: return %[[E]], %[[B]]
  %0 = lazy.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = math.exp %0 : tensor<6x4xf32>
  %2 = lazy.flip %0 [0] : tensor<6x4xf32> -> tensor<6x4xf32>
  return %1, %2 : tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// The mask of a padded and flattened image is no box: two views.
// CHECK-LABEL: func.func @stack(
func.func @stack(%x: tensor<4x4xf32>) -> tensor<36xf32> {
  // CHECK-NEXT: lazy.view %{{.*}} <(6, 6):(4, 1) + -5 mask [1:5, 1:5], (36):(1)>
  %0 = lazy.pad %x low [1, 1] high [1, 1] : tensor<4x4xf32> -> tensor<6x6xf32>
  %1 = lazy.reshape %0 : tensor<6x6xf32> -> tensor<36xf32>
  return %1 : tensor<36xf32>
}

// -----

// CHECK-LABEL: func.func @views_join_chains(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
func.func @views_join_chains(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  // CHECK-NEXT: lazy.view %[[X]] <(24):(-1) + 23>
  %0 = lazy.view %x <(4, 6):(-6, -1) + 23> : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = lazy.reshape %0 : tensor<4x6xf32> -> tensor<24xf32>
  return %1 : tensor<24xf32>
}

// -----

// CHECK-LABEL: func.func @splats(
func.func @splats() -> (tensor<6x4xf32>, tensor<4x4xf32>) {
  %c = arith.constant dense<2.0> : tensor<4x1xf32>
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<6x4xf32>
  %0 = lazy.expand %c : tensor<4x1xf32> -> tensor<4x6xf32>
  %1 = lazy.permute %0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // The padding shows: no constant.
  // CHECK-DAG: lazy.view %{{.*}} <(4, 4):(1, 0) mask [0:4, 1:2]>
  %2 = lazy.pad %c low [0, 1] high [0, 2] : tensor<4x1xf32> -> tensor<4x4xf32>
  return %1, %2 : tensor<6x4xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @inside_a_group(
func.func @inside_a_group(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  // CHECK: ^bb0(%[[A:.*]]: tensor<4x6xf32>):
  // CHECK-NEXT: %[[V:.*]] = lazy.view %[[A]] <(6, 4):(-1, 6) + 5>
  // CHECK-NEXT: lazy.yield %[[V]]
  %0 = lazy.group (%x) : (tensor<4x6xf32>) -> tensor<6x4xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    %1 = lazy.permute %a [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    %2 = lazy.flip %1 [0] : tensor<6x4xf32> -> tensor<6x4xf32>
    lazy.yield %2 : tensor<6x4xf32>
  }
  return %0 : tensor<6x4xf32>
}

// -----

// An unused chain vanishes.
// CHECK-LABEL: func.func @unused(
func.func @unused(%x: tensor<4x6xf32>) {
  // CHECK-NEXT: return
  %0 = lazy.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = lazy.flip %0 [0] : tensor<6x4xf32> -> tensor<6x4xf32>
  return
}
