// RUN: tiny-opt %s --convert-kernel-to-uop="max-copies=64" -split-input-file -verify-diagnostics

kernel.func @four_globals(%out: memref<16xf32>) {
  %a = kernel.range global id(0) extent(2)
  %b = kernel.range global id(1) extent(2)
  %c = kernel.range global id(2) extent(2)
  // expected-error @below {{kernel has more than 3 ranges of kind global}}
  %d = kernel.range global id(3) extent(2)
  %c2 = arith.constant 2 : index
  %x = arith.constant 1.0 : f32
  %0 = arith.muli %a, %c2 : index
  %1 = arith.addi %0, %b : index
  %2 = arith.muli %1, %c2 : index
  %3 = arith.addi %2, %c : index
  %4 = arith.muli %3, %c2 : index
  %5 = arith.addi %4, %d : index
  kernel.store %x, %out[%5] : memref<16xf32>
}

// -----

kernel.func @warp(%out: memref<32xf32>) {
  // expected-error @below {{range of kind warp has no hardware axis at the uop level}}
  %a = kernel.range warp id(0) extent(32)
  %x = arith.constant 1.0 : f32
  kernel.store %x, %out[%a] : memref<32xf32>
}

// -----

kernel.func @long_unroll(%out: memref<65xf32>) {
  // expected-error @below {{range of kind unroll has 65 points, and each would be a copy of what depends on it; at most 64 are made}}
  %a = kernel.range unroll id(0) extent(65)
  %x = arith.constant 1.0 : f32
  kernel.store %x, %out[%a] : memref<65xf32>
}

// -----

kernel.func @long_product(%out: memref<100xf32>) {
  %a = kernel.range unroll id(0) extent(10)
  %b = kernel.range unroll id(1) extent(10)
  %c10 = arith.constant 10 : index
  %x = arith.constant 1.0 : f32
  %0 = arith.muli %a, %c10 : index
  // expected-error @below {{depends on upcast and unroll ranges with more than 64 points together, and each would be a copy}}
  %1 = arith.addi %0, %b : index
  kernel.store %x, %out[%1] : memref<100xf32>
}

// -----

kernel.func @both_ways(%a: memref<16xf32>, %out: memref<8xf32>) {
  %c4 = arith.constant 4 : index
  // expected-error @below {{range id(0) needs two loops: reduces over it and over its neighbours nest both ways}}
  %k = kernel.range reduce id(0) extent(4)
  %l = kernel.range reduce id(1) extent(4)
  %0 = arith.muli %k, %c4 : index
  %at = arith.addi %0, %l : index
  %x = kernel.load %a[%at] : memref<16xf32>
  %rows = kernel.reduce addf (%x) over (%l) : f32
  %columns = kernel.reduce addf (%x) over (%k) : f32
  %r = kernel.reduce maximumf (%rows) over (%k) : f32
  %c = kernel.reduce maximumf (%columns) over (%l) : f32
  %s = arith.addf %r, %c : f32
  %c0 = arith.constant 0 : index
  kernel.store %s, %out[%c0] : memref<8xf32>
}

// -----

kernel.func @tile_of_copies(%a: memref<16xf32>, %out: memref<16xf32>) {
  %c4 = arith.constant 4 : index
  %u = kernel.range upcast id(5) extent(4)
  %i = kernel.range loop id(6) extent(4)
  %u4 = arith.muli %u, %c4 : index
  %at = arith.addi %u4, %i : index
  %x = kernel.load %a[%at] : memref<16xf32>
  // expected-error @below {{depends on range id(5), an axis of copies that it is not over: each copy would need a tile of its own}}
  %t = kernel.stage %x over (%i) local : memref<4xf32>
  %j = kernel.range loop id(7) extent(4)
  %y = kernel.load %t[%j] : memref<4xf32>
  %to = arith.addi %u4, %j : index
  kernel.store %y, %out[%to] : memref<16xf32>
}

// -----

// The loop over i would have to come before that over j, and after it.
kernel.func @crossed(%a: memref<4xf32>, %out: memref<1xf32>) {
  // expected-error @below {{range id(0) needs two loops: what it encloses depends on a reduce over it}}
  %i = kernel.range reduce id(0) extent(4)
  %j = kernel.range reduce id(1) extent(4)
  %c0 = arith.constant 0 : index
  %x = kernel.load %a[%i] : memref<4xf32>
  %y = kernel.load %a[%j] : memref<4xf32>
  %s = kernel.reduce addf (%x) over (%i) : f32
  %t = arith.mulf %y, %s : f32
  %u = kernel.reduce addf (%t) over (%j) : f32
  %v = kernel.reduce addf (%y) over (%j) : f32
  %w = arith.mulf %x, %v : f32
  %z = kernel.reduce addf (%w) over (%i) : f32
  %r = arith.addf %u, %z : f32
  kernel.store %r, %out[%c0] : memref<1xf32>
}

// -----

// Each lane would have a sum of its own, and the tile has no place for these.
kernel.func @accumulated_lanes(%a: memref<64xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %block = kernel.range reduce id(1) extent(4)
  %lane = kernel.range upcast id(2) extent(4)
  %c4 = arith.constant 4 : index
  %i4 = arith.muli %i, %c4 : index
  %row = arith.addi %i4, %block : index
  %row4 = arith.muli %row, %c4 : index
  %at = arith.addi %row4, %lane : index
  %x = kernel.load %a[%at] : memref<64xf32>
  // expected-error @below {{combines lanes, and the tile that accumulates it has a place for their result alone}}
  %s = kernel.reduce addf (%x) over (%block, %lane) : f32
  %t = kernel.stage %s over (%i) local accumulates : memref<4xf32>
  %j = kernel.range loop id(3) extent(4)
  %y = kernel.load %t[%j] : memref<4xf32>
  kernel.store %y, %out[%j] : memref<4xf32>
}
