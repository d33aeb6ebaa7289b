// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @loop_c1(%x: tensor<f32>, %n: tensor<i32>) {
  // expected-error @+1 {{expects a limit of type 'tensor<i64>', got 'tensor<i32>'}}
  %r:2 = tiny.loop most(2) limit(%n) carry(%x) : (tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<f32>):
    tiny.yield %h : tensor<f32>
  }
  return
}

// -----

func.func @loop_c1_condition(%x: tensor<f32>, %c: tensor<2xi1>) {
  // expected-error @+1 {{expects a condition of type tensor<i1>, got 'tensor<2xi1>'}}
  %r:2 = tiny.loop most(2) while(%c) carry(%x) : (tensor<2xi1>, tensor<f32>) -> (tensor<f32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<f32>):
    tiny.yield %h : tensor<f32>
  }
  return
}

// -----

func.func @loop_c1_results(%x: tensor<f32>) {
  // expected-error @+1 {{expects as results what it carries, rows, and how many iterations there were, a 'tensor<i64>'}}
  %r = tiny.loop most(2) carry(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %h: tensor<f32>):
    tiny.yield %h : tensor<f32>
  }
  return
}

// -----

func.func @loop_c2(%x: tensor<f32>) {
  // expected-error @+1 {{expects a body of ('tensor<i64>', 'tensor<f32>'), got ('tensor<f32>')}}
  %r:2 = tiny.loop most(2) carry(%x) : (tensor<f32>) -> (tensor<f32>, tensor<i64>) {
  ^bb0(%h: tensor<f32>):
    tiny.yield %h : tensor<f32>
  }
  return
}

// -----

func.func @loop_c3(%x: tensor<f32>) {
  %r:2 = tiny.loop most(2) carry(%x) : (tensor<f32>) -> (tensor<f32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<f32>):
    // expected-error @+1 {{gives ('tensor<i64>') to a loop that expects ('tensor<f32>')}}
    tiny.yield %i : tensor<i64>
  }
  return
}

// -----

func.func @loop_c3_rows(%x: tensor<f32>) {
  // expected-error @+1 {{expects rows of 2 iterations, got 'tensor<3xf32>'}}
  %r:3 = tiny.loop most(2) carry(%x) : (tensor<f32>) -> (tensor<f32>, tensor<3xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<f32>):
    tiny.yield %h, %h : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @loop_c4(%x: tensor<f32>) {
  // expected-error @+1 {{expects results of the types that it carries, 'tensor<f32>'}}
  %r:2 = tiny.loop most(2) carry(%x) : (tensor<f32>) -> (tensor<f64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<f32>):
    tiny.yield %h : tensor<f32>
  }
  return
}

// -----

func.func @if_c1(%c: tensor<2xi1>) {
  // expected-error @+1 {{expects a condition of type tensor<i1>, got 'tensor<2xi1>'}}
  tiny.if %c : (tensor<2xi1>) -> () {
    tiny.yield
  } else {
    tiny.yield
  }
  return
}

// -----

func.func @if_c2(%c: tensor<i1>, %x: tensor<f32>) {
  %r = tiny.if %c : (tensor<i1>) -> tensor<f32> {
    tiny.yield %x : tensor<f32>
  } else {
    // expected-error @+1 {{gives ('tensor<i1>') to a branch that expects ('tensor<f32>')}}
    tiny.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @if_c2_arguments(%c: tensor<i1>) {
  // expected-error @+1 {{expects bodies without arguments}}
  tiny.if %c : (tensor<i1>) -> () {
  ^bb0(%i: tensor<i64>):
    tiny.yield
  } else {
    tiny.yield
  }
  return
}

// -----

func.func @loop_c3_end(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{expects a body that ends with tiny.yield}}
  "tiny.loop"(%x) <{most = 1 : i64, operandSegmentSizes = array<i32: 0, 0, 1>}> ({
  ^bb0(%i: tensor<i64>, %h: tensor<f32>):
    llvm.unreachable
  }) : (tensor<f32>) -> (tensor<f32>, tensor<i64>)
  return %x : tensor<f32>
}

// -----

func.func @if_c2_end(%c: tensor<i1>) {
  // expected-error @+1 {{expects bodies that end with tiny.yield}}
  "tiny.if"(%c) ({
    llvm.unreachable
  }, {
    tiny.yield
  }) : (tensor<i1>) -> ()
  return
}
