// RUN: tiny-opt %s -split-input-file -verify-diagnostics --lazy-impose-groups=max-buffers=4
// RUN: split-file %S/Inputs/bad-groups %t
// RUN: not tiny-opt %t/program.mlir --lazy-impose-groups=file=%t/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not tiny-opt %t/program.mlir --lazy-impose-groups=file=%t 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not tiny-opt %t/program.mlir --lazy-impose-groups=file=%t/program.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tiny-opt %t/program.mlir --lazy-impose-groups=file=%t/stranger.mlir 2>&1 | FileCheck %s --check-prefix=STRANGER
// RUN: not tiny-opt %t/program.mlir --lazy-impose-groups=file=%t/arguments.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// RUN: not tiny-opt %t/program.mlir --lazy-impose-groups=file=%t/nothing.mlir 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tiny-opt %t/program.mlir --lazy-impose-groups=file=%t/buffers.mlir 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not tiny-opt %t/program.mlir --lazy-impose-groups=file=%t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: python3 -c "print('[' * 100000)" > %t/deep.mlir
// RUN: not tiny-opt %t/program.mlir --lazy-impose-groups=file=%t/deep.mlir 2>&1 | FileCheck %s --check-prefix=DEEP

// ABSENT: error: cannot open the file of groups '{{.*}}absent.mlir': No such file or directory
// FOLDER: error: cannot open the file of groups '{{.*}}': Is a directory
// EMPTY: error: the file of groups '{{.*}}program.mlir' has no transform.named_sequence
// DEEP: error: the file of groups: {{.*}}deep.mlir:1:1: nested too deeply
// STRANGER: stranger.mlir:2:3: error: no function is named 'stranger'
// ARGUMENTS: arguments.mlir:2:3: error: {{.*}}expected a body with one argument, the function, and no results
// NOTHING: error: expected operations to fuse, got none
// NOTHING: error: failed on function 'main'
// BUFFERS: error: expected at least 2 buffers, got 1
// TWICE: program.mlir:2:8: error: stands in a group already, so it can't join group 'of 1 operations'
// TWICE: twice.mlir:10:14: error: can't fuse

func.func @cycle(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the first operation of the group}}
  %a = arith.negf %x {lazy.group_id = "a"} : tensor<4xf32>
  // expected-error @below {{group 'a' would wait for itself: it reads this, which needs what it computes}}
  %b = math.exp %a : tensor<4xf32>
  %c = arith.negf %b {lazy.group_id = "a"} : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// A boundary is one for groups too.
func.func @boundary(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the first operation of the group}}
  %a = arith.negf %x {lazy.group_id = "a"} : tensor<4xf32>
  // expected-error @below {{group 'a' would wait for itself}}
  %b = lazy.contiguous %a : tensor<4xf32>
  %c = arith.negf %b {lazy.group_id = "a"} : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// Each alone would do; together they wait for each other.
func.func @two_groups(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @below {{group 'b' would wait for itself}}
  %a = arith.negf %x {lazy.group_id = "a"} : tensor<4xf32>
  // expected-note @below {{the first operation of the group}}
  %b = math.exp %y {lazy.group_id = "b"} : tensor<4xf32>
  %c = math.sqrt %b {lazy.group_id = "a"} : tensor<4xf32>
  %d = math.sin %a {lazy.group_id = "b"} : tensor<4xf32>
  return %c, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @buffers(%0: tensor<4xf32>, %1: tensor<4xf32>, %2: tensor<4xf32>, %3: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{group 'a' would have 5 buffers, a kernel has at most 4}}
  %a = arith.addf %0, %1 {lazy.group_id = "a"} : tensor<4xf32>
  %b = arith.addf %a, %2 {lazy.group_id = "a"} : tensor<4xf32>
  %c = arith.addf %b, %3 {lazy.group_id = "a"} : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

func.func @nobody(%0: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{group 'a' has no result: nobody reads what it computes}}
  %a = arith.negf %0 {lazy.group_id = "a"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @stranger(%0: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{can't stand in group 'a': it is not of what one kernel computes}}
  %a = lazy.contiguous %0 {lazy.group_id = "a"} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @twice(%0: tensor<4xf32>) -> tensor<4xf32> {
  %a = lazy.group (%0) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>):
    // expected-error @below {{stands in a group already, so it can't join group 'a'}}
    %n = arith.negf %x {lazy.group_id = "a"} : tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  return %a : tensor<4xf32>
}

// -----

func.func @not_a_name(%0: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a name as lazy.group_id, got 1 : i64}}
  %a = arith.negf %0 {lazy.group_id = 1} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @blocks(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %a = arith.negf %x {lazy.group_id = "a"} : tensor<4xf32>
  cf.br ^next
^next:
  // expected-error @below {{stands in another block than the rest of group 'a'}}
  %b = math.exp %a {lazy.group_id = "a"} : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

func.func @empty_name(%0: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a name as lazy.group_id, got ""}}
  %a = arith.negf %0 {lazy.group_id = ""} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @table(%0: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{can't stand in group 'a': it is not of what one kernel computes}}
  %c = arith.constant {lazy.group_id = "a"} dense<[1.0, 2.0]> : tensor<2xf32>
  %a = arith.addf %0, %c : tensor<2xf32>
  return %a : tensor<2xf32>
}

// -----

func.func @reads_assigned(%x: tensor<8xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the assignment}}
  %1 = lazy.assign %v, %x <(4):(1)> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  %w = lazy.view %1 <(4):(1) + 2> : tensor<8xf32> -> tensor<4xf32>
  // expected-error @below {{reads what group 'a' assigns, and a kernel reads what was there before}}
  %n = arith.negf %w {lazy.group_id = "a"} : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @two_states(%x: tensor<8xf32>, %v: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-note @below {{the other one}}
  %1 = lazy.assign %v, %x <(4):(1)> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  // expected-error @below {{group 'a' assigns to one state in two ways}}
  %2 = lazy.assign %v, %x <(4):(1) + 4> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @no_buffer(%x: tensor<8xf32>, %v: tensor<4xf32>) -> tensor<8xf32> {
  %n = arith.negf %x {lazy.group_id = "a"} : tensor<8xf32>
  %f = lazy.flip %n [0] : tensor<8xf32> -> tensor<8xf32>
  // expected-error @below {{assigns to what group 'a' computes, which is in no buffer}}
  %1 = lazy.assign %v, %f <(4):(1)> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @overlap(%x: tensor<8xf32>, %v: tensor<4xf32>) -> tensor<8xf32> {
  // expected-note @below {{by this}}
  %1 = lazy.assign %v, %x <(4):(1)> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  // expected-error @below {{may write an element that group 'a' has assigned before}}
  %2 = lazy.assign %v, %1 <(4):(1) + 3> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

func.func @between(%x: tensor<8xf32>, %v: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %1 = lazy.assign %v, %x <(4):(1)> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  // expected-error @below {{assigns once more to what is read outside of group 'a'}}
  %2 = lazy.assign %v, %1 <(4):(1) + 4> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  // expected-note @below {{by this}}
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
