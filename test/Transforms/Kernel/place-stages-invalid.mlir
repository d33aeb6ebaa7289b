// RUN: tiny-opt %s -verify-diagnostics --kernel-place-stages

// expected-error @+1 {{expects 'tiny.stage_axis' to name an axis of the grid of at most 64 stages, got 1 : i64}}
kernel.program @no_axis(%x: memref<8xf32>) -> memref<8xf32> attributes {tiny.grid = array<i64: 2>, tiny.stage_axis = 1 : i64} {
  kernel.return %x : memref<8xf32>
}
