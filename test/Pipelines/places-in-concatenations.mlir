// Parts of concatenations that others read too: each kernel writes where its part belongs, and who else reads the part
// reads it there. Nothing is copied, and nothing filled.
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline --check-passes | FileCheck %s --implicit-check-not=kernel.fill --implicit-check-not=kernel.copy
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline --remarks-filter=lazy-kernelize --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --tiny-tensor-to-lazy-pipeline --lazy-fold-views --lazy-kernelize -o %t.once
// RUN: tiny-opt %t.once --lazy-kernelize | diff - %t.once

// Layers that read all that was concatenated before: one buffer holds each of the concatenations.
// CHECK-LABEL: kernel.program @dense(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<2048xf32>
// CHECK: %[[ALL:.*]] = kernel.alloc : memref<8192xf32>
// CHECK-NEXT: kernel.launch @{{.*}} ins(%[[X]], {{.*}} outs(%[[ALL]] :
// CHECK-NEXT: kernel.launch @{{.*}}%[[ALL]]{{.*}} outs(%[[ALL]] :
// CHECK-NEXT: kernel.launch @{{.*}}%[[ALL]]{{.*}} outs(%[[ALL]] :
// CHECK-NEXT: kernel.launch @{{.*}}%[[ALL]]{{.*}} outs(%[[ALL]] :
// CHECK-NEXT: kernel.return %[[ALL]]
// REMARK: Function=dense | Remark="arith.select placed: kernels of their own compute its parts where they belong"
func.func @dense(%x: tensor<64x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>, %w2: tensor<64x32xf32>, %w3: tensor<96x32xf32>) -> tensor<64x128xf32> {
  %0 = tiny.matmul %x, %w0 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %x0 = tiny.relu %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = tiny.matmul %x0, %w1 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %x1 = tiny.relu %1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %c1 = tiny.concat %x0, %x1 axis 1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %2 = tiny.matmul %c1, %w2 : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %x2 = tiny.relu %2 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %c2 = tiny.concat %c1, %x2 axis 1 : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x96xf32>
  %3 = tiny.matmul %c2, %w3 : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32>
  %x3 = tiny.relu %3 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %c3 = tiny.concat %c2, %x3 axis 1 : (tensor<64x96xf32>, tensor<64x32xf32>) -> tensor<64x128xf32>
  return %c3 : tensor<64x128xf32>
}

// The same, each concatenation spelled anew: the parts of one lie side by side in the next.
// CHECK-LABEL: kernel.program @dense_flat(
// CHECK: %[[ALL:.*]] = kernel.alloc : memref<6144xf32>
// CHECK-COUNT-3: kernel.launch {{.*}} outs(%[[ALL]] :
// CHECK-NEXT: kernel.return %[[ALL]]
func.func @dense_flat(%x: tensor<64x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>, %w2: tensor<64x32xf32>) -> tensor<64x96xf32> {
  %0 = tiny.matmul %x, %w0 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %x0 = tiny.relu %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = tiny.matmul %x0, %w1 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %x1 = tiny.relu %1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %c1 = tiny.concat %x0, %x1 axis 1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %2 = tiny.matmul %c1, %w2 : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %x2 = tiny.relu %2 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %c2 = tiny.concat %x0, %x1, %x2 axis 1 : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x96xf32>
  return %c2 : tensor<64x96xf32>
}

// What is padded reads the slice only: the loads are masked where its neighbours, of which one is not written yet, begin.
// CHECK-LABEL: kernel.program @padded(
// CHECK: %[[ALL:.*]] = kernel.alloc : memref<1536xf32>
// CHECK-COUNT-3: kernel.launch {{.*}} outs(%[[ALL]] :
// CHECK-NEXT: kernel.return %[[ALL]]
func.func @padded(%x: tensor<1x8x8x8xf32>, %w0: tensor<8x8x1x1xf32>, %w1: tensor<8x8x3x3xf32>, %w2: tensor<8x8x3x3xf32>) -> tensor<1x24x8x8xf32> {
  %0 = tiny.conv %x, %w0 strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  %a = tiny.relu %0 : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %1 = tiny.conv %a, %w1 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : (tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x8x8xf32>
  %b = tiny.relu %1 : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %2 = tiny.conv %b, %w2 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : (tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x8x8xf32>
  %c = tiny.relu %2 : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %all = tiny.concat %a, %b, %c axis 1 : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x24x8x8xf32>
  return %all : tensor<1x24x8x8xf32>
}

// The parts come in another order than they stand in, along other axes, and one has a reader behind all of them.
// CHECK-LABEL: kernel.program @crossed(
// CHECK: %[[ALL:.*]] = kernel.alloc : memref<8192xf32>
// CHECK-COUNT-3: kernel.launch {{.*}} outs(%[[ALL]] :
// CHECK: kernel.launch {{.*}}%[[ALL]]
func.func @crossed(%x: tensor<64x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>, %w2: tensor<64x64xf32>) -> (tensor<128x64xf32>, tensor<64xf32>) {
  %0 = tiny.matmul %x, %w0 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %a = tiny.relu %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = tiny.matmul %a, %w1 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %b = tiny.tanh %1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %c = tiny.concat %b, %a axis 1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %2 = tiny.matmul %c, %w2 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = tiny.relu %2 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = tiny.sum %d axes [0] : (tensor<64x64xf32>) -> tensor<64xf32>
  %t = tiny.sum %a axes [1] : (tensor<64x32xf32>) -> tensor<64xf32>
  %u = tiny.mul %s, %t : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %all = tiny.concat %d, %c axis 0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  return %all, %u : tensor<128x64xf32>, tensor<64xf32>
}

// What the layers begin with is an argument: it is copied where the first concatenation of it is read.
// CHECK-LABEL: kernel.program @given(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8192xf32>
// CHECK: %[[ALL:.*]] = kernel.alloc : memref<32768xf32>
// CHECK-COUNT-4: kernel.launch {{.*}} outs(%[[ALL]] :
// CHECK-NEXT: kernel.return %[[ALL]]
func.func @given(%x: tensor<256x32xf32>, %w1: tensor<32x32xf32>, %w2: tensor<64x32xf32>, %w3: tensor<96x32xf32>) -> tensor<256x128xf32> {
  %1 = tiny.matmul %x, %w1 : (tensor<256x32xf32>, tensor<32x32xf32>) -> tensor<256x32xf32>
  %x1 = tiny.relu %1 : (tensor<256x32xf32>) -> tensor<256x32xf32>
  %c1 = tiny.concat %x, %x1 axis 1 : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x64xf32>
  %2 = tiny.matmul %c1, %w2 : (tensor<256x64xf32>, tensor<64x32xf32>) -> tensor<256x32xf32>
  %x2 = tiny.relu %2 : (tensor<256x32xf32>) -> tensor<256x32xf32>
  %c2 = tiny.concat %x, %x1, %x2 axis 1 : (tensor<256x32xf32>, tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x96xf32>
  %3 = tiny.matmul %c2, %w3 : (tensor<256x96xf32>, tensor<96x32xf32>) -> tensor<256x32xf32>
  %x3 = tiny.relu %3 : (tensor<256x32xf32>) -> tensor<256x32xf32>
  %c3 = tiny.concat %x, %x1, %x2, %x3 axis 1 : (tensor<256x32xf32>, tensor<256x32xf32>, tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x128xf32>
  return %c3 : tensor<256x128xf32>
}
