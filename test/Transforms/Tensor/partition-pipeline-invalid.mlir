// RUN: tiny-opt %s -split-input-file -verify-diagnostics --tensor-partition

func.func @no_grid(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{names grid 'grid', which is not there}}
  %0 = tiny.stage %x on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @no_stage(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{names stages 1 and 2, and axis 0 of grid 'grid' has 2}}
  %0 = tiny.stage %x on @grid axis 0 from 1 to 2 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 128)
func.func @many_stages(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects at most 64 stages, got 128}}
  %0 = tiny.stage %x on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = ?)
// expected-error @-1 {{expects sizes that are known and positive}}
func.func @unknown_size(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.stage %x on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 3)
func.func @wrong_stage(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{this says so}}
  %0 = tiny.stage %x on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{sends a value from stage 0, and stage 1 has it}}
  %2 = tiny.stage %1 on @grid axis 0 from 0 to 2 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// The value beside a stage must go through it, too.

shard.grid @grid(shape = 3)
func.func @two_stages(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{this says so of one}}
  %0 = tiny.stage %x on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{this says so of the other}}
  %2 = tiny.stage %1 on @grid axis 0 from 1 to 2 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{reads values of stages 1 and 2; 'tiny.stage' brings one to the other}}
  %3 = tiny.add %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2x2)
func.func @two_axes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.stage %x on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{expects the function's one axis of stages, 0, got 1}}
  %1 = tiny.stage %0 on @grid axis 1 from 1 to 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
shard.grid @other(shape = 2)
func.func @two_grids(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.stage %x on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{expects the function's one grid, 'grid', got 'other'}}
  %1 = tiny.stage %0 on @other axis 0 from 1 to 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @+1 {{expects 'tiny.microbatches' to name the last axis, 1, got 0 : i64}}
shard.grid @grid(shape = 2x2) {tiny.microbatches = 0 : i64}
func.func @first_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.stage %x on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2x2) {tiny.microbatches = 1 : i64}
// expected-error @+1 {{has stages along the grid's axis of microbatches, 1}}
func.func @same_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.stage %x on @grid axis 1 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @in_a_loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0, %n = tiny.loop most(3) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    // expected-error @+1 {{expects to stand in the body of the function, got one inside of 'tiny.loop'}}
    %1 = tiny.stage %s on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// What goes to another stage is of the one that sends it, also where it is made of arguments.

shard.grid @grid(shape = 2)
func.func @beside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+2 {{this says so of one}}
  // expected-note @+1 {{this says so of the other}}
  %1 = tiny.stage %0 on @grid axis 0 from 0 to 1 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{reads values of stages 0 and 1; 'tiny.stage' brings one to the other}}
  %2 = tiny.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @cut_along_stages(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  // expected-error @+1 {{cuts a value along the grid's axis of stages, 0}}
  %xs = shard.shard %x to %s : tensor<8x6xf32>
  %y = tiny.stage %xs on @grid axis 0 from 0 to 1 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}
