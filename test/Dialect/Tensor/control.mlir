// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --mlir-print-op-generic | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func @forms(
// CHECK: tiny.loop most(10) limit(%{{.*}}) while(%{{.*}}) carry(%{{.*}}) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<10x4xf32>, tensor<i64>) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[H:.*]]: tensor<4xf32>):
// CHECK: tiny.yield %{{.*}}, %{{.*}}, %[[H]] : tensor<i1>, tensor<4xf32>, tensor<4xf32>
// CHECK: tiny.if %{{.*}} : (tensor<i1>) -> tensor<4xf32> {
// CHECK: } else {
func.func @forms(%x: tensor<4xf32>, %n: tensor<i64>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<10x4xf32>, tensor<i64>, tensor<4xf32>) {
  %r:3 = tiny.loop most(10) limit(%n) while(%c) carry(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<10x4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
    %0 = tiny.add %h, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = tiny.not %c : (tensor<i1>) -> tensor<i1>
    tiny.yield %1, %0, %h : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }
  %s = tiny.if %c : (tensor<i1>) -> tensor<4xf32> {
    tiny.yield %x : tensor<4xf32>
  } else {
    %0 = tiny.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  return %r#0, %r#1, %r#2, %s : tensor<4xf32>, tensor<10x4xf32>, tensor<i64>, tensor<4xf32>
}

// What never changes is a value of outside; what nobody reads goes.
// CANON-LABEL: func @unused(
// CANON-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CANON: %[[R:.*]]:2 = tiny.loop most(10) carry(%[[X]]) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
// CANON-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[H:.*]]: tensor<4xf32>):
// CANON-NEXT: %[[SUM:.*]] = tiny.add %[[H]], %[[Y]]
// CANON-NEXT: tiny.yield %[[SUM]]
// CANON: return %[[R]]#0, %[[Y]]
func.func @unused(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:5 = tiny.loop most(10) carry(%x, %y, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<10x4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<4xf32>, %same: tensor<4xf32>, %own: tensor<4xf32>):
    %0 = tiny.add %h, %same : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0, %same, %own, %h : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// What surely runs once, or never, is no loop, and a known condition leaves one body.
// CANON-LABEL: func @known(
// CANON-SAME: %[[X:.*]]: tensor<4xf32>)
// CANON-DAG: %[[ONE:.*]] = tiny.constant dense<1> : tensor<i64>
// CANON-DAG: %[[NONE:.*]] = tiny.constant dense<0> : tensor<i64>
// CANON-DAG: %[[SUM:.*]] = tiny.add %[[X]], %[[X]]
// CANON-DAG: %[[NEG:.*]] = tiny.neg %[[X]]
// CANON-NOT: tiny.loop
// CANON: return %[[SUM]], %[[ONE]], %[[X]], %[[NONE]], %[[NEG]]
func.func @known(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>, tensor<4xf32>) {
  %no = tiny.constant dense<false> : tensor<i1>
  %one = tiny.constant dense<1> : tensor<i64>
  %r:2 = tiny.loop most(10) limit(%one) carry(%x) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
    %0 = tiny.add %h, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  %n:2 = tiny.loop most(10) while(%no) carry(%x) : (tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
    %0 = tiny.add %h, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %no, %0 : tensor<i1>, tensor<4xf32>
  }
  %s = tiny.if %no : (tensor<i1>) -> tensor<4xf32> {
    tiny.yield %x : tensor<4xf32>
  } else {
    %0 = tiny.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  return %r#0, %r#1, %n#0, %n#1, %s : tensor<4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>, tensor<4xf32>
}
