// RUN: tiny-opt %s -split-input-file -verify-diagnostics --uop-describe-entry -convert-uop-to-nvvm

// expected-error@+1 {{has 65536 workgroups along y, expected at most 65535}}
uop.func @grid(%out: memref<65536xf32>) {
  %i = uop.special global dim(1) extent(65536)
  %x = arith.constant 0.0 : f32
  uop.store %x, %out[%i] : f32, memref<65536xf32>
  uop.return
}

// -----

// expected-error@+1 {{has 65 lanes along z, expected at most 64}}
uop.func @lanes(%out: memref<65xf32>) {
  %i = uop.special local dim(2) extent(65)
  %x = arith.constant 0.0 : f32
  uop.store %x, %out[%i] : f32, memref<65xf32>
  uop.return
}

// -----

// expected-error@+1 {{has 1056 lanes in a workgroup, expected at most 1024}}
uop.func @together(%out: memref<1056xf32>) {
  %i = uop.special local dim(0) extent(32)
  %j = uop.special local dim(1) extent(33)
  %k = arith.addi %i, %j : index
  %x = arith.constant 0.0 : f32
  uop.store %x, %out[%k] : f32, memref<1056xf32>
  uop.return
}

// -----

// expected-error@+1 {{has 49216 bytes of workgroup memory, expected at most 49152}}
uop.func @memory(%out: memref<4xf32>) {
  %t = uop.local : memref<12289xf32>
  %i = arith.constant 0 : index
  %x = uop.load %t[%i] : memref<12289xf32>, f32
  uop.store %x, %out[%i] : f32, memref<4xf32>
  uop.return
}

// -----

// Without the flag the device's instruction is not good enough.
uop.func @exact(%out: memref<4xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %out[%i] : memref<4xf32>, f32
  // expected-error@+1 {{would call a library function, and a CUDA kernel calls nothing; expand it first}}
  %y = math.exp2 %x : f32
  uop.store %y, %out[%i] : f32, memref<4xf32>
  uop.return
}

// -----

// So it is on a device without it.
uop.func @missing(%out: memref<4xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %out[%i] : memref<4xf32>, f32
  // expected-error@+1 {{would call a library function, and a CUDA kernel calls nothing; expand it first}}
  %y = math.exp2 %x fastmath<afn> : f32
  uop.store %y, %out[%i] : f32, memref<4xf32>
  uop.return
}

// -----

uop.func @library(%out: memref<4xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %out[%i] : memref<4xf32>, f32
  // expected-error@+1 {{would call a library function, and a CUDA kernel calls nothing; expand it first}}
  %y = math.exp %x : f32
  uop.store %y, %out[%i] : f32, memref<4xf32>
  uop.return
}

// -----

// expected-error@+1 {{argument 0 of type 'memref<4xi24>' has elements that no CUDA kernel can compute in}}
uop.func @elements(%out: memref<4xi24>) {
  uop.return
}

// -----

// A record knows better than the architecture.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "cuda" = #target.record<gpu "small", subgroup = 32, workgroup = 128, workgroup_extents = (64, 64, 64),
                            shared = 1024, cores = 1>>} {
  // expected-error@+1 {{has 65 lanes along x, expected at most 64}}
  uop.func @record(%out: memref<65xf32>) {
    %i = uop.special local dim(0) extent(65)
    %x = arith.constant 0.0 : f32
    uop.store %x, %out[%i] : f32, memref<65xf32>
    uop.return
  }
}
