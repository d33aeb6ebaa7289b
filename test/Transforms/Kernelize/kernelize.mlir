// RUN: tiny-opt %s -split-input-file --lazy-fold-views --lazy-kernelize --canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file --lazy-fold-views --lazy-kernelize --lazy-kernelize --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @elementwise_fuses(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<4x8xf32>
func.func @elementwise_fuses(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[G:.*]] = lazy.group "addf_mulf_exp"(%[[A]], %[[B]])
  // CHECK: arith.constant dense<2.0
  // CHECK: arith.addf
  // CHECK: arith.mulf
  // CHECK: %[[E:.*]] = math.exp
  // CHECK-NEXT: lazy.yield %[[E]]
  // CHECK: return %[[G]]
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  %0 = arith.addf %a, %b : tensor<4x8xf32>
  %1 = arith.mulf %0, %two : tensor<4x8xf32>
  %2 = math.exp %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// A matrix product with what stands before and after it is one kernel.
// CHECK-LABEL: func.func @prologue_and_epilogue(
func.func @prologue_and_epilogue(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %b: tensor<32xf32>) -> tensor<8x32xf32> {
  // CHECK: lazy.group
  // CHECK-COUNT-2: lazy.view
  // CHECK: arith.mulf
  // CHECK: lazy.reduce addf
  // CHECK: arith.addf
  // CHECK: arith.maximumf
  // CHECK-NEXT: lazy.yield
  // CHECK-NOT: lazy.group
  // CHECK: return
  %xr = lazy.reshape %x : tensor<8x16xf32> -> tensor<8x16x1xf32>
  %xe = lazy.expand %xr : tensor<8x16x1xf32> -> tensor<8x16x32xf32>
  %wr = lazy.reshape %w : tensor<16x32xf32> -> tensor<1x16x32xf32>
  %we = lazy.expand %wr : tensor<1x16x32xf32> -> tensor<8x16x32xf32>
  %p = arith.mulf %xe, %we : tensor<8x16x32xf32>
  %s = lazy.reduce addf (%p) axes [1] : (tensor<8x16x32xf32>) -> tensor<8x32xf32>
  %br = lazy.reshape %b : tensor<32xf32> -> tensor<1x32xf32>
  %be = lazy.expand %br : tensor<1x32xf32> -> tensor<8x32xf32>
  %sb = arith.addf %s, %be : tensor<8x32xf32>
  %zero = arith.constant dense<0.0> : tensor<8x32xf32>
  %relu = arith.maximumf %sb, %zero : tensor<8x32xf32>
  return %relu : tensor<8x32xf32>
}

// -----

// What ends a reduction goes with it, even if the next kernel could take that in.
// CHECK-LABEL: func.func @epilogue_before_an_expand(
func.func @epilogue_before_an_expand(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: %[[MEAN:.*]] = lazy.group "reduce_mulf"
  // CHECK: lazy.group "{{.*}}"(%{{.*}}, %[[MEAN]])
  // CHECK-NOT: lazy.group
  // CHECK: return
  %n = arith.constant dense<0.125> : tensor<16xf32>
  %s = lazy.reduce addf (%x) axes [0] : (tensor<8x16xf32>) -> tensor<16xf32>
  %m = arith.mulf %s, %n : tensor<16xf32>
  %r = lazy.reshape %m : tensor<16xf32> -> tensor<1x16xf32>
  %e = lazy.expand %r : tensor<1x16xf32> -> tensor<8x16xf32>
  %d = arith.subf %x, %e : tensor<8x16xf32>
  %t = lazy.reduce addf (%x) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %te = lazy.view %t <(8, 16):(1, 0)> : tensor<8xf32> -> tensor<8x16xf32>
  %q = arith.divf %d, %te : tensor<8x16xf32>
  return %q : tensor<8x16xf32>
}

// -----

// Views that lose and repeat nothing do not part a reduction from its epilogue.
// CHECK-LABEL: func.func @epilogue_through_a_permute(
func.func @epilogue_through_a_permute(%x: tensor<4x8x16xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  // CHECK: lazy.group "reduce_addf"
  // CHECK: lazy.reduce
  // CHECK: lazy.view
  // CHECK: arith.addf
  // CHECK-NOT: lazy.group
  // CHECK: return
  %s = lazy.reduce addf (%x) axes [2] : (tensor<4x8x16xf32>) -> tensor<4x8xf32>
  %p = lazy.permute %s [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %r = lazy.reshape %p : tensor<8x4xf32> -> tensor<32xf32>
  %a = arith.addf %r, %y : tensor<32xf32>
  return %a : tensor<32xf32>
}

// -----

// Loops nest in one order: of two reductions along different axes one is stored, and does not run again for each row.
// CHECK-LABEL: func.func @no_reduction_under_an_expand(
func.func @no_reduction_under_an_expand(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: %[[M:.*]] = lazy.group "reduce"(%{{.*}}) : (tensor<8x16xf32>) -> tensor<16xf32>
  // CHECK: lazy.group "{{.*}}reduce{{.*}}"(%{{.*}}, %[[M]])
  // CHECK: lazy.reduce addf{{.*}} axes [1]
  // CHECK-NOT: lazy.group
  // CHECK: return
  %m = lazy.reduce maximumf (%x) axes [0] : (tensor<8x16xf32>) -> tensor<16xf32>
  %me = lazy.view %m <(8, 16):(0, 1)> : tensor<16xf32> -> tensor<8x16xf32>
  %d = arith.subf %x, %me : tensor<8x16xf32>
  %s = lazy.reduce addf (%x) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %se = lazy.view %s <(8, 16):(1, 0)> : tensor<8xf32> -> tensor<8x16xf32>
  %r = arith.divf %d, %se : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

// But a reduction of each row runs once per row, in the loop over the rows: one kernel.
// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: lazy.group "reduce_subf_exp_divf"
  // CHECK: lazy.reduce maximumf
  // CHECK: lazy.reduce addf
  // CHECK-NOT: lazy.group
  // CHECK: return
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %mr = lazy.reshape %m : tensor<8xf32> -> tensor<8x1xf32>
  %me = lazy.expand %mr : tensor<8x1xf32> -> tensor<8x16xf32>
  %d = arith.subf %x, %me : tensor<8x16xf32>
  %e = math.exp %d : tensor<8x16xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %sr = lazy.reshape %s : tensor<8xf32> -> tensor<8x1xf32>
  %se = lazy.expand %sr : tensor<8x1xf32> -> tensor<8x16xf32>
  %r = arith.divf %e, %se : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: lazy.group
  // CHECK: lazy.reduce addf
  // CHECK: lazy.reduce addf
  // CHECK: math.rsqrt
  // CHECK-NOT: lazy.group
  // CHECK: return
  %n = arith.constant dense<0.0625> : tensor<8xf32>
  %s = lazy.reduce addf (%x) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %m = arith.mulf %s, %n : tensor<8xf32>
  %mr = lazy.reshape %m : tensor<8xf32> -> tensor<8x1xf32>
  %me = lazy.expand %mr : tensor<8x1xf32> -> tensor<8x16xf32>
  %d = arith.subf %x, %me : tensor<8x16xf32>
  %q = arith.mulf %d, %d : tensor<8x16xf32>
  %v = lazy.reduce addf (%q) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %vn = arith.mulf %v, %n : tensor<8xf32>
  %rs = math.rsqrt %vn : tensor<8xf32>
  %rr = lazy.reshape %rs : tensor<8xf32> -> tensor<8x1xf32>
  %re = lazy.expand %rr : tensor<8x1xf32> -> tensor<8x16xf32>
  %y = arith.mulf %d, %re : tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// Unless that leaves few rows with much to do: they could not run side by side.
// CHECK-LABEL: func.func @few_rows(
func.func @few_rows(%x: tensor<2x262144xf32>) -> tensor<2x262144xf32> {
  // CHECK: lazy.group "reduce"
  // CHECK: lazy.group "subf"
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<2x262144xf32>) -> tensor<2xf32>
  %mr = lazy.reshape %m : tensor<2xf32> -> tensor<2x1xf32>
  %me = lazy.expand %mr : tensor<2x1xf32> -> tensor<2x262144xf32>
  %d = arith.subf %x, %me : tensor<2x262144xf32>
  return %d : tensor<2x262144xf32>
}

// -----

// Nor inside of another reduction: it is stored, with what ends it.
// CHECK-LABEL: func.func @no_large_reduction_in_a_reduction(
func.func @no_large_reduction_in_a_reduction(%x: tensor<8x16384xf32>) -> tensor<f32> {
  // CHECK: %[[M:.*]] = lazy.group "reduce_exp"
  // CHECK: lazy.group "reduce"(%[[M]])
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<8x16384xf32>) -> tensor<8xf32>
  %e = math.exp %m : tensor<8xf32>
  %s = lazy.reduce addf (%e) axes [0] : (tensor<8xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Except where all that they combine is less work than a launch.
// CHECK-LABEL: func.func @small_reduction_in_a_reduction(
func.func @small_reduction_in_a_reduction(%x: tensor<8x16xf32>) -> tensor<f32> {
  // CHECK: lazy.group "reduce_exp"
  // CHECK-NOT: lazy.group
  // CHECK: return
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %e = math.exp %m : tensor<8xf32>
  %s = lazy.reduce addf (%e) axes [0] : (tensor<8xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// A cheap value that a large kernel repeats is computed again: the kernel waits for memory anyway.
// CHECK-LABEL: func.func @hidden_recomputation(
func.func @hidden_recomputation(%a: tensor<1x16xf32>, %b: tensor<1x16xf32>, %x: tensor<8192x16xf32>)
    -> tensor<8192x16xf32> {
  // CHECK: lazy.group "mulf"
  // CHECK-NOT: lazy.group
  // CHECK: return
  %0 = arith.mulf %a, %b : tensor<1x16xf32>
  %1 = lazy.view %0 <(8192, 16):(0, 1)> : tensor<1x16xf32> -> tensor<8192x16xf32>
  %2 = arith.mulf %1, %x : tensor<8192x16xf32>
  return %2 : tensor<8192x16xf32>
}

// -----

// What takes longer than to store the result is more than the kernel may add, and a kernel that computes nothing may not add any.
// CHECK-LABEL: func.func @no_more_hidden_recomputation(
func.func @no_more_hidden_recomputation(%a: tensor<1x16xf32>, %x: tensor<8192x16xf32>)
    -> (tensor<8192x16xf32>, tensor<8192x16xf32>) {
  // CHECK: %[[S:.*]]:2 = lazy.group "mulf_exp_negf"(%{{.*}}) : (tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>)
  // CHECK: lazy.group {{.*}}%[[S]]#0
  // CHECK: lazy.group {{.*}}(%[[S]]#1)
  // CHECK: return
  %0 = arith.mulf %a, %a : tensor<1x16xf32>
  %1 = arith.mulf %0, %a : tensor<1x16xf32>
  %2 = math.exp %1 : tensor<1x16xf32>
  %3 = lazy.view %2 <(8192, 16):(0, 1)> : tensor<1x16xf32> -> tensor<8192x16xf32>
  %4 = arith.mulf %3, %x : tensor<8192x16xf32>
  %5 = arith.negf %a : tensor<1x16xf32>
  %6 = lazy.view %5 <(8192, 16):(0, 1)> : tensor<1x16xf32> -> tensor<8192x16xf32>
  return %4, %6 : tensor<8192x16xf32>, tensor<8192x16xf32>
}

// -----

// The sum of squares is what softmax starts from: it is stored, and softmax is one kernel all the same.
// CHECK-LABEL: func.func @reduction_before_softmax(
func.func @reduction_before_softmax(%x: tensor<8x16x4xf32>) -> tensor<8x16xf32> {
  // CHECK: %[[S:.*]] = lazy.group "mulf_reduce_negf"
  // CHECK: lazy.group "reduce_subf_exp_divf"(%[[S]])
  // CHECK-NOT: lazy.group
  // CHECK: return
  %q = arith.mulf %x, %x : tensor<8x16x4xf32>
  %t = lazy.reduce addf (%q) axes [2] : (tensor<8x16x4xf32>) -> tensor<8x16xf32>
  %l = arith.negf %t : tensor<8x16xf32>
  %m = lazy.reduce maximumf (%l) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %mr = lazy.reshape %m : tensor<8xf32> -> tensor<8x1xf32>
  %me = lazy.expand %mr : tensor<8x1xf32> -> tensor<8x16xf32>
  %d = arith.subf %l, %me : tensor<8x16xf32>
  %e = math.exp %d : tensor<8x16xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %sr = lazy.reshape %s : tensor<8xf32> -> tensor<8x1xf32>
  %se = lazy.expand %sr : tensor<8x1xf32> -> tensor<8x16xf32>
  %r = arith.divf %e, %se : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

// A cheap value is computed again where it is used; an expensive one of many elements is not.
// CHECK-LABEL: func.func @recompute(
func.func @recompute(%x: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<16xf32>) {
  // CHECK: lazy.group "addf_reduce"
  // CHECK: lazy.group "addf_reduce"
  // CHECK-NOT: lazy.group
  // CHECK: return
  %a = arith.addf %x, %x : tensor<8x16xf32>
  %s = lazy.reduce addf (%a) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %t = lazy.reduce addf (%a) axes [0] : (tensor<8x16xf32>) -> tensor<16xf32>
  return %s, %t : tensor<8xf32>, tensor<16xf32>
}

// CHECK-LABEL: func.func @do_not_recompute(
func.func @do_not_recompute(%x: tensor<1024x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  // CHECK: %[[E:.*]]:2 = lazy.group "{{.*}}exp_reduce"
  // CHECK: lazy.group "reduce"(%[[E]]#0)
  %y_0 = math.sin %x : tensor<1024x1024xf32>
  %y_1 = math.sin %y_0 : tensor<1024x1024xf32>
  %y_2 = math.sin %y_1 : tensor<1024x1024xf32>
  %y_3 = math.sin %y_2 : tensor<1024x1024xf32>
  %y_4 = math.sin %y_3 : tensor<1024x1024xf32>
  %y = math.sin %y_4 : tensor<1024x1024xf32>
  %a = math.exp %y : tensor<1024x1024xf32>
  %s = lazy.reduce addf (%a) axes [1] : (tensor<1024x1024xf32>) -> tensor<1024xf32>
  %t = lazy.reduce addf (%a) axes [0] : (tensor<1024x1024xf32>) -> tensor<1024xf32>
  return %s, %t : tensor<1024xf32>, tensor<1024xf32>
}

// A row is all of an image here, and a line of it there.
// CHECK-LABEL: func.func @do_not_recompute_rows(
func.func @do_not_recompute_rows(%x: tensor<256x32x64xf32>) -> (tensor<256xf32>, tensor<256x32xf32>) {
  // CHECK: %[[E:.*]]:2 = lazy.group "{{.*}}exp_reduce"
  // CHECK: lazy.group "reduce"(%[[E]]#0)
  %y_0 = math.sin %x : tensor<256x32x64xf32>
  %y_1 = math.sin %y_0 : tensor<256x32x64xf32>
  %y_2 = math.sin %y_1 : tensor<256x32x64xf32>
  %y_3 = math.sin %y_2 : tensor<256x32x64xf32>
  %y_4 = math.sin %y_3 : tensor<256x32x64xf32>
  %y = math.sin %y_4 : tensor<256x32x64xf32>
  %a = math.exp %y : tensor<256x32x64xf32>
  %s = lazy.reduce maximumf (%a) axes [1, 2] : (tensor<256x32x64xf32>) -> tensor<256xf32>
  %t = lazy.reduce addf (%a) axes [2] : (tensor<256x32x64xf32>) -> tensor<256x32xf32>
  return %s, %t : tensor<256xf32>, tensor<256x32xf32>
}

// One element of what another kernel stores in its loop: that loop would not compute it once.
// CHECK-LABEL: func.func @element_of_what_is_stored(
func.func @element_of_what_is_stored(%x: tensor<6xf32>, %y: tensor<6xf32>) -> (tensor<6xf32>, tensor<1xi1>) {
  // CHECK: %[[S:.*]] = lazy.group "subf"
  // CHECK: lazy.group "cmpf"(%{{.*}}, %[[S]])
  %s = arith.subf %x, %x : tensor<6xf32>
  %c = arith.cmpf ult, %y, %s : tensor<6xf32>
  %e = lazy.shrink %c begin [0] end [1] : tensor<6xi1> -> tensor<1xi1>
  return %s, %e : tensor<6xf32>, tensor<1xi1>
}

// -----

// Two uses that meet again are one evaluation.
// CHECK-LABEL: func.func @diamond(
func.func @diamond(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // CHECK: lazy.group "exp_negf_addf"
  // CHECK-NOT: lazy.group
  // CHECK: return
  %e = math.exp %x : tensor<1024x1024xf32>
  %r = lazy.reshape %e : tensor<1024x1024xf32> -> tensor<1048576xf32>
  %n = arith.negf %r : tensor<1048576xf32>
  %b = lazy.reshape %n : tensor<1048576xf32> -> tensor<1024x1024xf32>
  %a = arith.addf %e, %b : tensor<1024x1024xf32>
  return %a : tensor<1024x1024xf32>
}

// -----

// CHECK-LABEL: func.func @contiguous_is_a_boundary(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @contiguous_is_a_boundary(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[G:.*]]:2 = lazy.group "addf"(%[[X]])
  // CHECK: lazy.group "mulf"(%[[G]]#0, %[[G]]#1)
  // CHECK-NOT: lazy.contiguous
  %a = arith.addf %x, %x : tensor<4xf32>
  %ac = lazy.contiguous %a : tensor<4xf32>
  %xc = lazy.contiguous %x : tensor<4xf32>
  %m = arith.mulf %ac, %xc : tensor<4xf32>
  return %m, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// Arguments, constants and contiguous parts of buffers need no kernel; other views are copied.
// CHECK-LABEL: func.func @results(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @results(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<f32>, tensor<2x8xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<2xf32>, tensor<8xi32>) {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.0
  // CHECK-DAG: %[[DATA:.*]] = arith.constant dense<[1.0
  // CHECK-DAG: %[[S:.*]] = lazy.view %[[X]] <(2, 8):(8, 1) + 8>
  // CHECK-DAG: %[[T:.*]] = lazy.group "copy"(%[[X]])
  // CHECK-DAG: %[[A:.*]] = lazy.group "addf"(%[[X]])
  // CHECK-DAG: %[[R:.*]] = lazy.view %[[A]] <(32):(1)>
  // CHECK-DAG: %[[I:.*]] = lazy.group "iota"()
  // CHECK: return %[[X]], %[[ONE]], %[[S]], %[[T]], %[[R]], %[[DATA]], %[[I]]
  %one = arith.constant dense<1.0> : tensor<f32>
  %data = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = lazy.shrink %x begin [1, 0] end [3, 8] : tensor<4x8xf32> -> tensor<2x8xf32>
  %t = lazy.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %a = arith.addf %x, %x : tensor<4x8xf32>
  %r = lazy.reshape %a : tensor<4x8xf32> -> tensor<32xf32>
  %i = lazy.iota 0 : tensor<8xi32>
  return %x, %one, %s, %t, %r, %data, %i : tensor<4x8xf32>, tensor<f32>, tensor<2x8xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<2xf32>, tensor<8xi32>
}

// -----

// Part of a computed value: only that part is computed, unless the rest is needed too.
// CHECK-LABEL: func.func @part_of_a_value(
func.func @part_of_a_value(%x: tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<4x8xf32>, tensor<2x8xf32>) {
  // CHECK-DAG: %[[A:.*]] = lazy.group "addf"(%{{.*}}) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  // CHECK-DAG: %[[M:.*]] = lazy.group "mulf"(%{{.*}}) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-DAG: %[[V:.*]] = lazy.view %[[M]] <(2, 8):(8, 1) + 16>
  // CHECK: return %[[A]], %[[M]], %[[V]]
  %a = arith.addf %x, %x : tensor<4x8xf32>
  %s = lazy.shrink %a begin [1, 0] end [3, 8] : tensor<4x8xf32> -> tensor<2x8xf32>
  %m = arith.mulf %x, %x : tensor<4x8xf32>
  %v = lazy.shrink %m begin [2, 0] end [4, 8] : tensor<4x8xf32> -> tensor<2x8xf32>
  return %s, %m, %v : tensor<2x8xf32>, tensor<4x8xf32>, tensor<2x8xf32>
}

// -----

// Reductions side by side: one kernel with two results.
// CHECK-LABEL: func.func @side_by_side(
func.func @side_by_side(%x: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<16xf32>) {
  // CHECK: %[[R:.*]]:2 = lazy.group "reduce_mulf"(%{{.*}}) : (tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  // CHECK: %[[O:.*]] = lazy.group "reduce"
  // CHECK: return %[[R]]#0, %[[R]]#1, %[[O]]
  %s = lazy.reduce addf (%x) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %q = arith.mulf %x, %x : tensor<8x16xf32>
  %t = lazy.reduce addf (%q) axes [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %o = lazy.reduce addf (%x) axes [0] : (tensor<8x16xf32>) -> tensor<16xf32>
  return %s, %t, %o : tensor<8xf32>, tensor<8xf32>, tensor<16xf32>
}

// -----

// A result that another result continues in place: stored, but not read back. A boundary is read back.
// CHECK-LABEL: func.func @continued(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
func.func @continued(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[P:.*]]:2 = lazy.group "addf_mulf"(%[[X]], %[[Y]])
  // CHECK: %[[E:.*]] = lazy.group "exp"(%[[P]]#1)
  // CHECK: %[[R:.*]] = lazy.group "subf"(%[[X]], %[[E]])
  // CHECK: return %[[P]]#0, %[[P]]#1, %[[E]], %[[R]]
  %a = arith.addf %x, %y : tensor<8xf32>
  %m = arith.mulf %a, %x : tensor<8xf32>
  %f = lazy.flip %m [0] : tensor<8xf32> -> tensor<8xf32>
  %e = math.exp %f : tensor<8xf32>
  %c = lazy.contiguous %e : tensor<8xf32>
  %s = arith.subf %x, %c : tensor<8xf32>
  return %a, %m, %e, %s : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Splats, index sources and their views are copied into every kernel; data is an input.
// CHECK-LABEL: func.func @sources(
func.func @sources(%x: tensor<4x8xi32>) -> (tensor<4x8xi32>, tensor<4xi32>) {
  // CHECK: %[[DATA:.*]] = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]>
  // CHECK: lazy.group "addi"(%{{.*}}, %[[DATA]])
  // CHECK: lazy.iota 0
  // CHECK: lazy.group "muli_reduce"(%{{.*}}, %[[DATA]])
  // CHECK: lazy.iota 0
  // CHECK: return
  %data = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>
  %r = lazy.reshape %data : tensor<8xi32> -> tensor<1x8xi32>
  %e = lazy.expand %r : tensor<1x8xi32> -> tensor<4x8xi32>
  %i = lazy.iota 0 : tensor<8x4xi32>
  %p = lazy.permute %i [1, 0] : tensor<8x4xi32> -> tensor<4x8xi32>
  %0 = arith.addi %x, %e : tensor<4x8xi32>
  %1 = arith.addi %0, %p : tensor<4x8xi32>
  %2 = arith.muli %x, %e : tensor<4x8xi32>
  %3 = arith.muli %2, %p : tensor<4x8xi32>
  %4 = lazy.reduce addi (%3) axes [1] : (tensor<4x8xi32>) -> tensor<4xi32>
  return %1, %4 : tensor<4x8xi32>, tensor<4xi32>
}

// -----

// A group that is there stays as it is, but takes in the views that it reads.
// CHECK-LABEL: func.func @groups_stay(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @groups_stay(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[E:.*]] = lazy.group "exp"(%[[X]])
  // CHECK: %[[MINE:.*]] = lazy.group "mine"(%[[E]]) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4x8xf32>):
  // CHECK-NEXT: %[[V:.*]] = lazy.view %[[A]] <(8, 4):(1, 8)>
  // CHECK-NEXT: arith.negf %[[V]]
  // CHECK: lazy.group "addf"(%[[MINE]])
  // CHECK-NOT: lazy.group
  %e = math.exp %x : tensor<4x8xf32>
  %p = lazy.permute %e [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = lazy.group "mine" (%p) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: tensor<8x4xf32>):
    %n = arith.negf %a : tensor<8x4xf32>
    lazy.yield %n : tensor<8x4xf32>
  }
  %1 = arith.addf %0, %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// An operation that the pass does not know reads and gives buffers.
func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func @unknown_operations(
func.func @unknown_operations(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = lazy.group "addf"
  // CHECK: %[[C:.*]] = call @callee(%[[A]])
  // CHECK: lazy.group "mulf"(%[[A]], %[[C]])
  %a = arith.addf %x, %x : tensor<4xf32>
  %c = func.call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %m = arith.mulf %c, %a : tensor<4xf32>
  return %m : tensor<4xf32>
}

// -----

// The names of the tensor operations make the label.
// CHECK-LABEL: func.func @labels(
func.func @labels(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lazy.group "gelu_my_op"
  %0 = arith.addf %x, %x : tensor<4xf32> loc(fused<{tiny.origin = "tiny.gelu"}>["a"])
  %1 = arith.mulf %0, %x : tensor<4xf32> loc(fused<{tiny.origin = "tiny.gelu"}>["b"])
  %2 = arith.subf %1, %x : tensor<4xf32> loc(fused<{tiny.origin = "tiny.my-op"}>["c"])
  return %2 : tensor<4xf32>
}

// -----

// What nobody needs gets no kernel.
// CHECK-LABEL: func.func @dead(
func.func @dead(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return
  %a = arith.addf %x, %x : tensor<4xf32>
  %s = lazy.reduce addf (%a) axes [0] : (tensor<4xf32>) -> tensor<f32>
  return %x : tensor<4xf32>
}
