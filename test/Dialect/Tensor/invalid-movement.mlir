// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @tensor_type_dynamic(%x: tensor<?xf32>) {
  // expected-error @below {{operand #0 must be static ranked tensor of floats, integers or truth values in at most 2^62 bytes, but got}}
  %0 = tiny.neg %x : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @tensor_type_element(%x: tensor<4xi4>) {
  // expected-error @below {{operand #0 must be static ranked tensor of floats, integers or truth values in at most 2^62 bytes, but got}}
  %0 = tiny.neg %x : (tensor<4xi4>) -> tensor<4xi4>
  return
}

// -----

func.func @tensor_type_size(%x: tensor<4x4611686018427387904xf32>) {
  // expected-error @below {{operand #0 must be static ranked tensor of floats, integers or truth values in at most 2^62 bytes, but got}}
  %0 = tiny.neg %x : (tensor<4x4611686018427387904xf32>) -> tensor<4x4611686018427387904xf32>
  return
}

// -----

func.func @tensor_type_result_size(%x: tensor<1x1xf32>) {
  // expected-error @below {{result #0 must be static ranked tensor of floats, integers or truth values in at most 2^62 bytes, but got}}
  %0 = tiny.expand %x : (tensor<1x1xf32>) -> tensor<4611686018427387904x4xf32>
  return
}

// -----

func.func @movement_element(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.reshape' op expects the input's element type 'f32', got 'i32'}}
  %0 = tiny.reshape %x : (tensor<4x6xf32>) -> tensor<24xi32>
  return
}

// -----

func.func @movement_element_expand(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.expand' op expects the input's element type 'f32', got 'i32'}}
  %0 = tiny.expand %x : (tensor<4x6xf32>) -> tensor<2x4x6xi32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.reshape' op expects 24 elements as in 4x6, got 20 in 4x5}}
  %0 = tiny.reshape %x : (tensor<4x6xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @expand_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.expand' op expects a shape that 4x6 broadcasts to, got 4x12}}
  %0 = tiny.expand %x : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @expand_c1_rank(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.expand' op expects a shape that 4x6 broadcasts to, got 6}}
  %0 = tiny.expand %x : (tensor<4x6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @permute_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.permute' op expects each axis from 0 to 1 once, got [0, 0]}}
  // expected-error @below {{'tiny.permute' op failed to infer returned types}}
  %0 = tiny.permute %x [0, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @permute_length(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.permute' op expects 2 numbers, one per axis, got 1}}
  // expected-error @below {{'tiny.permute' op failed to infer returned types}}
  %0 = tiny.permute %x [0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.transpose' op expects an axis in [-2, 2), got 2}}
  // expected-error @below {{'tiny.transpose' op failed to infer returned types}}
  %0 = tiny.transpose %x 0, 2 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @flip_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.flip' op expects an axis in [-2, 2), got -3}}
  // expected-error @below {{'tiny.flip' op failed to infer returned types}}
  %0 = tiny.flip %x [-3] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @flip_c1_twice(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.flip' op expects each axis once, got [1, -1]}}
  // expected-error @below {{'tiny.flip' op failed to infer returned types}}
  %0 = tiny.flip %x [1, -1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.pad' op expects padding of at least 0, got -1 on axis 1; use tiny.shrink to remove elements}}
  // expected-error @below {{'tiny.pad' op failed to infer returned types}}
  %0 = tiny.pad %x low [0, -1] high [0, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.pad' op pads axis 1 beyond 2^62 elements}}
  // expected-error @below {{'tiny.pad' op failed to infer returned types}}
  %0 = tiny.pad %x low [0, 4611686018427387904] high [0, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.pad' op expects a value of type 'f32', got 'i32'}}
  // expected-error @below {{'tiny.pad' op failed to infer returned types}}
  %0 = tiny.pad %x low [0, 0] high [0, 1] value 1 : i32 : (tensor<4x6xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @shrink_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.shrink' op expects a window inside [0, 6) on axis 1, got [2, 7)}}
  // expected-error @below {{'tiny.shrink' op failed to infer returned types}}
  %0 = tiny.shrink %x begin [0, 2] end [4, 7] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.slice' op expects a stride other than 0 on axis 1, got 0}}
  // expected-error @below {{'tiny.slice' op failed to infer returned types}}
  %0 = tiny.slice %x begin [0, 0] end [4, 6] strides [1, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.slice' op expects a slice inside [0, 6) on axis 1, got 4 to 2 by 1}}
  // expected-error @below {{'tiny.slice' op failed to infer returned types}}
  %0 = tiny.slice %x begin [0, 4] end [4, 2] strides [1, 1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_c2_down(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.slice' op expects a slice inside [0, 6) on axis 1, got 6 to -1 by -1}}
  // expected-error @below {{'tiny.slice' op failed to infer returned types}}
  %0 = tiny.slice %x begin [0, 6] end [4, -1] strides [1, -1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @squeeze_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.squeeze' op expects size 1 on axis 0, got 4}}
  // expected-error @below {{'tiny.squeeze' op failed to infer returned types}}
  %0 = tiny.squeeze %x [0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @unsqueeze_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.unsqueeze' op expects an axis in [-3, 3), got 3}}
  // expected-error @below {{'tiny.unsqueeze' op failed to infer returned types}}
  %0 = tiny.unsqueeze %x [3] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @flatten_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.flatten' op expects the first axis before the last, got 1 to 0}}
  // expected-error @below {{'tiny.flatten' op failed to infer returned types}}
  %0 = tiny.flatten %x axes 1 to 0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @join_c1() {
  // expected-error @below {{'tiny.concat' op expects at least one input}}
  // expected-error @below {{'tiny.concat' op failed to infer returned types}}
  %0 = tiny.concat axis 0 : () -> tensor<4xf32>
  return
}

// -----

func.func @join_c2(%x: tensor<4x6xf32>, %y: tensor<4x5xf32>) {
  // expected-error @below {{'tiny.concat' op expects inputs of one shape except along its axis, got 'tensor<4x6xf32>' and 'tensor<4x5xf32>'}}
  // expected-error @below {{'tiny.concat' op failed to infer returned types}}
  %0 = tiny.concat %x, %y axis 0 : (tensor<4x6xf32>, tensor<4x5xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @join_c2_stack(%x: tensor<4x6xf32>, %y: tensor<4x5xf32>) {
  // expected-error @below {{'tiny.stack' op expects inputs of one shape, got 'tensor<4x6xf32>' and 'tensor<4x5xf32>'}}
  // expected-error @below {{'tiny.stack' op failed to infer returned types}}
  %0 = tiny.stack %x, %y axis 0 : (tensor<4x6xf32>, tensor<4x5xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @join_size(%x: tensor<2305843009213693952xi8>) {
  // expected-error @below {{'tiny.concat' op joins more than 2^62 elements on axis 0}}
  // expected-error @below {{'tiny.concat' op failed to infer returned types}}
  %0 = tiny.concat %x, %x, %x axis 0 : (tensor<2305843009213693952xi8>, tensor<2305843009213693952xi8>, tensor<2305843009213693952xi8>) -> tensor<4x6xf32>
  return
}

// -----

func.func @full_c1() {
  // expected-error @below {{'tiny.full' op expects a number of type 'f32', got 'i32'}}
  %0 = tiny.full 1 : i32 -> tensor<4xf32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error @below {{'tiny.iota' op expects an axis in [0, 1), got 1}}
  %0 = tiny.iota 1 : tensor<4xi32>
  return
}

// -----

func.func @arange_c1() {
  // expected-error @below {{'tiny.arange' op expects a result of rank 1, got 'tensor<4x4xf32>'}}
  %0 = tiny.arange 0.0, 1.0 : tensor<4x4xf32>
  return
}

// -----

func.func @arange_c2() {
  // expected-error @below {{'tiny.arange' op expects an integer start and step for 'tensor<4xi32>'}}
  %0 = tiny.arange 0.0, 0.5 : tensor<4xi32>
  return
}

// -----

func.func @eye_c1() {
  // expected-error @below {{'tiny.eye' op expects a result of rank 2, got 'tensor<4xf32>'}}
  %0 = tiny.eye : tensor<4xf32>
  return
}

// -----

func.func @constant_c1() {
  // expected-error @below {{'tiny.constant' op expects dense elements}}
  %0 = tiny.constant sparse<0, 1.0> : tensor<4xf32>
  return
}

// -----

func.func @setitem_c1(%x: tensor<8xf32>, %v: tensor<2xf32>) {
  // expected-error @below {{'tiny.setitem' op expects a value that broadcasts to the slice of shape 3, got 2}}
  // expected-error @below {{'tiny.setitem' op failed to infer returned types}}
  %0 = tiny.setitem %x, %v begin [1] end [4] strides [1] : (tensor<8xf32>, tensor<2xf32>) -> tensor<8xf32>
  return
}
