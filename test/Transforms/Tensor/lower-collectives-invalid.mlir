// RUN: tiny-opt %s -split-input-file -verify-diagnostics --tensor-lower-collectives

shard.grid @grid(shape = 2)
func.func @alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{stands in a function that is not one rank's program; run tensor-partition first}}
  %0 = shard.all_reduce %x on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @average(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tiny.grid = array<i64: 2>} {
  // expected-error @below {{has no form on lower levels}}
  %0 = shard.all_reduce %x on @grid grid_axes = [0] reduction = average : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
