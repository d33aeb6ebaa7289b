// RUN: tiny-opt %s --tensor-expand-gradients -split-input-file -verify-diagnostics

func.func @bits(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tiny.bitcast' op has no gradient, and a target's gradient passes through it}}
  %0 = tiny.bitcast %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.gradient %0 wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32>

func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op has no gradient, and a target's gradient passes through it}}
  %0 = func.call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.gradient %0 wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @other_block(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  cf.br ^next
^next:
  // expected-error @below {{expects a loss that is computed in its own block, got one that depends on 'tiny.exp' outside of it}}
  %1 = tiny.gradient %0 wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

%0 = tiny.full 1.0 : f32 -> tensor<4xf32>
%x = tiny.watch %0 : (tensor<4xf32>) -> tensor<4xf32>
// expected-error @below {{expects to stand in a function, whose operations have an order}}
%1 = tiny.gradient %x wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @no_bound(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tiny.loop' op has no gradient without a bound of its iterations: 9223372036854775807 times 'tensor<4xf32>' would be kept}}
  %y, %n = tiny.loop most(9223372036854775807) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
    %0 = tiny.sin %old : (tensor<4xf32>) -> tensor<4xf32>
    tiny.yield %0 : tensor<4xf32>
  }
  %1 = tiny.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
