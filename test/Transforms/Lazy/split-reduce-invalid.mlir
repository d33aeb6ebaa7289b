// RUN: tiny-opt %s --lazy-split-reduce="max-parts=0" -verify-diagnostics

// expected-error @below {{lazy-split-reduce: min-parts is 8 and max-parts 0; expected 1 <= min-parts <= max-parts}}
func.func @main(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %s = lazy.reduce addf (%x) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}
