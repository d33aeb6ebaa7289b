// A scan follows the loop over its axis.
// RUN: tiny-opt %s --convert-lazy-to-kernel --split-input-file | FileCheck %s
// RUN: tiny-opt %s --convert-lazy-to-kernel --split-input-file --check-passes -o /dev/null

// CHECK-LABEL: kernel.func private @sum
// CHECK: %[[R:.*]] = kernel.range loop id(0) extent(4)
// CHECK: %[[K:.*]] = kernel.range loop id(1) extent(8)
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: %[[S:.*]] = kernel.scan addf (%[[Y]]) over (%[[K]]) : f32
// CHECK: kernel.store %[[S]]
func.func @squares(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "sum" (%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %y = arith.mulf %a, %a : tensor<4x8xf32>
    %s = lazy.scan addf %y axis 1 : tensor<4x8xf32>
    lazy.yield %s : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// What is read otherwise than in order is kept.
// CHECK-LABEL: kernel.func private @backwards
// CHECK: %[[S:.*]] = kernel.scan addf (%{{.*}}) over (%[[K:.*]]) : f32
// CHECK: %[[T:.*]] = kernel.stage %[[S]] over (%[[K]]) local : memref<8xf32>
// CHECK: kernel.load %[[T]]
func.func @turned(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.group "backwards" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = lazy.scan addf %a axis 0 : tensor<8xf32>
    %t = lazy.keep %s : tensor<8xf32>
    %f = lazy.flip %t [0] : tensor<8xf32> -> tensor<8xf32>
    lazy.yield %f : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
