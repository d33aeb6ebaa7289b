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
