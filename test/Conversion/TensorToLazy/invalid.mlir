// RUN: tiny-opt %s --convert-tensor-to-lazy -split-input-file -verify-diagnostics

func.func @never_primitive(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tiny.softmax' op expects primitive tensor operations, got one that decomposes; run tensor-decompose first}}
  %0 = tiny.softmax %x axis 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @primitive_on_other_operands(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {
  // expected-error @below {{'tiny.add' op expects primitive tensor operations, got one that decomposes; run tensor-decompose first}}
  %0 = tiny.add %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @reduction_with_keepdims(%x: tensor<4xf32>) -> tensor<1xf32> {
  // expected-error @below {{'tiny.sum' op expects primitive tensor operations, got one that decomposes; run tensor-decompose first}}
  %0 = tiny.sum %x axes [0] keepdims : (tensor<4xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @a_group_of_the_lazy_level(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tiny.exp' op has attribute 'lazy.group_id', which is for operations of the lazy level: set it there, on what this becomes}}
  %0 = tiny.exp %x {lazy.group_id = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
