// An unsigned remainder or quotient by a power of two is a mask or a shift, and costs as little as one.
// RUN: tiny-opt %s --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// CHECK: arith.remui fused: recomputing it hides behind the memory that the kernel moves
func.func @mask(%a: tensor<1x16xi32>, %x: tensor<8192x16xi32>) -> tensor<8192x16xi32> {
  %n = arith.constant dense<16> : tensor<1x16xi32>
  %0 = arith.remui %a, %n : tensor<1x16xi32>
  %1 = lazy.view %0 <(8192, 16):(0, 1)> : tensor<1x16xi32> -> tensor<8192x16xi32>
  %2 = arith.addi %1, %x : tensor<8192x16xi32>
  return %2 : tensor<8192x16xi32>
}

// CHECK: arith.divui fused: recomputing it hides behind the memory that the kernel moves
func.func @shift(%a: tensor<1x16xi32>, %x: tensor<8192x16xi32>) -> tensor<8192x16xi32> {
  %n = arith.constant dense<16> : tensor<1x16xi32>
  %0 = arith.divui %a, %n : tensor<1x16xi32>
  %1 = lazy.view %0 <(8192, 16):(0, 1)> : tensor<1x16xi32> -> tensor<8192x16xi32>
  %2 = arith.addi %1, %x : tensor<8192x16xi32>
  return %2 : tensor<8192x16xi32>
}

// CHECK: arith.remui stored: recomputing it costs more than a buffer
func.func @no_power(%a: tensor<1x16xi32>, %x: tensor<8192x16xi32>) -> tensor<8192x16xi32> {
  %n = arith.constant dense<17> : tensor<1x16xi32>
  %a0 = arith.remui %a, %n : tensor<1x16xi32>
  %a1 = arith.remui %a0, %n : tensor<1x16xi32>
  %a2 = arith.remui %a1, %n : tensor<1x16xi32>
  %a3 = arith.remui %a2, %n : tensor<1x16xi32>
  %a4 = arith.remui %a3, %n : tensor<1x16xi32>
  %0 = arith.remui %a4, %n : tensor<1x16xi32>
  %1 = lazy.view %0 <(8192, 16):(0, 1)> : tensor<1x16xi32> -> tensor<8192x16xi32>
  %2 = arith.addi %1, %x : tensor<8192x16xi32>
  return %2 : tensor<8192x16xi32>
}

// A negative number has another remainder.
// CHECK: arith.remsi stored: recomputing it costs more than a buffer
func.func @signed(%a: tensor<1x16xi32>, %x: tensor<8192x16xi32>) -> tensor<8192x16xi32> {
  %n = arith.constant dense<16> : tensor<1x16xi32>
  %a0 = arith.remsi %a, %n : tensor<1x16xi32>
  %a1 = arith.remsi %a0, %n : tensor<1x16xi32>
  %a2 = arith.remsi %a1, %n : tensor<1x16xi32>
  %a3 = arith.remsi %a2, %n : tensor<1x16xi32>
  %a4 = arith.remsi %a3, %n : tensor<1x16xi32>
  %0 = arith.remsi %a4, %n : tensor<1x16xi32>
  %1 = lazy.view %0 <(8192, 16):(0, 1)> : tensor<1x16xi32> -> tensor<8192x16xi32>
  %2 = arith.addi %1, %x : tensor<8192x16xi32>
  return %2 : tensor<8192x16xi32>
}

// CHECK: arith.remui stored: recomputing it costs more than a buffer
func.func @no_constant(%a: tensor<1x16xi32>, %n: tensor<1x16xi32>, %x: tensor<8192x16xi32>) -> tensor<8192x16xi32> {
  %a0 = arith.remui %a, %n : tensor<1x16xi32>
  %a1 = arith.remui %a0, %n : tensor<1x16xi32>
  %a2 = arith.remui %a1, %n : tensor<1x16xi32>
  %a3 = arith.remui %a2, %n : tensor<1x16xi32>
  %a4 = arith.remui %a3, %n : tensor<1x16xi32>
  %0 = arith.remui %a4, %n : tensor<1x16xi32>
  %1 = lazy.view %0 <(8192, 16):(0, 1)> : tensor<1x16xi32> -> tensor<8192x16xi32>
  %2 = arith.addi %1, %x : tensor<8192x16xi32>
  return %2 : tensor<8192x16xi32>
}
