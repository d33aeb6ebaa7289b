// RUN: tiny-opt %s -lazy-collapse-reduce --check-passes | FileCheck %s

// An embedding spelled as a one-hot mask and a sum.
// CHECK-LABEL: func.func @one_hot
// CHECK-SAME: (%[[TABLE:.*]]: tensor<10x5xf32>, %[[TOKENS:.*]]: tensor<4xi64>)
func.func @one_hot(%table: tensor<10x5xf32>, %tokens: tensor<4xi64>) -> tensor<4x5xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x10x5xf32>
  %i = lazy.iota 1 : tensor<4x10x5xi64>
  %k = lazy.view %tokens <(4, 10, 5):(1, 0, 0)> : tensor<4xi64> -> tensor<4x10x5xi64>
  %rows = lazy.view %table <(4, 10, 5):(0, 5, 1)> : tensor<10x5xf32> -> tensor<4x10x5xf32>
  %hot = arith.cmpi eq, %i, %k : tensor<4x10x5xi64>
  %chosen = arith.select %hot, %rows, %zero : tensor<4x10x5xi1>, tensor<4x10x5xf32>
  // CHECK: %[[WANTED:.*]] = lazy.view %[[TOKENS]] <(4, 5):(1, 0)>
  // CHECK: lazy.gather %{{.*}}[%{{.*}}, %[[WANTED]], %{{.*}}] : tensor<4x10x5xf32>
  // CHECK-NOT: lazy.reduce
  %sum = lazy.reduce addf (%chosen) axes [1] : (tensor<4x10x5xf32>) -> tensor<4x5xf32>
  return %sum : tensor<4x5xf32>
}

// The same as a product with a matrix of numbers, on integers, where nothing is infinite; and an index from three on.
// CHECK-LABEL: func.func @product
func.func @product(%table: tensor<10x5xi32>, %tokens: tensor<4xi8>) -> tensor<4x5xi32> {
  %three = arith.constant dense<3> : tensor<4x10x5xi32>
  %i = lazy.iota 1 : tensor<4x10x5xi32>
  %from = arith.addi %i, %three : tensor<4x10x5xi32>
  %k = lazy.view %tokens <(4, 10, 5):(1, 0, 0)> : tensor<4xi8> -> tensor<4x10x5xi8>
  %wide = arith.extsi %k : tensor<4x10x5xi8> to tensor<4x10x5xi32>
  %rows = lazy.view %table <(4, 10, 5):(0, 5, 1)> : tensor<10x5xi32> -> tensor<4x10x5xi32>
  %hot = arith.cmpi eq, %wide, %from : tensor<4x10x5xi32>
  %one = arith.extui %hot : tensor<4x10x5xi1> to tensor<4x10x5xi32>
  %chosen = arith.muli %one, %rows : tensor<4x10x5xi32>
  // CHECK: arith.subi
  // CHECK: lazy.gather
  // CHECK-NOT: lazy.reduce
  %sum = lazy.reduce addi (%chosen) axes [1] : (tensor<4x10x5xi32>) -> tensor<4x5xi32>
  return %sum : tensor<4x5xi32>
}

// Zero times infinity is NaN, which the sum would show.
// CHECK-LABEL: func.func @float_product
func.func @float_product(%table: tensor<10xf32>, %token: tensor<1xi64>) -> (tensor<f32>, tensor<f32>) {
  %i = lazy.iota 0 : tensor<10xi64>
  %k = lazy.view %token <(10):(0)> : tensor<1xi64> -> tensor<10xi64>
  %hot = arith.cmpi eq, %i, %k : tensor<10xi64>
  %one = arith.uitofp %hot : tensor<10xi1> to tensor<10xf32>
  %chosen = arith.mulf %one, %table : tensor<10xf32>
  // CHECK: lazy.reduce
  %sum = lazy.reduce addf (%chosen) axes [0] : (tensor<10xf32>) -> tensor<f32>
  // CHECK: lazy.gather
  %finite = lazy.reduce addf (%chosen) axes [0] fastmath<nnan,ninf> : (tensor<10xf32>) -> tensor<f32>
  return %sum, %finite : tensor<f32>, tensor<f32>
}

// What is selected is computed for this sum alone: the gather would store all of it.
// CHECK-LABEL: func.func @computed
func.func @computed(%x: tensor<10xf32>, %token: tensor<1xi64>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<10xf32>
  %i = lazy.iota 0 : tensor<10xi64>
  %k = lazy.view %token <(10):(0)> : tensor<1xi64> -> tensor<10xi64>
  %hot = arith.cmpi eq, %i, %k : tensor<10xi64>
  %e = math.exp %x : tensor<10xf32>
  %chosen = arith.select %hot, %e, %zero : tensor<10xi1>, tensor<10xf32>
  // CHECK: lazy.reduce
  %sum = lazy.reduce addf (%chosen) axes [0] : (tensor<10xf32>) -> tensor<f32>
  return %sum : tensor<f32>
}

// The data depends on the index that is summed over.
// CHECK-LABEL: func.func @dependent
func.func @dependent(%x: tensor<10xf32>, %k: tensor<10xi64>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<10xf32>
  %i = lazy.iota 0 : tensor<10xi64>
  %hot = arith.cmpi eq, %i, %k : tensor<10xi64>
  %chosen = arith.select %hot, %x, %zero : tensor<10xi1>, tensor<10xf32>
  // CHECK: lazy.reduce
  %sum = lazy.reduce addf (%chosen) axes [0] : (tensor<10xf32>) -> tensor<f32>
  return %sum : tensor<f32>
}
