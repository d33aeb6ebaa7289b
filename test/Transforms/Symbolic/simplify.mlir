// RUN: tiny-opt %s -allow-unregistered-dialect -sym-simplify | FileCheck %s
// A second run changes nothing.
// RUN: tiny-opt %s -allow-unregistered-dialect -sym-simplify > %t
// RUN: tiny-opt %t -allow-unregistered-dialect -sym-simplify | diff %t -

// CHECK-LABEL: func.func @quotient_and_remainder_recombine
// CHECK-SAME: (%[[X:.*]]: index)
func.func @quotient_and_remainder_recombine(%x: index) -> index {
  %c4 = arith.constant 4 : index
  %0 = arith.floordivsi %x, %c4 : index
  %1 = arith.muli %0, %c4 : index
  %2 = sym.mod %x, %c4 : index
  %3 = arith.addi %1, %2 : index
  // CHECK-NEXT: return %[[X]]
  return %3 : index
}

// CHECK-LABEL: func.func @remainder_is_bounded
func.func @remainder_is_bounded(%x: index) -> i1 {
  %c4 = arith.constant 4 : index
  %0 = sym.mod %x, %c4 : index
  %1 = arith.cmpi slt, %0, %c4 : index
  // CHECK: %[[TRUE:.*]] = arith.constant true
  // CHECK-NEXT: return %[[TRUE]]
  return %1 : i1
}

// CHECK-LABEL: func.func @bounds_decide_division
func.func @bounds_decide_division(%x: index, %y: index) -> (index, index) {
  %c4 = arith.constant 4 : index
  // CHECK: %[[X:.*]] = sym.range_of %{{.*}}[0, 7]
  %0 = sym.range_of %x [0, 7] : index
  // CHECK: %[[Y:.*]] = sym.range_of %{{.*}}[0, 3]
  %1 = sym.range_of %y [0, 3] : index
  %2 = arith.muli %0, %c4 : index
  %3 = arith.addi %2, %1 : index
  %4 = arith.floordivsi %3, %c4 : index
  %5 = sym.mod %3, %c4 : index
  // CHECK: return %[[X]], %[[Y]]
  return %4, %5 : index, index
}

// CHECK-LABEL: func.func @without_bounds_nothing_changes
func.func @without_bounds_nothing_changes(%x: index, %y: index) -> index {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  // CHECK: arith.muli
  %0 = arith.muli %x, %c3 : index
  // CHECK: arith.addi
  %1 = arith.addi %0, %y : index
  // CHECK: arith.floordivsi
  %2 = arith.floordivsi %1, %c4 : index
  return %2 : index
}

// CHECK-LABEL: func.func @truncating_division_is_floor_where_nothing_is_negative
func.func @truncating_division_is_floor_where_nothing_is_negative(%x: index, %y: index) -> (index, index) {
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %0 = sym.range_of %x [0, 100] : index
  %1 = arith.divsi %0, %c4 : index
  %2 = arith.divsi %1, %c2 : index
  // CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
  // CHECK: arith.floordivsi %{{.*}}, %[[EIGHT]]
  // CHECK: arith.divsi
  %3 = arith.divsi %y, %c4 : index
  return %2, %3 : index, index
}

// CHECK-LABEL: func.func @conjunction_members_simplify_under_each_other
func.func @conjunction_members_simplify_under_each_other(%x: index) -> i1 {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  // CHECK: %[[X:.*]] = sym.range_of
  %0 = sym.range_of %x [0, 1] : index
  %1 = arith.cmpi slt, %0, %c1 : index
  %2 = arith.muli %0, %c5 : index
  %3 = arith.addi %2, %c1 : index
  %4 = sym.mod %3, %c6 : index
  %5 = arith.cmpi slt, %4, %c5 : index
  %6 = arith.andi %1, %5 : i1
  // CHECK: %[[ONLY:.*]] = arith.cmpi slt, %[[X]], %{{.*}}
  // CHECK-NEXT: return %[[ONLY]]
  return %6 : i1
}

// CHECK-LABEL: func.func @contradiction_is_false
func.func @contradiction_is_false(%x: index) -> i1 {
  %c3 = arith.constant 3 : index
  %0 = arith.cmpi slt, %x, %c3 : index
  %1 = arith.cmpi sge, %x, %c3 : index
  %2 = arith.andi %0, %1 : i1
  // CHECK: %[[FALSE:.*]] = arith.constant false
  // CHECK-NEXT: return %[[FALSE]]
  return %2 : i1
}

// CHECK-LABEL: func.func @index_simplifies_under_its_gate
// CHECK-SAME: (%[[X:.*]]: index, %[[M:.*]]: memref<8xf32>)
func.func @index_simplifies_under_its_gate(%x: index, %m: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %0 = sym.mod %x, %c8 : index
  %1 = arith.cmpi sge, %x, %c0 : index
  %2 = arith.cmpi slt, %x, %c8 : index
  %3 = arith.andi %1, %2 : i1
  // CHECK: "test.access"(%[[M]], %[[X]], %{{.*}})
  "test.access"(%m, %0, %3) : (memref<8xf32>, index, i1) -> ()
  return
}

// CHECK-LABEL: func.func @a_divisor_from_the_condition_may_be_zero_elsewhere
func.func @a_divisor_from_the_condition_may_be_zero_elsewhere(%x: index, %c: i1) -> index {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %0 = arith.cmpi eq, %x, %c0 : index
  // CHECK: arith.floordivsi %{{.*}}, %{{arg0|x|.*}} : index
  %1 = arith.floordivsi %c2, %x : index
  %2 = arith.select %0, %1, %c9 : index
  return %2 : index
}

// CHECK-LABEL: func.func @select_of_bounds
func.func @select_of_bounds(%x: index, %y: index) -> index {
  %0 = arith.cmpi slt, %x, %y : index
  // CHECK: %[[MIN:.*]] = arith.minsi
  // CHECK-NEXT: return %[[MIN]]
  %1 = arith.select %0, %x, %y : index
  %2 = arith.minsi %1, %x : index
  %3 = arith.minsi %2, %y : index
  return %3 : index
}

// CHECK-LABEL: func.func @minimum_of_known_order
func.func @minimum_of_known_order(%x: index) -> index {
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %0 = arith.addi %x, %c3 : index
  %1 = arith.addi %x, %c5 : index
  // CHECK: %[[LEAST:.*]] = arith.addi %{{.*}}, %{{.*}}
  // CHECK-NEXT: return %[[LEAST]]
  %2 = arith.minsi %0, %1 : index
  return %2 : index
}

// CHECK-LABEL: func.func @mask_of_a_window_is_one_comparison
func.func @mask_of_a_window_is_one_comparison(%x: index) -> i1 {
  %c11 = arith.constant 11 : index
  %c14 = arith.constant 14 : index
  // CHECK: %[[X:.*]] = sym.range_of
  %0 = sym.range_of %x [0, 12] : index
  %1 = arith.addi %0, %c11 : index
  %2 = sym.mod %1, %c14 : index
  %3 = arith.cmpi slt, %2, %c11 : index
  // CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
  // CHECK: %[[IN:.*]] = arith.cmpi sge, %[[X]], %[[THREE]]
  // CHECK-NEXT: return %[[IN]]
  return %3 : i1
}

// A kernel's body has no order: what is used may stand below.
// CHECK-LABEL: kernel.func @graph_region
kernel.func @graph_region(%in: memref<32xf32>, %out: memref<32xf32>) {
  kernel.store %v, %out[%sum] : memref<32xf32>
  %v = kernel.load %in[%sum] : memref<32xf32>
  %sum = arith.addi %high, %low : index
  %high = arith.muli %q, %c4 : index
  %low = sym.mod %i, %c4 : index
  %q = arith.floordivsi %i, %c4 : index
  %c4 = arith.constant 4 : index
  // CHECK-NOT: arith
  // CHECK: %[[I:.*]] = kernel.range
  %i = kernel.range loop id(0) extent(32)
}

// What a loop's body computes from outside stays outside.
// CHECK-LABEL: func.func @nothing_moves_into_a_loop
func.func @nothing_moves_into_a_loop(%x: index, %m: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[Q:.*]] = arith.floordivsi
  %q = arith.floordivsi %x, %c8 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK-NEXT: memref.load %{{.*}}[%[[Q]]]
    %0 = arith.addi %q, %c0 : index
    %1 = memref.load %m[%0] : memref<64xf32>
    "test.use"(%1) : (f32) -> ()
  }
  return
}
