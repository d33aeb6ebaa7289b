// RUN: tiny-opt %s -sym-annotate-bounds | FileCheck %s

// CHECK-LABEL: func.func @bounds
func.func @bounds(%x: index, %y: index) -> (index, i1) {
  %c4 = arith.constant 4 : index
  %0 = sym.range_of %x [-3, 31] : index
  // CHECK: arith.floordivsi {{.*}} {sym.bounds = array<i64: -1, 7>}
  %1 = arith.floordivsi %0, %c4 : index
  // CHECK: sym.mod {{.*}} {sym.bounds = array<i64: 0, 3>}
  %2 = sym.mod %y, %c4 : index
  // CHECK: arith.addi {{.*}} {sym.bounds = array<i64: -1, 10>}
  %3 = arith.addi %1, %2 : index
  // CHECK: arith.cmpi {{.*}} {sym.bounds = array<i64: 0, 1>}
  %4 = arith.cmpi slt, %3, %c4 : index
  return %3, %4 : index, i1
}

// Bounds pass from integers to floats and back; 16777219 is no f32, so it rounds to its neighbour.
// CHECK-LABEL: func.func @casts
func.func @casts(%x: f32, %i: index, %u: i8) -> (index, f32, i32, f16) {
  // CHECK: sym.range_of {{.*}} {sym.bounds = array<f64: -4.500000e+00, 4.500000e+00>}
  %y = sym.range_of %x [-4.5, 4.5] : f32
  // CHECK: arith.fptosi {{.*}} {sym.bounds = array<i64: -4, 4>}
  %0 = arith.fptosi %y : f32 to i32
  // CHECK: arith.index_cast {{.*}} {sym.bounds = array<i64: -4, 4>} : i32 to index
  %1 = arith.index_cast %0 : i32 to index
  %j = sym.range_of %i [0, 16777219] : index
  %2 = arith.index_cast %j : index to i64
  // CHECK: arith.sitofp {{.*}} {sym.bounds = array<f64: 0.000000e+00, 0x4170000040000000>}
  %3 = arith.sitofp %2 : i64 to f32
  // CHECK: arith.extui {{.*}} {sym.bounds = array<i64: 0, 255>}
  %4 = arith.extui %u : i8 to i32
  // CHECK: arith.uitofp {{.*}} {sym.bounds = array<f64: 0.000000e+00, 2.550000e+02>}
  %5 = arith.uitofp %4 : i32 to f16
  return %1, %3, %0, %5 : index, f32, i32, f16
}

// A clamp bounds any number, but NaN passes through it; a stated range leaves NaN out.
// CHECK-LABEL: func.func @clamps
func.func @clamps(%x: f32, %y: f32) -> (f32, f32, f32) {
  %c0 = arith.constant 0.0 : f32
  %c6 = arith.constant 6.0 : f32
  // CHECK: arith.maximumf %{{[^ ]*}}, %{{[^ ]*}} : f32
  %0 = arith.maximumf %x, %c0 : f32
  %1 = sym.range_of %y [-100.0, 100.0] : f32
  // CHECK: arith.maximumf {{.*}} {sym.bounds = array<f64: 0.000000e+00, 1.000000e+02>}
  %2 = arith.maximumf %1, %c0 : f32
  // CHECK: arith.minimumf {{.*}} {sym.bounds = array<f64: 0.000000e+00, 6.000000e+00>}
  %3 = arith.minimumf %2, %c6 : f32
  // Contracted with a later addition it would not be rounded.
  // CHECK: arith.mulf %{{[^ ]*}}, %{{[^ ]*}} fastmath<contract> : f32
  %4 = arith.mulf %3, %3 fastmath<contract> : f32
  return %0, %3, %4 : f32, f32, f32
}

// The low bits of an index, down in two steps and up in two.
// CHECK-LABEL: func.func @low_bits
func.func @low_bits(%x: index, %y: index) -> (index, index) {
  %0 = sym.range_of %x [-1, 10] : index
  %1 = arith.index_cast %0 : index to i64
  %2 = arith.trunci %1 : i64 to i8
  %3 = arith.extui %2 : i8 to i64
  // CHECK: arith.index_cast %{{.*}} {sym.bounds = array<i64: 0, 255>} : i64 to index
  %4 = arith.index_cast %3 : i64 to index
  %5 = sym.range_of %y [0, 100] : index
  %6 = arith.index_cast %5 : index to i64
  %7 = arith.trunci %6 : i64 to i8
  // CHECK: arith.index_cast %{{.*}} {sym.bounds = array<i64: 0, 100>} : i8 to index
  %8 = arith.index_cast %7 : i8 to index
  return %4, %8 : index, index
}
