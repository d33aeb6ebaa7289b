// RUN: tiny-opt %s --tensor-decompose | FileCheck %s
// RUN: tiny-opt %s --check-passes --tensor-decompose --convert-tensor-to-lazy -o /dev/null

// CHECK-LABEL: func @expand_with_more_axes(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x3xf32>) -> tensor<2x3xf32>
// CHECK: return %[[EXPAND]]
func.func @expand_with_more_axes(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = tiny.expand %x : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @transpose(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[X]] [1, 0]
// CHECK: return %[[PERMUTE]]
func.func @transpose(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = tiny.transpose %x -1, 0 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func @pad_with_a_number(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<true> : tensor<4x6xi1>
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[CONSTANT]] low [1, 0] high [0, 2] : (tensor<4x6xi1>) -> tensor<5x8xi1>
// CHECK: %[[PAD2:[a-z0-9_]+]] = tiny.pad %[[X]] low [1, 0] high [0, 2] : (tensor<4x6xf32>) -> tensor<5x8xf32>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<5x8xf32>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[PAD]], %[[PAD2]], %[[CONSTANT2]]
// CHECK: return %[[WHERE]]
func.func @pad_with_a_number(%x: tensor<4x6xf32>) -> tensor<5x8xf32> {
  %0 = tiny.pad %x low [1, 0] high [0, 2] value 1.0 : f32 : (tensor<4x6xf32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// CHECK-LABEL: func @pad_with_minus_zero(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<true> : tensor<4x6xi1>
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[CONSTANT]] low [1, 0] high [0, 2] : (tensor<4x6xi1>) -> tensor<5x8xi1>
// CHECK: %[[PAD2:[a-z0-9_]+]] = tiny.pad %[[X]] low [1, 0] high [0, 2] : (tensor<4x6xf32>) -> tensor<5x8xf32>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<-0.000000e+00> : tensor<5x8xf32>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[PAD]], %[[PAD2]], %[[CONSTANT2]]
// CHECK: return %[[WHERE]]
func.func @pad_with_minus_zero(%x: tensor<4x6xf32>) -> tensor<5x8xf32> {
  %0 = tiny.pad %x low [1, 0] high [0, 2] value -0.0 : f32 : (tensor<4x6xf32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// CHECK-LABEL: func @pad_with_zero_is_primitive(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[X]] low [1, 0] high [0, 2] value 0.000000e+00 : f32 : (tensor<4x6xf32>) -> tensor<5x8xf32>
// CHECK: return %[[PAD]]
func.func @pad_with_zero_is_primitive(%x: tensor<4x6xf32>) -> tensor<5x8xf32> {
  %0 = tiny.pad %x low [1, 0] high [0, 2] value 0.0 : f32 : (tensor<4x6xf32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// CHECK-LABEL: func @slice_of_neighbours(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SHRINK:[a-z0-9_]+]] = tiny.shrink %[[X]] begin [1, 0] end [3, 6]
// CHECK: return %[[SHRINK]]
func.func @slice_of_neighbours(%x: tensor<4x6xf32>) -> tensor<2x6xf32> {
  %0 = tiny.slice %x begin [1, 0] end [3, 6] strides [1, 1] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// CHECK-LABEL: func @slice_with_strides(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SHRINK:[a-z0-9_]+]] = tiny.shrink %[[X]] begin [0, 0] end [3, 5]
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[SHRINK]] low [0, 0] high [1, 3] : (tensor<3x5xf32>) -> tensor<4x8xf32>
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[PAD]] : (tensor<4x8xf32>) -> tensor<2x2x2x4xf32>
// CHECK: %[[SHRINK2:[a-z0-9_]+]] = tiny.shrink %[[RESHAPE]] begin [0, 0, 0, 0] end [2, 1, 2, 1]
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[SHRINK2]] : (tensor<2x1x2x1xf32>) -> tensor<2x2xf32>
// CHECK: return %[[RESHAPE2]]
func.func @slice_with_strides(%x: tensor<4x6xf32>) -> tensor<2x2xf32> {
  %0 = tiny.slice %x begin [0, 0] end [4, 6] strides [2, 4] : (tensor<4x6xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func @slice_downwards(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[FLIP:[a-z0-9_]+]] = tiny.flip %[[X]] [0]
// CHECK: return %[[FLIP]]
func.func @slice_downwards(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tiny.slice %x begin [3, 0] end [-1, 6] strides [-1, 1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @squeeze(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK: return %[[RESHAPE]]
func.func @squeeze(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  %0 = tiny.squeeze %x [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @unsqueeze(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK: return %[[RESHAPE]]
func.func @unsqueeze(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  %0 = tiny.unsqueeze %x [0] : (tensor<4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// CHECK-LABEL: func @flatten(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<4x6xf32>) -> tensor<24xf32>
// CHECK: return %[[RESHAPE]]
func.func @flatten(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = tiny.flatten %x axes 0 to 1 : (tensor<4x6xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// CHECK-LABEL: func @concat(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}, %[[Z:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[X]] low [0] high [4] : (tensor<2xf32>) -> tensor<6xf32>
// CHECK: %[[PAD2:[a-z0-9_]+]] = tiny.pad %[[Y]] low [2] high [1] : (tensor<3xf32>) -> tensor<6xf32>
// CHECK: %[[IOTA:[a-z0-9_]+]] = tiny.iota 0 : tensor<6xi64>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<2> : tensor<6xi64>
// CHECK: %[[LT:[a-z0-9_]+]] = tiny.lt %[[IOTA]], %[[CONSTANT]]
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[LT]], %[[PAD]], %[[PAD2]]
// CHECK: %[[PAD3:[a-z0-9_]+]] = tiny.pad %[[Z]] low [5] high [0] : (tensor<1xf32>) -> tensor<6xf32>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<5> : tensor<6xi64>
// CHECK: %[[LT2:[a-z0-9_]+]] = tiny.lt %[[IOTA]], %[[CONSTANT2]]
// CHECK: %[[WHERE2:[a-z0-9_]+]] = tiny.where %[[LT2]], %[[WHERE]], %[[PAD3]]
// CHECK: return %[[WHERE2]]
func.func @concat(%x: tensor<2xf32>, %y: tensor<3xf32>, %z: tensor<1xf32>) -> tensor<6xf32> {
  %0 = tiny.concat %x, %y, %z axis 0 : (tensor<2xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: func @stack(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[Y]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[RESHAPE]] low [0, 0] high [0, 1] : (tensor<2x1xf32>) -> tensor<2x2xf32>
// CHECK: %[[PAD2:[a-z0-9_]+]] = tiny.pad %[[RESHAPE2]] low [0, 1] high [0, 0] : (tensor<2x1xf32>) -> tensor<2x2xf32>
// CHECK: %[[IOTA:[a-z0-9_]+]] = tiny.iota 1 : tensor<2x2xi64>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<1> : tensor<2x2xi64>
// CHECK: %[[LT:[a-z0-9_]+]] = tiny.lt %[[IOTA]], %[[CONSTANT]]
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[LT]], %[[PAD]], %[[PAD2]]
// CHECK: return %[[WHERE]]
func.func @stack(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2x2xf32> {
  %0 = tiny.stack %x, %y axis 1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func @full(
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<1.500000e+00> : tensor<3xf32>
// CHECK: return %[[CONSTANT]]
func.func @full() -> tensor<3xf32> {
  %0 = tiny.full 1.5 : f32 -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func @arange(
// CHECK: %[[IOTA:[a-z0-9_]+]] = tiny.iota 0 : tensor<3xi64>
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[IOTA]] : (tensor<3xi64>) -> tensor<3xf32>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<5.000000e-01> : tensor<3xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[CAST]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<2.000000e+00> : tensor<3xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[MUL]], %[[CONSTANT2]]
// CHECK: return %[[ADD]]
func.func @arange() -> tensor<3xf32> {
  %0 = tiny.arange 2.0, 0.5 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func @eye(
// CHECK: %[[IOTA:[a-z0-9_]+]] = tiny.iota 0 : tensor<3x4xi64>
// CHECK: %[[IOTA2:[a-z0-9_]+]] = tiny.iota 1 : tensor<3x4xi64>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<1> : tensor<3x4xi64>
// CHECK: %[[SUB:[a-z0-9_]+]] = tiny.sub %[[IOTA2]], %[[IOTA]]
// CHECK: %[[EQ:[a-z0-9_]+]] = tiny.eq %[[SUB]], %[[CONSTANT]]
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[EQ]] : (tensor<3x4xi1>) -> tensor<3x4xf32>
// CHECK: return %[[CAST]]
func.func @eye() -> tensor<3x4xf32> {
  %0 = tiny.eye diagonal 1 : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
