// RUN: tiny-opt %s -split-input-file -verify-diagnostics -o /dev/null

func.func @gather_c1(%x: tensor<4x6xf32>, %i: tensor<8xi64>) {
  // expected-error @below {{expects one index tensor per axis, 2 in all and at least one, got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tiny.gather %x [%i] : (tensor<4x6xf32>, tensor<8xi64>) -> tensor<8xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<4x6xf32>, %i: tensor<8xi64>, %j: tensor<7xi64>) {
  // expected-error @below {{expects index tensors that broadcast, got 8 and 7}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tiny.gather %x [%i, %j] : (tensor<4x6xf32>, tensor<8xi64>, tensor<7xi64>) -> tensor<8xf32>
  return
}

// -----

func.func @take_c1(%x: tensor<4x6xf32>, %i: tensor<8xi64>) {
  // expected-error @below {{'tiny.take' op expects an axis in [-2, 2), got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tiny.take %x, %i axis 2 : (tensor<4x6xf32>, tensor<8xi64>) -> tensor<8xf32>
  return
}

// -----

func.func @take_along_c2(%x: tensor<4x6xf32>, %i: tensor<5x6xi64>) {
  // expected-error @below {{expects indices of shape 5x6 to fit into 4x6 apart from axis 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tiny.take_along %x, %i axis 1 : (tensor<4x6xf32>, tensor<5x6xi64>) -> tensor<5x6xf32>
  return
}

// -----

func.func @take_along_c1(%x: tensor<4x6xf32>, %i: tensor<4x6xi64>) {
  // expected-error @below {{'tiny.take_along' op expects an axis in [-2, 2), got -3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tiny.take_along %x, %i axis -3 : (tensor<4x6xf32>, tensor<4x6xi64>) -> tensor<4x6xf32>
  return
}
