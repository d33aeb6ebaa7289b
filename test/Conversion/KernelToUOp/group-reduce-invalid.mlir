// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --convert-kernel-to-uop --split-input-file --verify-diagnostics

kernel.func @apart(%in: memref<16xf32>, %out: memref<1xf32>) {
  %k = kernel.range group_reduce id(0) extent(4)
  %l = kernel.range group_reduce id(1) extent(2)
  %m = kernel.range group_reduce id(2) extent(2)
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %a = arith.muli %k, %c4 : index
  %b = arith.muli %l, %c2 : index
  %c = arith.addi %a, %b : index
  %at = arith.addi %c, %m : index
  %x = kernel.load %in[%at] : memref<16xf32>
  // expected-error @below {{is over lanes that are not consecutive in their workgroup}}
  %s = kernel.reduce addf (%x) over (%l) : f32
  %t = kernel.reduce addf (%s) over (%k, %m) : f32
  kernel.store %t, %out[%c0] : memref<1xf32>
}

// -----

kernel.func @many(%in: memref<16xf32>, %out: memref<16xf32>) {
  // expected-error @below {{kernel has more than 3 ranges of kind local and group_reduce}}
  %a = kernel.range local id(0) extent(2)
  %b = kernel.range local id(1) extent(2)
  %c = kernel.range local id(2) extent(2)
  %d = kernel.range local id(3) extent(2)
  %c2 = arith.constant 2 : index
  %e = arith.muli %a, %c2 : index
  %f = arith.addi %e, %b : index
  %g = arith.muli %f, %c2 : index
  %h = arith.addi %g, %c : index
  %i = arith.muli %h, %c2 : index
  %at = arith.addi %i, %d : index
  %x = kernel.load %in[%at] : memref<16xf32>
  kernel.store %x, %out[%at] : memref<16xf32>
}

// -----

kernel.func @shared(%in: memref<16xf32>, %out: memref<4xf32>) {
  %i = kernel.range local id(0) extent(4)
  %f = kernel.range loop id(1) extent(4)
  %k = kernel.range reduce id(2) extent(4)
  %c4 = arith.constant 4 : index
  %row = arith.muli %i, %c4 : index
  %at = arith.addi %row, %f : index
  %x = kernel.load %in[%at] : memref<16xf32>
  // expected-error @below {{depends on range id(0), lanes that it is not over: they share the tile}}
  %t = kernel.stage %x over (%f) local : memref<4xf32>
  %y = kernel.load %t[%k] : memref<4xf32>
  %s = kernel.reduce addf (%y) over (%k) : f32
  kernel.store %s, %out[%i] : memref<4xf32>
}
