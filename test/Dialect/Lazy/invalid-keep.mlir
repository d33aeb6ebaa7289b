// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @outside(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{expects parent op 'lazy.group'}}
  %0 = lazy.keep %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @contiguous_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.group "g"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{asks for a buffer inside of a group; 'lazy.keep' keeps a value there}}
    %1 = lazy.contiguous %a : tensor<4xf32>
    lazy.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @keep_c1(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "g"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    // expected-error @+1 {{expects at least one axis; without 'over' it keeps the whole value}}
    %1 = lazy.keep %a over [] : tensor<4x8xf32>
    lazy.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @keep_c2(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "g"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    // expected-error @+1 {{expects axes below rank 2, got 2}}
    %1 = lazy.keep %a over [2] : tensor<4x8xf32>
    lazy.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @keep_c3(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "g"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    // expected-error @+1 {{expects ascending axes, got 0 after 1}}
    %1 = lazy.keep %a over [1, 0] : tensor<4x8xf32>
    lazy.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
