// Where lanes access memory one after the other (lane_access), a lane holds tiles of several sums, which share loads.
// RUN: tiny-compile %s --target=vulkan --processor=lavapipe --compile-to=kernel | FileCheck %s
// CHECK: lane_access = 20
// CHECK: transform.tiny.split {{.*}} by 4 as unroll
// CHECK: transform.tiny.split {{.*}} by 2 as unroll
func.func @main(%x: tensor<1x256x14x14xf32>, %w: tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32> {
  %y = tiny.conv %x, %w low [1, 1] high [1, 1]
    : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
  return %y : tensor<1x256x14x14xf32>
}
