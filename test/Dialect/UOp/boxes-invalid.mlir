// Rules of copies of boxes, of barriers of phases and of waits for products, by their names in docs/Dialects/UOp.md.
// RUN: tiny-opt %s -split-input-file -verify-diagnostics -o /dev/null

uop.func @mbarrier_c1(%b: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.mbarrier_arrive' op has barriers that are no uop.local}}
  uop.mbarrier_arrive %b[%c0] : memref<4xi64>
  uop.return
}

// -----

uop.func @mbarrier_init_c1() {
  %c0 = arith.constant 0 : index
  %full = uop.local : memref<4xi64>
  // expected-error @below {{'uop.mbarrier_init' op arrivals must be 1 to 1048575, got 0}}
  uop.mbarrier_init %full arrivals(0) : memref<4xi64>
  uop.return
}

// -----

uop.func @mbarrier_expect_c1() {
  %c0 = arith.constant 0 : index
  %full = uop.local : memref<4xi64>
  // expected-error @below {{'uop.mbarrier_expect' op bytes must be 1 to 1048575, got 1048576}}
  uop.mbarrier_expect %full[%c0] bytes(1048576) : memref<4xi64>
  uop.return
}

// -----

uop.func @copy_bulk_element(%in: memref<131072xf16>) {
  %c0 = arith.constant 0 : index
  %full = uop.local : memref<4xi64>
  %tile = uop.local : memref<4096xbf16>
  // expected-error @below {{'uop.copy_bulk' op buffer must have elements of 'bf16', got 'memref<131072xf16>'}}
  uop.copy_bulk %in[%c0, %c0] extents(512, 256) stride(256), %tile[%c0] box(64, 64), %full[%c0] : memref<131072xf16>, memref<4096xbf16>, memref<4xi64>
  uop.return
}

// -----

uop.func @copy_bulk_c1(%in: memref<131072xbf16>) {
  %c0 = arith.constant 0 : index
  %full = uop.local : memref<4xi64>
  // expected-error @below {{'uop.copy_bulk' op must copy into a uop.local}}
  uop.copy_bulk %in[%c0, %c0] extents(512, 256) stride(256), %in[%c0] box(64, 64), %full[%c0] : memref<131072xbf16>, memref<131072xbf16>, memref<4xi64>
  uop.return
}

// -----

uop.func @copy_bulk_c1_source(%in: memref<131072xbf16>) {
  %c0 = arith.constant 0 : index
  %full = uop.local : memref<4xi64>
  %tile = uop.local : memref<4096xbf16>
  // expected-error @below {{'uop.copy_bulk' op must copy from a buffer of the kernel, not from a tile}}
  uop.copy_bulk %tile[%c0, %c0] extents(64, 64) stride(64), %tile[%c0] box(64, 64), %full[%c0] : memref<4096xbf16>, memref<4096xbf16>, memref<4xi64>
  uop.return
}

// -----

uop.func @copy_bulk_c2(%in: memref<131072xbf16>) {
  %c0 = arith.constant 0 : index
  %full = uop.local : memref<4xi64>
  %tile = uop.local : memref<4096xbf16>
  // expected-error @below {{'uop.copy_bulk' op is of 513 rows of 256 elements that begin 256 apart, which a buffer of 131072 does not hold}}
  uop.copy_bulk %in[%c0, %c0] extents(513, 256) stride(256), %tile[%c0] box(64, 64), %full[%c0] : memref<131072xbf16>, memref<4096xbf16>, memref<4xi64>
  uop.return
}

// -----

uop.func @copy_bulk_c2_overlap(%in: memref<131072xbf16>) {
  %c0 = arith.constant 0 : index
  %full = uop.local : memref<4xi64>
  %tile = uop.local : memref<4096xbf16>
  // expected-error @below {{'uop.copy_bulk' op is of 8 rows of 256 elements that begin 128 apart, which a buffer of 131072 does not hold}}
  uop.copy_bulk %in[%c0, %c0] extents(8, 256) stride(128), %tile[%c0] box(64, 64), %full[%c0] : memref<131072xbf16>, memref<4096xbf16>, memref<4xi64>
  uop.return
}

// -----

uop.func @copy_bulk_c3(%in: memref<131072xbf16>) {
  %c0 = arith.constant 0 : index
  %full = uop.local : memref<4xi64>
  %tile = uop.local : memref<4096xbf16>
  // expected-error @below {{'uop.copy_bulk' op must have a box of 1 to 256 rows of 128 bytes, got 64 of 32 elements}}
  uop.copy_bulk %in[%c0, %c0] extents(512, 256) stride(256), %tile[%c0] box(64, 32), %full[%c0] : memref<131072xbf16>, memref<4096xbf16>, memref<4xi64>
  uop.return
}

// -----

uop.func @copy_bulk_c3_rows(%in: memref<131072xbf16>) {
  %c0 = arith.constant 0 : index
  %full = uop.local : memref<4xi64>
  %tile = uop.local : memref<4096xbf16>
  // expected-error @below {{'uop.copy_bulk' op must have a box of 1 to 256 rows of 128 bytes, got 257 of 64 elements}}
  uop.copy_bulk %in[%c0, %c0] extents(512, 256) stride(256), %tile[%c0] box(257, 64), %full[%c0] : memref<131072xbf16>, memref<4096xbf16>, memref<4xi64>
  uop.return
}

// -----

uop.func @mma_wait_c1(%in: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c = uop.fragment_load %in[%c0] stride(64) : memref<4096xf32>, !uop.fragment<sum 64x64xf32 by 4>
  // expected-error @below {{'uop.mma_wait' op pending must not be negative, got -1}}
  %d = uop.mma_wait %c pending(-1) : !uop.fragment<sum 64x64xf32 by 4>
  uop.return
}

// -----

uop.func @mma_wait_c2(%in: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c = uop.fragment_load %in[%c0] stride(8) : memref<4096xf32>, !uop.fragment<sum 16x8xf32>
  // expected-error @below {{'uop.mma_wait' op must wait for sums of several subgroups}}
  %d = uop.mma_wait %c pending(0) : !uop.fragment<sum 16x8xf32>
  uop.return
}

// -----

uop.func @mma_wait_c2_role(%in: memref<4096xf16>) {
  %c0 = arith.constant 0 : index
  %c = uop.fragment_load %in[%c0] stride(16) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
  // expected-error @below {{'uop.mma_wait' op must wait for sums of equally many subgroups, got '!uop.fragment<left 64x16xf16 by 4>'}}
  %d = uop.mma_wait %c pending(0) : !uop.fragment<left 64x16xf16 by 4>
  uop.return
}

// -----

uop.func @mma_wait_c3(%in: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c = uop.fragment_load %in[%c0] stride(64) : memref<4096xf32>, !uop.fragment<sum 64x64xf32 by 4>
  // expected-error @below {{'uop.mma_wait' op gives a sum that may be under way to 'uop.fragment_elements'}}
  %d = uop.mma_wait %c pending(1) : !uop.fragment<sum 64x64xf32 by 4>
  %e = uop.fragment_elements %d : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
  uop.return
}

// -----

// expected-error @below {{a tensor map has extents of 1 or more, got 0}}
// expected-error @below {{failed to parse Kernel_EntryAttr parameter 'maps'}}
uop.func @map_extent() attributes {kernel.entry = #kernel.entry<maps = [#kernel.tensor_map<buffer = 0, element = bf16, rows = 0, columns = 64, stride = 64, box_rows = 1, box_columns = 64>]>} {
  uop.return
}

// -----

// expected-error @below {{a tensor map is of a buffer, with rows that do not overlap: got buffer 0 and rows of 64 that begin 32 apart}}
// expected-error @below {{failed to parse Kernel_EntryAttr parameter 'maps'}}
uop.func @map_stride() attributes {kernel.entry = #kernel.entry<maps = [#kernel.tensor_map<buffer = 0, element = bf16, rows = 1, columns = 64, stride = 32, box_rows = 1, box_columns = 64>]>} {
  uop.return
}

// -----

// expected-error @below {{a tensor map has elements of a type of numbers, got 'vector<2xf32>'}}
// expected-error @below {{failed to parse Kernel_EntryAttr parameter 'maps'}}
uop.func @map_element() attributes {kernel.entry = #kernel.entry<maps = [#kernel.tensor_map<buffer = 0, element = vector<2xf32>, rows = 1, columns = 64, stride = 64, box_rows = 1, box_columns = 64>]>} {
  uop.return
}

// -----

// expected-error @below {{'maps' has 1 : i64, expected a #kernel.tensor_map}}
uop.func @map_kind() attributes {kernel.entry = #kernel.entry<maps = [1]>} {
  uop.return
}
