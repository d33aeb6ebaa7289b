// Parts that keep buffers of their own, and are copied.
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline --check-passes | FileCheck %s

// One that is returned is the caller's.
// CHECK-LABEL: kernel.program @returned(
// CHECK: %[[A:.*]] = kernel.alloc : memref<2048xf32>
// CHECK: kernel.return %{{.*}}, %[[A]]
func.func @returned(%x: tensor<64x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>) -> (tensor<64x64xf32>, tensor<64x32xf32>) {
  %0 = tiny.matmul %x, %w0 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %a = tiny.relu %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = tiny.matmul %a, %w1 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %b = tiny.tanh %1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %c = tiny.concat %a, %b axis 1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  return %c, %a : tensor<64x64xf32>, tensor<64x32xf32>
}

// Rows of four elements fill no vector: a product that reads them again and again has them in a buffer of its own.
// CHECK-LABEL: kernel.program @short_rows(
// CHECK: %[[A:.*]] = kernel.alloc : memref<256xf32>
// CHECK-NEXT: kernel.launch {{.*}} outs(%[[A]] :
func.func @short_rows(%x: tensor<64x32xf32>, %w0: tensor<32x4xf32>, %w1: tensor<4x4xf32>) -> tensor<64x8xf32> {
  %0 = tiny.matmul %x, %w0 : (tensor<64x32xf32>, tensor<32x4xf32>) -> tensor<64x4xf32>
  %a = tiny.relu %0 : (tensor<64x4xf32>) -> tensor<64x4xf32>
  %1 = tiny.matmul %a, %w1 : (tensor<64x4xf32>, tensor<4x4xf32>) -> tensor<64x4xf32>
  %b = tiny.tanh %1 : (tensor<64x4xf32>) -> tensor<64x4xf32>
  %c = tiny.concat %a, %b axis 1 : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<64x8xf32>
  return %c : tensor<64x8xf32>
}
