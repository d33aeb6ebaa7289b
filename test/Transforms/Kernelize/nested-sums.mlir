// A sum of few elements runs in the body of the sum that reads it, whatever its size, and beside others.
// RUN: tiny-opt %s --tensor-decompose --convert-tensor-to-lazy --lazy-fold-views --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark 2>&1 | FileCheck %s

// CHECK-DAG: [[@LINE+8]]:8: remark: {{.*}}Remark="lazy.reduce fused: the reduction runs once where it is used"
// CHECK-DAG: [[@LINE+10]]:8: remark: {{.*}}Remark="lazy.reduce fused: the reduction runs once where it is used"
// CHECK-DAG: Remark="1 kernel
func.func @blocks(%w: tensor<512x64x16xi8>, %v: tensor<512x64x16xi8>, %q: tensor<64x16xi8>, %d: tensor<64x1xf32>, %r: tensor<512xf32>) -> tensor<512xf32> {
  %q32 = tiny.cast %q : (tensor<64x16xi8>) -> tensor<64x16xi32>
  %w32 = tiny.cast %w : (tensor<512x64x16xi8>) -> tensor<512x64x16xi32>
  %a = tiny.mul %w32, %q32 : (tensor<512x64x16xi32>, tensor<64x16xi32>) -> tensor<512x64x16xi32>
  %a4 = tiny.reshape %a : (tensor<512x64x16xi32>) -> tensor<512x64x4x4xi32>
  %s = tiny.sum %a4 axes [3] : (tensor<512x64x4x4xi32>) -> tensor<512x64x4xi32>
  %f = tiny.cast %s : (tensor<512x64x4xi32>) -> tensor<512x64x4xf32>
  %x = tiny.mul %f, %d : (tensor<512x64x4xf32>, tensor<64x1xf32>) -> tensor<512x64x4xf32>
  %y = tiny.sum %x axes [1, 2] : (tensor<512x64x4xf32>) -> tensor<512xf32>
  %z = tiny.add %y, %r : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  return %z : tensor<512xf32>
}

// Two parts of its results would each run it: it is stored.
// CHECK-DAG: [[@LINE+9]]:8: remark: {{.*}}Remark="lazy.reduce stored: the reductions inside of it would run at several places"
func.func @parts(%w: tensor<512x64x16xi8>, %q: tensor<64x16xi8>, %d: tensor<64x1xf32>) -> tensor<256xf32> {
  %q32 = tiny.cast %q : (tensor<64x16xi8>) -> tensor<64x16xi32>
  %w32 = tiny.cast %w : (tensor<512x64x16xi8>) -> tensor<512x64x16xi32>
  %a = tiny.mul %w32, %q32 : (tensor<512x64x16xi32>, tensor<64x16xi32>) -> tensor<512x64x16xi32>
  %a4 = tiny.reshape %a : (tensor<512x64x16xi32>) -> tensor<512x64x4x4xi32>
  %s = tiny.sum %a4 axes [3] : (tensor<512x64x4x4xi32>) -> tensor<512x64x4xi32>
  %f = tiny.cast %s : (tensor<512x64x4xi32>) -> tensor<512x64x4xf32>
  %x = tiny.mul %f, %d : (tensor<512x64x4xf32>, tensor<64x1xf32>) -> tensor<512x64x4xf32>
  %y = tiny.sum %x axes [1, 2] : (tensor<512x64x4xf32>) -> tensor<512xf32>
  %first = tiny.shrink %y begin [0] end [256] : (tensor<512xf32>) -> tensor<256xf32>
  %second = tiny.shrink %y begin [256] end [512] : (tensor<512xf32>) -> tensor<256xf32>
  %z = tiny.mul %first, %second : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  return %z : tensor<256xf32>
}

// Of products of bytes a body adds up 32, of which an instruction takes four.
// CHECK-DAG: Function=bytes | Remark="1 kernels
func.func @bytes(%w: tensor<512x64x4x32xi8>, %q: tensor<64x4x32xi8>, %d: tensor<64x1xf32>) -> tensor<512xf32> {
  %q32 = tiny.cast %q : (tensor<64x4x32xi8>) -> tensor<64x4x32xi32>
  %w32 = tiny.cast %w : (tensor<512x64x4x32xi8>) -> tensor<512x64x4x32xi32>
  %a = tiny.mul %w32, %q32 : (tensor<512x64x4x32xi32>, tensor<64x4x32xi32>) -> tensor<512x64x4x32xi32>
  %s = tiny.sum %a axes [3] : (tensor<512x64x4x32xi32>) -> tensor<512x64x4xi32>
  %f = tiny.cast %s : (tensor<512x64x4xi32>) -> tensor<512x64x4xf32>
  %x = tiny.mul %f, %d : (tensor<512x64x4xf32>, tensor<64x1xf32>) -> tensor<512x64x4xf32>
  %y = tiny.sum %x axes [1, 2] : (tensor<512x64x4xf32>) -> tensor<512xf32>
  return %y : tensor<512xf32>
}

// CHECK-DAG: [[@LINE+7]]:8: remark: {{.*}}Remark="arith.mulf stored: it ends a reduction, which would run inside the reduction that reads it"
func.func @many_bytes(%w: tensor<512x64x4x36xi8>, %q: tensor<64x4x36xi8>, %d: tensor<64x1xf32>) -> tensor<512xf32> {
  %q32 = tiny.cast %q : (tensor<64x4x36xi8>) -> tensor<64x4x36xi32>
  %w32 = tiny.cast %w : (tensor<512x64x4x36xi8>) -> tensor<512x64x4x36xi32>
  %a = tiny.mul %w32, %q32 : (tensor<512x64x4x36xi32>, tensor<64x4x36xi32>) -> tensor<512x64x4x36xi32>
  %s = tiny.sum %a axes [3] : (tensor<512x64x4x36xi32>) -> tensor<512x64x4xi32>
  %f = tiny.cast %s : (tensor<512x64x4xi32>) -> tensor<512x64x4xf32>
  %x = tiny.mul %f, %d : (tensor<512x64x4xf32>, tensor<64x1xf32>) -> tensor<512x64x4xf32>
  %y = tiny.sum %x axes [1, 2] : (tensor<512x64x4xf32>) -> tensor<512xf32>
  return %y : tensor<512xf32>
}

// CHECK-DAG: [[@LINE+7]]:8: remark: {{.*}}Remark="arith.mulf stored: it ends a reduction, which would run inside the reduction that reads it"
func.func @halves(%w: tensor<512x64x4x32xi16>, %q: tensor<64x4x32xi16>, %d: tensor<64x1xf32>) -> tensor<512xf32> {
  %q32 = tiny.cast %q : (tensor<64x4x32xi16>) -> tensor<64x4x32xi32>
  %w32 = tiny.cast %w : (tensor<512x64x4x32xi16>) -> tensor<512x64x4x32xi32>
  %a = tiny.mul %w32, %q32 : (tensor<512x64x4x32xi32>, tensor<64x4x32xi32>) -> tensor<512x64x4x32xi32>
  %s = tiny.sum %a axes [3] : (tensor<512x64x4x32xi32>) -> tensor<512x64x4xi32>
  %f = tiny.cast %s : (tensor<512x64x4xi32>) -> tensor<512x64x4xf32>
  %x = tiny.mul %f, %d : (tensor<512x64x4xf32>, tensor<64x1xf32>) -> tensor<512x64x4xf32>
  %y = tiny.sum %x axes [1, 2] : (tensor<512x64x4xf32>) -> tensor<512xf32>
  return %y : tensor<512xf32>
}
