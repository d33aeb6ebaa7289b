// A concatenation of which one part alone is read still has the others as operands: what they are stays in a buffer,
// also where a kernel that computes it is merged with all that reads it otherwise.
// RUN: tiny-opt %s --lazy-kernelize | FileCheck %s --strict-whitespace

// Everything stands in groups, which are indented more.
// CHECK-LABEL: func.func @a_part_that_is_not_read(
// CHECK: lazy.group
// CHECK-NOT: {{^    %[0-9a-z_]+ = (arith\.(addf|mulf|select)|math)}}
// CHECK: return
func.func @a_part_that_is_not_read(%x: tensor<8x16x3xf32>, %y: tensor<4x2x4xf32>) -> tensor<16x4xf32> {
  %c1 = arith.constant dense<1> : tensor<3x2x4xi64>
  %c3 = arith.constant dense<3> : tensor<4x2x4xi64>
  %one = arith.constant dense<1.000000e+00> : tensor<2x4xf32>
  %0 = lazy.reduce addf(%x) axes [2] : (tensor<8x16x3xf32>) -> tensor<8x16xf32>
  %1 = lazy.view %0 <(2, 16):(16, 1)> : tensor<8x16xf32> -> tensor<2x16xf32>
  %2 = lazy.view %1 <(2, 4):(16, 1)> : tensor<2x16xf32> -> tensor<2x4xf32>
  %3 = math.exp %2 : tensor<2x4xf32>
  %4 = math.exp %one : tensor<2x4xf32>
  %5 = math.tanh %one : tensor<2x4xf32>
  %6 = arith.mulf %3, %5 : tensor<2x4xf32>
  %7 = arith.addf %4, %6 : tensor<2x4xf32>
  %8 = math.exp %one : tensor<2x4xf32>
  %9 = math.exp %one : tensor<2x4xf32>
  %10 = arith.mulf %9, %7 : tensor<2x4xf32>
  %11 = arith.addf %10, %8 : tensor<2x4xf32>
  %12 = math.exp %one : tensor<2x4xf32>
  %13 = math.exp %one : tensor<2x4xf32>
  %14 = math.tanh %one : tensor<2x4xf32>
  %15 = arith.mulf %13, %11 : tensor<2x4xf32>
  %16 = arith.mulf %12, %14 : tensor<2x4xf32>
  %17 = arith.addf %15, %16 : tensor<2x4xf32>
  %18 = math.tanh %one : tensor<2x4xf32>
  %state = arith.addf %17, %18 : tensor<2x4xf32>
  %19 = math.exp %2 : tensor<2x4xf32>
  %20 = math.tanh %state : tensor<2x4xf32>
  %21 = arith.mulf %19, %20 : tensor<2x4xf32>
  %22 = arith.constant dense<0> : tensor<4x2x4xi64>
  %23 = lazy.view %21 <(4, 2, 4):(0, 4, 1) mask [3:4, 0:2, 0:4]> : tensor<2x4xf32> -> tensor<4x2x4xf32>
  %24 = arith.cmpi slt, %22, %c3 : tensor<4x2x4xi64>
  %25 = arith.select %24, %y, %23 : tensor<4x2x4xi1>, tensor<4x2x4xf32>
  %26 = lazy.view %25 <(8, 16, 4):(4, 0, 1)> : tensor<4x2x4xf32> -> tensor<8x16x4xf32>
  %27 = lazy.reduce addf(%26) axes [2] : (tensor<8x16x4xf32>) -> tensor<8x16xf32>
  %28 = lazy.view %27 <(2, 16):(16, 1) + 64> : tensor<8x16xf32> -> tensor<2x16xf32>
  %29 = lazy.view %28 <(2, 4):(16, 1)> : tensor<2x16xf32> -> tensor<2x4xf32>
  %30 = math.exp %29 : tensor<2x4xf32>
  %31 = lazy.view %28 <(2, 4):(16, 1) + 8> : tensor<2x16xf32> -> tensor<2x4xf32>
  %32 = math.exp %31 : tensor<2x4xf32>
  %33 = arith.addf %32, %30 : tensor<2x4xf32>
  %34 = lazy.view %27 <(2, 16):(16, 1) + 96> : tensor<8x16xf32> -> tensor<2x16xf32>
  %35 = lazy.view %34 <(2, 4):(16, 1)> : tensor<2x16xf32> -> tensor<2x4xf32>
  %36 = math.exp %35 : tensor<2x4xf32>
  %37 = lazy.view %34 <(2, 4):(16, 1) + 8> : tensor<2x16xf32> -> tensor<2x4xf32>
  %38 = math.exp %37 : tensor<2x4xf32>
  %39 = arith.mulf %38, %33 : tensor<2x4xf32>
  %40 = arith.addf %39, %36 : tensor<2x4xf32>
  %41 = lazy.view %34 <(2, 4):(16, 1) + 4> : tensor<2x16xf32> -> tensor<2x4xf32>
  %42 = math.exp %41 : tensor<2x4xf32>
  %43 = math.tanh %40 : tensor<2x4xf32>
  %44 = arith.mulf %42, %43 : tensor<2x4xf32>
  %45 = lazy.view %21 <(3, 2, 4):(0, 4, 1) mask [0:1, 0:2, 0:4]> : tensor<2x4xf32> -> tensor<3x2x4xf32>
  %46 = lazy.view %44 <(3, 2, 4):(0, 4, 1) mask [1:2, 0:2, 0:4]> : tensor<2x4xf32> -> tensor<3x2x4xf32>
  %47 = lazy.iota 0 : tensor<3x2x4xi64>
  %48 = arith.cmpi slt, %47, %c1 : tensor<3x2x4xi64>
  %49 = arith.select %48, %45, %46 : tensor<3x2x4xi1>, tensor<3x2x4xf32>
  %50 = lazy.view %state <(3, 2, 4):(0, 4, 1) mask [0:1, 0:2, 0:4]> : tensor<2x4xf32> -> tensor<3x2x4xf32>
  %states = arith.select %48, %50, %46 : tensor<3x2x4xi1>, tensor<3x2x4xf32>
  %51 = lazy.view %states <(2, 4):(4, 1) + 8> : tensor<3x2x4xf32> -> tensor<2x4xf32>
  %52 = lazy.view %49 <(2, 4):(4, 1) + 8> : tensor<3x2x4xf32> -> tensor<2x4xf32>
  %53 = arith.addf %51, %52 : tensor<2x4xf32>
  %54 = lazy.view %53 <(2, 16):(4, 1) mask [0:2, 0:4]> : tensor<2x4xf32> -> tensor<2x16xf32>
  %55 = lazy.view %54 <(8, 16):(16, 1) + -96 mask [6:8, 0:16]> : tensor<2x16xf32> -> tensor<8x16xf32>
  %56 = arith.addf %55, %0 : tensor<8x16xf32>
  %57 = lazy.view %56 <(4, 16, 8):(0, 1, 16)> : tensor<8x16xf32> -> tensor<4x16x8xf32>
  %58 = lazy.reduce addf(%57) axes [2] : (tensor<4x16x8xf32>) -> tensor<4x16xf32>
  %59 = lazy.view %58 <(16, 4):(1, 16) + -8 mask [12:16, 0:4]> : tensor<4x16xf32> -> tensor<16x4xf32>
  return %59 : tensor<16x4xf32>
}
