// RUN: split-file %s %t
// RUN: tiny-opt %t/attributes.mlir --lazy-impose-groups --check-passes | FileCheck %s
// RUN: tiny-opt %t/attributes.mlir --lazy-impose-groups --lazy-kernelize --check-passes | FileCheck %s --check-prefix=REST
// RUN: tiny-opt %t/program.mlir --lazy-impose-groups=file=%t/script.mlir --check-passes | FileCheck %s --check-prefix=SCRIPT
// RUN: tiny-opt %t/program.mlir --tiny-lazy-to-kernel-pipeline=groups=%t/script.mlir | FileCheck %s --check-prefix=PIPELINE
// RUN: tiny-opt %t/attributes.mlir --lazy-impose-groups --remarks-filter=lazy-impose-groups --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

//--- attributes.mlir
// REMARK: remark: [Passed] group {{.*}}Function=softmax | Remark="4 operations become group 'a', which reads 1 buffers and makes 2", limit=31, makes=2, operations=4, reads=1
// What the cost model would fuse in one kernel is two, and views go along.
// CHECK-LABEL: func.func @softmax(
// REST-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: %[[G:.*]]:2 = lazy.group "reduce_subf_exp"(%{{.*}}) : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>)
  // CHECK: lazy.reduce maximumf
  // CHECK: lazy.view
  // CHECK: arith.subf
  // CHECK: math.exp
  // CHECK: lazy.reduce addf
  // CHECK: lazy.yield
  // CHECK-NOT: group_id
  // CHECK: %[[V:.*]] = lazy.view %[[G]]#1
  // CHECK: arith.divf %[[G]]#0, %[[V]]
  // REST: %[[G:.*]]:2 = lazy.group "reduce_subf_exp"
  // REST: %[[D:.*]] = lazy.group "divf"(%[[G]]#0, %[[G]]#1)
  // REST: return %[[D]]
  %m = lazy.reduce maximumf (%x) axes [1] {lazy.group_id = "a"} : (tensor<8x16xf32>) -> tensor<8xf32>
  %me = lazy.view %m <(8, 16):(1, 0)> : tensor<8xf32> -> tensor<8x16xf32>
  %d = arith.subf %x, %me {lazy.group_id = "a"} : tensor<8x16xf32>
  %e = math.exp %d {lazy.group_id = "a"} : tensor<8x16xf32>
  %s = lazy.reduce addf (%e) axes [1] {lazy.group_id = "a"} : (tensor<8x16xf32>) -> tensor<8xf32>
  %se = lazy.view %s <(8, 16):(1, 0)> : tensor<8xf32> -> tensor<8x16xf32>
  %r = arith.divf %e, %se : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// Values that have nothing to do with each other are one kernel if a person says so, and what stood between them and
// reads one of them comes after it.
// CHECK-LABEL: func.func @strangers(
func.func @strangers(%x: tensor<4xf32>, %y: tensor<6xi32>) -> (tensor<4xf32>, tensor<6xi32>) {
  // CHECK-NOT: arith
  // CHECK: %[[G:.*]]:2 = lazy.group "negf_addi"(%{{.*}}, %{{.*}})
  // CHECK: lazy.iota
  // CHECK: lazy.yield
  // CHECK: %[[E:.*]] = math.exp %[[G]]#0
  // CHECK-NOT: lazy.iota
  // CHECK: return %[[E]], %[[G]]#1
  %n = arith.negf %x {lazy.group_id = "both"} : tensor<4xf32>
  %e = math.exp %n : tensor<4xf32>
  %i = lazy.iota 0 : tensor<6xi32>
  %a = arith.addi %y, %i {lazy.group_id = "both"} : tensor<6xi32>
  return %e, %a : tensor<4xf32>, tensor<6xi32>
}

// A view between two members that another reads too is copied.
// CHECK-LABEL: func.func @shared_view(
func.func @shared_view(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  // CHECK: %[[G:.*]]:2 = lazy.group "negf_exp"(%{{.*}})
  // CHECK: lazy.permute
  // CHECK: lazy.yield
  // CHECK: lazy.permute %[[G]]#0
  %n = arith.negf %x {lazy.group_id = "a"} : tensor<4x6xf32>
  %p = lazy.permute %n [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %e = math.exp %p {lazy.group_id = "a"} : tensor<6x4xf32>
  %s = math.sqrt %p : tensor<6x4xf32>
  return %e, %s : tensor<6x4xf32>, tensor<6x4xf32>
}

// A view of a member that nobody reads goes with it.
// CHECK-LABEL: func.func @idle_view(
func.func @idle_view(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[G:.*]] = lazy.group "negf_exp"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: lazy.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[G]]
  %n = arith.negf %x {lazy.group_id = "a"} : tensor<4xf32>
  %f = lazy.flip %n [0] : tensor<4xf32> -> tensor<4xf32>
  %s = lazy.shrink %f begin [0] end [2] : tensor<4xf32> -> tensor<2xf32>
  %e = math.exp %x {lazy.group_id = "a"} : tensor<4xf32>
  return %e : tensor<4xf32>
}

// Assignments may be members: one that goes on from the other, and one to another state.
// CHECK-LABEL: func.func @states(
func.func @states(%x: tensor<8xf32> {tiny.donated}, %y: tensor<6x4xf32> {tiny.donated}, %v: tensor<4xf32>)
    -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<6x4xf32> {tiny.aliases = 1 : i64}, tensor<4xf32>) {
  // CHECK: %[[G:.*]]:3 = lazy.group "negf_assign"(%arg0, %arg1, %arg2) : ({{.*}}) -> (tensor<4xf32>, tensor<8xf32>, tensor<6x4xf32>)
  // CHECK: %[[N:.*]] = arith.negf
  // CHECK: %[[A:.*]] = lazy.assign %[[N]], %{{.*}} <(4):(2)>
  // CHECK: %[[B:.*]] = lazy.assign %{{.*}}, %[[A]] <(4):(2) + 1>
  // CHECK: %[[C:.*]] = lazy.assign %{{.*}} <(4):(1) + 8>
  // CHECK: lazy.yield %[[N]], %[[B]], %[[C]]
  // CHECK: return %[[G]]#1, %[[G]]#2, %[[G]]#0
  %n = arith.negf %v {lazy.group_id = "a"} : tensor<4xf32>
  %1 = lazy.assign %n, %x <(4):(2)> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  %2 = lazy.assign %v, %1 <(4):(2) + 1> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  %3 = lazy.assign %n, %y <(4):(1) + 8> {lazy.group_id = "a"} : tensor<4xf32>, tensor<6x4xf32>
  return %2, %3, %n : tensor<8xf32>, tensor<6x4xf32>, tensor<4xf32>
}

// The state that is assigned to is a buffer, be it one of a view that goes along for another member.
// CHECK-LABEL: func.func @of_a_view(
// REST-LABEL: func.func @of_a_view(
func.func @of_a_view(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[F:.*]] = lazy.flip
  // CHECK: lazy.group "negf_assign"(%arg0, %[[F]])
  // REST: lazy.group "copy"
  // REST: lazy.group "negf_assign"
  %f = lazy.flip %x [0] : tensor<8xf32> -> tensor<8xf32>
  %s = lazy.shrink %f begin [1] end [5] : tensor<8xf32> -> tensor<4xf32>
  %n = arith.negf %s {lazy.group_id = "a"} : tensor<4xf32>
  %r = lazy.assign %n, %f <(4):(1)> {lazy.group_id = "a"} : tensor<4xf32>, tensor<8xf32>
  return %r : tensor<8xf32>
}

// A mask is arithmetic on indices: nothing needs it stored, so each group that reads it computes it, and what nobody
// reads any more goes. Arithmetic on data is stored as a person asked for it.
// CHECK-LABEL: func.func @causal(
// REST-LABEL: func.func @causal(
func.func @causal(%x: tensor<8x8xf32>, %d: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[N:.*]] = math.absf %arg1
  // CHECK-NEXT: %[[A:.*]] = lazy.group "select_reduce"(%arg0) : (tensor<8x8xf32>) -> tensor<8xf32>
  // CHECK: %[[C:.*]] = arith.cmpi sge
  // CHECK: %[[S:.*]] = arith.select %[[C]]
  // CHECK: lazy.reduce maximumf(%[[S]])
  // CHECK: %[[B:.*]] = lazy.group "select"(%arg0, %[[N]]) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: %[[C:.*]] = arith.cmpi sge
  // CHECK: arith.select %[[C]]
  // CHECK-NOT: arith.cmpi
  // CHECK: return %[[B]], %[[A]]
  // REST-NOT: lazy.group "cmpi
  // REST: lazy.group "absf"
  // REST-NOT: lazy.group "cmpi
  // REST: return
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %mask = arith.cmpi sge, %i, %j : tensor<8x8xi32>
  %low = arith.constant dense<0xFF800000> : tensor<8x8xf32>
  %n = math.absf %d : tensor<8x8xf32>
  %s = arith.select %mask, %x, %low {lazy.group_id = "a"} : tensor<8x8xi1>, tensor<8x8xf32>
  %m = lazy.reduce maximumf (%s) axes [1] {lazy.group_id = "a"} : (tensor<8x8xf32>) -> tensor<8xf32>
  %r = arith.select %mask, %x, %n {lazy.group_id = "b"} : tensor<8x8xi1>, tensor<8x8xf32>
  return %r, %m : tensor<8x8xf32>, tensor<8xf32>
}

// A mask that is a member of a group is stored by it, and one that is asked for as a result is kept for that.
// CHECK-LABEL: func.func @mask_as_member(
func.func @mask_as_member(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi1>) {
  // CHECK-DAG: lazy.group "cmpi"() : () -> tensor<8xi1>
  // CHECK-DAG: %[[O:.*]] = arith.cmpi slt
  // CHECK: %[[G:.*]] = lazy.group "select"({{.*}}) : (tensor<8xf32>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  // CHECK: arith.cmpi slt
  // CHECK: return %[[G]], %[[O]]
  %i = lazy.iota 0 : tensor<8xi32>
  %c = arith.constant dense<3> : tensor<8xi32>
  %mask = arith.cmpi sge, %i, %c {lazy.group_id = "m"} : tensor<8xi32>
  %other = arith.cmpi slt, %i, %c : tensor<8xi32>
  %s = arith.select %mask, %x, %y {lazy.group_id = "a"} : tensor<8xi1>, tensor<8xf32>
  %t = arith.select %other, %s, %x {lazy.group_id = "a"} : tensor<8xi1>, tensor<8xf32>
  return %t, %other : tensor<8xf32>, tensor<8xi1>
}

//--- program.mlir
func.func @main(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %e = math.exp %x : tensor<8x16xf32>
  %n = arith.negf %e : tensor<8x16xf32>
  %s = lazy.reduce addf (%n) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

//--- script.mlir
// SCRIPT-LABEL: func.func @main(
// SCRIPT: %[[E:.*]] = math.exp
// SCRIPT: %[[G:.*]] = lazy.group "negf_reduce"(%[[E]])
// SCRIPT: return %[[G]]
// PIPELINE: kernel.launch @exp
// PIPELINE: kernel.launch @negf_reduce
module attributes {transform.with_named_sequence} {
  transform.named_sequence private @is_negf(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["arith.negf"] : !transform.any_op
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @main(%function: !transform.any_op {transform.readonly}) {
    %negf = transform.collect_matching @is_negf in %function : (!transform.any_op) -> !transform.any_op
    %sum = transform.get_consumers_of_result %negf[0] : (!transform.any_op) -> !transform.any_op
    %group = transform.tiny.fuse %negf, %sum : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
