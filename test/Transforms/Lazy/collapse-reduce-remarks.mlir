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
