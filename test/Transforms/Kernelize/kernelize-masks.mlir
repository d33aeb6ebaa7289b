// A mask of indices is computed on both sides of a cut, wherever a kernel is cut: it is in no buffer, and no operation of
// it stays outside of the groups.
// RUN: tiny-opt %s --lazy-kernelize=max-ops=7 | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize=max-ops=8 | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize=max-ops=9 | FileCheck %s

// CHECK-LABEL: func.func @masks
// CHECK-NOT: lazy.group {{.*}}xi1>
// CHECK: return
func.func @masks(%a: tensor<1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>) -> tensor<3xf32> {
  %one = arith.constant dense<1> : tensor<3xi64>
  %two = arith.constant dense<2> : tensor<3xi64>
  %ea = math.exp %a : tensor<1xf32>
  %fa = arith.addf %ea, %b : tensor<1xf32>
  %ga = math.exp %fa : tensor<1xf32>
  %eb = math.exp %b : tensor<1xf32>
  %ec = math.exp %c : tensor<1xf32>
  %va = lazy.view %ga <(3):(0) mask [0:1]> : tensor<1xf32> -> tensor<3xf32>
  %vb = lazy.view %eb <(3):(0) mask [1:2]> : tensor<1xf32> -> tensor<3xf32>
  %at = lazy.iota 0 : tensor<3xi64>
  %first = arith.cmpi slt, %at, %one : tensor<3xi64>
  %ab = arith.select %first, %va, %vb : tensor<3xi1>, tensor<3xf32>
  %vc = lazy.view %ec <(3):(0) mask [2:3]> : tensor<1xf32> -> tensor<3xf32>
  %second = arith.cmpi slt, %at, %two : tensor<3xi64>
  %all = arith.select %second, %ab, %vc : tensor<3xi1>, tensor<3xf32>
  return %all : tensor<3xf32>
}
