// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @no_target(%x: tensor<4xf32>) {
  // expected-error @below {{expects a target}}
  "tiny.gradient"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @foldable_target(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.log %0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{expects targets that are arguments or results of 'tiny.watch', got a result of 'tiny.exp'}}
  %2 = tiny.gradient %1 wrt %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func @seed(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %0 = tiny.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{expects a seed of the loss's type, 'tensor<4xf32>', got 'tensor<f32>'}}
  %1 = tiny.gradient %0 seed %s wrt %x : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @result(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @below {{expects gradients of the targets' types, 'tensor<4xf32>', got 'tensor<f32>'}}
  %0 = tiny.gradient %x wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @integers(%x: tensor<4xi32>, %y: tensor<4xf32>) -> tensor<4xi32> {
  // expected-error @below {{operand #1 must be variadic of static ranked tensor of floats}}
  %0 = tiny.gradient %y wrt %x : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @watch_c1(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects to keep a value of type 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0 = tiny.watch %x kept %y : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
