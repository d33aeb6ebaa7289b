// RUN: tiny-opt %s --tensor-decompose | FileCheck %s
// RUN: tiny-opt %s --check-passes --tensor-decompose --convert-tensor-to-lazy -o /dev/null

// CHECK-LABEL: func @matmul(
// CHECK-SAME: %[[A:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[B]] [1, 0]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[A]] : (tensor<4x6xf32>) -> tensor<4x1x6xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[PERMUTE]] : (tensor<3x6xf32>) -> tensor<1x3x6xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<4x1x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1x3x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[EXPAND]], %[[EXPAND2]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [2]
// CHECK: return %[[SUM]]
func.func @matmul(%a: tensor<4x6xf32>, %b: tensor<6x3xf32>) -> tensor<4x3xf32> {
  %0 = tiny.matmul %a, %b : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @matmul_with_batch_axes(
// CHECK-SAME: %[[A:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[B]] [0, 2, 1]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[A]] : (tensor<5x1x4x6xf32>) -> tensor<5x1x4x1x6xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<5x1x4x1x6xf32>) -> tensor<5x2x4x3x6xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[PERMUTE]] : (tensor<2x3x6xf32>) -> tensor<1x2x1x3x6xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1x2x1x3x6xf32>) -> tensor<5x2x4x3x6xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[EXPAND]], %[[EXPAND2]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [4]
// CHECK: return %[[SUM]]
func.func @matmul_with_batch_axes(%a: tensor<5x1x4x6xf32>, %b: tensor<2x6x3xf32>) -> tensor<5x2x4x3xf32> {
  %0 = tiny.matmul %a, %b : (tensor<5x1x4x6xf32>, tensor<2x6x3xf32>) -> tensor<5x2x4x3xf32>
  return %0 : tensor<5x2x4x3xf32>
}

// CHECK-LABEL: func @matmul_of_vectors(
// CHECK-SAME: %[[A:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[B]] : (tensor<6xf32>) -> tensor<6x1xf32>
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[RESHAPE]] [1, 0]
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[A]] : (tensor<6xf32>) -> tensor<1x1x6xf32>
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[PERMUTE]] : (tensor<1x6xf32>) -> tensor<1x1x6xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[RESHAPE2]], %[[RESHAPE3]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [2]
// CHECK: %[[RESHAPE4:[a-z0-9_]+]] = tiny.reshape %[[SUM]] : (tensor<1x1xf32>) -> tensor<f32>
// CHECK: return %[[RESHAPE4]]
func.func @matmul_of_vectors(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<f32> {
  %0 = tiny.matmul %a, %b : (tensor<6xf32>, tensor<6xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func @matmul_of_halves(
// CHECK-SAME: %[[A:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[A]] : (tensor<4x6xf16>) -> tensor<4x6xf32>
// CHECK: %[[CAST2:[a-z0-9_]+]] = tiny.cast %[[B]] : (tensor<6x3xf16>) -> tensor<6x3xf32>
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[CAST2]] [1, 0]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[CAST]] : (tensor<4x6xf32>) -> tensor<4x1x6xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[PERMUTE]] : (tensor<3x6xf32>) -> tensor<1x3x6xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<4x1x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1x3x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[EXPAND]], %[[EXPAND2]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [2]
// CHECK: %[[CAST3:[a-z0-9_]+]] = tiny.cast %[[SUM]] : (tensor<4x3xf32>) -> tensor<4x3xf16>
// CHECK: return %[[CAST3]]
func.func @matmul_of_halves(%a: tensor<4x6xf16>, %b: tensor<6x3xf16>) -> tensor<4x3xf16> {
  %0 = tiny.matmul %a, %b : (tensor<4x6xf16>, tensor<6x3xf16>) -> tensor<4x3xf16>
  return %0 : tensor<4x3xf16>
}

// CHECK-LABEL: func @linear(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[W:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<4x6xf32>) -> tensor<4x1x6xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[W]] : (tensor<3x6xf32>) -> tensor<1x3x6xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<4x1x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1x3x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[EXPAND]], %[[EXPAND2]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [2]
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[B]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[EXPAND3:[a-z0-9_]+]] = tiny.expand %[[RESHAPE3]] : (tensor<1x3xf32>) -> tensor<4x3xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[SUM]], %[[EXPAND3]]
// CHECK: return %[[ADD]]
func.func @linear(%x: tensor<4x6xf32>, %w: tensor<3x6xf32>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = tiny.linear %x, %w bias %b : (tensor<4x6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @gemm(
// CHECK-SAME: %[[A:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}, %[[C:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[A]] [1, 0]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[PERMUTE]] : (tensor<4x6xf32>) -> tensor<4x1x6xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[B]] : (tensor<3x6xf32>) -> tensor<1x3x6xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<4x1x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1x3x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[EXPAND]], %[[EXPAND2]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [2]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<5.000000e-01> : tensor<4x3xf32>
// CHECK: %[[MUL2:[a-z0-9_]+]] = tiny.mul %[[SUM]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<2.000000e+00> : tensor<3xf32>
// CHECK: %[[MUL3:[a-z0-9_]+]] = tiny.mul %[[C]], %[[CONSTANT2]]
// CHECK: %[[RESHAPE3:[a-z0-9_]+]] = tiny.reshape %[[MUL3]] : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: %[[EXPAND3:[a-z0-9_]+]] = tiny.expand %[[RESHAPE3]] : (tensor<1x3xf32>) -> tensor<4x3xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[MUL2]], %[[EXPAND3]]
// CHECK: return %[[ADD]]
func.func @gemm(%a: tensor<6x4xf32>, %b: tensor<3x6xf32>, %c: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = tiny.gemm %a, %b plus %c alpha 0.5 beta 2.0 transpose_a transpose_b : (tensor<6x4xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @gemm_without_addend(
// CHECK-SAME: %[[A:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}, %[[C:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[B]] [1, 0]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[A]] : (tensor<4x6xf32>) -> tensor<4x1x6xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[PERMUTE]] : (tensor<3x6xf32>) -> tensor<1x3x6xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<4x1x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1x3x6xf32>) -> tensor<4x3x6xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[EXPAND]], %[[EXPAND2]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [2]
// CHECK: return %[[SUM]]
func.func @gemm_without_addend(%a: tensor<4x6xf32>, %b: tensor<6x3xf32>, %c: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = tiny.gemm %a, %b plus %c beta 0.0 : (tensor<4x6xf32>, tensor<6x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
