// RUN: tiny-opt %s -split-input-file -verify-diagnostics -o /dev/null

uop.func @special_c3() {
  // expected-error @below {{'uop.special' op dim of a lane axis must be 0, got 1}}
  %l = uop.special lane dim(1) extent(4)
  uop.return
}

// -----

uop.func @shuffle_mode(%in: memref<4xf32>, %i: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xf32>, f32
  // expected-error @below {{expected where lanes read from (xor, up, down or from), got 'left'}}
  %y = uop.shuffle left %x, %c0 : f32
  uop.return
}

// -----

uop.func @subgroup_reduce_c1(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xf32>, f32
  // expected-error @below {{'uop.subgroup_reduce' op kind addi does not combine values of 'f32'}}
  %y = uop.subgroup_reduce addi %x : f32
  uop.return
}

// -----

uop.func @workgroup_reduce_c1(%in: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xi32>, i32
  // expected-error @below {{'uop.workgroup_reduce' op kind assign does not combine values of 'i32'}}
  %y = uop.workgroup_reduce assign %x dims(1) : i32
  uop.return
}

// -----

uop.func @workgroup_reduce_c2(%in: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xi32>, i32
  // expected-error @below {{'uop.workgroup_reduce' op dims must be 1, 2 or 3, got 4}}
  %y = uop.workgroup_reduce addi %x dims(4) : i32
  uop.return
}

// -----

uop.func @atomic_c1(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xf32>, f32
  // expected-error @below {{'uop.atomic' op kind ori does not combine values of 'f32'}}
  uop.atomic ori %x, %in[%c0] : f32, memref<4xf32>
  uop.return
}

// -----

uop.func @atomic_c2(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.atomic' op buffer must have elements of 'index', got 'memref<4xf32>'}}
  uop.atomic addi %c0, %in[%c0] : index, memref<4xf32>
  uop.return
}

// -----

func.func @atomic_c2_layout(%in: memref<4xindex, strided<[2]>>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.atomic' op buffer must have no layout, got 'memref<4xindex, strided<[2]>>'}}
  uop.atomic addi %c0, %in[%c0] : index, memref<4xindex, strided<[2]>>
  return
}

// -----

uop.func @copy_async_c1(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %tile = uop.local : memref<4xf16>
  // expected-error @below {{'uop.copy_async' op buffer must have elements of 'f16', got 'memref<4xf32>'}}
  uop.copy_async %in[%c0], %tile[%c0] count(1) : memref<4xf32>, memref<4xf16>
  uop.return
}

// -----

uop.func @copy_async_c2(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %tile = uop.register : memref<4xf32>
  // expected-error @below {{'uop.copy_async' op must copy into a uop.local}}
  uop.copy_async %in[%c0], %tile[%c0] count(1) : memref<4xf32>, memref<4xf32>
  uop.return
}

// -----

uop.func @copy_async_c2_source(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %tile = uop.local : memref<4xf32>
  // expected-error @below {{'uop.copy_async' op must copy from a buffer of the kernel, not from a tile}}
  uop.copy_async %tile[%c0], %tile[%c0] count(1) : memref<4xf32>, memref<4xf32>
  uop.return
}

// -----

uop.func @copy_async_c3(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %tile = uop.local : memref<4xf32>
  // expected-error @below {{'uop.copy_async' op count must be 1 to 64, got 0}}
  uop.copy_async %in[%c0], %tile[%c0] count(0) : memref<4xf32>, memref<4xf32>
  uop.return
}

// -----

uop.func @copy_wait_c1() {
  // expected-error @below {{'uop.copy_wait' op pending must not be negative, got -1}}
  uop.copy_wait pending(-1)
  uop.return
}

// -----

// expected-error @below {{expected what a fragment is (left, right or sum), got 'middle'}}
func.func private @fragment_role(!uop.fragment<middle 16x8xf16>)

// -----

// expected-error @below {{expected rows and columns of a fragment, got 3 extents}}
func.func private @fragment_extents(!uop.fragment<left 16x8x2xf16>)

// -----

// expected-error @below {{a fragment has 1 to 1024 rows and columns, got 0x8}}
func.func private @fragment_c1(!uop.fragment<left 0x8xf16>)

// -----

// expected-error @below {{a fragment's elements are numbers, got 'index'}}
func.func private @fragment_c2(!uop.fragment<left 16x8xindex>)

// -----

uop.func @fragment_load_c1(%in: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.fragment_load' op buffer must have elements of 'f16', got 'memref<256xf32>'}}
  %a = uop.fragment_load %in[%c0] stride(16) : memref<256xf32>, !uop.fragment<left 16x16xf16>
  uop.return
}

// -----

uop.func @fragment_load_c2(%in: memref<256xf16>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.fragment_load' op stride must be 16 or more and below 2^31, got 8}}
  %a = uop.fragment_load %in[%c0] stride(8) transposed : memref<256xf16>, !uop.fragment<left 16x8xf16>
  uop.return
}

// -----

uop.func @fragment_store_c2(%in: memref<256xf16>) {
  %c0 = arith.constant 0 : index
  %a = uop.fragment_load %in[%c0] stride(16) : memref<256xf16>, !uop.fragment<sum 16x16xf16>
  // expected-error @below {{'uop.fragment_store' op stride must be 16 or more and below 2^31, got 8}}
  uop.fragment_store %a, %in[%c0] stride(8) : !uop.fragment<sum 16x16xf16>, memref<256xf16>
  uop.return
}

// -----

uop.func @mma_c1(%in: memref<256xf16>) {
  %c0 = arith.constant 0 : index
  %a = uop.fragment_load %in[%c0] stride(16) : memref<256xf16>, !uop.fragment<sum 16x16xf16>
  // expected-error @below {{'uop.mma' op must multiply a left and a right fragment and add a sum, got sum, sum and sum}}
  %b = uop.mma %a, %a, %a : !uop.fragment<sum 16x16xf16>, !uop.fragment<sum 16x16xf16>, !uop.fragment<sum 16x16xf16>
  uop.return
}

// -----

uop.func @mma_c2(%in: memref<256xf16>) {
  %c0 = arith.constant 0 : index
  %a = uop.fragment_load %in[%c0] stride(16) : memref<256xf16>, !uop.fragment<left 16x16xf16>
  %b = uop.fragment_load %in[%c0] stride(8) : memref<256xf16>, !uop.fragment<right 8x8xf16>
  %c = uop.fragment_load %in[%c0] stride(8) : memref<256xf16>, !uop.fragment<sum 16x8xf16>
  // expected-error @below {{'uop.mma' op has extents that do not fit: '!uop.fragment<left 16x16xf16>', '!uop.fragment<right 8x8xf16>', '!uop.fragment<sum 16x8xf16>'}}
  %d = uop.mma %a, %b, %c : !uop.fragment<left 16x16xf16>, !uop.fragment<right 8x8xf16>, !uop.fragment<sum 16x8xf16>
  uop.return
}

// -----

uop.func @mma_c3(%in: memref<256xf16>, %other: memref<256xbf16>) {
  %c0 = arith.constant 0 : index
  %a = uop.fragment_load %in[%c0] stride(16) : memref<256xf16>, !uop.fragment<left 16x16xf16>
  %b = uop.fragment_load %other[%c0] stride(8) : memref<256xbf16>, !uop.fragment<right 16x8xbf16>
  %c = uop.fragment_load %in[%c0] stride(8) : memref<256xf16>, !uop.fragment<sum 16x8xf16>
  // expected-error @below {{'uop.mma' op must multiply elements of one type, got 'f16' and 'bf16'}}
  %d = uop.mma %a, %b, %c : !uop.fragment<left 16x16xf16>, !uop.fragment<right 16x8xbf16>, !uop.fragment<sum 16x8xf16>
  uop.return
}

// -----

uop.func @fragment_elements_c1(%in: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.fragment_load %in[%c0] stride(8) : memref<128xf32>, !uop.fragment<sum 16x8xf32>
  // expected-error @below {{'uop.fragment_elements' op must give elements of 'f32', got 'f16'}}
  %y = uop.fragment_elements %x : !uop.fragment<sum 16x8xf32>, vector<4xf16>
  uop.return
}

// -----

uop.func @fragment_reduce_c1() {
  %in = arith.constant dense<1.0> : vector<4xf16>
  // expected-error @below {{'uop.fragment_reduce' op must combine elements of a sum, got 'f16' of '!uop.fragment<sum 16x8xf32>'}}
  %y = uop.fragment_reduce addf %in of !uop.fragment<sum 16x8xf32> : vector<4xf16>
  uop.return
}

// -----

uop.func @fragment_pack_c1() {
  %in = arith.constant dense<1.0> : vector<4xf16>
  // expected-error @below {{'uop.fragment_pack' op must make a left factor of f32 or of its own type, got '!uop.fragment<left 16x8xbf16>' of 'f16'}}
  %y = uop.fragment_pack %in : vector<4xf16>, !uop.fragment<left 16x8xbf16>
  uop.return
}

// -----

// expected-error @below {{a fragment is held by 1 to 32 subgroups, got 33}}
func.func private @fragment_c3(!uop.fragment<sum 64x64xf32 by 33>)

// -----

uop.func @fragment_load_c4(%in: memref<8192xf16>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.fragment_load' op reads a panel, which must be in a uop.local}}
  %a = uop.fragment_load %in[%c0] stride(64) panel(4096) : memref<8192xf16>, !uop.fragment<left 64x16xf16 by 4>
  uop.return
}

// -----

uop.func @fragment_load_c4_stride() {
  %c0 = arith.constant 0 : index
  %t = uop.local : memref<8192xf16>
  // expected-error @below {{'uop.fragment_load' op must have a stride of 64 and a panel of a multiple of 512 elements, got 128 and 4096}}
  %a = uop.fragment_load %t[%c0] stride(128) panel(4096) : memref<8192xf16>, !uop.fragment<left 64x16xf16 by 4>
  uop.return
}

// -----

uop.func @fragment_load_c4_panel() {
  %c0 = arith.constant 0 : index
  %t = uop.local : memref<8192xf16>
  // expected-error @below {{'uop.fragment_load' op must have a stride of 64 and a panel of a multiple of 512 elements, got 64 and 4000}}
  %a = uop.fragment_load %t[%c0] stride(64) panel(4000) : memref<8192xf16>, !uop.fragment<left 64x16xf16 by 4>
  uop.return
}

// -----

uop.func @mma_c5(%in: memref<8192xf16>, %sums: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %a = uop.fragment_load %in[%c0] stride(16) : memref<8192xf16>, !uop.fragment<left 64x16xf16 by 4>
  %b = uop.fragment_load %in[%c0] stride(64) : memref<8192xf16>, !uop.fragment<right 16x64xf16>
  %c = uop.fragment_load %sums[%c0] stride(64) : memref<4096xf32>, !uop.fragment<sum 64x64xf32 by 4>
  // expected-error @below {{'uop.mma' op has fragments that different numbers of subgroups hold: '!uop.fragment<left 64x16xf16 by 4>', '!uop.fragment<right 16x64xf16>', '!uop.fragment<sum 64x64xf32 by 4>'}}
  %d = uop.mma %a, %b, %c : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16>, !uop.fragment<sum 64x64xf32 by 4>
  uop.return
}
