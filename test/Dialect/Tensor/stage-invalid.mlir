// RUN: tiny-opt %s -split-input-file -verify-diagnostics

shard.grid @grid(shape = 2)
// (stage_c1)
func.func @one_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects an axis of the grid and two different places on it, got axis 0 from 1 to 1}}
  %0 = tiny.stage %x on @grid axis 0 from 1 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
// (stage_c1)
func.func @before_the_first(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects an axis of the grid and two different places on it, got axis 0 from -1 to 1}}
  %0 = tiny.stage %x on @grid axis 0 from -1 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
