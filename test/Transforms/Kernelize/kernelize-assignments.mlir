// Assignments that go on from one another are one kernel where no hazard stands between their stores.
// RUN: tiny-opt %s --lazy-kernelize --check-passes | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --lazy-kernelize --lazy-plan-state --convert-lazy-to-kernel --check-passes | FileCheck %s --check-prefix=KERNEL

// REMARK: arith.negf{{.*}} fused
// REMARK: lazy.assign merged: it writes other elements of the state that a kernel assigns to
// CHECK-LABEL: func.func @halves(
// CHECK: %[[G:.*]] = lazy.group "negf_assign_absf"(%arg0, %arg1)
// CHECK: %[[A:.*]] = lazy.assign %{{.*}}, %{{.*}} <(4):(1)>
// CHECK: %[[B:.*]] = lazy.assign %{{.*}}, %[[A]] <(4):(1) + 4>
// CHECK: lazy.yield %[[B]]
// CHECK: return %[[G]]
// KERNEL-LABEL: kernel.program @halves(
// KERNEL-NEXT: kernel.launch @[[K:.*]] ins(%arg1 : memref<4xf32>) outs(%arg0 : memref<8xf32>)
// KERNEL-NEXT: kernel.return %arg0
// KERNEL: kernel.func private @[[K]](
// KERNEL-COUNT-2: kernel.store
// KERNEL-NOT: kernel.store
func.func @halves(%x: tensor<8xf32> {tiny.donated}, %v: tensor<4xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %n = arith.negf %v : tensor<4xf32>
  %1 = lazy.assign %n, %x <(4):(1)> : tensor<4xf32>, tensor<8xf32>
  %a = math.absf %v : tensor<4xf32>
  %2 = lazy.assign %a, %1 <(4):(1) + 4> : tensor<4xf32>, tensor<8xf32>
  return %2 : tensor<8xf32>
}

// Every other element, then those between: three stores, each of which goes on from what it writes over.
// CHECK-LABEL: func.func @strided(
// CHECK: lazy.group
// CHECK-COUNT-3: lazy.assign
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @strided(
// KERNEL-NEXT: kernel.launch @{{.*}} ins(%arg0, %arg1 : {{.*}}) outs(%arg0 : memref<9xf32>)
// KERNEL-NEXT: kernel.return %arg0
func.func @strided(%x: tensor<9xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<9xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.view %x <(3):(3)> : tensor<9xf32> -> tensor<3xf32>
  %a = arith.addf %0, %v : tensor<3xf32>
  %1 = lazy.assign %a, %x <(3):(3)> : tensor<3xf32>, tensor<9xf32>
  %2 = lazy.assign %v, %1 <(3):(3) + 1> : tensor<3xf32>, tensor<9xf32>
  %3 = lazy.assign %v, %2 <(3):(-3) + 8> : tensor<3xf32>, tensor<9xf32>
  return %3 : tensor<9xf32>
}

// Both write elements 3 and 4: the later one wins.
// CHECK-LABEL: func.func @overlap(
// CHECK-COUNT-2: lazy.group
func.func @overlap(%x: tensor<8xf32> {tiny.donated}, %v: tensor<5xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %1 = lazy.assign %v, %x <(5):(1)> : tensor<5xf32>, tensor<8xf32>
  %2 = lazy.assign %v, %1 <(5):(1) + 3> : tensor<5xf32>, tensor<8xf32>
  return %2 : tensor<8xf32>
}

// The second reads what the first writes.
// CHECK-LABEL: func.func @read_after_write(
// CHECK-COUNT-2: lazy.group
func.func @read_after_write(%x: tensor<8xf32> {tiny.donated}, %v: tensor<4xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %1 = lazy.assign %v, %x <(4):(1)> : tensor<4xf32>, tensor<8xf32>
  %r = lazy.view %1 <(4):(-1) + 3> : tensor<8xf32> -> tensor<4xf32>
  %2 = lazy.assign %r, %1 <(4):(1) + 4> : tensor<4xf32>, tensor<8xf32>
  return %2 : tensor<8xf32>
}

// The second reads what was where the first writes.
// CHECK-LABEL: func.func @write_after_read(
// CHECK-COUNT-2: lazy.group
func.func @write_after_read(%x: tensor<8xf32> {tiny.donated}, %v: tensor<4xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %1 = lazy.assign %v, %x <(4):(1)> : tensor<4xf32>, tensor<8xf32>
  %r = lazy.view %x <(4):(1)> : tensor<8xf32> -> tensor<4xf32>
  %2 = lazy.assign %r, %1 <(4):(1) + 4> : tensor<4xf32>, tensor<8xf32>
  return %2 : tensor<8xf32>
}

// The state between them is a result.
// CHECK-LABEL: func.func @both_states(
// CHECK-COUNT-2: lazy.group
func.func @both_states(%x: tensor<8xf32> {tiny.donated}, %v: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %1 = lazy.assign %v, %x <(4):(1)> : tensor<4xf32>, tensor<8xf32>
  %2 = lazy.assign %v, %1 <(4):(1) + 4> : tensor<4xf32>, tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// Sums over different spaces would be loops one after the other.
// CHECK-LABEL: func.func @two_sums(
// CHECK-COUNT-2: lazy.group
func.func @two_sums(%x: tensor<8xf32> {tiny.donated}, %v: tensor<4x16xf32>, %w: tensor<2x16xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %s = lazy.reduce addf (%v) axes [1] : (tensor<4x16xf32>) -> tensor<4xf32>
  %1 = lazy.assign %s, %x <(4):(1)> : tensor<4xf32>, tensor<8xf32>
  %t = lazy.reduce addf (%w) axes [1] : (tensor<2x16xf32>) -> tensor<2xf32>
  %2 = lazy.assign %t, %1 <(2):(1) + 4> : tensor<2xf32>, tensor<8xf32>
  return %2 : tensor<8xf32>
}
