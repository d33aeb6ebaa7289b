// RUN: tiny-opt %s -split-input-file --lazy-plan-state --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=kernel.copy
// RUN: tiny-opt %s -split-input-file --lazy-plan-state --convert-lazy-to-kernel --remarks-filter=lazy-plan-state --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// The least that is copied where an old state stays, and what the remarks say. utils/fuzz-schedule asks the same of
// programs at random.

// The old state is a result: one copy, to its buffer.
// REMARK: remark: [Missed] copied {{.*}}Function=old_returned | Remark="32 bytes of argument #0 are copied: result #1 must be in a buffer of its own"
// REMARK: remark: [Passed] in-place {{.*}}Function=old_returned | Remark="writes over argument #0"
// CHECK-LABEL: kernel.program @old_returned(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: kernel.copy %[[X]], %[[Y:.*]] : memref<8xf32>
// CHECK: kernel.launch @put ins(%{{.*}}) outs(%[[X]]
// CHECK: kernel.return %[[X]], %[[Y]]
func.func @old_returned(%x: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<8xf32>) {
  %0 = lazy.group "put" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0, %x : tensor<8xf32>, tensor<8xf32>
}

// -----

// Of a part that is returned no more than the part is copied.
// REMARK: remark: [Missed] copied {{.*}} Remark="8 bytes of argument #0 are copied: result #1 must be in a buffer of its own"
// REMARK: remark: [Passed] in-place {{.*}} Remark="writes over argument #0"
// CHECK-LABEL: kernel.program @part_returned(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: %[[P:.*]] = kernel.alias %[[X]][3] : memref<8xf32> -> memref<2xf32>
// CHECK: kernel.copy %[[P]], %[[Y:.*]] : memref<2xf32>
// CHECK: kernel.launch @put ins(%{{.*}}) outs(%[[X]]
// CHECK: kernel.return %[[X]], %[[Y]]
func.func @part_returned(%x: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<2xf32>) {
  %0 = lazy.group "put" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %p = lazy.view %x <(2):(1) + 3> : tensor<8xf32> -> tensor<2xf32>
  return %0, %p : tensor<8xf32>, tensor<2xf32>
}

// -----

// A part of the old state that is read afterwards.
// REMARK: remark: [Missed] copied {{.*}} Remark="writes over argument #0, of which 8 bytes are copied: 'dot' reads the old state and must run later"
// CHECK-LABEL: kernel.program @part_read(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: %[[P:.*]] = kernel.alias %[[X]][3] : memref<8xf32> -> memref<2xf32>
// CHECK: kernel.copy %[[P]], %[[Y:.*]] : memref<2xf32>
// CHECK: kernel.launch @put ins(%{{.*}}) outs(%[[X]]
// CHECK: kernel.launch @dot ins(%[[Y]], %[[X]]
func.func @part_read(%x: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<2xf32>) {
  %0 = lazy.group "put" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %p = lazy.view %x <(2):(1) + 3> : tensor<8xf32> -> tensor<2xf32>
  %1 = lazy.group "dot" (%p, %0) : (tensor<2xf32>, tensor<8xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<8xf32>):
    %w = lazy.view %b <(2):(4)> : tensor<8xf32> -> tensor<2xf32>
    %m = arith.mulf %a, %w : tensor<2xf32>
    lazy.yield %m : tensor<2xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<2xf32>
}

// -----

// Two next states of one: the one that must be there is, wherever it stands; the other goes on from a copy.
// REMARK: remark: [Passed] in-place {{.*}} Remark="writes over argument #0"
// REMARK: remark: [Missed] copied {{.*}} Remark="goes on from a copy of 32 bytes of argument #0: another one takes over its buffer"
// CHECK-LABEL: kernel.program @two_next_states(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-DAG: kernel.copy %[[X]], %[[Y:.*]] : memref<8xf32>
// CHECK-DAG: kernel.launch @first ins(%{{.*}}) outs(%[[X]]
// CHECK-DAG: kernel.launch @second ins(%{{.*}}) outs(%[[Y]]
// CHECK: kernel.return %[[X]], %[[Y]]
func.func @two_next_states(%x: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<8xf32>) {
  %0 = lazy.group "first" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "second" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(-2) + 6> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The state between two assignments is a result.
// REMARK: remark: [Passed] in-place {{.*}} Remark="writes over argument #0"
// REMARK: remark: [Missed] copied {{.*}} Remark="32 bytes of what 'first' makes are copied: result #1 must be in a buffer of its own"
// REMARK: remark: [Passed] in-place {{.*}} Remark="writes over what 'first' makes"
// CHECK-LABEL: kernel.program @between(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: kernel.launch @first ins(%{{.*}}) outs(%[[X]]
// CHECK: kernel.copy %[[X]], %[[Y:.*]] : memref<8xf32>
// CHECK: kernel.launch @second ins(%{{.*}}) outs(%[[X]]
// CHECK: kernel.return %[[X]], %[[Y]]
func.func @between(%x: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<8xf32>) {
  %0 = lazy.group "first" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "second" (%v, %0) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(-2) + 6> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %1, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The old state moves on to another argument, of which nothing is left.
// REMARK: remark: [Missed] copied {{.*}} Remark="32 bytes of argument #1 are copied: result #0 must be in argument #0"
// REMARK: remark: [Passed] in-place {{.*}} Remark="writes over argument #1"
// CHECK-LABEL: kernel.program @shift_states(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>{{.*}}, %[[Y:[^:]*]]: memref<8xf32>
// CHECK: kernel.copy %[[Y]], %[[X]]
// CHECK: kernel.launch @put ins(%{{.*}}) outs(%[[Y]]
// CHECK: kernel.return %[[X]], %[[Y]]
func.func @shift_states(%x: tensor<8xf32> {tiny.donated}, %y: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>)
    -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<8xf32> {tiny.aliases = 1 : i64}) {
  %0 = lazy.group "put" (%v, %y) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %y, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// What goes on from a state that is not donated is made in the buffer where it must be.
// REMARK: remark: [Missed] copied {{.*}} Remark="goes on from a copy of 32 bytes of argument #1: it is not donated"
// CHECK-LABEL: kernel.program @from_another(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>{{.*}}, %[[Y:[^:]*]]: memref<8xf32>
// CHECK: kernel.copy %[[Y]], %[[X]]
// CHECK: kernel.launch @put ins(%{{.*}}) outs(%[[X]]
// CHECK: kernel.return %[[X]]
func.func @from_another(%x: tensor<8xf32> {tiny.donated}, %y: tensor<8xf32>, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "put" (%v, %y) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// A donated argument whose next state is a new buffer: all of it is assigned, in two halves, so nothing is copied.
// REMARK: remark: [Passed] in-place {{.*}} Remark="needs nothing of argument #0: all of it is assigned"
// REMARK: remark: [Passed] in-place {{.*}} Remark="writes over what 'low' makes"
// CHECK-LABEL: kernel.program @all_assigned(
// CHECK-NEXT: %[[Y:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.launch @low ins(%{{.*}}) outs(%[[Y]]
// CHECK-NEXT: kernel.launch @high ins(%{{.*}}) outs(%[[Y]]
// CHECK-NEXT: kernel.return %[[Y]]
func.func @all_assigned(%x: tensor<8xf32> {tiny.donated}, %v: tensor<4xf32>) -> tensor<8xf32> {
  %0 = lazy.group "low" (%v, %x) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<8xf32>):
    %m = arith.negf %a : tensor<4xf32>
    %n = lazy.assign %m, %b <(4):(1)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "high" (%v, %0) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<8xf32>):
    %m = arith.negf %a : tensor<4xf32>
    %n = lazy.assign %m, %b <(4):(1) + 4> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

// The next state is computed over what was assigned before it.
// REMARK: remark: [Passed] in-place {{.*}} Remark="writes over argument #0"
// REMARK: remark: [Passed] in-place {{.*}} Remark="writes over what 'put' makes"
// CHECK-LABEL: kernel.program @computed_over_assigned(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-NEXT: kernel.launch @put ins(%{{.*}}) outs(%[[X]]
// CHECK-NEXT: kernel.launch @double ins(%[[X]] : memref<8xf32>) outs(%[[X]]
// CHECK-NEXT: kernel.return %[[X]]
func.func @computed_over_assigned(%x: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "put" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "double" (%0) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %n = arith.addf %a, %a : tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

// A splat becomes an argument's next state without a buffer between.
// REMARK: remark: [Passed] in-place {{.*}} Remark="fills argument #0 with a constant"
// CHECK-LABEL: kernel.program @reset(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-NEXT: kernel.fill %[[X]], 0.000000e+00
// CHECK-NEXT: kernel.return %[[X]]
func.func @reset(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = arith.constant dense<0.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A part of a state is a state of its own to what assigns to it.
// REMARK: remark: [Missed] copied {{.*}} Remark="goes on from a copy of 16 bytes of argument #0: it is a part of another state"
// CHECK-LABEL: kernel.program @base_is_part(
// CHECK: kernel.copy %{{.*}}, %[[Y:.*]] : memref<4xf32>
// CHECK: kernel.launch @put ins(%{{.*}}) outs(%[[Y]]
func.func @base_is_part(%x: tensor<8xf32> {tiny.donated}, %v: tensor<2xf32>) -> tensor<4xf32> {
  %p = lazy.view %x <(4):(1) + 2> : tensor<8xf32> -> tensor<4xf32>
  %0 = lazy.group "put" (%v, %p) : (tensor<2xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<4xf32>):
    %n = lazy.assign %a, %b <(2):(2)> : tensor<2xf32>, tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// What must wait for the update that it makes room for: it does not, and the update goes on from a copy.
// REMARK: remark: [Missed] copied {{.*}} Remark="goes on from a copy of 32 bytes of argument #0: result #0 takes over its buffer"
// REMARK: remark: [Passed] in-place {{.*}} Remark="writes over argument #0"
// CHECK-LABEL: kernel.program @waits_for_result(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: kernel.copy %[[X]], %[[Y:.*]] : memref<8xf32>
// CHECK: kernel.launch @new ins(%{{.*}}) outs(%[[X]]
// CHECK: kernel.launch @put ins(%[[X]] : {{.*}}) outs(%[[Y]]
// CHECK: kernel.launch @sum ins(%[[Y]]
func.func @waits_for_result(%x: tensor<8xf32> {tiny.donated}, %v: tensor<8xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<f32>) {
  %0 = lazy.group "new" (%v) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %n = arith.negf %a : tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "put" (%0, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %w = lazy.view %a <(3):(2) + 1> : tensor<8xf32> -> tensor<3xf32>
    %n = lazy.assign %w, %b <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %2 = lazy.group "sum" (%1) : (tensor<8xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<8xf32>):
    %s = lazy.reduce addf (%a) axes [0] : (tensor<8xf32>) -> tensor<f32>
    lazy.yield %s : tensor<f32>
  }
  return %0, %2 : tensor<8xf32>, tensor<f32>
}
