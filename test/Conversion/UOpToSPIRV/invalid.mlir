// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-spirv --split-input-file --verify-diagnostics

// expected-error@+1 {{'uop.func' op has 65536 workgroups along x, expected at most 65535}}
uop.func @groups(%out: memref<65536xf32>) {
  %i = uop.special global dim(0) extent(65536)
  uop.return
}

// -----

// expected-error@+1 {{'uop.func' op has 256 lanes along x, expected at most 128}}
uop.func @lanes(%out: memref<256xf32>) {
  %i = uop.special local dim(0) extent(256)
  uop.return
}

// -----

// expected-error@+1 {{'uop.func' op has 256 lanes in a workgroup, expected at most 128}}
uop.func @together(%out: memref<256xf32>) {
  %i = uop.special local dim(0) extent(16)
  %j = uop.special local dim(1) extent(16)
  uop.return
}

// -----

// expected-error@+1 {{'uop.func' op has 32768 bytes of workgroup memory, expected at most 16384}}
uop.func @memory(%out: memref<1xf32>) {
  %t = uop.local : memref<8192xf32>
  uop.return
}

// -----

// expected-error@+1 {{'uop.func' op has 134217732 bytes in argument 1, expected at most 134217728}}
uop.func @bytes(%in: memref<33554432xf32>, %out: memref<33554433xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<33554432xf32>, f32
  uop.store %x, %out[%c0] : f32, memref<33554433xf32>
  uop.return
}

// -----

uop.func @vectors(%in: memref<8xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'uop.load' op has a value of type 'vector<4xf32>', which has no form in SPIR-V; expected a scalar}}
  %x = uop.load %in[%c0] : memref<8xf32>, vector<4xf32>
  uop.store %x, %out[%c0] : vector<4xf32>, memref<8xf32>
  uop.return
}

// -----

// expected-error@+1 {{'uop.func' op argument 0 of type 'memref<8xindex>' has elements without a form in SPIR-V}}
uop.func @indices(%in: memref<8xindex>) {
  uop.return
}
