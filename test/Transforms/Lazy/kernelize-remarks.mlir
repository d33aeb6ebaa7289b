// RUN: tiny-opt %s --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark 2>&1 | FileCheck %s

func.func @f(%x: tensor<65536x4xf32>) -> tensor<65536x4xf32> {
  // CHECK: [Passed] fused {{.*}} Function=f {{.*}}arith.mulf fused: it is computed once, where it is used
  %0 = arith.mulf %x, %x : tensor<65536x4xf32>
  // CHECK: [Missed] stored {{.*}}lazy.reduce stored: too few rows
  %1 = lazy.reduce addf (%0) axes [0] : (tensor<65536x4xf32>) -> tensor<4xf32>
  %2 = lazy.reshape %1 : tensor<4xf32> -> tensor<1x4xf32>
  %3 = lazy.expand %2 : tensor<1x4xf32> -> tensor<65536x4xf32>
  // CHECK: [Analysis] stored {{.*}}arith.divf stored: its buffer is asked for
  %4 = arith.divf %x, %3 : tensor<65536x4xf32>
  return %4 : tensor<65536x4xf32>
}
