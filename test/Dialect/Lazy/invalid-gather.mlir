// RUN: tiny-opt %s -split-input-file -verify-diagnostics -o /dev/null

func.func @gather_c1(%x: tensor<4x6xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  // expected-error @below {{'lazy.gather' op expects an index tensor for each of 2 axes, got 1}}
  %0 = lazy.gather %x [%i] : tensor<4x6xf32>, (tensor<8xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @gather_c2(%x: tensor<4xf32>, %i: tensor<8xi64>) -> tensor<9xf32> {
  // expected-error @below {{'lazy.gather' op expects index tensors of shape [9], that of the result, got [8]}}
  %0 = lazy.gather %x [%i] : tensor<4xf32>, (tensor<8xi64>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

func.func @gather_c3(%x: tensor<4xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  // expected-error @below {{'lazy.gather' op reads 1 : i32 outside of a base of 'f32'}}
  %0 = lazy.gather %x [%i] else 1 : i32 : tensor<4xf32>, (tensor<8xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
