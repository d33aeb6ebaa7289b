// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize="policy=none" | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize="policy=all" | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize="policy=all max-buffers=4" --check-passes | FileCheck %s --check-prefix=FOUR

// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // NONE: %[[M:.*]] = lazy.group "reduce"(%{{.*}})
  // NONE: %[[D:.*]] = lazy.group "subf"(%{{.*}}, %[[M]])
  // NONE: %[[E:.*]] = lazy.group "exp"(%[[D]])
  // NONE: %[[S:.*]] = lazy.group "reduce"(%[[E]])
  // NONE: lazy.group "divf"(%[[E]], %[[S]])
  // ALL: lazy.group "reduce_subf_exp_divf"
  // ALL: lazy.reduce maximumf
  // ALL: lazy.reduce addf
  // CHECK-NOT: lazy.group
  // CHECK: return
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mr = lazy.reshape %m : tensor<4xf32> -> tensor<4x1xf32>
  %me = lazy.expand %mr : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = arith.subf %x, %me : tensor<4x8xf32>
  %e = math.exp %d : tensor<4x8xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %sr = lazy.reshape %s : tensor<4xf32> -> tensor<4x1xf32>
  %se = lazy.expand %sr : tensor<4x1xf32> -> tensor<4x8xf32>
  %r = arith.divf %e, %se : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Several results of one kernel, one of which another needs; `lazy.contiguous` is a boundary under every policy.
// CHECK-LABEL: func.func @results(
func.func @results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  // ALL: %[[G:.*]]:3 = lazy.group "addf_mulf_negf"(%{{.*}}) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // ALL: %[[R:.*]] = lazy.group "reduce"(%[[G]]#2)
  // ALL: return %[[G]]#0, %[[G]]#1, %[[R]]
  // NONE: %[[A:.*]] = lazy.group "addf"
  // NONE: %[[M:.*]] = lazy.group "mulf"(%{{.*}}, %[[A]])
  // NONE: %[[N:.*]] = lazy.group "negf"(%[[M]])
  // NONE: %[[S:.*]] = lazy.group "reduce"(%[[N]])
  // NONE: return %[[A]], %[[M]], %[[S]]
  %a = arith.addf %x, %x : tensor<4xf32>
  %m = arith.mulf %a, %x : tensor<4xf32>
  %n = arith.negf %m : tensor<4xf32>
  %c = lazy.contiguous %n : tensor<4xf32>
  %s = lazy.reduce addf (%c) axes [0] : (tensor<4xf32>) -> tensor<f32>
  return %a, %m, %s : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}

// More results than one kernel may have: the next kernel goes on from what the one before stored.
// FOUR-LABEL: func.func @many_results(
// ALL-LABEL: func.func @many_results(
func.func @many_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // FOUR: %[[A:.*]]:2 = lazy.group "ceil_floor"(%{{.*}}) :
  // FOUR: %[[B:.*]]:2 = lazy.group "absf_negf"(%[[A]]#1) :
  // FOUR: return %[[A]]#0, %[[A]]#1, %[[B]]#0, %[[B]]#1
  // ALL: %[[A:.*]]:4 = lazy.group
  %a = math.ceil %x : tensor<4xf32>
  %b = math.floor %a : tensor<4xf32>
  %c = math.absf %b : tensor<4xf32>
  %d = arith.negf %c : tensor<4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Each result reads few buffers, both together too many.
// FOUR-LABEL: func.func @many_inputs(
// ALL-LABEL: func.func @many_inputs(
func.func @many_inputs(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // FOUR: %[[R:.*]] = lazy.group "addf"(%{{[^,)]*}}, %{{[^,)]*}}) :
  // FOUR: %[[S:.*]] = lazy.group "mulf"(%{{[^,)]*}}, %{{[^,)]*}}) :
  // FOUR: return %[[R]], %[[S]]
  // ALL: %[[R:.*]]:2 = lazy.group
  %0 = arith.addf %a, %b : tensor<4xf32>
  %1 = arith.mulf %c, %d : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// What would be computed again and again is computed once, and kept by the kernel: a product of a softmax with itself,
// and what is added to its transpose.
// ALL-LABEL: func.func @kept(
// FOUR-LABEL: func.func @kept(
func.func @kept(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // ALL: lazy.group
  // ALL: %[[Q:.*]] = arith.divf
  // ALL-NEXT: %[[QK:.*]] = lazy.keep %[[Q]]
  // ALL-COUNT-2: lazy.view %[[QK]]
  // ALL: %[[T:.*]] = math.tanh
  // ALL-NEXT: %[[TK:.*]] = lazy.keep %[[T]]
  // ALL-NOT: lazy.group
  // ALL: return
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<16x16xf32>) -> tensor<16xf32>
  %mw = lazy.view %m <(16, 16):(1, 0)> : tensor<16xf32> -> tensor<16x16xf32>
  %d = arith.subf %x, %mw : tensor<16x16xf32>
  %e = math.exp %d : tensor<16x16xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<16x16xf32>) -> tensor<16xf32>
  %sw = lazy.view %s <(16, 16):(1, 0)> : tensor<16xf32> -> tensor<16x16xf32>
  %q = arith.divf %e, %sw : tensor<16x16xf32>
  %a = lazy.view %q <(16, 16, 16):(16, 0, 1)> : tensor<16x16xf32> -> tensor<16x16x16xf32>
  %b = lazy.view %q <(16, 16, 16):(0, 1, 16)> : tensor<16x16xf32> -> tensor<16x16x16xf32>
  %ab = arith.mulf %a, %b : tensor<16x16x16xf32>
  %p = lazy.reduce addf (%ab) axes [2] : (tensor<16x16x16xf32>) -> tensor<16x16xf32>
  %t = math.tanh %p : tensor<16x16xf32>
  %tt = lazy.permute %t [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  %r = arith.addf %tt, %t : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// The base of a gather is kept, and stored too where it is returned.
// ALL-LABEL: func.func @gathered(
// FOUR-LABEL: func.func @gathered(
func.func @gathered(%x: tensor<8xf32>, %i: tensor<6xi64>) -> (tensor<6xf32>, tensor<8xf32>) {
  // ALL: %[[G:.*]]:2 = lazy.group
  // ALL: %[[E:.*]] = math.exp
  // ALL-NEXT: %[[K:.*]] = lazy.keep %[[E]]
  // ALL: %[[R:.*]] = lazy.gather %[[K]]
  // ALL-NOT: lazy.group
  // ALL: return %[[G]]#1, %[[G]]#0
  %e = math.exp %x : tensor<8xf32>
  %g = lazy.gather %e [%i] : tensor<8xf32>, (tensor<6xi64>) -> tensor<6xf32>
  return %g, %e : tensor<6xf32>, tensor<8xf32>
}
