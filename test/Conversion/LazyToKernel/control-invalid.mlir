// RUN: tiny-opt %s --convert-lazy-to-kernel -split-input-file -verify-diagnostics

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{names @elsewhere, which is no function of one block}}
  %r:2 = lazy.loop @elsewhere most(3) carry(%x) with() : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>)
  return %r#0 : tensor<4xf32>
}
func.func private @elsewhere(%i: tensor<i64>, %a: tensor<4xf32>) -> tensor<4xf32>
