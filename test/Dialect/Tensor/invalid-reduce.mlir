// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @reduce_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.sum' op expects an axis in [-2, 2), got 2}}
  // expected-error @below {{'tiny.sum' op failed to infer returned types}}
  %0 = tiny.sum %x axes [2] : (tensor<4x6xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c1_twice(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.sum' op expects each axis once, got [0, -2]}}
  // expected-error @below {{'tiny.sum' op failed to infer returned types}}
  %0 = tiny.sum %x axes [0, -2] : (tensor<4x6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<4x0xf32>) {
  // expected-error @below {{'tiny.argmax' op expects at least one element along the reduced axes, got 4x0}}
  // expected-error @below {{'tiny.argmax' op failed to infer returned types}}
  %0 = tiny.argmax %x axes [1] : (tensor<4x0xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @along_axis_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.softmax' op expects an axis in [-2, 2), got 2}}
  // expected-error @below {{'tiny.softmax' op failed to infer returned types}}
  %0 = tiny.softmax %x axis 2 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @norm_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.layer_norm' op expects an axis in [-2, 2), got 2}}
  // expected-error @below {{'tiny.layer_norm' op failed to infer returned types}}
  %0 = tiny.layer_norm %x axis 2 epsilon 1.0e-5 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @norm_c2(%x: tensor<4x6xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tiny.layer_norm' op expects scale and bias that broadcast to 6, got 'tensor<4xf32>'}}
  // expected-error @below {{'tiny.layer_norm' op failed to infer returned types}}
  %0 = tiny.layer_norm %x scale %s axis 1 epsilon 1.0e-5 : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<4xf32>) {
  // expected-error @below {{'tiny.batch_norm' op expects an input of rank 2 or more, got 'tensor<4xf32>'}}
  // expected-error @below {{'tiny.batch_norm' op failed to infer returned types}}
  %0 = tiny.batch_norm %x, %x, %x, %x, %x epsilon 1.0e-5 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @batch_norm_c2(%x: tensor<4x6xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{'tiny.batch_norm' op expects one number for each of 6 channels, got 'tensor<4xf32>'}}
  // expected-error @below {{'tiny.batch_norm' op failed to infer returned types}}
  %0 = tiny.batch_norm %x, %s, %s, %s, %s epsilon 1.0e-5 : (tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @cumsum_axis(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.cumsum' op expects an axis in [-2, 2), got 2}}
  // expected-error @below {{'tiny.cumsum' op failed to infer returned types}}
  %0 = tiny.cumsum %x axis 2 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}
