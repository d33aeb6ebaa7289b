// Parts that keep buffers of their own, and are copied.
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline --check-passes | FileCheck %s
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline --remarks-filter=lazy-kernelize --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

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

// So is one whose buffer is asked for.
// CHECK-LABEL: kernel.program @contiguous(
// CHECK: %[[A:.*]] = kernel.alloc : memref<2048xf32>
// CHECK-NEXT: kernel.launch @{{.*}} outs(%[[A]] :
// CHECK: kernel.launch @{{.*}} ins(%{{.*}}, %[[A]] :
func.func @contiguous(%x: tensor<64x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>) -> tensor<64x64xf32> {
  %0 = tiny.matmul %x, %w0 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %r = tiny.relu %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %a = lazy.contiguous %r : tensor<64x32xf32>
  %1 = tiny.matmul %a, %w1 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %b = tiny.tanh %1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %c = tiny.concat %a, %b axis 1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// Where one part repeats what a kernel stores, none has its place.
// CHECK-LABEL: kernel.program @repeated(
// CHECK: %[[A:.*]] = kernel.alloc : memref<2048xf32>
// CHECK-NEXT: kernel.launch @{{.*}} outs(%[[A]] :
// CHECK: %[[B:.*]] = kernel.alloc : memref<4096xf32>
// CHECK-NEXT: kernel.launch @{{.*}} outs(%[[B]] :
// REMARK: Function=repeated | Remark="arith.select copied: one of its parts repeats, or takes elements of, what a kernel stores"
func.func @repeated(%x: tensor<64x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>, %w2: tensor<32x32xf32>) -> tensor<128x96xf32> {
  %0 = tiny.matmul %x, %w0 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %a = tiny.relu %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %r = tiny.reshape %a : (tensor<64x32xf32>) -> tensor<64x1x32xf32>
  %e = tiny.expand %r : (tensor<64x1x32xf32>) -> tensor<64x2x32xf32>
  %u = tiny.reshape %e : (tensor<64x2x32xf32>) -> tensor<128x32xf32>
  %1 = tiny.matmul %u, %w1 : (tensor<128x32xf32>, tensor<32x32xf32>) -> tensor<128x32xf32>
  %b = tiny.tanh %1 : (tensor<128x32xf32>) -> tensor<128x32xf32>
  %2 = tiny.matmul %b, %w2 : (tensor<128x32xf32>, tensor<32x32xf32>) -> tensor<128x32xf32>
  %c = tiny.concat %u, %b, %2 axis 1 : (tensor<128x32xf32>, tensor<128x32xf32>, tensor<128x32xf32>) -> tensor<128x96xf32>
  return %c : tensor<128x96xf32>
}

// One that a kernel makes beside another result would be a kernel of its own.
// REMARK: Function=copied | Remark="arith.select copied: to copy its parts costs less than more launches", copying=21845.3, launches=84384
// CHECK-LABEL: kernel.program @copied(
// CHECK-COUNT-2: kernel.launch
func.func @copied(%x: tensor<64x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>) -> (tensor<64x64xf32>, tensor<64x32xf32>) {
  %0 = tiny.matmul %x, %w0 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %a = tiny.tanh %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %o = tiny.neg %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = tiny.matmul %a, %w1 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %b = tiny.tanh %1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %c = tiny.concat %a, %b axis 1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  return %c, %o : tensor<64x64xf32>, tensor<64x32xf32>
}
