// RUN: tiny-opt %s -sym-simplify | FileCheck %s

// Conditions with more operands than a small vector holds in place once broke the order of writing.
// CHECK-LABEL: func.func @many_conditions
// CHECK: arith.ori
// CHECK: return
func.func @many_conditions(%a: i1, %b: i1, %c: i1, %d: i1, %e: i1, %g: i1, %h: i1) -> i1 {
  %true = arith.constant true
  %12 = arith.cmpi ne, %a, %true : i1
  %14 = arith.cmpi ne, %b, %true : i1
  %15 = arith.ori %12, %14 : i1
  %17 = arith.ori %15, %c : i1
  %18 = arith.cmpi ne, %17, %true : i1
  %20 = arith.cmpi ne, %d, %true : i1
  %22 = arith.cmpi ne, %e, %true : i1
  %23 = arith.ori %20, %22 : i1
  %25 = arith.ori %23, %g : i1
  %26 = arith.cmpi ne, %25, %true : i1
  %27 = arith.andi %18, %26 : i1
  %41 = arith.cmpi ne, %h, %true : i1
  %42 = arith.andi %27, %41 : i1
  %43 = arith.ori %15, %23 : i1
  %46 = arith.andi %43, %c : i1
  %47 = arith.ori %42, %46 : i1
  return %47 : i1
}
