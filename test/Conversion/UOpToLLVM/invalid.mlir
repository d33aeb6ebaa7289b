// RUN: tiny-opt %s -split-input-file -verify-diagnostics --uop-describe-entry -convert-uop-to-llvm

uop.func @local(%out: memref<4xf32>) {
  // expected-error @below {{is a local axis, which a CPU does not have}}
  %i = uop.special local dim(0) extent(4)
  uop.return
}

// -----

// expected-error @below {{argument 0 of type 'memref<4xf4E2M1FN>' has elements that no CPU kernel can compute in}}
uop.func @small_float(%in: memref<4xf4E2M1FN>) {
  uop.return
}

// -----

// An 8-bit float can be moved, but not computed in.
uop.func @small_float_value(%in: memref<4xf8E4M3FN>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<4xf8E4M3FN>, f8E4M3FN
  // expected-error @below {{has a value of type 'f8E4M3FN', which no CPU kernel can compute in}}
  %y = arith.addf %x, %x : f8E4M3FN
  uop.return
}

// -----

// expected-error @below {{argument 0 of type 'memref<4xf32, 3>' has a layout or a memory space}}
uop.func @space(%in: memref<4xf32, 3>) {
  uop.return
}

// -----

uop.func @library(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xf32>, f32
  // expected-error @below {{'math.exp' op would call a library function, and a CPU kernel calls nothing; expand it first}}
  %y = math.exp %x : f32
  uop.return
}

// -----

uop.func @remainder(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xf32>, f32
  // expected-error @below {{'arith.remf' op would call fmod}}
  %y = arith.remf %x, %x : f32
  uop.return
}

// -----

uop.func @other_user(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{uses a buffer; only uop.load, uop.gather, uop.store and uop.prefetch can}}
  %x = vector.load %in[%c0] : memref<4xf32>, vector<4xf32>
  uop.return
}

// -----

func.func private @helper()

uop.func @call(%in: memref<4xf32>) {
  // expected-error @below {{failed to legalize operation 'func.call'}}
  func.call @helper() : () -> ()
  uop.return
}

// -----

// expected-error @below {{has tiles of 2^62 bytes or more together}}
uop.func @large(%out: memref<4xf64>) {
  %i = arith.constant 3 : index
  %a = uop.local : memref<288230376151711744xf64>
  %b = uop.local : memref<288230376151711744xf64>
  %x = uop.load %a[%i] : memref<288230376151711744xf64>, f64
  %y = uop.load %b[%i] : memref<288230376151711744xf64>, f64
  uop.store %x, %out[%i] : f64, memref<4xf64>
  uop.store %y, %out[%i] : f64, memref<4xf64>
  uop.return
}

// -----

uop.func @tile() {
  // expected-error @below {{has elements of type 'vector<4xf32>', which no CPU kernel can compute in}}
  %a = uop.register : memref<8xvector<4xf32>>
  uop.return
}

// -----

uop.func @waits() {
  // expected-error @below {{'uop.barrier' op needs the lanes of a workgroup, which a CPU does not have}}
  uop.barrier
  uop.return
}

// -----

uop.func @lanes() {
  // expected-error @below {{'uop.special' op is a lane axis, which a CPU does not have}}
  %l = uop.special lane dim(0) extent(4)
  uop.return
}

// -----

uop.func @dot(%in: memref<16xi8>, %out: memref<4xi32>) {
  %i = arith.constant 0 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %x = uop.load %in[%i] : memref<16xi8>, vector<16xi8>
  // expected-error @below {{has no instruction on this device; uop-legalize expands it}}
  %d = uop.dot %x, %x, %zero unsigned_left : vector<16xi8>, vector<4xi32>
  uop.store %d, %out[%i] : vector<4xi32>, memref<4xi32>
  uop.return
}
