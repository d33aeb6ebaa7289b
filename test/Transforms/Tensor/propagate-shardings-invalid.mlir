// RUN: tiny-opt %s -split-input-file -verify-diagnostics --tensor-propagate-shardings

shard.grid @grid(shape = 2)
shard.grid @other(shape = 2)
func.func @two_grids(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8xf32>
  // expected-error @below {{expects the function's one grid, 'grid', got 'other'}}
  %t = shard.sharding @other split_axes = [[0]] : !shard.sharding
  %ys = shard.shard %y to %t : tensor<8xf32>
  %z = tiny.add %xs, %ys : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// -----

// expected-error @below {{expects sizes that are known and positive}}
shard.grid @grid(shape = ?)
func.func @unknown_size(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8xf32>
  return %xs : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2x2) {tiny.microbatches = 1 : i64}
func.func @in_a_body(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
  %y = tiny.if %c : (tensor<i1>) -> tensor<8xf32> {
    %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
    // expected-error @below {{expects to stand in the body of the function, got one inside of 'tiny.if'}}
    %xs = shard.shard %x to %s : tensor<8xf32>
    tiny.yield %xs : tensor<8xf32>
  } else {
    tiny.yield %x : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @halo(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expects neither halos nor offsets}}
  %s = shard.sharding @grid split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8xf32>
  return %xs : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2x2)
func.func @rank(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  // expected-error @below {{expects a sharding of at most 1 axes, got 2}}
  %xs = shard.shard %x to %s : tensor<8xf32>
  return %xs : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func private @given() -> !shard.sharding
func.func @unknown_sharding(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = func.call @given() : () -> !shard.sharding
  // expected-error @below {{expects a sharding that 'shard.sharding' defines}}
  %xs = shard.shard %x to %s : tensor<8xf32>
  return %xs : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @axes(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{expects axes of the grid, each once, got 3}}
  %s = shard.sharding @grid split_axes = [[3]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x8xf32>
  return %xs : tensor<8x8xf32>
}

// -----

// expected-error @below {{expects at most 2147483647 ranks}}
shard.grid @huge(shape = 9223372036854775807x4)
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %s = shard.sharding @huge split_axes = [[0]] : !shard.sharding
  %y = shard.shard %x to %s : tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
