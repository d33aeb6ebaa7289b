// RUN: tiny-opt %s -sym-simplify | FileCheck %s

// c / (d x) -> (c / d) / x, then d (c / x) -> (d c) / x: every step is exact for numbers in [1, 10].
// CHECK-LABEL: func.func @reciprocal_of_double
// CHECK-SAME: (%[[A:.*]]: f32)
func.func @reciprocal_of_double(%a: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  // CHECK: %[[X:.*]] = sym.range_of %[[A]]
  %x = sym.range_of %a [1.0, 10.0] : f32
  // CHECK: %[[ONE:.*]] = arith.constant 1.0
  // CHECK: %[[R:.*]] = arith.divf %[[ONE]], %[[X]]
  // CHECK-NEXT: return %[[R]]
  %0 = arith.mulf %two, %x : f32
  %1 = arith.divf %one, %0 : f32
  %2 = arith.mulf %two, %1 : f32
  return %2 : f32
}

// Twice the largest number is infinite: nothing is known of an argument.
// CHECK-LABEL: func.func @unbounded
func.func @unbounded(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  // CHECK: arith.mulf
  // CHECK: arith.divf
  // CHECK: arith.mulf
  %0 = arith.mulf %two, %x : f32
  %1 = arith.divf %one, %0 : f32
  %2 = arith.mulf %two, %1 : f32
  return %2 : f32
}

// The quotient is subnormal at the upper bound, and has lost bits that doubling does not bring back.
// CHECK-LABEL: func.func @subnormal_quotient
func.func @subnormal_quotient(%a: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  %x = sym.range_of %a [1.0, 3.0e38] : f32
  // CHECK: arith.divf
  // CHECK: arith.mulf
  %0 = arith.divf %one, %x : f32
  %1 = arith.mulf %two, %0 : f32
  return %1 : f32
}

// Three is no power of two.
// CHECK-LABEL: func.func @rounding_factor
func.func @rounding_factor(%a: f32) -> f32 {
  %three = arith.constant 3.0 : f32
  %one = arith.constant 1.0 : f32
  %x = sym.range_of %a [1.0, 10.0] : f32
  // CHECK: arith.mulf
  // CHECK: arith.divf
  %0 = arith.mulf %three, %x : f32
  %1 = arith.divf %one, %0 : f32
  return %1 : f32
}

// Ranges decide comparisons of floats, through casts.
// CHECK-LABEL: func.func @decided
func.func @decided(%i: index, %c: i1) -> (i1, i1) {
  %x = sym.range_of %i [0, 31] : index
  %wide = arith.index_cast %x : index to i64
  %f = arith.sitofp %wide : i64 to f32
  %limit = arith.constant 31.5 : f32
  %half = arith.constant 30.5 : f32
  // CHECK: %[[OPEN:.*]] = arith.cmpf olt
  // CHECK: %[[BOTH:.*]] = arith.andi %[[OPEN]], %{{.*}}
  // CHECK: return %[[BOTH]], %true
  %0 = arith.cmpf olt, %f, %limit : f32
  %1 = arith.cmpf olt, %f, %half : f32
  %2 = arith.andi %1, %c : i1
  %3 = arith.andi %2, %0 : i1
  return %3, %0 : i1, i1
}

// A comparison of integers that are no index is decided by their ranges.
// CHECK-LABEL: func.func @decided_integers
func.func @decided_integers(%u: i8, %k: i32) -> (i1, i1) {
  %wide = arith.extui %u : i8 to i32
  %c256 = arith.constant 256 : i32
  // CHECK: %[[OPEN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
  // CHECK: return %true, %[[OPEN]]
  %0 = arith.cmpi slt, %wide, %c256 : i32
  %1 = arith.cmpi slt, %k, %c256 : i32
  return %0, %1 : i1, i1
}
