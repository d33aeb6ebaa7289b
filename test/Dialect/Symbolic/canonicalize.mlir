// RUN: tiny-opt %s -canonicalize="test-convergence" | FileCheck %s
// RUN: tiny-opt %s -int-range-optimizations -canonicalize | FileCheck %s --check-prefix=RANGE

// CHECK-LABEL: func.func @mod_has_the_sign_of_the_divisor
func.func @mod_has_the_sign_of_the_divisor() -> (index, index, index, index) {
  %c7 = arith.constant 7 : index
  %m7 = arith.constant -7 : index
  %c3 = arith.constant 3 : index
  %m3 = arith.constant -3 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[MINUS_TWO:.*]] = arith.constant -2 : index
  // CHECK-DAG: %[[MINUS_ONE:.*]] = arith.constant -1 : index
  %0 = sym.mod %c7, %c3 : index
  %1 = sym.mod %m7, %c3 : index
  %2 = sym.mod %c7, %m3 : index
  %3 = sym.mod %m7, %m3 : index
  // CHECK: return %[[ONE]], %[[TWO]], %[[MINUS_TWO]], %[[MINUS_ONE]]
  return %0, %1, %2, %3 : index, index, index, index
}

// CHECK-LABEL: func.func @mod_by_zero_stays
func.func @mod_by_zero_stays() -> index {
  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  // CHECK: sym.mod
  %0 = sym.mod %c7, %c0 : index
  return %0 : index
}

// CHECK-LABEL: func.func @mod_by_one
func.func @mod_by_one(%x: index) -> index {
  %c1 = arith.constant 1 : index
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-NEXT: return %[[ZERO]]
  %0 = sym.mod %x, %c1 : index
  return %0 : index
}

// CHECK-LABEL: func.func @range_of_one_value
func.func @range_of_one_value(%x: index) -> index {
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : index
  // CHECK-NEXT: return %[[FOUR]]
  %0 = sym.range_of %x [4, 4] : index
  return %0 : index
}

// Upstream's range analysis sees the bounds that these operations state.
// RANGE-LABEL: func.func @ranges
func.func @ranges(%x: index) -> (i1, i1) {
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %0 = sym.mod %x, %c8 : index
  %1 = arith.cmpi slt, %0, %c8 : index
  %2 = sym.range_of %x [0, 31] : index
  %3 = arith.cmpi sle, %2, %c31 : index
  // RANGE: %[[TRUE:.*]] = arith.constant true
  // RANGE-NEXT: return %[[TRUE]], %[[TRUE]]
  return %1, %3 : i1, i1
}
