// Sums of no more products than there are registers are loops where these are predicted to be faster than a tile: its
// packing would serve six rows.
// RUN: tiny-opt %s --target-attach=processor=skylake-avx512 --tiny-tensor-to-kernel-pipeline --remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark 2>&1 -o /dev/null | FileCheck %s
// RUN: tiny-opt %s --tiny-tensor-to-llvm-pipeline --check-passes -o /dev/null

// CHECK: Function=conv | {{.*}}Remark="axis 3 padded to a multiple of 32, axis 3 by 32 as upcast, axis 1 by 6 as unroll"
func.func @transform(%x: tensor<16x1x28x28xf32>, %m: tensor<6x1x6x1xf32>) -> tensor<16x6x7x28xf32> {
  %0 = tiny.conv %x, %m strides [4, 1] low [1, 0] high [1, 0] : (tensor<16x1x28x28xf32>, tensor<6x1x6x1xf32>) -> tensor<16x6x7x28xf32>
  return %0 : tensor<16x6x7x28xf32>
}

// CHECK: Function=matmul | {{.*}}Remark="axis 0 padded to a multiple of 5, axis 0 by 5 as upcast, axis 1 by 64 as upcast"
func.func @long(%x: tensor<64x96xf32>, %w: tensor<96x64xf32>) -> tensor<64x64xf32> {
  %0 = tiny.matmul %x, %w : (tensor<64x96xf32>, tensor<96x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
