// RUN: tiny-opt %s -split-input-file -verify-diagnostics --tensor-partition

shard.grid @grid(shape = 2)
// expected-error @below {{is the program of one rank already, and has annotations}}
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tiny.grid = array<i64: 2>} {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<4xf32>
  return %xs : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func private @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  // expected-note @below {{annotated here}}
  %xs = shard.shard %x to %s : tensor<4xf32>
  return %xs : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{calls a function with annotations: those of a program stand in itself}}
  %0 = call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
