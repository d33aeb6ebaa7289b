// RUN: tiny-opt %s --uop-legalize="max-vector-bits=128 fma=false" -split-input-file -verify-diagnostics -o /dev/null

uop.func @exact_fma(%in: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  // expected-error @below {{'math.fma' without the contract flag needs a target with a fused multiply-add}}
  %y = math.fma %x, %x, %x : f32
  uop.store %y, %in[%i] : f32, memref<8xf32>
  uop.return
}

// -----

uop.func @reversed(%in: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, vector<8xf32>
  // expected-error @below {{'vector.shuffle' works on vectors wider than 128 bits and cannot be cut}}
  %y = vector.shuffle %x, %x [7, 6, 5, 4, 3, 2, 1, 0] : vector<8xf32>, vector<8xf32>
  uop.store %y, %in[%i] : vector<8xf32>, memref<8xf32>
  uop.return
}
