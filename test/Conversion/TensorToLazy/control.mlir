// RUN: tiny-opt %s --convert-tensor-to-lazy | FileCheck %s

// A body becomes a function of what it uses of outside; views of that, and constants of one value, are taken inside.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8> {tiny.type = tensor<4xui8>}, %[[W:.*]]: tensor<2x2xi8> {tiny.type = tensor<2x2xui8>}, %[[C:.*]]: tensor<i1>
// CHECK: %[[LOOP:.*]]:2 = lazy.loop @main_body most(3) carry(%[[X]]) with(%[[C]], %[[W]]) : (tensor<4xi8>, tensor<i1>, tensor<2x2xi8>) -> (tensor<4xi8>, tensor<i64>)
// CHECK: return %[[LOOP]]#0
// CHECK-LABEL: func.func private @main_body(
// CHECK-SAME: %{{.*}}: tensor<i64>, %[[H:[^ ]*]]: tensor<4xi8>{{.*}}, %[[C:[^ ]*]]: tensor<i1>, %[[W:[^ ]*]]: tensor<2x2xi8>
// CHECK-DAG: %[[TWO:.*]] = arith.constant dense<2> : tensor<4xi8>
// CHECK: %[[BRANCH:.*]] = lazy.if %[[C]] @main_then else @main_else with(%[[W]], %[[H]]) : (tensor<i1>, tensor<2x2xi8>, tensor<4xi8>) -> tensor<4xi8>
// CHECK: %[[NEXT:.*]] = arith.muli %[[BRANCH]], %[[TWO]]
// CHECK: return %[[NEXT]]
// CHECK-LABEL: func.func private @main_else(
// CHECK: return %{{.*}} : tensor<4xi8>
// CHECK-LABEL: func.func private @main_then(
// CHECK-SAME: %[[W:[^ ]*]]: tensor<2x2xi8>{{.*}}, %[[H:[^ ]*]]: tensor<4xi8>
// CHECK: %[[V:.*]] = lazy.reshape %[[W]] : tensor<2x2xi8> -> tensor<4xi8>
// CHECK: arith.addi %[[H]], %[[V]]
func.func @main(%x: tensor<4xui8>, %w: tensor<2x2xui8>, %c: tensor<i1>) -> tensor<4xui8> {
  %two = tiny.constant dense<2> : tensor<4xui8>
  %v = tiny.reshape %w : (tensor<2x2xui8>) -> tensor<4xui8>
  %r:2 = tiny.loop most(3) carry(%x) : (tensor<4xui8>) -> (tensor<4xui8>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<4xui8>):
    %0 = tiny.if %c : (tensor<i1>) -> tensor<4xui8> {
      %1 = tiny.add %h, %v : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
      tiny.yield %1 : tensor<4xui8>
    } else {
      tiny.yield %h : tensor<4xui8>
    }
    %2 = tiny.mul %0, %two : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
    tiny.yield %2 : tensor<4xui8>
  }
  return %r#0 : tensor<4xui8>
}
