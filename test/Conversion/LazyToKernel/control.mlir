// RUN: tiny-opt %s --convert-lazy-to-kernel --check-passes | FileCheck %s

// State is in buffers of the loop's own. What leaves one of them for another one is copied first, rows before the state
// changes, and the rows of iterations that may not happen are zero.
// CHECK-LABEL: kernel.program @main(
// CHECK-SAME: %[[X:.*]]: memref<4xf32> {{.*}}, %[[Y:.*]]: memref<4xf32> {{.*}}, %[[N:.*]]: memref<1xi64>
// CHECK: %[[COUNT:.*]] = kernel.alloc : memref<1xi64>
// CHECK: %[[A:.*]] = kernel.alloc : memref<4xf32>
// CHECK: kernel.copy %[[X]], %[[A]]
// CHECK: %[[B:.*]] = kernel.alloc : memref<4xf32>
// CHECK: kernel.copy %[[Y]], %[[B]]
// CHECK: %[[ROWS:.*]] = kernel.alloc : memref<12xf32>
// CHECK: kernel.fill %[[ROWS]], 0.0
// CHECK: kernel.loop most(3) limit(%[[N]]) counter(%[[COUNT]]) {
// CHECK:   kernel.launch @add ins(%[[A]], %[[B]] {{.*}}) outs(%[[SUM:.*]] : memref<4xf32>)
// CHECK:   kernel.launch @write_row ins(%[[A]], %[[COUNT]] {{.*}}) outs(%[[ROWS]] : memref<12xf32>)
// CHECK:   %[[OLD:.*]] = kernel.alloc : memref<4xf32>
// CHECK:   kernel.copy %[[A]], %[[OLD]]
// CHECK:   kernel.copy %[[SUM]], %[[A]]
// CHECK:   kernel.copy %[[OLD]], %[[B]]
// CHECK: }
// CHECK: kernel.return %[[A]], %[[B]], %[[ROWS]], %[[COUNT]]
// CHECK: kernel.func private @write_row(
// CHECK: arith.maxsi
// CHECK: arith.minsi
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<i64>) {
  %r:4 = lazy.loop @body most(3) limit(%n) carry(%x, %y) with()
      : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<i64>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<i64>
}
func.func private @body(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = lazy.group "add" (%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %s = arith.addf %p, %q : tensor<4xf32>
    lazy.yield %s : tensor<4xf32>
  }
  return %0, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What is a row and the next state, in its place, is stored twice by the kernel that computes it. A row that nothing
// else reads has no buffer of its own.
// CHECK-LABEL: kernel.program @in_place(
// CHECK: %[[N:.*]] = kernel.alloc : memref<1xi64>
// CHECK: %[[S:.*]] = kernel.alloc : memref<4xf32>
// CHECK: %[[A:.*]] = kernel.alloc : memref<12xf32>
// CHECK: %[[B:.*]] = kernel.alloc : memref<12xf32>
// CHECK: kernel.loop most(3) counter(%[[N]]) {
// CHECK-NEXT: kernel.launch @step ins(%[[S]], %[[N]] {{.*}}) outs(%[[S]], %[[A]], %[[B]] {{.*}})
// CHECK-NEXT: }
// CHECK: kernel.func private @step(%[[OLD:.*]]: memref<4xf32>, %[[K:.*]]: memref<1xi64>, %[[NEW:.*]]: memref<4xf32>, %[[ROWS:.*]]: memref<12xf32>, %[[OTHERS:.*]]: memref<12xf32>)
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(0) extent(4)
// CHECK-DAG: kernel.store %[[Y:.*]], %[[NEW]][%[[I]]]
// CHECK-DAG: kernel.store %[[Y]], %[[ROWS]][%[[AT:[a-z0-9]*]]]
// CHECK-DAG: kernel.store %[[Z:.*]], %[[OTHERS]][%{{.*}}]
// CHECK-DAG: %[[AT]] = arith.addi %{{.*}}, %[[I]] : index
func.func @in_place(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %r:4 = lazy.loop @step_body most(3) carry(%x) with()
      : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<i64>)
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}
func.func private @step_body(%i: tensor<i64>, %a: tensor<4xf32> {tiny.donated})
    -> (tensor<4xf32> {tiny.aliases = 1 : i64}, tensor<4xf32> {tiny.borrowed}, tensor<4xf32> {tiny.borrowed}) {
  %0:2 = lazy.group "step"(%a) attributes {in_place = array<i64: 0, -1>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%p: tensor<4xf32>):
    %y = math.exp %p : tensor<4xf32>
    %z = arith.negf %p : tensor<4xf32>
    lazy.yield %y, %z : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Each branch puts its values where the results are.
// CHECK-LABEL: kernel.program @either(
// CHECK-SAME: %[[C:.*]]: memref<1xi1> {{.*}}, %[[X:.*]]: memref<4xf32>
// CHECK: %[[R:.*]] = kernel.alloc : memref<4xf32>
// CHECK: kernel.if %[[C]] {
// CHECK:   kernel.copy %[[X]], %[[R]]
// CHECK: } else {
// CHECK:   kernel.launch @neg ins(%[[X]] : memref<4xf32>) outs(%[[T:.*]] : memref<4xf32>)
// CHECK:   kernel.copy %[[T]], %[[R]]
// CHECK: }
// CHECK: kernel.return %[[R]]
func.func @either(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = lazy.if %c @same else @negated with(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @negated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.group "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %s = arith.negf %p : tensor<4xf32>
    lazy.yield %s : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

