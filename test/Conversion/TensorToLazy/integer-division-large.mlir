// A splat is tested by its one element: the places of these, one after the other, would take hours.
// RUN: tiny-opt %s --convert-tensor-to-lazy | FileCheck %s --implicit-check-not="= tiny."

// CHECK-LABEL: func @shift_many(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[AMOUNT:[a-z0-9_]+]] = arith.constant dense<4> : tensor<1099511627776xi8>
// CHECK: %[[SHIFTED:[a-z0-9_]+]] = arith.shrui %[[X]], %[[AMOUNT]]
// CHECK: return %[[SHIFTED]]
func.func @shift_many(%x: tensor<1099511627776xui8>) -> tensor<1099511627776xui8> {
  %c = tiny.constant dense<4> : tensor<1099511627776xui8>
  %0 = tiny.shr %x, %c : (tensor<1099511627776xui8>, tensor<1099511627776xui8>) -> tensor<1099511627776xui8>
  return %0 : tensor<1099511627776xui8>
}

// CHECK-LABEL: func @divide_many(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[DIVISOR:[a-z0-9_]+]] = arith.constant dense<3> : tensor<1099511627776xi8>
// CHECK: %[[QUOTIENT:[a-z0-9_]+]] = arith.floordivsi %[[X]], %[[DIVISOR]]
// CHECK: return %[[QUOTIENT]]
func.func @divide_many(%x: tensor<1099511627776xi8>) -> tensor<1099511627776xi8> {
  %c = tiny.constant dense<3> : tensor<1099511627776xi8>
  %0 = tiny.floordiv %x, %c : (tensor<1099511627776xi8>, tensor<1099511627776xi8>) -> tensor<1099511627776xi8>
  return %0 : tensor<1099511627776xi8>
}
