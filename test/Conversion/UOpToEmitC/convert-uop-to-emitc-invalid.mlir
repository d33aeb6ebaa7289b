// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-emitc --split-input-file --verify-diagnostics

// expected-error@+1 {{argument 0 of type 'memref<4xi7>' has no form in C: expected a static rank-1 buffer}}
uop.func @width(%in: memref<4xi7>) {
  uop.return
}

// -----

uop.func @local_axis(%out: memref<4xi64>) {
  // expected-error@+1 {{is a local axis, which C does not have}}
  %i = uop.special local dim(0) extent(4)
  uop.return
}

// -----

uop.func @value(%in: memref<4xi32>) {
  // expected-error@+1 {{has a value of type 'i7', which has no form in C}}
  %c = arith.constant 1 : i7
  uop.return
}

// -----

uop.func @function(%in: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xf32>, f32
  // expected-error@+1 {{has no form in C}}
  %y = math.sin %x : f32
  uop.store %y, %out[%c0] : f32, memref<4xf32>
  uop.return
}

// -----

uop.func @waits() {
  // expected-error @below {{'uop.barrier' op needs the lanes of a workgroup, which C does not have}}
  uop.barrier
  uop.return
}

// -----

uop.func @lanes() {
  // expected-error @below {{'uop.special' op is a lane axis, which C does not have}}
  %l = uop.special lane dim(0) extent(4)
  uop.return
}
