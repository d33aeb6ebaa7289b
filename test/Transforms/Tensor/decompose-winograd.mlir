// RUN: tiny-opt %s --tensor-decompose | FileCheck %s
// RUN: tiny-opt %s --check-passes --tiny-tensor-to-llvm-pipeline -o /dev/null
// RUN: tiny-opt %s --check-passes --check-passes-special-floats --tensor-decompose -o /dev/null

// Windows of six rows begin four rows apart; three of them are transformed at a time, then along the other axis. What is
// multiplied and summed up has no windows any more, and one group for each of the 36 places of a tile.
// CHECK-LABEL: func @tiles(
// CHECK: tiny.pad {{.*}} low [0, 0, 1, 0] high [0, 0, 4, 0] : (tensor<3x1x9x9xf32>) -> tensor<3x1x14x9xf32>
// CHECK: tiny.contiguous {{.*}} : (tensor<1x6x3x3x9xf32>)
// CHECK: tiny.contiguous {{.*}} : (tensor<1x36x3x3x3xf32>)
// CHECK: tiny.constant dense<{{.*}}> : tensor<1x6x1x1x3x1xf32>
// CHECK: tiny.contiguous {{.*}} : (tensor<144x3x1x1xf32>)
// CHECK: tiny.contiguous {{.*}} : (tensor<1x144x3x3xf32>)
// CHECK: tiny.contiguous {{.*}} : (tensor<1x4x12x12xf32>)
// CHECK: tiny.shrink {{.*}} begin [0, 0, 0, 0] end [1, 4, 9, 9]
// CHECK: tiny.add
func.func @tiles(%x: tensor<1x3x9x9xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x9x9xf32> {
  %0 = tiny.conv %x, %w bias %b low [1, 1] high [1, 1] winograd [4, 4] : (tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x9x9xf32>
  return %0 : tensor<1x4x9x9xf32>
}

// The axis with a stride is one of windows as before.
// CHECK-LABEL: func @one_axis(
// CHECK: tiny.sum {{.*}} : (tensor<2x8x2x3x4x2x1x3xf32>)
func.func @one_axis(%x: tensor<2x4x6x9xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<2x4x6x4xf32> {
  %0 = tiny.conv %x, %w strides [1, 2] low [1, 0] high [1, 0] groups 2 winograd [2, 1] : (tensor<2x4x6x9xf32>, tensor<4x2x3x3xf32>) -> tensor<2x4x6x4xf32>
  return %0 : tensor<2x4x6x4xf32>
}

// f16 is computed in f32.
// CHECK-LABEL: func @half(
// CHECK: tiny.contiguous {{.*}}xf32>
// CHECK: tiny.cast {{.*}} -> tensor<1x2x8x5x7xf16>
func.func @half(%x: tensor<1x2x8x5x9xf16>, %w: tensor<2x2x3x1x3xf16>) -> tensor<1x2x8x5x7xf16> {
  %0 = tiny.conv %x, %w low [1, 0, 0] high [1, 0, 0] winograd [3, 1, 2] : (tensor<1x2x8x5x9xf16>, tensor<2x2x3x1x3xf16>) -> tensor<1x2x8x5x7xf16>
  return %0 : tensor<1x2x8x5x7xf16>
}

// Tiles of one output say nothing, and a tile may be larger than all outputs.
// CHECK-LABEL: func @ones(
// CHECK-NOT: tiny.contiguous
func.func @ones(%x: tensor<1x2x5xf64>, %w: tensor<3x2x3xf64>) -> tensor<1x3x3xf64> {
  %0 = tiny.conv %x, %w winograd [1] : (tensor<1x2x5xf64>, tensor<3x2x3xf64>) -> tensor<1x3x3xf64>
  return %0 : tensor<1x3x3xf64>
}

// CHECK-LABEL: func @large(
// CHECK: tiny.shrink {{.*}} begin [0, 0, 0] end [1, 3, 3] : (tensor<1x3x6xf64>)
func.func @large(%x: tensor<1x2x5xf64>, %w: tensor<3x2x3xf64>) -> tensor<1x3x3xf64> {
  %0 = tiny.conv %x, %w winograd [6] : (tensor<1x2x5xf64>, tensor<3x2x3xf64>) -> tensor<1x3x3xf64>
  return %0 : tensor<1x3x3xf64>
}
