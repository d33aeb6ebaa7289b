// RUN: tiny-opt %s -split-input-file --lazy-plan-state --check-passes -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tiny-opt %s -split-input-file --lazy-plan-state --remarks-filter=lazy-plan-state --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// Which results are written over older states, and what is copied for it.

// An iteration reads and writes one element of a donated argument.
// REMARK: remark: [Passed] in-place {{.*}}Function=same_element | Remark="writes over argument #0"
// CHECK-LABEL: func.func @same_element(
// CHECK: lazy.group "add"(%arg0) attributes {in_place = array<i64: 0>}
func.func @same_element(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "add" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %v = lazy.view %a <(3):(2) + 1> : tensor<8xf32> -> tensor<3xf32>
    %w = arith.addf %v, %v : tensor<3xf32>
    %n = lazy.assign %w, %a <(3):(2) + 1> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// An iteration reads what another writes: the kernel reads a copy.
// REMARK: remark: [Missed] copied {{.*}}Function=overlapping | Remark="writes over argument #0, of which 32 bytes are copied: its kernel reads elements that other iterations write"
// CHECK-LABEL: func.func @overlapping(
// CHECK: %[[OLD:.*]] = lazy.group "copy"(%arg0) : (tensor<8xf32>)
// CHECK: lazy.group "neg"(%arg0, %[[OLD]]) attributes {in_place = array<i64: 0>}
// CHECK-NEXT: ^bb0(%[[BASE:.*]]: tensor<8xf32>, %[[READ:.*]]: tensor<8xf32>):
// CHECK-NEXT: lazy.view %[[READ]]
// CHECK: lazy.assign %{{.*}}, %[[BASE]]
func.func @overlapping(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "neg" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %v = lazy.view %a <(4):(-1) + 3> : tensor<8xf32> -> tensor<4xf32>
    %w = arith.negf %v : tensor<4xf32>
    %n = lazy.assign %w, %a <(4):(2)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// An elementwise update without an assignment is written over the argument that its result aliases.
// REMARK: remark: [Passed] in-place {{.*}}Function=elementwise | Remark="writes over argument #1"
// CHECK-LABEL: func.func @elementwise(
// CHECK: lazy.group "sub"(%arg0, %arg1) attributes {in_place = array<i64: 1>}
func.func @elementwise(%g: tensor<8xf32>, %w: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 1 : i64}) {
  %0 = lazy.group "sub" (%g, %w) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %d = arith.subf %b, %a : tensor<8xf32>
    lazy.yield %d : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// What a row is divided by comes from all of the row: the kernel reads a copy.
// REMARK: remark: [Missed] copied {{.*}}Function=normalized | Remark="writes over argument #0, of which 32 bytes are copied: its kernel reads elements that other iterations write"
// CHECK-LABEL: func.func @normalized(
// CHECK: %[[OLD:.*]] = lazy.group "copy"(%arg0)
// CHECK: lazy.group "norm"(%[[OLD]], %arg0) attributes {in_place = array<i64: 1>}
func.func @normalized(%x: tensor<2x4xf32> {tiny.donated}) -> (tensor<2x4xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "norm" (%x) : (tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%a: tensor<2x4xf32>):
    %s = lazy.reduce addf (%a) axes [1] : (tensor<2x4xf32>) -> tensor<2xf32>
    %r = lazy.view %s <(2, 4):(1, 0)> : tensor<2xf32> -> tensor<2x4xf32>
    %d = arith.divf %a, %r : tensor<2x4xf32>
    lazy.yield %d : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}

// -----

// What must be in an argument's buffer and reads nothing of it takes the argument as an input.
// REMARK: remark: [Passed] in-place {{.*}}Function=unread | Remark="writes over argument #1"
// CHECK-LABEL: func.func @unread(
// CHECK: lazy.group "neg"(%arg0, %arg1) attributes {in_place = array<i64: 1>}
func.func @unread(%x: tensor<8xf32>, %y: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 1 : i64}) {
  %0 = lazy.group "neg" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %d = arith.negf %a : tensor<8xf32>
    lazy.yield %d : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Of two parts of a concatenation the second goes on in the buffer of the first, whose rest needs no value.
// REMARK: remark: [Passed] in-place {{.*}}Function=parts | Remark="writes over what 'first' makes"
// CHECK-LABEL: func.func @parts(
// CHECK: %[[FIRST:.*]] = lazy.group "first"(%arg0) : (tensor<4xf32>)
// CHECK: lazy.group "second"(%arg0, %[[FIRST]]) attributes {in_place = array<i64: 1>}
func.func @parts(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = lazy.group "first" (%x) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    %z = arith.constant dense<0.0> : tensor<8xf32>
    %w = math.exp %a : tensor<4xf32>
    %n = lazy.assign %w, %z <(4):(1)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "second" (%x, %0) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<8xf32>):
    %w = arith.negf %a : tensor<4xf32>
    %n = lazy.assign %w, %b <(4):(1) + 4> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

// What the reader needs is not written: it finds that in the new state. What must run before is moved there.
// REMARK: remark: [Passed] in-place {{.*}}Function=reader_first | Remark="writes over argument #0"
// CHECK-LABEL: func.func @reader_first(
// CHECK: lazy.group "sum"(%arg0)
// CHECK: lazy.group "put"(%arg1, %arg0) attributes {in_place = array<i64: 1>}
func.func @reader_first(%x: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<f32>) {
  %0 = lazy.group "put" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2) + 2> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "sum" (%x) : (tensor<8xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<8xf32>):
    %s = lazy.reduce addf (%a) axes [0] : (tensor<8xf32>) -> tensor<f32>
    lazy.yield %s : tensor<f32>
  }
  return %0, %1 : tensor<8xf32>, tensor<f32>
}

// -----

// A function that is not all groups is left alone.
// CHECK-LABEL: func.func @ungrouped(
// CHECK-NOT: in_place
// CHECK: return
func.func @ungrouped(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = arith.negf %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What is a result already has its buffer: who goes on from it copies it.
// REMARK: remark: [Missed] copied {{.*}}Function=is_result | Remark="goes on from a copy of 32 bytes of what 'neg' makes: it is result #0", bytes=32
// REMARK: remark: [Missed] copied {{.*}}Function=is_result | Remark="writes over argument #0, of which 32 bytes are copied: 'put' reads the old state and must run later", copied=32
// CHECK-LABEL: func.func @is_result(
func.func @is_result(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<8xf32>) {
  %0 = lazy.group "neg" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %n = arith.negf %a : tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "put" (%0, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %v = lazy.view %b <(4):(1)> : tensor<8xf32> -> tensor<4xf32>
    %n = lazy.assign %v, %a <(4):(2)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The update of one argument must end up in another one.
// REMARK: remark: [Missed] copied {{.*}}Function=elsewhere | Remark="goes on from a copy of 32 bytes of argument #0: it must end up elsewhere"
// REMARK: remark: [Passed] in-place {{.*}}Function=elsewhere | Remark="writes over argument #0"
// REMARK: remark: [Missed] copied {{.*}}Function=elsewhere | Remark="writes over argument #1, of which 32 bytes are copied: 'neg' reads the old state and must run later"
// CHECK-LABEL: func.func @elsewhere(
func.func @elsewhere(%x: tensor<8xf32> {tiny.donated}, %y: tensor<8xf32> {tiny.donated}, %v: tensor<4xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<8xf32> {tiny.aliases = 1 : i64}) {
  %0 = lazy.group "neg" (%y) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %n = arith.negf %a : tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "put" (%x, %v) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<4xf32>):
    %n = lazy.assign %b, %a <(4):(2)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Both states are returned.
// REMARK: remark: [Missed] copied {{.*}}Function=old_state | Remark="goes on from a copy of 32 bytes of what 'neg' makes: result #0 is the old state"
// CHECK-LABEL: func.func @old_state(
func.func @old_state(%x: tensor<8xf32>, %v: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = lazy.group "neg" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %n = arith.negf %a : tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "put" (%0, %v) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<4xf32>):
    %n = lazy.assign %b, %a <(4):(2)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The kernel reads all of a state of which it writes a small part: the part has a buffer of its own first.
// REMARK: remark: [Missed] copied {{.*}}Function=split | Remark="is computed, 16 bytes, and then put in its place in argument #0: its kernel reads elements that other iterations write", bytes=16
// CHECK-LABEL: func.func @split(
func.func @split(%x: tensor<1024xf32> {tiny.donated}) -> (tensor<1024xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "neg" (%x) : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %v = lazy.view %a <(4, 1024):(0, 1)> : tensor<1024xf32> -> tensor<4x1024xf32>
    %w = lazy.reduce addf (%v) axes [1] : (tensor<4x1024xf32>) -> tensor<4xf32>
    %n = lazy.assign %w, %a <(4):(1)> : tensor<4xf32>, tensor<1024xf32>
    lazy.yield %n : tensor<1024xf32>
  }
  return %0 : tensor<1024xf32>
}
