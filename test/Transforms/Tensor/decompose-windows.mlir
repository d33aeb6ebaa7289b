// RUN: tiny-opt %s --tensor-decompose | FileCheck %s
// RUN: tiny-opt %s --check-passes --tensor-decompose --convert-tensor-to-lazy -o /dev/null

// CHECK-LABEL: func @conv(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[W:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[X]] low [0, 0, 1, 1] high [0, 0, 1, 1] : (tensor<1x2x6x6xf32>) -> tensor<1x2x8x8xf32>
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[PAD]] : (tensor<1x2x8x8xf32>) -> tensor<1x2x1x8x1x8xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x2x1x8x1x8xf32>) -> tensor<1x2x4x8x4x8xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[EXPAND]] : (tensor<1x2x4x8x4x8xf32>) -> tensor<1x2x32x32xf32>
// CHECK: %[[SHRINK:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE2]] begin [0, 0, 0, 0] end [1, 2, 27, 27]
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[SHRINK]] : (tensor<1x2x27x27xf32>) -> tensor<1x2x3x9x3x9xf32>
// CHECK: %[[SHRINK2:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE3]] begin [0, 0, 0, 0, 0, 0] end [1, 2, 3, 6, 3, 6]
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[SHRINK2]] [0, 1, 3, 5, 2, 4]
// CHECK: %[[RESHAPE4:[a-z0-9_]+]] = tiny.reshape %[[PERMUTE]] : (tensor<1x2x6x6x3x3xf32>) -> tensor<1x1x2x1x6x6x3x3xf32>
// CHECK: %[[PERMUTE2:[a-z0-9_]+]] = tiny.permute %[[RESHAPE4]] [0, 1, 3, 4, 5, 2, 6, 7]
// CHECK: %[[RESHAPE5:[a-z0-9_]+]] = tiny.reshape %[[W]] : (tensor<4x2x3x3xf32>) -> tensor<1x1x4x1x1x2x3x3xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[PERMUTE2]] : (tensor<1x1x1x6x6x2x3x3xf32>) -> tensor<1x1x4x6x6x2x3x3xf32>
// CHECK: %[[EXPAND3:[a-z0-9_]+]] = tiny.expand %[[RESHAPE5]] : (tensor<1x1x4x1x1x2x3x3xf32>) -> tensor<1x1x4x6x6x2x3x3xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[EXPAND2]], %[[EXPAND3]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [5, 6, 7]
// CHECK: %[[RESHAPE6:[a-z0-9_]+]] = tiny.reshape %[[SUM]] : (tensor<1x1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
// CHECK: %[[RESHAPE7:[a-z0-9_]+]] = tiny.reshape %[[B]] : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
// CHECK: %[[EXPAND4:[a-z0-9_]+]] = tiny.expand %[[RESHAPE7]] : (tensor<1x4x1x1xf32>) -> tensor<1x4x6x6xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[RESHAPE6]], %[[EXPAND4]]
// CHECK: return %[[ADD]]
func.func @conv(%x: tensor<1x2x6x6xf32>, %w: tensor<4x2x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x6x6xf32> {
  %0 = tiny.conv %x, %w bias %b low [1, 1] high [1, 1] : (tensor<1x2x6x6xf32>, tensor<4x2x3x3xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// CHECK-LABEL: func @conv_with_groups_strides_dilations(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[W:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<1x2x9xf32>) -> tensor<1x2x1x9xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x2x1x9xf32>) -> tensor<1x2x4x9xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[EXPAND]] : (tensor<1x2x4x9xf32>) -> tensor<1x2x36xf32>
// CHECK: %[[SHRINK:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE2]] begin [0, 0, 0] end [1, 2, 33]
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[SHRINK]] : (tensor<1x2x33xf32>) -> tensor<1x2x3x11xf32>
// CHECK: %[[SHRINK2:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE3]] begin [0, 0, 0, 0] end [1, 2, 3, 6]
// CHECK: %[[RESHAPE4:[a-z0-9_]+]] = tiny.reshape %[[SHRINK2]] : (tensor<1x2x3x6xf32>) -> tensor<1x2x3x3x2xf32>
// CHECK: %[[SHRINK3:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE4]] begin [0, 0, 0, 0, 0] end [1, 2, 3, 3, 1]
// CHECK: %[[RESHAPE5:[a-z0-9_]+]] = tiny.reshape %[[SHRINK3]] : (tensor<1x2x3x3x1xf32>) -> tensor<1x2x3x3xf32>
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[RESHAPE5]] [0, 1, 3, 2]
// CHECK: %[[RESHAPE6:[a-z0-9_]+]] = tiny.reshape %[[PERMUTE]] : (tensor<1x2x3x3xf32>) -> tensor<1x2x1x1x3x3xf32>
// CHECK: %[[PERMUTE2:[a-z0-9_]+]] = tiny.permute %[[RESHAPE6]] [0, 1, 3, 4, 2, 5]
// CHECK: %[[RESHAPE7:[a-z0-9_]+]] = tiny.reshape %[[W]] : (tensor<4x1x3xf32>) -> tensor<1x2x2x1x1x3xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[PERMUTE2]] : (tensor<1x2x1x3x1x3xf32>) -> tensor<1x2x2x3x1x3xf32>
// CHECK: %[[EXPAND3:[a-z0-9_]+]] = tiny.expand %[[RESHAPE7]] : (tensor<1x2x2x1x1x3xf32>) -> tensor<1x2x2x3x1x3xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[EXPAND2]], %[[EXPAND3]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [4, 5]
// CHECK: %[[RESHAPE8:[a-z0-9_]+]] = tiny.reshape %[[SUM]] : (tensor<1x2x2x3xf32>) -> tensor<1x4x3xf32>
// CHECK: return %[[RESHAPE8]]
func.func @conv_with_groups_strides_dilations(%x: tensor<1x2x9xf32>, %w: tensor<4x1x3xf32>) -> tensor<1x4x3xf32> {
  %0 = tiny.conv %x, %w strides [2] dilations [2] groups 2 : (tensor<1x2x9xf32>, tensor<4x1x3xf32>) -> tensor<1x4x3xf32>
  return %0 : tensor<1x4x3xf32>
}

// CHECK-LABEL: func @max_pool_without_overlap(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x2x3x2xf32>
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[RESHAPE]] [0, 1, 2, 4, 3, 5]
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[PERMUTE]] axes [4, 5]
// CHECK: return %[[MAX]]
func.func @max_pool_without_overlap(%x: tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32> {
  %0 = tiny.max_pool %x kernel [2, 2] strides [2, 2] : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// CHECK-LABEL: func @max_pool_with_padding(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<true> : tensor<1x2x7xi1>
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[CONSTANT]] low [0, 0, 1] high [0, 0, 1] : (tensor<1x2x7xi1>) -> tensor<1x2x9xi1>
// CHECK: %[[PAD2:[a-z0-9_]+]] = tiny.pad %[[X]] low [0, 0, 1] high [0, 0, 1] : (tensor<1x2x7xf32>) -> tensor<1x2x9xf32>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<0xFF800000> : tensor<1x2x9xf32>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[PAD]], %[[PAD2]], %[[CONSTANT2]]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[WHERE]] : (tensor<1x2x9xf32>) -> tensor<1x2x1x9xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x2x1x9xf32>) -> tensor<1x2x4x9xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[EXPAND]] : (tensor<1x2x4x9xf32>) -> tensor<1x2x36xf32>
// CHECK: %[[SHRINK:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE2]] begin [0, 0, 0] end [1, 2, 30]
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[SHRINK]] : (tensor<1x2x30xf32>) -> tensor<1x2x3x10xf32>
// CHECK: %[[SHRINK2:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE3]] begin [0, 0, 0, 0] end [1, 2, 3, 8]
// CHECK: %[[RESHAPE4:[a-z0-9_]+]] = tiny.reshape %[[SHRINK2]] : (tensor<1x2x3x8xf32>) -> tensor<1x2x3x4x2xf32>
// CHECK: %[[SHRINK3:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE4]] begin [0, 0, 0, 0, 0] end [1, 2, 3, 4, 1]
// CHECK: %[[RESHAPE5:[a-z0-9_]+]] = tiny.reshape %[[SHRINK3]] : (tensor<1x2x3x4x1xf32>) -> tensor<1x2x3x4xf32>
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[RESHAPE5]] [0, 1, 3, 2]
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[PERMUTE]] axes [3]
// CHECK: return %[[MAX]]
func.func @max_pool_with_padding(%x: tensor<1x2x7xf32>) -> tensor<1x2x4xf32> {
  %0 = tiny.max_pool %x kernel [3] strides [2] low [1] high [1] : (tensor<1x2x7xf32>) -> tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}

// CHECK-LABEL: func @max_pool_in_ceil_mode(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<true> : tensor<1x2x5xi1>
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[CONSTANT]] low [0, 0, 0] high [0, 0, 1] : (tensor<1x2x5xi1>) -> tensor<1x2x6xi1>
// CHECK: %[[PAD2:[a-z0-9_]+]] = tiny.pad %[[X]] low [0, 0, 0] high [0, 0, 1] : (tensor<1x2x5xi32>) -> tensor<1x2x6xi32>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<-2147483648> : tensor<1x2x6xi32>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[PAD]], %[[PAD2]], %[[CONSTANT2]]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[WHERE]] : (tensor<1x2x6xi32>) -> tensor<1x2x3x2xi32>
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[RESHAPE]] axes [3]
// CHECK: return %[[MAX]]
func.func @max_pool_in_ceil_mode(%x: tensor<1x2x5xi32>) -> tensor<1x2x3xi32> {
  %0 = tiny.max_pool %x kernel [2] strides [2] ceil_mode : (tensor<1x2x5xi32>) -> tensor<1x2x3xi32>
  return %0 : tensor<1x2x3xi32>
}

// CHECK-LABEL: func @avg_pool(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x2x3x2xf32>
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[RESHAPE]] [0, 1, 2, 4, 3, 5]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[PERMUTE]] axes [4, 5]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<4.000000e+00> : tensor<1x2x3x3xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[SUM]], %[[CONSTANT]]
// CHECK: return %[[DIV]]
func.func @avg_pool(%x: tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32> {
  %0 = tiny.avg_pool %x kernel [2, 2] strides [2, 2] : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// CHECK-LABEL: func @avg_pool_counts_no_padding(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[X]] low [0, 0, 1] high [0, 0, 1] : (tensor<1x2x4xf32>) -> tensor<1x2x6xf32>
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[PAD]] : (tensor<1x2x6xf32>) -> tensor<1x2x1x6xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x2x1x6xf32>) -> tensor<1x2x4x6xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[EXPAND]] : (tensor<1x2x4x6xf32>) -> tensor<1x2x24xf32>
// CHECK: %[[SHRINK:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE2]] begin [0, 0, 0] end [1, 2, 21]
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[SHRINK]] : (tensor<1x2x21xf32>) -> tensor<1x2x3x7xf32>
// CHECK: %[[SHRINK2:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE3]] begin [0, 0, 0, 0] end [1, 2, 3, 4]
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[SHRINK2]] [0, 1, 3, 2]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[PERMUTE]] axes [3]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<[2.000000e+00, 3.000000e+00, 3.000000e+00, 2.000000e+00]> : tensor<4xf32>
// CHECK: %[[RESHAPE4:[a-z0-9_]+]] = tiny.reshape %[[CONSTANT]] : (tensor<4xf32>) -> tensor<1x1x4xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE4]] : (tensor<1x1x4xf32>) -> tensor<1x2x4xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[SUM]], %[[EXPAND2]]
// CHECK: return %[[DIV]]
func.func @avg_pool_counts_no_padding(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
  %0 = tiny.avg_pool %x kernel [3] low [1] high [1] : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}

// CHECK-LABEL: func @avg_pool_counts_padding(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[X]] low [0, 0, 1] high [0, 0, 1] : (tensor<1x2x4xf32>) -> tensor<1x2x6xf32>
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[PAD]] : (tensor<1x2x6xf32>) -> tensor<1x2x1x6xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x2x1x6xf32>) -> tensor<1x2x4x6xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[EXPAND]] : (tensor<1x2x4x6xf32>) -> tensor<1x2x24xf32>
// CHECK: %[[SHRINK:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE2]] begin [0, 0, 0] end [1, 2, 21]
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[SHRINK]] : (tensor<1x2x21xf32>) -> tensor<1x2x3x7xf32>
// CHECK: %[[SHRINK2:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE3]] begin [0, 0, 0, 0] end [1, 2, 3, 4]
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[SHRINK2]] [0, 1, 3, 2]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[PERMUTE]] axes [3]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<3.000000e+00> : tensor<1x2x4xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[SUM]], %[[CONSTANT]]
// CHECK: return %[[DIV]]
func.func @avg_pool_counts_padding(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
  %0 = tiny.avg_pool %x kernel [3] low [1] high [1] count_include_pad : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}

// CHECK-LABEL: func @global_max_pool(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[X]] axes [2, 3]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[MAX]] : (tensor<1x2xf32>) -> tensor<1x2x1x1xf32>
// CHECK: return %[[RESHAPE]]
func.func @global_max_pool(%x: tensor<1x2x6x6xf32>) -> tensor<1x2x1x1xf32> {
  %0 = tiny.global_max_pool %x : (tensor<1x2x6x6xf32>) -> tensor<1x2x1x1xf32>
  return %0 : tensor<1x2x1x1xf32>
}

// CHECK-LABEL: func @global_avg_pool(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[X]] axes [2, 3]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<3.600000e+01> : tensor<1x2xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[SUM]], %[[CONSTANT]]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[DIV]] : (tensor<1x2xf32>) -> tensor<1x2x1x1xf32>
// CHECK: return %[[RESHAPE]]
func.func @global_avg_pool(%x: tensor<1x2x6x6xf32>) -> tensor<1x2x1x1xf32> {
  %0 = tiny.global_avg_pool %x : (tensor<1x2x6x6xf32>) -> tensor<1x2x1x1xf32>
  return %0 : tensor<1x2x1x1xf32>
}
