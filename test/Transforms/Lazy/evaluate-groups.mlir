// RUN: tiny-opt %s --lazy-evaluate-groups | FileCheck %s
// RUN: tiny-opt %s --check-passes --lazy-evaluate-groups -o /dev/null

// Indices, movements with their zeros, elementwise operations and sums.
// CHECK-LABEL: func.func @everything
// CHECK: %[[C:.*]] = arith.constant dense<[6, 6, 4, 2]> : tensor<4xi32>
// CHECK-NOT: lazy.group
// CHECK: return %[[C]]
func.func @everything() -> tensor<4xi32> {
  %0 = lazy.group () : () -> tensor<4xi32> {
    %three = arith.constant dense<3> : tensor<4x3xi32>
    %i = lazy.iota 0 : tensor<4x3xi32>
    %back = arith.subi %three, %i : tensor<4x3xi32>
    %part = lazy.shrink %back begin [1, 0] end [2, 3] : tensor<4x3xi32> -> tensor<1x3xi32>
    %padded = lazy.pad %part low [0, 1] high [0, 3] : tensor<1x3xi32> -> tensor<1x7xi32>
    %rows = lazy.view %padded <(4, 4):(1, 1)> : tensor<1x7xi32> -> tensor<4x4xi32>
    %sum = lazy.reduce addi (%rows) axes [1] : (tensor<4x4xi32>) -> tensor<4xi32>
    lazy.yield %sum : tensor<4xi32>
  }
  return %0 : tensor<4xi32>
}

// Sums of floats go in order: a large number swallows the small ones behind it.
// CHECK-LABEL: func.func @floats
// CHECK-DAG: arith.constant dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<[false, true]> : tensor<2xi1>
// CHECK-NOT: lazy.group
func.func @floats() -> (tensor<2xf32>, tensor<2xi1>) {
  %0:2 = lazy.group () : () -> (tensor<2xf32>, tensor<2xi1>) {
    %i = lazy.iota 0 : tensor<2x2xi32>
    %j = lazy.iota 1 : tensor<2x2xi32>
    %x = arith.sitofp %i : tensor<2x2xi32> to tensor<2x2xf32>
    %large = arith.constant dense<1.0e+10> : tensor<2x2xf32>
    %one = arith.constant dense<1> : tensor<2x2xi32>
    %is = arith.cmpi eq, %j, %one : tensor<2x2xi32>
    %y = arith.mulf %x, %large : tensor<2x2xf32>
    %unit = arith.constant dense<1.0> : tensor<2x2xf32>
    %z = arith.addf %y, %unit : tensor<2x2xf32>
    %minus = arith.negf %y : tensor<2x2xf32>
    %chosen = arith.select %is, %z, %minus : tensor<2x2xi1>, tensor<2x2xf32>
    %sum = lazy.reduce addf (%chosen) axes [1] : (tensor<2x2xf32>) -> tensor<2xf32>
    %half = arith.constant dense<0.5> : tensor<2xf32>
    %less = arith.cmpf olt, %sum, %half : tensor<2xf32>
    lazy.yield %sum, %less : tensor<2xf32>, tensor<2xi1>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi1>
}

// What reads constants is one, too.
// CHECK-LABEL: func.func @chain
// CHECK: %[[C:.*]] = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK-NOT: lazy.group
// CHECK: return %[[C]]
func.func @chain() -> tensor<4xi32> {
  %0 = lazy.group () : () -> tensor<4xi32> {
    %i = lazy.iota 0 : tensor<4xi32>
    lazy.yield %i : tensor<4xi32>
  }
  %1 = lazy.group (%0) : (tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%a: tensor<4xi32>):
    %one = arith.constant dense<1> : tensor<4xi32>
    %s = arith.addi %a, %one : tensor<4xi32>
    lazy.yield %s : tensor<4xi32>
  }
  return %1 : tensor<4xi32>
}

// What reads a buffer is no constant.
// CHECK-LABEL: func.func @reads
// CHECK: lazy.group
func.func @reads(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.group (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = arith.constant dense<1.0> : tensor<4xf32>
    lazy.yield %c : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// More than 4 KiB stay a kernel.
// CHECK-LABEL: func.func @large
// CHECK: lazy.group
func.func @large() -> tensor<1025xi32> {
  %0 = lazy.group () : () -> tensor<1025xi32> {
    %i = lazy.iota 0 : tensor<1025xi32>
    lazy.yield %i : tensor<1025xi32>
  }
  return %0 : tensor<1025xi32>
}

// And so does a small result of much work.
// CHECK-LABEL: func.func @much
// CHECK: lazy.group
func.func @much() -> tensor<i32> {
  %0 = lazy.group () : () -> tensor<i32> {
    %i = lazy.iota 0 : tensor<20000xi32>
    %s = lazy.reduce addi (%i) axes [0] : (tensor<20000xi32>) -> tensor<i32>
    lazy.yield %s : tensor<i32>
  }
  return %0 : tensor<i32>
}

// Division by zero has no folder.
// CHECK-LABEL: func.func @no_folder
// CHECK: lazy.group
func.func @no_folder() -> tensor<4xi32> {
  %0 = lazy.group () : () -> tensor<4xi32> {
    %i = lazy.iota 0 : tensor<4xi32>
    %q = arith.divsi %i, %i : tensor<4xi32>
    lazy.yield %q : tensor<4xi32>
  }
  return %0 : tensor<4xi32>
}

// A combiner of one's own is not evaluated.
// CHECK-LABEL: func.func @own_combiner
// CHECK: lazy.group
func.func @own_combiner() -> tensor<i32> {
  %0 = lazy.group () : () -> tensor<i32> {
    %i = lazy.iota 0 : tensor<4xi32>
    %s = lazy.reduce (%i) init [0 : i32] axes [0] : (tensor<4xi32>) -> tensor<i32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.xori %a, %b : i32
      lazy.yield %c : i32
    }
    lazy.yield %s : tensor<i32>
  }
  return %0 : tensor<i32>
}
