// RUN: tiny-opt %s --lazy-move-gathers --check-passes | FileCheck %s
// RUN: tiny-opt %s --lazy-move-gathers --lazy-move-gathers --lazy-kernelize --check-passes -o /dev/null

// What is looked up is computed for the rows that are looked up. Nothing times eight is what stands outside.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: (%[[TABLE:.*]]: tensor<50x4xf32>, %[[TOKENS:.*]]: tensor<3x4xi32>)
// CHECK:      %[[ROWS:.*]] = lazy.gather %[[TABLE]][%[[TOKENS]], %{{.*}}] : tensor<50x4xf32>
// CHECK:      %[[RESULT:.*]] = arith.mulf %[[ROWS]], %{{.*}} : tensor<3x4xf32>
// CHECK-NEXT: return %[[RESULT]]
func.func @scaled(%table: tensor<50x4xf32>, %tokens: tensor<3x4xi32>) -> tensor<3x4xf32> {
  %eight = arith.constant dense<8.0> : tensor<50x4xf32>
  %e = arith.mulf %table, %eight : tensor<50x4xf32>
  %j = lazy.iota 1 : tensor<3x4xi32>
  %0 = lazy.gather %e [%tokens, %j] : tensor<50x4xf32>, (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// A look-up in memory stays one, through views too.
// CHECK-LABEL: func.func @embedding
// CHECK:         lazy.view
// CHECK-COUNT-1: lazy.gather
// CHECK-NOT:     lazy.gather
// CHECK-NOT:     arith.select
func.func @embedding(%table: tensor<4x50xf32>, %tokens: tensor<3x4xi32>) -> tensor<3x4xf32> {
  %e = lazy.view %table <(50, 4):(1, 50)> : tensor<4x50xf32> -> tensor<50x4xf32>
  %j = lazy.iota 1 : tensor<3x4xi32>
  %0 = lazy.gather %e [%tokens, %j] : tensor<50x4xf32>, (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// e^0 is not what stands outside: whether an index is inside is gathered from the truth.
// CHECK-LABEL: func.func @outside
// CHECK-SAME: (%[[X:.*]]: tensor<50xf32>, %[[I:.*]]: tensor<3xi32>)
// CHECK-DAG:  %[[TRUTH:.*]] = arith.constant dense<true> : tensor<50xi1>
// CHECK-DAG:  %[[SEVEN:.*]] = arith.constant dense<7.000000e+00> : tensor<3xf32>
// CHECK-DAG:  %[[PICKED:.*]] = lazy.gather %[[X]][%[[I]]] : tensor<50xf32>
// CHECK-DAG:  %[[EXP:.*]] = math.exp %[[PICKED]] : tensor<3xf32>
// CHECK-DAG:  %[[INSIDE:.*]] = lazy.gather %[[TRUTH]][%[[I]]] : tensor<50xi1>
// CHECK:      arith.select %[[INSIDE]], %[[EXP]], %[[SEVEN]]
func.func @outside(%x: tensor<50xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %e = math.exp %x : tensor<50xf32>
  %0 = lazy.gather %e [%i] else 7.0 : f32 : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Data picks an element of a row: what each row has one of is read through a view, whatever computes it.
// CHECK-LABEL: func.func @row_statistics
// CHECK-SAME: (%[[X:.*]]: tensor<8x50xf32>, %[[T:.*]]: tensor<8x1xi32>)
// CHECK-DAG:  %[[SUM:.*]] = lazy.reduce addf
// CHECK-DAG:  %[[LOG:.*]] = math.log %[[SUM]]
// CHECK-DAG:  %[[OF_ROW:.*]] = lazy.view %[[LOG]] <(8, 1):(1, 0)>
// CHECK-DAG:  %[[PICKED:.*]] = lazy.gather %[[X]][%{{.*}}, %[[T]]]
// CHECK:      arith.subf %[[PICKED]], %[[OF_ROW]] : tensor<8x1xf32>
// CHECK-NOT:  arith.subf
func.func @row_statistics(%x: tensor<8x50xf32>, %t: tensor<8x1xi32>) -> tensor<8x1xf32> {
  %e = math.exp %x : tensor<8x50xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<8x50xf32>) -> tensor<8xf32>
  %l = math.log %s : tensor<8xf32>
  %ll = lazy.view %l <(8, 50):(1, 0)> : tensor<8xf32> -> tensor<8x50xf32>
  %p = arith.subf %x, %ll : tensor<8x50xf32>
  %i = lazy.iota 0 : tensor<8x1xi64>
  %0 = lazy.gather %p [%i, %t] : tensor<8x50xf32>, (tensor<8x1xi64>, tensor<8x1xi32>) -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

// The indices of a look-up are looked up; each has its own element for what lies outside.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%[[X:.*]]: tensor<50xf32>, %[[I:.*]]: tensor<30xi32>, %[[K:.*]]: tensor<3xi32>)
// CHECK:      %[[AT:.*]] = lazy.gather %[[I]][%[[K]]] : tensor<30xi32>
// CHECK:      %[[INNER:.*]] = lazy.gather %[[X]][%[[AT]]] else 5.000000e+00 : f32
// CHECK:      arith.select %{{.*}}, %[[INNER]], %{{.*}}
func.func @nested(%x: tensor<50xf32>, %i: tensor<30xi32>, %k: tensor<3xi32>) -> tensor<3xf32> {
  %0 = lazy.gather %x [%i] else 5.0 : f32 : tensor<50xf32>, (tensor<30xi32>) -> tensor<30xf32>
  %1 = lazy.gather %0 [%k] : tensor<30xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// An index that is picked is the data.
// CHECK-LABEL: func.func @index
// CHECK-SAME: (%[[I:.*]]: tensor<3xi32>)
// CHECK:      %[[WIDE:.*]] = arith.extsi %[[I]] : tensor<3xi32> to tensor<3xi64>
// CHECK:      arith.muli %[[WIDE]], %{{.*}} : tensor<3xi64>
func.func @index(%i: tensor<3xi32>) -> tensor<3xi64> {
  %n = lazy.iota 0 : tensor<50xi64>
  %two = arith.constant dense<2> : tensor<50xi64>
  %even = arith.muli %n, %two : tensor<50xi64>
  %0 = lazy.gather %even [%i] : tensor<50xi64>, (tensor<3xi32>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// Affine indices are no data: the diagonal from the second row on.
// CHECK-LABEL: func.func @diagonal
// CHECK-SAME: (%[[X:.*]]: tensor<6x5xf32>)
// CHECK:      lazy.view %[[X]] <(4):(6) + 5> : tensor<6x5xf32> -> tensor<4xf32>
// CHECK-NOT:  lazy.gather
func.func @diagonal(%x: tensor<6x5xf32>) -> tensor<4xf32> {
  %i = lazy.iota 0 : tensor<4xi32>
  %one = arith.constant dense<1> : tensor<4xi32>
  %next = arith.addi %i, %one : tensor<4xi32>
  %0 = lazy.gather %x [%next, %i] : tensor<6x5xf32>, (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What a computed part of a concatenation is beyond it is nothing, which is not the cosine of nothing.
// CHECK-LABEL: func.func @masked
// CHECK-SAME: (%[[X:.*]]: tensor<20xf32>, %[[Y:.*]]: tensor<50xf32>, %[[I:.*]]: tensor<3xi32>)
// CHECK-DAG:  %[[TRUE:.*]] = arith.constant dense<true> : tensor<20xi1>
// CHECK-DAG:  %[[PADDED:.*]] = lazy.view %[[X]] <(50):(1) mask [0:20]>
// CHECK-DAG:  %[[PICKED:.*]] = lazy.gather %[[PADDED]][%[[I]]]
// CHECK-DAG:  %[[COSINE:.*]] = math.cos %[[PICKED]] : tensor<3xf32>
// CHECK-DAG:  %[[PART:.*]] = lazy.view %[[TRUE]] <(50):(1) mask [0:20]>
// CHECK-DAG:  %[[INSIDE:.*]] = lazy.gather %[[PART]][%[[I]]]
// CHECK:      %[[THERE:.*]] = arith.select %[[INSIDE]], %[[COSINE]], %{{.*}}
// CHECK-NEXT: %[[OTHER:.*]] = lazy.gather %[[Y]][%[[I]]]
// CHECK-NEXT: arith.addf %[[THERE]], %[[OTHER]]
func.func @masked(%x: tensor<20xf32>, %y: tensor<50xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %c = math.cos %x : tensor<20xf32>
  %p = lazy.view %c <(50):(1) mask [0:20]> : tensor<20xf32> -> tensor<50xf32>
  %s = arith.addf %p, %y : tensor<50xf32>
  %0 = lazy.gather %s [%i] : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// What scores come from is stored in their place: two reductions read it besides.
// CHECK-LABEL: func.func @scores
// CHECK:         %[[SCORES:.*]] = arith.addf
// CHECK:         lazy.gather %[[SCORES]]
// CHECK-NOT:     arith.subf %{{.*}} : tensor<8x50xf32>
func.func @scores(%h: tensor<8x16xf32>, %w: tensor<50x16xf32>, %b: tensor<50xf32>, %t: tensor<8x1xi32>) -> tensor<8x1xf32> {
  %hh = lazy.view %h <(8, 50, 16):(16, 0, 1)> : tensor<8x16xf32> -> tensor<8x50x16xf32>
  %ww = lazy.view %w <(8, 50, 16):(0, 16, 1)> : tensor<50x16xf32> -> tensor<8x50x16xf32>
  %m = arith.mulf %hh, %ww : tensor<8x50x16xf32>
  %x = lazy.reduce addf (%m) axes [2] : (tensor<8x50x16xf32>) -> tensor<8x50xf32>
  %bb = lazy.view %b <(8, 50):(0, 1)> : tensor<50xf32> -> tensor<8x50xf32>
  %y = arith.addf %x, %bb : tensor<8x50xf32>
  %s = lazy.reduce maximumf (%y) axes [1] : (tensor<8x50xf32>) -> tensor<8xf32>
  %ll = lazy.view %s <(8, 50):(1, 0)> : tensor<8xf32> -> tensor<8x50xf32>
  %p = arith.subf %y, %ll : tensor<8x50xf32>
  %i = lazy.iota 0 : tensor<8x1xi64>
  %0 = lazy.gather %p [%i, %t] : tensor<8x50xf32>, (tensor<8x1xi64>, tensor<8x1xi32>) -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

// An index may be outside, where the divisor is 0: what may trap is computed before.
// CHECK-LABEL: func.func @remainder
// CHECK:      %[[R:.*]] = arith.remsi %{{.*}}, %{{.*}} : tensor<50xi32>
// CHECK-NEXT: lazy.gather %[[R]]
func.func @remainder(%x: tensor<50xi32>, %y: tensor<50xi32>, %i: tensor<3xi32>) -> tensor<3xi32> {
  %one = arith.constant dense<1> : tensor<50xi32>
  %odd = arith.ori %y, %one : tensor<50xi32>
  %r = arith.remsi %x, %odd : tensor<50xi32>
  %0 = lazy.gather %r [%i] : tensor<50xi32>, (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
