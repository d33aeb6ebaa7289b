// Chains that `lazy-fold-views` has not folded: what decides is the whole chain.
// RUN: tiny-opt %s --lazy-kernelize | FileCheck %s

// CHECK-LABEL: func.func @chain_is_a_part(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @chain_is_a_part(%x: tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<8x4xf32>) {
  // CHECK-DAG: %[[V:.*]] = lazy.view %[[X]] <(2, 8):(8, 1) + 8> : tensor<4x8xf32> -> tensor<2x8xf32>
  // CHECK-DAG: %[[G:.*]] = lazy.group "copy"(%[[X]])
  // CHECK: return %[[V]], %[[G]]
  %0 = lazy.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = lazy.permute %0 [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %2 = lazy.shrink %1 begin [1, 0] end [3, 8] : tensor<4x8xf32> -> tensor<2x8xf32>
  return %2, %0 : tensor<2x8xf32>, tensor<8x4xf32>
}

// A group takes the views in that it reads, but what it assigns to must be a buffer.
// CHECK-LABEL: func.func @assigned_view(
func.func @assigned_view(%x: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[B:.*]] = lazy.group "copy"(%{{.*}})
  // CHECK: lazy.group "copy"(%{{.*}}, %[[B]])
  // CHECK: lazy.view %{{.*}} <(4):(1)>
  // CHECK: lazy.assign
  %f = lazy.flip %x [0] : tensor<8xf32> -> tensor<8xf32>
  %p = lazy.view %v <(4):(1)> : tensor<8xf32> -> tensor<4xf32>
  %r = lazy.group "copy" (%p, %f) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<8xf32>):
    %s = lazy.assign %a, %b <(4):(1)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
