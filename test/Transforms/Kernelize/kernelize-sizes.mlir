// RUN: tiny-opt %s --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REASON

// A kernel that writes a size has no other result: what reads the value may have that size itself, and runs later.
// REASON: arith.addi apart: a size is known before anything that has it is computed
// CHECK-LABEL: func @measured
// CHECK: %[[COUNT:.*]] = lazy.group "cmpf_extui"(%{{.*}}) : (tensor<1xf32>) -> tensor<1xi64> {
// CHECK: %[[FOUND:.*]] = lazy.group "addi"(%[[COUNT]]) : (tensor<1xi64>) -> tensor<1xi64> {
// CHECK: %[[SIZE:.*]] = lazy.view %[[COUNT]]
// CHECK: return %[[FOUND]], %[[SIZE]]
func.func @measured(%x: tensor<1xf32>) -> (tensor<1xi64>, tensor<i64> {tiny.size = "y", tiny.bound = 1 : i64}) {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %one = arith.constant dense<1> : tensor<1xi64>
  %0 = arith.cmpf une, %x, %zero : tensor<1xf32>
  %1 = arith.extui %0 : tensor<1xi1> to tensor<1xi64>
  %2 = arith.addi %1, %one : tensor<1xi64>
  %3 = lazy.view %1 <():()> : tensor<1xi64> -> tensor<i64>
  return %2, %3 : tensor<1xi64>, tensor<i64>
}

// CHECK-LABEL: func @plain
// CHECK: lazy.group "cmpf_extui_addi"
func.func @plain(%x: tensor<1xf32>) -> (tensor<1xi64>, tensor<i64>) {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %one = arith.constant dense<1> : tensor<1xi64>
  %0 = arith.cmpf une, %x, %zero : tensor<1xf32>
  %1 = arith.extui %0 : tensor<1xi1> to tensor<1xi64>
  %2 = arith.addi %1, %one : tensor<1xi64>
  %3 = lazy.view %1 <():()> : tensor<1xi64> -> tensor<i64>
  return %2, %3 : tensor<1xi64>, tensor<i64>
}
