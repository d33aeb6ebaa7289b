// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @elementwise_c1(%x: tensor<4x5xf32>, %y: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.add' op expects operands that broadcast, got 4x6 as operand #1 beside 4x5}}
  // expected-error @below {{'tiny.add' op failed to infer returned types}}
  %0 = tiny.add %x, %y : (tensor<4x5xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @elementwise_c1_rank(%c: tensor<4x1xi1>, %x: tensor<4x6xf32>, %y: tensor<7xf32>) {
  // expected-error @below {{'tiny.where' op expects operands that broadcast, got 7 as operand #2 beside 4x6}}
  // expected-error @below {{'tiny.where' op failed to infer returned types}}
  %0 = tiny.where %c, %x, %y : (tensor<4x1xi1>, tensor<4x6xf32>, tensor<7xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @elementwise_c2(%x: tensor<4xi1>) {
  // expected-error @below {{'tiny.add' op expects numbers, got only truth values (i1); cast them, or use tiny.and, tiny.or, tiny.xor}}
  // expected-error @below {{'tiny.add' op failed to infer returned types}}
  %0 = tiny.add %x, %x : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @result_type(%x: tensor<4xf32>, %y: tensor<4xi8>) {
  // expected-error @below {{'tiny.add' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xi8>'}}
  // expected-error @below {{'tiny.add' op failed to infer returned types}}
  %0 = tiny.add %x, %y : (tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @cast_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.cast' op expects the input's shape 4x6, got 6x4}}
  %0 = tiny.cast %x : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @bitcast_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.bitcast' op expects the input's shape 4x6, got 6x4}}
  %0 = tiny.bitcast %x : (tensor<4x6xf32>) -> tensor<6x4xi32>
  return
}

// -----

func.func @bitcast_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.bitcast' op expects an element type of 32 bits as 'f32', got 'i64'}}
  %0 = tiny.bitcast %x : (tensor<4x6xf32>) -> tensor<4x6xi64>
  return
}
