// RUN: tiny-opt %s -split-input-file -verify-diagnostics --target-attach="target=cuda processor=sm_90a" -kernel-apply-schedules

// Several subgroups read lines of 128 bytes of a tile.
// expected-error @+1 {{failed on kernel}}
kernel.func @team_depth(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf32>) attributes {schedule = @schedules::@team_depth} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<4096xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<4096xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @team_depth(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the tile's depth, 32, is not of pieces of 128 bytes, which 4 subgroups read}}
    transform.tiny.tensorize %kernel [0, 1, 2] tile [64, 64, 32] subgroups [1, 1] shape [64, 64, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}
