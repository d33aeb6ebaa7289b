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

func.func @g(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  // CHECK: [Passed] fused {{.*}}arith.mulf fused: recomputing it as a product's operand is packed costs less
  %0 = arith.mulf %x, %x : tensor<128x128xf32>
  %1 = lazy.view %0 <(128, 128, 128):(128, 0, 1)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %2 = lazy.view %w <(128, 128, 128):(0, 1, 128)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %3 = arith.mulf %1, %2 : tensor<128x128x128xf32>
  %4 = lazy.reduce addf (%3) axes [2] : (tensor<128x128x128xf32>) -> tensor<128x128xf32>
  return %4 : tensor<128x128xf32>
}
