// RUN: tiny-opt %s -split-input-file --canonicalize="test-convergence" | FileCheck %s
// RUN: tiny-opt %s -split-input-file --check-passes --canonicalize -o /dev/null

// CHECK-LABEL: func.func @identities_vanish(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>, %[[UNIT:.*]]: tensor<1x6xf32>
func.func @identities_vanish(%x: tensor<4x6xf32>, %unit: tensor<1x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<1x6xf32>) {
  %0 = lazy.reshape %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = lazy.expand %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = lazy.permute %x [0, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %3 = lazy.pad %x low [0, 0] high [0, 0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %4 = lazy.shrink %x begin [0, 0] end [4, 6] : tensor<4x6xf32> -> tensor<4x6xf32>
  %5 = lazy.view %x <(4, 6):(6, 1)> : tensor<4x6xf32> -> tensor<4x6xf32>
  %6 = lazy.flip %unit [0] : tensor<1x6xf32> -> tensor<1x6xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[UNIT]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<1x6xf32>
}

// -----

// CHECK-LABEL: func.func @equal_movements_merge(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>, %[[Y:.*]]: tensor<2x3x4xf32>, %[[Z:.*]]: tensor<1x1xf32>
func.func @equal_movements_merge(%x: tensor<4x6xf32>, %y: tensor<2x3x4xf32>, %z: tensor<1x1xf32>)
    -> (tensor<3x8xf32>, tensor<4x2x3xf32>, tensor<10x6xf32>, tensor<1x6xf32>, tensor<4x6xf32>, tensor<5x7xf32>) {
  // CHECK-DAG: %[[R:.*]] = lazy.reshape %[[X]] : tensor<4x6xf32> -> tensor<3x8xf32>
  %r0 = lazy.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  %r1 = lazy.reshape %r0 : tensor<24xf32> -> tensor<3x8xf32>
  // CHECK-DAG: %[[T:.*]] = lazy.permute %[[Y]] [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %t0 = lazy.permute %y [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %t1 = lazy.permute %t0 [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  // CHECK-DAG: %[[P:.*]] = lazy.pad %[[X]] low [3, 0] high [3, 0] : tensor<4x6xf32> -> tensor<10x6xf32>
  %p0 = lazy.pad %x low [1, 0] high [2, 0] : tensor<4x6xf32> -> tensor<7x6xf32>
  %p1 = lazy.pad %p0 low [2, 0] high [1, 0] : tensor<7x6xf32> -> tensor<10x6xf32>
  // CHECK-DAG: %[[S:.*]] = lazy.shrink %[[X]] begin [2, 0] end [3, 6] : tensor<4x6xf32> -> tensor<1x6xf32>
  %s0 = lazy.shrink %x begin [1, 0] end [4, 6] : tensor<4x6xf32> -> tensor<3x6xf32>
  %s1 = lazy.shrink %s0 begin [1, 0] end [2, 6] : tensor<3x6xf32> -> tensor<1x6xf32>
  // CHECK-DAG: %[[F:.*]] = lazy.flip %[[X]] [1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %f0 = lazy.flip %x [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %f1 = lazy.flip %f0 [0, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  // CHECK-DAG: %[[E:.*]] = lazy.expand %[[Z]] : tensor<1x1xf32> -> tensor<5x7xf32>
  %e0 = lazy.expand %z : tensor<1x1xf32> -> tensor<5x1xf32>
  %e1 = lazy.expand %e0 : tensor<5x1xf32> -> tensor<5x7xf32>
  // CHECK: return %[[R]], %[[T]], %[[P]], %[[S]], %[[F]], %[[E]]
  return %r1, %t1, %p1, %s1, %f1, %e1 : tensor<3x8xf32>, tensor<4x2x3xf32>, tensor<10x6xf32>, tensor<1x6xf32>, tensor<4x6xf32>, tensor<5x7xf32>
}

// -----

// CHECK-LABEL: func.func @splats_move_freely(
func.func @splats_move_freely() -> (tensor<24xf32>, tensor<6x4xf32>, tensor<2x6xf32>, tensor<6x6xf32>, tensor<3x4xi32>) {
  %c = arith.constant dense<2.0> : tensor<4x6xf32>
  %zero = arith.constant dense<0.0> : tensor<4x6xf32>
  %0 = lazy.reshape %c : tensor<4x6xf32> -> tensor<24xf32>
  %1 = lazy.permute %c [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %2 = lazy.shrink %c begin [0, 0] end [2, 6] : tensor<4x6xf32> -> tensor<2x6xf32>
  %3 = lazy.pad %zero low [1, 0] high [1, 0] : tensor<4x6xf32> -> tensor<6x6xf32>
  %v = arith.constant dense<7> : tensor<4xi32>
  %4 = lazy.view %v <(3, 4):(0, -1) + 3> : tensor<4xi32> -> tensor<3x4xi32>
  // CHECK-NOT: lazy.
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<24xf32>
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<6x4xf32>
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<2x6xf32>
  // CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<6x6xf32>
  // CHECK-DAG: arith.constant dense<7> : tensor<3x4xi32>
  return %0, %1, %2, %3, %4 : tensor<24xf32>, tensor<6x4xf32>, tensor<2x6xf32>, tensor<6x6xf32>, tensor<3x4xi32>
}

// -----

// Zero is not the padding's value where it is negative, and a mask shows where a splat is not zero.
// CHECK-LABEL: func.func @masks_show(
func.func @masks_show() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %negative = arith.constant dense<-0.0> : tensor<4xf32>
  %two = arith.constant dense<2.0> : tensor<4xf32>
  // CHECK-DAG: lazy.pad
  %0 = lazy.pad %negative low [1] high [1] : tensor<4xf32> -> tensor<6xf32>
  // CHECK-DAG: lazy.view
  %1 = lazy.view %two <(6):(1) + -1 mask [1:5]> : tensor<4xf32> -> tensor<6xf32>
  // CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<6xf32>
  %2 = lazy.view %two <(6):(1) mask [0:0]> : tensor<4xf32> -> tensor<6xf32>
  return %0, %1, %2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// -----

// CHECK-LABEL: func.func @views_compose(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
func.func @views_compose(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<24xf32>) {
  // CHECK-DAG: %[[V:.*]] = lazy.view %[[X]] <(6, 4):(-1, 6) + 5> : tensor<4x6xf32> -> tensor<6x4xf32>
  %0 = lazy.view %x <(6, 4):(1, 6)> : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = lazy.view %0 <(6, 4):(-4, 1) + 20> : tensor<6x4xf32> -> tensor<6x4xf32>
  // CHECK-DAG: %[[W:.*]] = lazy.view %[[X]] <(24):(1)> : tensor<4x6xf32> -> tensor<24xf32>
  %2 = lazy.view %x <(4, 6):(6, 1), (24):(1)> : tensor<4x6xf32> -> tensor<24xf32>
  // CHECK: return %[[V]], %[[W]]
  return %1, %2 : tensor<6x4xf32>, tensor<24xf32>
}

// -----

// CHECK-LABEL: func.func @iota_of_one(
func.func @iota_of_one() -> tensor<4x1xi64> {
  // CHECK: arith.constant dense<0> : tensor<4x1xi64>
  %0 = lazy.iota 1 : tensor<4x1xi64>
  return %0 : tensor<4x1xi64>
}

// -----

// CHECK-LABEL: func.func @contiguous_once(
func.func @contiguous_once(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[C:.*]] = lazy.contiguous
  // CHECK-NEXT: return %[[C]]
  %0 = lazy.contiguous %x : tensor<4xf32>
  %1 = lazy.contiguous %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @unit_axes_are_not_reduced(
// CHECK-SAME: %[[X:.*]]: tensor<4x1x8xf32>
func.func @unit_axes_are_not_reduced(%x: tensor<4x1x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[R:.*]] = lazy.reshape %[[X]] : tensor<4x1x8xf32> -> tensor<4x8xf32>
  %0 = lazy.reduce addf (%x) axes [1] fastmath<nsz> : (tensor<4x1x8xf32>) -> tensor<4x8xf32>
  // CHECK: %[[S:.*]] = lazy.reduce addf(%{{.*}}) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = lazy.reduce addf (%x) axes [1, 2] : (tensor<4x1x8xf32>) -> tensor<4xf32>
  // CHECK: return %[[R]], %[[S]]
  return %0, %1 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// The sum of a negative zero alone is plus zero, too.
// CHECK-LABEL: func.func @unit_axis_of_a_float_sum(
// CHECK-SAME: %[[X:.*]]: tensor<4x1xf32>
func.func @unit_axis_of_a_float_sum(%x: tensor<4x1xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-DAG: %[[R:.*]] = lazy.reshape %[[X]]
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
  // CHECK: arith.addf %[[R]], %[[ZERO]]
  %0 = lazy.reduce addf (%x) axes [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  %1 = arith.divf %y, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The initial value of a region takes part, so a reduction over one element is one.
// CHECK-LABEL: func.func @unit_axis_of_a_region(
func.func @unit_axis_of_a_region(%x: tensor<4x1xi32>) -> tensor<4xi32> {
  // CHECK: lazy.reduce
  %0 = lazy.reduce (%x) init [3 : i32] axes [1] : (tensor<4x1xi32>) -> tensor<4xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    lazy.yield %s : i32
  }
  return %0 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @reductions_merge(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4x5xf32>
func.func @reductions_merge(%x: tensor<2x3x4x5xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: %[[S:.*]] = lazy.reduce addf(%[[X]]) axes [0, 2, 3] : (tensor<2x3x4x5xf32>) -> tensor<3xf32>
  %0 = lazy.reduce addf (%x) axes [2] : (tensor<2x3x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = lazy.reduce addf (%0) axes [0, 2] : (tensor<2x3x5xf32>) -> tensor<3xf32>
  // CHECK-NEXT: return %[[S]]
  return %1 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @ordered_reductions_stay(
func.func @ordered_reductions_stay(%x: tensor<4x8xf32>) -> tensor<f32> {
  // CHECK: lazy.reduce addf
  // CHECK: lazy.reduce addf
  %0 = lazy.reduce addf (%x) axes [0] fastmath<none> : (tensor<4x8xf32>) -> tensor<8xf32>
  %1 = lazy.reduce addf (%0) axes [0] : (tensor<8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @different_reductions_stay(
func.func @different_reductions_stay(%x: tensor<4x8xf32>) -> tensor<f32> {
  // CHECK: lazy.reduce maximumf
  // CHECK: lazy.reduce addf
  %0 = lazy.reduce maximumf (%x) axes [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  %1 = lazy.reduce addf (%0) axes [0] : (tensor<8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @inner_reduction_is_used_elsewhere(
func.func @inner_reduction_is_used_elsewhere(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  // CHECK: %[[I:.*]] = lazy.reduce addf
  // CHECK: lazy.reduce addf(%[[I]])
  %0 = lazy.reduce addf (%x) axes [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  %1 = lazy.reduce addf (%0) axes [0] : (tensor<8xf32>) -> tensor<f32>
  return %0, %1 : tensor<8xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: func.func @group_interface(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @group_interface(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[G:.*]] = lazy.group "g"(%[[X]]) : (tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[A]]
  // CHECK-NEXT: lazy.yield %[[S]] : tensor<4xf32>
  %g:3 = lazy.group "g" (%x, %y, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %s = arith.addf %a, %c : tensor<4xf32>
    %unused = arith.mulf %a, %b : tensor<4xf32>
    lazy.yield %s, %unused, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: return %[[G]], %[[G]]
  return %g#0, %g#2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @group_yields_arguments(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
func.func @group_yields_arguments(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[G:.*]]:2 = lazy.group "g"(%[[X]]) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[A]]
  // CHECK-NEXT: lazy.yield %[[E]], %[[A]] :
  %g:2 = lazy.group "g" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %e = math.exp %a : tensor<4xf32>
    lazy.yield %e, %b : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: return %[[G]]#0, %[[G]]#1
  return %g#0, %g#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @unused_group(
func.func @unused_group(%x: tensor<4xf32>) {
  // CHECK-NOT: lazy.group
  %g = lazy.group (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    lazy.yield %a : tensor<4xf32>
  }
  return
}

// scan(x) along an axis with one element -> x
// CHECK-LABEL: func.func @scan_of_one(
// CHECK-SAME: %[[X:.*]]: tensor<4x1xf32>
// CHECK: return %[[X]]
func.func @scan_of_one(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = lazy.scan addf %x axis 1 : tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
