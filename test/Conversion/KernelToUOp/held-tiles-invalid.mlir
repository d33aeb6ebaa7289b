// What lanes hold in registers is read by the lanes that hold it, and as they hold it.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --convert-kernel-to-uop -split-input-file -verify-diagnostics -o /dev/null

kernel.func @backwards(%a: memref<32xf32>, %b: memref<32xf32>) {
  %f = kernel.range local id(0) extent(32)
  %j = kernel.range local id(1) extent(32)
  %c31 = arith.constant 31 : index
  %x = kernel.load %a[%f] : memref<32xf32>
  %t = kernel.stage %x over (%f) register : memref<32xf32>
  %at = arith.subi %c31, %j : index
  // expected-error @below {{reads a tile that the lanes hold in another order than it is filled}}
  %y = kernel.load %t[%at] : memref<32xf32>
  kernel.store %y, %b[%j] : memref<32xf32>
}

// -----

kernel.func @other_lanes(%a: memref<1024xf32>, %b: memref<32xf32>) {
  %f = kernel.range local id(0) extent(32)
  %j = kernel.range local id(1) extent(32)
  %c32 = arith.constant 32 : index
  %row = arith.muli %j, %c32 : index
  %from = arith.addi %row, %f : index
  %x = kernel.load %a[%from] : memref<1024xf32>
  %t = kernel.stage %x over (%f) register : memref<32xf32>
  // expected-error @below {{reads a tile in registers that other lanes hold}}
  %y = kernel.load %t[%j] : memref<32xf32>
  kernel.store %y, %b[%j] : memref<32xf32>
}

// -----

kernel.func @no_column(%a: memref<8xf32>, %b: memref<8xf32>) {
  %k = kernel.range fragment id(0) extent(8)
  %j = kernel.range fragment id(1) extent(8)
  %x = kernel.load %a[%k] : memref<8xf32>
  // expected-error @below {{is a tile in registers along range id(0) of kind fragment, which is no column of a product}}
  %t = kernel.stage %x over (%k) register : memref<8xf32>
  %y = kernel.load %t[%j] : memref<8xf32>
  kernel.store %y, %b[%j] : memref<8xf32>
}

// -----

kernel.func @too_deep(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  %d = kernel.range fragment id(3) extent(8)
  %l = kernel.range fragment id(4) extent(16)
  %il = arith.addi %i16, %l : index
  %l8 = arith.muli %l, %c8 : index
  %ld = arith.addi %l8, %d : index
  %u = kernel.load %a[%il] : memref<256xf16>
  %n = arith.negf %u : f16
  %v = kernel.load %b[%ld] : memref<128xf16>
  %uw = arith.extf %n : f16 to f32
  %vw = arith.extf %v : f16 to f32
  %w = arith.mulf %uw, %vw : f32
  // expected-error @below {{is a product of what lanes hold over 16 elements at a time, expected 8 as in a sum}}
  %r = kernel.reduce addf (%w) over (%l) : f32
  %id = arith.addi %i8, %d : index
  kernel.store %r, %c[%id] : memref<128xf32>
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @two_columns(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  %d = kernel.range fragment id(3) extent(8)
  %l = kernel.range fragment id(4) extent(16)
  %il = arith.addi %i16, %l : index
  %l8 = arith.muli %l, %c8 : index
  %ld = arith.addi %l8, %d : index
  %u = kernel.load %a[%il] : memref<256xf16>
  %v = kernel.load %b[%ld] : memref<128xf16>
  %uw = arith.extf %u : f16 to f32
  %vw = arith.extf %v : f16 to f32
  %w = arith.mulf %uw, %vw : f32
  %r = kernel.reduce addf (%w) over (%l) : f32
  // expected-error @below {{varies along two ranges of kind fragment that are columns}}
  %both = arith.addf %r, %s : f32
  kernel.store %both, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @not_one_row(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  %l = kernel.range reduce id(3) extent(4)
  %li = arith.index_cast %l : index to i32
  %lf = arith.sitofp %li : i32 to f32
  %t = arith.addf %s, %lf : f32
  // expected-error @below {{combines what lanes hold, but not along one row of a product and nothing else}}
  %m = kernel.reduce maximumf (%t) over (%l, %j) : f32
  kernel.store %m, %c[%i] : memref<128xf32>
}
