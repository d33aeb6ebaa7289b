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
