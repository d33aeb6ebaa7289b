// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --mlir-print-op-generic | tiny-opt | FileCheck %s
// RUN: tiny-interpret %s --program=main --input='dense<2.0> : tensor<2xf32>' --input='dense<3> : tensor<i64>' | FileCheck %s --check-prefix=VALUE

// VALUE: result 0: tensor<2xf32> [16, 16]
// VALUE: result 1: tensor<5x2xf32> [{{\[}}2, 2], [4, 4], [8, 8], [0, 0], [0, 0]]
// VALUE: result 2: tensor<i64> 3
// VALUE: result 3: tensor<2xf32> [-2, -2]

// CHECK-LABEL: func.func @main(
// CHECK: lazy.loop @body most(5) limit(%{{.*}}) while(%{{.*}}) carry(%{{.*}}) with(%{{.*}}) : (tensor<i64>, tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>, tensor<i64>)
// CHECK: lazy.if %{{.*}} @same else @negated with(%{{.*}}) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<5x2xf32>, tensor<i64>, tensor<2xf32>) {
  %yes = arith.constant dense<true> : tensor<i1>
  %two = arith.constant dense<2.0> : tensor<2xf32>
  %r:3 = lazy.loop @body most(5) limit(%n) while(%yes) carry(%x) with(%two) : (tensor<i64>, tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>, tensor<i64>)
  %five = arith.constant dense<5> : tensor<i64>
  %all = arith.cmpi eq, %r#2, %five : tensor<i64>
  %s = lazy.if %all @same else @negated with(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  return %r#0, %r#1, %r#2, %s : tensor<2xf32>, tensor<5x2xf32>, tensor<i64>, tensor<2xf32>
}
func.func private @body(%i: tensor<i64>, %h: tensor<2xf32>, %two: tensor<2xf32>) -> (tensor<i1>, tensor<2xf32>, tensor<2xf32>) {
  %yes = arith.constant dense<true> : tensor<i1>
  %0 = arith.mulf %h, %two : tensor<2xf32>
  return %yes, %0, %h : tensor<i1>, tensor<2xf32>, tensor<2xf32>
}
func.func private @same(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func private @negated(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.negf %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
