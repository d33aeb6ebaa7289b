// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @nothing(%x: tensor<2xf32>) {
  // expected-error @+1 {{names @none, which is no function}}
  %r:2 = lazy.loop @none most(5) carry(%x) with() : (tensor<2xf32>) -> (tensor<2xf32>, tensor<i64>)
  return
}

// -----

func.func @loop_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{expects as results what it carries, rows, and how many iterations there were, a 'tensor<i64>'}}
  %r = lazy.loop @body most(5) carry(%x) with() : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @loop_c2(%x: tensor<2xf32>) {
  // expected-error @+1 {{expects @body to be ('tensor<i64>', 'tensor<2xf32>') -> ('tensor<2xf32>')}}
  %r:2 = lazy.loop @body most(5) carry(%x) with() : (tensor<2xf32>) -> (tensor<2xf32>, tensor<i64>)
  return
}
// expected-note @+1 {{it is ('tensor<2xf32>') -> ('tensor<2xf32>')}}
func.func private @body(%x: tensor<2xf32>) -> tensor<2xf32>

// -----

func.func @loop_c2_rows(%x: tensor<2xf32>) {
  // expected-error @+1 {{expects rows of 5 iterations, got 'tensor<2x2xf32>'}}
  %r:3 = lazy.loop @body most(5) carry(%x) with() : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>, tensor<i64>)
  return
}

// -----

func.func @if_c1(%x: tensor<2xf32>, %c: tensor<i1>) {
  // expected-error @+1 {{expects @other to be ('tensor<2xf32>') -> ('tensor<2xf32>')}}
  %r = lazy.if %c @body else @other with(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func private @body(%x: tensor<2xf32>) -> tensor<2xf32>
// expected-note @+1 {{it is () -> ('tensor<2xf32>')}}
func.func private @other() -> tensor<2xf32>
