// RUN: tiny-opt %s --target-attach=processor=x86-64 --uop-legalize=split-vectors -split-input-file -verify-diagnostics -o /dev/null

uop.func @exact_fma(%in: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  // expected-error @below {{'math.fma' without the contract flag needs a target with a fused multiply-add}}
  %y = math.fma %x, %x, %x : f32
  uop.store %y, %in[%i] : f32, memref<8xf32>
  uop.return
}

// -----

uop.func @first_lane(%in: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, vector<8xf32>
  %first = uop.load %in[%i] : memref<8xf32>, f32
  // expected-error @below {{'vector.insert' works on vectors wider than 128 bits and cannot be cut}}
  %y = vector.insert %first, %x[1] : f32 into vector<8xf32>
  uop.store %y, %in[%i] : vector<8xf32>, memref<8xf32>
  uop.return
}

// -----

uop.func @other_rounding(%in: memref<8xf32>, %out: memref<8xbf16>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  // expected-error @below {{'arith.truncf' rounds to nearest even where it is emulated, expected no other rounding mode}}
  %y = arith.truncf %x upward : f32 to bf16
  uop.store %y, %out[%i] : bf16, memref<8xbf16>
  uop.return
}

// -----

uop.func @no_emulation(%in: memref<8xbf16>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xbf16>, vector<8xbf16>
  %s = uop.load %in[%i] : memref<8xbf16>, bf16
  // expected-error @below {{'vector.outerproduct' cannot be emulated on float types that the target lacks}}
  %y = vector.outerproduct %x, %s : vector<8xbf16>, bf16
  uop.store %y, %in[%i] : vector<8xbf16>, memref<8xbf16>
  uop.return
}
