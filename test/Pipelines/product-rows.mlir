// A product and the passes over its rows in one kernel, with what the reference interpreter computes, in sizes that no
// block or vector divides, with and without a schedule.
// RUN: tiny-opt %s --tiny-cpu-pipeline --check-passes -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline=default-schedule=false --check-passes -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline | FileCheck %s

// Both the rows and the columns are padded; the tile is filled for a block of rows.
// CHECK-LABEL: kernel.program @log_softmax
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
// CHECK: kernel.return
func.func @log_softmax(%x: tensor<37x64xf32>, %w: tensor<64x50xf32>, %b: tensor<50xf32>) -> tensor<37x50xf32> {
  %0 = tiny.matmul %x, %w : (tensor<37x64xf32>, tensor<64x50xf32>) -> tensor<37x50xf32>
  %1 = tiny.add %0, %b : (tensor<37x50xf32>, tensor<50xf32>) -> tensor<37x50xf32>
  %2 = tiny.log_softmax %1 axis -1 : (tensor<37x50xf32>) -> tensor<37x50xf32>
  return %2 : tensor<37x50xf32>
}

// CHECK-LABEL: kernel.program @norm
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
// CHECK: kernel.return
func.func @norm(%x: tensor<3x20x64xf32>, %w: tensor<64x48xf32>, %r: tensor<3x20x48xf32>, %g: tensor<48xf32>, %b: tensor<48xf32>) -> tensor<3x20x48xf32> {
  %0 = tiny.matmul %x, %w : (tensor<3x20x64xf32>, tensor<64x48xf32>) -> tensor<3x20x48xf32>
  %1 = tiny.add %0, %r : (tensor<3x20x48xf32>, tensor<3x20x48xf32>) -> tensor<3x20x48xf32>
  %2 = tiny.layer_norm %1 scale %g bias %b axis 2 epsilon 1.0e-5 : (tensor<3x20x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<3x20x48xf32>
  return %2 : tensor<3x20x48xf32>
}

// CHECK-LABEL: kernel.program @best
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
// CHECK: kernel.return
func.func @best(%x: tensor<24x64xf32>, %w: tensor<48x64xf32>) -> tensor<24xi32> {
  %t = tiny.permute %w [1, 0] : (tensor<48x64xf32>) -> tensor<64x48xf32>
  %0 = tiny.matmul %x, %t : (tensor<24x64xf32>, tensor<64x48xf32>) -> tensor<24x48xf32>
  %1 = tiny.argmax %0 axes [1] : (tensor<24x48xf32>) -> tensor<24xi32>
  return %1 : tensor<24xi32>
}

// The schedule widens the tile.
// CHECK: transform.named_sequence @
// CHECK: transform.tiny.widen_stage
