// RUN: tiny-opt %s --convert-lazy-to-kernel --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// Every operation of a kernel says where it comes from; a load, what reads it first.

// CHECK: kernel.launch @scale {{.*}} loc("the group")
// CHECK: kernel.func private @scale(%{{.*}}: memref<4xf32> loc("the input"), %{{.*}}: memref<2xf32> loc("the group")) {
// CHECK: kernel.range loop {{.*}} loc("the shrink")
// CHECK: kernel.load {{.*}} loc("the product")
// CHECK: arith.mulf {{.*}} loc("the product")
// CHECK: kernel.store {{.*}} loc("the shrink")
// CHECK: } loc("the group")
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = lazy.group "scale" (%x) : (tensor<4xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<4xf32> loc("the input")):
    %m = arith.mulf %a, %a : tensor<4xf32> loc("the product")
    %s = lazy.shrink %m begin [1] end [3] : tensor<4xf32> -> tensor<2xf32> loc("the shrink")
    lazy.yield %s : tensor<2xf32>
  } loc("the group")
  return %0 : tensor<2xf32>
}
