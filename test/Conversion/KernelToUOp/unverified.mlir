// What the kernel verifiers keep out is refused all the same, not put in a wrong order.
// RUN: tiny-opt %s -split-input-file -verify-diagnostics --mlir-very-unsafe-disable-verifier-on-parsing --convert-kernel-to-uop

kernel.func @effects(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %m = memref.alloc() : memref<4xf32>
  // expected-error @below {{'memref.dealloc' op has effects and cannot be put in order; a kernel's only effects are its stores}}
  memref.dealloc %m : memref<4xf32>
  %x = kernel.load %in[%i] : memref<4xf32>
  kernel.store %x, %out[%i] : memref<4xf32>
}

// -----

kernel.func @reduced_twice(%in: memref<16xf32>, %out: memref<4xf32>) {
  %i = kernel.range reduce id(0) extent(4)
  %c0 = arith.constant 0 : index
  %x = kernel.load %in[%i] : memref<16xf32>
  // expected-note @below {{the value is computed here}}
  %s = kernel.reduce addf (%x) over (%i) : f32
  %y = arith.mulf %x, %s : f32
  // expected-error @below {{needs a value that no loop around it can see: a range would need two loops}}
  %t = kernel.reduce addf (%y) over (%i) : f32
  kernel.store %t, %out[%c0] : memref<4xf32>
}
