// RUN: tiny-opt %s -split-input-file -verify-diagnostics --uop-describe-entry -convert-uop-to-nvvm

uop.func @narrow() {
  %l = uop.special local dim(0) extent(16)
  // expected-error@+1 {{'uop.special' op is of subgroups of 16 lanes, but CUDA's have 32}}
  %lane = uop.special lane dim(0) extent(16)
  uop.return
}

// -----

uop.func @product(%out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  // expected-error@+1 {{'uop.atomic' op of kind mulf on 'f32' has no form in PTX}}
  uop.atomic mulf %x, %out[%c0] : f32, memref<4xf32>
  uop.return
}

// -----

uop.func @left(%out: memref<4xi32>) {
  %l = uop.special local dim(0) extent(4)
  %x = uop.load %out[%l] : memref<4xi32>, i32
  // expected-error@+1 {{'uop.workgroup_reduce' op is left; uop-expand-group-reduce replaces it}}
  %y = uop.workgroup_reduce addi %x dims(1) : i32
  uop.return
}

// -----

// The gate may have been left out.
uop.func @parted() {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(4)
  %is = arith.cmpi eq, %l, %c0 : index
  // expected-note@+1 {{lanes part here}}
  uop.if %is {
    // expected-error@+1 {{'uop.barrier' op stands in control flow that differs between the lanes of a workgroup}}
    uop.barrier
  }
  uop.return
}

// -----

uop.func @fragment(%in: memref<256xf16>) {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error@+1 {{'uop.fragment_load' op is a fragment '!uop.fragment<left 8x16xf16>', which mma.sync does not have}}
  %a = uop.fragment_load %in[%c0] stride(16) : memref<256xf16>, !uop.fragment<left 8x16xf16>
  uop.return
}

// -----

uop.func @pack() {
  %x = arith.constant dense<1.0> : vector<8xf32>
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error@+1 {{'uop.fragment_pack' op makes '!uop.fragment<left 16x16xbf16>', which no lane holds as it does a sum}}
  %a = uop.fragment_pack %x : vector<8xf32>, !uop.fragment<left 16x16xbf16>
  uop.return
}

// -----

uop.func @rows() {
  %x = arith.constant dense<1.0> : vector<2xf32>
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error@+1 {{'uop.fragment_reduce' op is about '!uop.fragment<sum 8x8xf32>', expected a sum of mma.sync}}
  %a = uop.fragment_reduce addf %x of !uop.fragment<sum 8x8xf32> : vector<2xf32>
  uop.return
}

// -----

// A product by a warpgroup reads its factors where they lie.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.record<gpu "sm_90a", types = [f32],
    cores = 132, subgroup = 32, workgroup = 1024, shared = 232448, matrices = [(64, 64, 16, f16, f32, 4)], buffers = 31, index_bits = 64>>} {
  uop.func @barrier_between(%out: memref<4096xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %l = uop.special local dim(0) extent(128)
    %left = uop.local : memref<4096xf16>
    %right = uop.local : memref<1024xf16>
    %a = uop.fragment_load %left[%c0] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    uop.barrier
    %b = uop.fragment_load %right[%c0] stride(64) panel(1024) : memref<1024xf16>, !uop.fragment<right 16x64xf16 by 4>
    %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
    // expected-error@+1 {{'uop.mma' op of several subgroups needs factors that are read as panels in front of it, with no barrier between}}
    %d = uop.mma %a, %b, %c : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    %x = uop.fragment_elements %d : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
    uop.return
  }
}

// -----

// Sums of rows: the left factor is in registers.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.record<gpu "sm_90a", types = [f32],
    cores = 132, subgroup = 32, workgroup = 1024, shared = 232448, matrices = [(64, 64, 16, f16, f32, 4)], buffers = 31, index_bits = 64>>} {
  uop.func @sum_of_rows(%out: memref<4096xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f16
    %l = uop.special local dim(0) extent(128)
    %left = uop.local : memref<4096xf16>
    %a = uop.fragment_load %left[%c0] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %b = uop.fragment_fill %one : !uop.fragment<right 16x64xf16 by 4>
    %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
    // expected-error@+1 {{'uop.mma' op of several subgroups with a filled right factor needs a packed left one, and sums from zero on}}
    %d = uop.mma %a, %b, %c : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.return
  }
}

// -----

uop.func @team_store(%out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(128)
  %lane = uop.special lane dim(0) extent(32)
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  // expected-error@+1 {{'uop.fragment_store' op has no form in PTX for what several subgroups hold}}
  uop.fragment_store %c, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// -----

uop.func @team_sum(%in: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(128)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error@+1 {{'uop.fragment_load' op has no form in PTX for what several subgroups hold}}
  %c = uop.fragment_load %in[%c0] stride(64) : memref<4096xf32>, !uop.fragment<sum 64x64xf32 by 4>
  uop.return
}

// -----

uop.func @team_shape(%in: memref<4096xf16>) {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(128)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error@+1 {{'uop.fragment_load' op is a fragment '!uop.fragment<left 64x32xf16 by 4>', which wgmma does not have}}
  %a = uop.fragment_load %in[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x32xf16 by 4>
  uop.return
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.record<gpu "sm_80", types = [f32],
    cores = 108, subgroup = 32, workgroup = 1024, shared = 166912, matrices = [(16, 8, 16, f16, f32)], buffers = 31, index_bits = 64>>} {
  uop.func @team_of_another_device(%out: memref<4096xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %l = uop.special local dim(0) extent(128)
    %left = uop.local : memref<4096xf16>
    %right = uop.local : memref<1024xf16>
    %a = uop.fragment_load %left[%c0] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %b = uop.fragment_load %right[%c0] stride(64) panel(1024) : memref<1024xf16>, !uop.fragment<right 16x64xf16 by 4>
    %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
    // expected-error@+1 {{'uop.mma' op is of 64x64x16 'f16' to 'f32' by several subgroups, which the device's record has no instruction for}}
    %d = uop.mma %a, %b, %c : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.return
  }
}

// -----

// A right factor of tf32 lies along the depth.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.record<gpu "sm_90a", types = [f32],
    cores = 132, subgroup = 32, workgroup = 1024, shared = 232448, matrices = [(64, 64, 8, f32, f32, 4)], buffers = 31, index_bits = 64>>} {
  uop.func @across_the_depth(%out: memref<4096xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %l = uop.special local dim(0) extent(128)
    %left = uop.local : memref<2048xf32>
    %right = uop.local : memref<2048xf32>
    %a = uop.fragment_load %left[%c0] stride(32) panel(2048) : memref<2048xf32>, !uop.fragment<left 64x8xtf32 by 4>
    %b = uop.fragment_load %right[%c0] stride(32) panel(1024) : memref<2048xf32>, !uop.fragment<right 8x64xtf32 by 4>
    %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
    // expected-error@+1 {{'uop.mma' op of several subgroups needs a right factor of tf32 that lies along the depth}}
    %d = uop.mma %a, %b, %c : !uop.fragment<left 64x8xtf32 by 4>, !uop.fragment<right 8x64xtf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.return
  }
}

// -----

// Left factors that lanes read have rows in another order.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cuda" = #target.record<gpu "sm_90a", types = [f32],
    cores = 132, subgroup = 32, workgroup = 1024, shared = 232448, matrices = [(64, 64, 8, f32, f32, 4)], buffers = 31, index_bits = 64>>} {
  uop.func @both_ways(%out: memref<4096xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %l = uop.special local dim(0) extent(128)
    %left = uop.local : memref<2048xf32>
    %right = uop.local : memref<2048xf32>
    %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
    %a = uop.fragment_load %left[%c0] stride(32) panel(2048) : memref<2048xf32>, !uop.fragment<left 64x8xtf32 by 4>
    %b = uop.fragment_load %right[%c0] stride(32) transposed panel(2048) : memref<2048xf32>, !uop.fragment<right 8x64xtf32 by 4>
    %d = uop.mma %a, %b, %c : !uop.fragment<left 64x8xtf32 by 4>, !uop.fragment<right 8x64xtf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    %e = uop.fragment_load %left[%c0] stride(32) transposed panel(1024) : memref<2048xf32>, !uop.fragment<left 64x8xtf32 by 4>
    // expected-error@+1 {{'uop.mma' op of several subgroups has a left factor across the depth, and another product has none}}
    %f = uop.mma %e, %b, %d : !uop.fragment<left 64x8xtf32 by 4>, !uop.fragment<right 8x64xtf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.return
  }
}
