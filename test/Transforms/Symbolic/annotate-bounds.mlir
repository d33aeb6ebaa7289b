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
