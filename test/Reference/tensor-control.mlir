// RUN: tiny-interpret %s | FileCheck %s

// The memory of a loop in a loop is counted as often as it is freed.
// CHECK: nested result 0: tensor<16xf32> [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
// CHECK: nested result 1: tensor<i64> 51
func.func @nested() -> (tensor<16xf32>, tensor<i64>) {
  %x = tiny.constant dense<1.0> : tensor<16xf32>
  %y, %n = tiny.loop most(51) carry(%x) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<16xf32>):
    %in, %m = tiny.loop most(5) carry(%old) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<i64>) {
    ^bb0(%j: tensor<i64>, %older: tensor<16xf32>):
      %0 = tiny.neg %older : (tensor<16xf32>) -> tensor<16xf32>
      tiny.yield %0 : tensor<16xf32>
    }
    tiny.yield %in : tensor<16xf32>
  }
  return %y, %n : tensor<16xf32>, tensor<i64>
}
