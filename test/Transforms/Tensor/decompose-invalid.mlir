// RUN: tiny-opt %s --tensor-decompose -split-input-file -verify-diagnostics

// Operands and result are small enough, the loop is not.
func.func @matmul_loop_overflows(%a: tensor<2097152x2097152xf32>) -> tensor<2097152x2097152xf32> {
  // expected-error @below {{expects a computation of at most 2^62 bytes, got a loop over 2097152x2097152x2097152 of 'f32'}}
  %0 = tiny.matmul %a, %a : (tensor<2097152x2097152xf32>, tensor<2097152x2097152xf32>) -> tensor<2097152x2097152xf32>
  return %0 : tensor<2097152x2097152xf32>
}

// -----

func.func @conv_loop_overflows(%x: tensor<1x1x1099511627776xf32>, %w: tensor<1x1x1073741824xf32>) -> tensor<1x1x1098437885953xf32> {
  // expected-error @below {{expects a computation of at most 2^62 bytes, got a loop over 1x1x1x1098437885953x1x1073741824 of 'f32'}}
  %0 = tiny.conv %x, %w : (tensor<1x1x1099511627776xf32>, tensor<1x1x1073741824xf32>) -> tensor<1x1x1098437885953xf32>
  return %0 : tensor<1x1x1098437885953xf32>
}

// -----

// The windows are few, but the copies that hold them are not.
func.func @pool_copies_overflow(%x: tensor<1x1x2147483648xi16>) -> tensor<1x1x2xi16> {
  // expected-error @below {{expects a computation of at most 2^62 bytes, got a loop over 1x1x2305843011361177600 of 'i16'}}
  %0 = tiny.max_pool %x kernel [1073741824] dilations [2] : (tensor<1x1x2147483648xi16>) -> tensor<1x1x2xi16>
  return %0 : tensor<1x1x2xi16>
}

// -----

func.func @padded_input_overflows(%x: tensor<1x1x4398046511104x1048576xi8>) -> tensor<1x1x4398046511104x1xi8> {
  // expected-error @below {{expects a computation of at most 2^62 bytes, got a loop over 1x1x4398046511104x1073741824 of 'i8'}}
  %0 = tiny.max_pool %x kernel [1, 1073741824] low [0, 1072693248] : (tensor<1x1x4398046511104x1048576xi8>) -> tensor<1x1x4398046511104x1xi8>
  return %0 : tensor<1x1x4398046511104x1xi8>
}

// -----

func.func @slice_overflows(%x: tensor<3x3x3x170000000000000000xi8>) -> tensor<2x2x2x170000000000000000xi8> {
  // expected-error @below {{expects a computation of at most 2^62 bytes, got a loop over 4x4x4x170000000000000000 of 'i8'}}
  %0 = tiny.slice %x begin [0, 0, 0, 0] end [3, 3, 3, 170000000000000000] strides [2, 2, 2, 1]
      : (tensor<3x3x3x170000000000000000xi8>) -> tensor<2x2x2x170000000000000000xi8>
  return %0 : tensor<2x2x2x170000000000000000xi8>
}

// -----

func.func @a_group_of_the_lazy_level(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tiny.softmax' op has attribute 'lazy.group_id', which is for operations of the lazy level: set it there, on what this becomes}}
  %0 = tiny.softmax %x axis 0 {lazy.group_id = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
