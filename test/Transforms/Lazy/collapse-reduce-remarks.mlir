// RUN: tiny-opt %s --lazy-collapse-reduce --remarks-filter=lazy-collapse-reduce --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// What lazy-collapse-reduce recognised, and of sums that are like it why not; of other sums it says nothing.

// CHECK-DAG: remark: [Passed] collapsed {{.*}}Function=masked | Remark="a sum of numbers that indices choose becomes arithmetic on indices"
func.func @masked() -> tensor<3xi32> {
  %ones = arith.constant dense<1> : tensor<3xi32>
  %0 = lazy.view %ones <(4, 5):(0, 1) + -2 mask [0:4, 2:5], (3, 3):(6, 1)> : tensor<3xi32> -> tensor<3x3xi32>
  %1 = lazy.reduce addi (%0) axes [1] : (tensor<3x3xi32>) -> tensor<3xi32>
  return %1 : tensor<3xi32>
}

// CHECK-DAG: remark: [Passed] collapsed {{.*}}Function=triangle | Remark="a sum of numbers that indices choose becomes arithmetic on indices"
func.func @triangle() -> tensor<4xi32> {
  %i = lazy.iota 0 : tensor<4x4xi32>
  %j = lazy.iota 1 : tensor<4x4xi32>
  %m = arith.cmpi slt, %j, %i : tensor<4x4xi32>
  %n = arith.extui %m : tensor<4x4xi1> to tensor<4x4xi32>
  %s = lazy.reduce addi (%n) axes [1] : (tensor<4x4xi32>) -> tensor<4xi32>
  return %s : tensor<4xi32>
}

// CHECK-DAG: remark: [Passed] collapsed {{.*}}Function=element | Remark="a selection of one element by its index becomes a view"
func.func @element(%x: tensor<3xi32>) -> tensor<i32> {
  %i = lazy.iota 0 : tensor<3xi32>
  %two = arith.constant dense<2> : tensor<3xi32>
  %zero = arith.constant dense<0> : tensor<3xi32>
  %m = arith.cmpi eq, %i, %two : tensor<3xi32>
  %c = arith.select %m, %x, %zero : tensor<3xi1>, tensor<3xi32>
  %s = lazy.reduce addi (%c) axes [0] : (tensor<3xi32>) -> tensor<i32>
  return %s : tensor<i32>
}

// CHECK-DAG: remark: [Passed] collapsed {{.*}}Function=nothing | Remark="a selection of nothing becomes zero"
func.func @nothing(%x: tensor<3xi32>) -> tensor<i32> {
  %i = lazy.iota 0 : tensor<3xi32>
  %five = arith.constant dense<5> : tensor<3xi32>
  %zero = arith.constant dense<0> : tensor<3xi32>
  %m = arith.cmpi eq, %i, %five : tensor<3xi32>
  %c = arith.select %m, %x, %zero : tensor<3xi1>, tensor<3xi32>
  %s = lazy.reduce addi (%c) axes [0] : (tensor<3xi32>) -> tensor<i32>
  return %s : tensor<i32>
}

// CHECK-DAG: remark: [Passed] collapsed {{.*}}Function=lookup | Remark="a selection of one element by data becomes a gather"
func.func @lookup(%table: tensor<5xf32>, %tokens: tensor<4xi64>) -> tensor<4xf32> {
  %i = lazy.iota 1 : tensor<4x5xi64>
  %t = lazy.view %tokens <(4, 5):(1, 0)> : tensor<4xi64> -> tensor<4x5xi64>
  %rows = lazy.view %table <(4, 5):(0, 1)> : tensor<5xf32> -> tensor<4x5xf32>
  %zero = arith.constant dense<0.0> : tensor<4x5xf32>
  %m = arith.cmpi eq, %i, %t : tensor<4x5xi64>
  %c = arith.select %m, %rows, %zero : tensor<4x5xi1>, tensor<4x5xf32>
  %s = lazy.reduce addf (%c) axes [1] : (tensor<4x5xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// CHECK-DAG: remark: [Missed] kept {{.*}}Function=ordered | Remark="the sum stays: a product would round otherwise than the sum (reassoc)"
func.func @ordered() -> tensor<3xf32> {
  %ones = arith.constant dense<1.5> : tensor<3xf32>
  %0 = lazy.view %ones <(4, 5):(0, 1) + -2 mask [0:4, 2:5], (3, 3):(6, 1)> : tensor<3xf32> -> tensor<3x3xf32>
  %1 = lazy.reduce addf (%0) axes [1] fastmath<none> : (tensor<3x3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// More than one element is selected.
// CHECK-DAG: remark: [Missed] kept {{.*}}Function=range | Remark="the sum stays: the condition pins no summed axis to one element of a view"
func.func @range(%x: tensor<3xi32>) -> tensor<i32> {
  %i = lazy.iota 0 : tensor<3xi32>
  %two = arith.constant dense<2> : tensor<3xi32>
  %zero = arith.constant dense<0> : tensor<3xi32>
  %m = arith.cmpi slt, %i, %two : tensor<3xi32>
  %c = arith.select %m, %x, %zero : tensor<3xi1>, tensor<3xi32>
  %s = lazy.reduce addi (%c) axes [0] : (tensor<3xi32>) -> tensor<i32>
  return %s : tensor<i32>
}

// The table would be computed as a whole.
// CHECK-DAG: remark: [Missed] kept {{.*}}Function=computed | Remark="the sum stays: what is selected would be computed as a whole"
func.func @computed(%table: tensor<4x5xf32>, %tokens: tensor<4xi64>) -> tensor<4xf32> {
  %i = lazy.iota 1 : tensor<4x5xi64>
  %t = lazy.view %tokens <(4, 5):(1, 0)> : tensor<4xi64> -> tensor<4x5xi64>
  %rows = math.exp %table : tensor<4x5xf32>
  %zero = arith.constant dense<0.0> : tensor<4x5xf32>
  %m = arith.cmpi eq, %i, %t : tensor<4x5xi64>
  %c = arith.select %m, %rows, %zero : tensor<4x5xi1>, tensor<4x5xf32>
  %s = lazy.reduce addf (%c) axes [1] : (tensor<4x5xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// Data is compared with data.
// CHECK-DAG: remark: [Missed] kept {{.*}}Function=data | Remark="the sum stays: the condition compares no data with the index along a summed axis"
func.func @data(%x: tensor<4xf32>, %a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %m = arith.cmpi eq, %a, %b : tensor<4xi64>
  %c = arith.select %m, %x, %zero : tensor<4xi1>, tensor<4xf32>
  %s = lazy.reduce addf (%c) axes [0] : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

func.func @plain(%x: tensor<4xf32>) -> tensor<f32> {
  %s = lazy.reduce addf (%x) axes [0] : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// Every second element counts.
// CHECK-DAG: remark: [Missed] kept {{.*}}Function=holes | Remark="the sum stays: the mask is no interval of each summed axis"
func.func @holes() -> tensor<i32> {
  %ones = arith.constant dense<1> : tensor<3xi32>
  %0 = lazy.view %ones <(3, 2):(1, 0) mask [0:3, 0:1], (6):(1)> : tensor<3xi32> -> tensor<6xi32>
  %1 = lazy.reduce addi (%0) axes [0] : (tensor<6xi32>) -> tensor<i32>
  return %1 : tensor<i32>
}

// Seven conditions bound the sum.
// CHECK-DAG: remark: [Missed] kept {{.*}}Function=costly | Remark="the sum stays: its arithmetic on indices would cost too much", cost=69, limit=64
func.func @costly() -> tensor<64xi32> {
  %i = lazy.iota 0 : tensor<64x64xi32>
  %j = lazy.iota 1 : tensor<64x64xi32>
  %a0 = arith.constant dense<3> : tensor<64x64xi32>
  %b0 = arith.constant dense<40> : tensor<64x64xi32>
  %a1 = arith.constant dense<5> : tensor<64x64xi32>
  %b1 = arith.constant dense<70> : tensor<64x64xi32>
  %a2 = arith.constant dense<7> : tensor<64x64xi32>
  %b2 = arith.constant dense<100> : tensor<64x64xi32>
  %a3 = arith.constant dense<9> : tensor<64x64xi32>
  %b3 = arith.constant dense<130> : tensor<64x64xi32>
  %a4 = arith.constant dense<11> : tensor<64x64xi32>
  %b4 = arith.constant dense<160> : tensor<64x64xi32>
  %a5 = arith.constant dense<13> : tensor<64x64xi32>
  %b5 = arith.constant dense<190> : tensor<64x64xi32>
  %a6 = arith.constant dense<15> : tensor<64x64xi32>
  %b6 = arith.constant dense<220> : tensor<64x64xi32>
  %d0 = arith.muli %j, %a0 : tensor<64x64xi32>
  %f0 = arith.subi %b0, %i : tensor<64x64xi32>
  %m0 = arith.cmpi slt, %d0, %f0 : tensor<64x64xi32>
  %d1 = arith.muli %j, %a1 : tensor<64x64xi32>
  %f1 = arith.muli %i, %a5 : tensor<64x64xi32>
  %m1 = arith.cmpi slt, %d1, %f1 : tensor<64x64xi32>
  %s1 = arith.andi %m0, %m1 : tensor<64x64xi1>
  %d2 = arith.muli %j, %a2 : tensor<64x64xi32>
  %f2 = arith.subi %b2, %i : tensor<64x64xi32>
  %m2 = arith.cmpi slt, %d2, %f2 : tensor<64x64xi32>
  %s2 = arith.andi %s1, %m2 : tensor<64x64xi1>
  %d3 = arith.muli %j, %a3 : tensor<64x64xi32>
  %f3 = arith.muli %i, %a3 : tensor<64x64xi32>
  %m3 = arith.cmpi slt, %d3, %f3 : tensor<64x64xi32>
  %s3 = arith.andi %s2, %m3 : tensor<64x64xi1>
  %d4 = arith.muli %j, %a4 : tensor<64x64xi32>
  %f4 = arith.subi %b4, %i : tensor<64x64xi32>
  %m4 = arith.cmpi slt, %d4, %f4 : tensor<64x64xi32>
  %s4 = arith.andi %s3, %m4 : tensor<64x64xi1>
  %d5 = arith.muli %j, %a5 : tensor<64x64xi32>
  %f5 = arith.muli %i, %a1 : tensor<64x64xi32>
  %m5 = arith.cmpi slt, %d5, %f5 : tensor<64x64xi32>
  %s5 = arith.andi %s4, %m5 : tensor<64x64xi1>
  %d6 = arith.muli %j, %a6 : tensor<64x64xi32>
  %f6 = arith.subi %b6, %i : tensor<64x64xi32>
  %m6 = arith.cmpi slt, %d6, %f6 : tensor<64x64xi32>
  %s6 = arith.andi %s5, %m6 : tensor<64x64xi1>
  %e = arith.extui %s6 : tensor<64x64xi1> to tensor<64x64xi32>
  %r = lazy.reduce addi (%e) axes [1] : (tensor<64x64xi32>) -> tensor<64xi32>
  return %r : tensor<64xi32>
}

// CHECK-DAG: remark: [Passed] collapsed {{.*}}Function=short_count | Remark="a sum of numbers that indices choose becomes arithmetic on indices", elements=160000
// CHECK-DAG: remark: [Missed] kept {{.*}}Function=short_count | Remark="the sum stays: it would be rounded before it is multiplied"
func.func @short_count() -> (tensor<2xf16>, tensor<2xf16>) {
  %c = arith.constant dense<5.9604644775390625E-8> : tensor<2xf16>
  %0 = lazy.view %c <(2, 80000):(1, 0) mask [0:2, 0:70000]> : tensor<2xf16> -> tensor<2x80000xf16>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<2x80000xf16>) -> tensor<2xf16>
  %2 = lazy.view %c <(2, 80000):(1, 0) mask [0:1, 0:2048]> : tensor<2xf16> -> tensor<2x80000xf16>
  %3 = lazy.reduce addf (%2) axes [1] : (tensor<2x80000xf16>) -> tensor<2xf16>
  return %1, %3 : tensor<2xf16>, tensor<2xf16>
}

// CHECK-DAG: remark: [Missed] kept {{.*}}Function=short_condition | Remark="the sum stays: it would be rounded before it is multiplied"
// CHECK-DAG: remark: [Missed] kept {{.*}}Function=short_condition | Remark="the sum stays: the elements would be rounded"
func.func @short_condition() -> (tensor<1xbf16>, tensor<1xf16>) {
  %j = lazy.iota 1 : tensor<1x300xi32>
  %last = arith.constant dense<257> : tensor<1x300xi32>
  %c = arith.cmpi slt, %j, %last : tensor<1x300xi32>
  %e = arith.uitofp %c : tensor<1x300xi1> to tensor<1x300xbf16>
  %r = lazy.reduce addf (%e) axes [1] : (tensor<1x300xbf16>) -> tensor<1xbf16>
  %zero = arith.constant dense<0> : tensor<1x300xi32>
  %large = arith.constant dense<4095> : tensor<1x300xi32>
  %s = arith.select %c, %large, %zero : tensor<1x300xi1>, tensor<1x300xi32>
  %f = arith.sitofp %s : tensor<1x300xi32> to tensor<1x300xf16>
  %q = lazy.reduce addf (%f) axes [1] : (tensor<1x300xf16>) -> tensor<1xf16>
  return %r, %q : tensor<1xbf16>, tensor<1xf16>
}

// CHECK-DAG: remark: [Missed] kept {{.*}}Function=no_interval | Remark="the sum stays: the conditions are no intervals of each summed axis"
func.func @no_interval() -> tensor<8xi32> {
  %i = lazy.iota 0 : tensor<8x2x4xi32>
  %a = lazy.iota 1 : tensor<8x2x4xi32>
  %b = lazy.iota 2 : tensor<8x2x4xi32>
  %four = arith.constant dense<4> : tensor<8x2x4xi32>
  %a4 = arith.muli %a, %four : tensor<8x2x4xi32>
  %j = arith.addi %a4, %b : tensor<8x2x4xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x2x4xi32>
  %e = arith.extui %c : tensor<8x2x4xi1> to tensor<8x2x4xi32>
  %r = lazy.reduce addi (%e) axes [1, 2] : (tensor<8x2x4xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}
