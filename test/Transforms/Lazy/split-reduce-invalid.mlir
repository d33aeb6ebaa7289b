// RUN: not tiny-opt %s --lazy-split-reduce="max-parts=4" 2>&1 | FileCheck %s
// CHECK: error: option 'min-parts': expected at most max-parts, 4, got 8
func.func @main(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %s = lazy.reduce addf (%x) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}
