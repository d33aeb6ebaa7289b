// RUN: tiny-opt %s -lazy-collapse-reduce | FileCheck %s
// RUN: tiny-opt %s -lazy-collapse-reduce -check-passes -o /dev/null

// An arange spelled as a triangle of ones, summed.
// CHECK-LABEL: func.func @arange
// CHECK-NOT: lazy.reduce
// CHECK-DAG: %[[IOTA:.*]] = lazy.iota 0 : tensor<3xi32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : tensor<3xi32>
// CHECK: arith.addi %[[IOTA]], %[[ONE]]
func.func @arange() -> tensor<3xi32> {
  %ones = arith.constant dense<1> : tensor<3xi32>
  %0 = lazy.view %ones <(4, 5):(0, 1) + -2 mask [0:4, 2:5], (3, 3):(6, 1)> : tensor<3xi32> -> tensor<3x3xi32>
  %1 = lazy.reduce addi (%0) axes [1] : (tensor<3x3xi32>) -> tensor<3xi32>
  return %1 : tensor<3xi32>
}

// A sum of floats becomes a product where it may be reassociated.
// CHECK-LABEL: func.func @floats
// CHECK-NOT: lazy.reduce
// CHECK: arith.sitofp
// CHECK: arith.mulf
func.func @floats() -> tensor<3xf32> {
  %c = arith.constant dense<0.5> : tensor<3xf32>
  %0 = lazy.view %c <(4, 5):(0, 1) + -2 mask [0:4, 2:5], (3, 3):(6, 1)> : tensor<3xf32> -> tensor<3x3xf32>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<3x3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// CHECK-LABEL: func.func @in_order
// CHECK: lazy.reduce
func.func @in_order() -> tensor<6xf32> {
  %c = arith.constant dense<0.5> : tensor<1xf32>
  %0 = lazy.view %c <(6, 9):(0, 0) mask [0:6, 2:7]> : tensor<1xf32> -> tensor<6x9xf32>
  %1 = lazy.reduce addf (%0) axes [1] fastmath<contract> : (tensor<6x9xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// Nothing is infinity times nothing: the product would not be a number.
// CHECK-LABEL: func.func @infinite
// CHECK: lazy.reduce
func.func @infinite() -> tensor<6xf32> {
  %c = arith.constant dense<0x7F800000> : tensor<1xf32>
  %0 = lazy.view %c <(6, 9):(0, 0) mask [1:6, 2:7]> : tensor<1xf32> -> tensor<6x9xf32>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<6x9xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// A mask on a kept axis selects, a mask on two reduced axes counts their product, a narrow type wraps.
// CHECK-LABEL: func.func @two_axes
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @two_axes() -> tensor<4xi8> {
  %c = arith.constant dense<7> : tensor<1xi8>
  %0 = lazy.view %c <(4, 30, 20):(0, 0, 0) mask [1:3, 2:29, 1:19]> : tensor<1xi8> -> tensor<4x30x20xi8>
  %1 = lazy.reduce addi (%0) axes [1, 2] : (tensor<4x30x20xi8>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// Only sums count.
// CHECK-LABEL: func.func @maximum
// CHECK: lazy.reduce maxs
func.func @maximum() -> tensor<6xi32> {
  %c = arith.constant dense<5> : tensor<1xi32>
  %0 = lazy.view %c <(6, 9):(0, 0) mask [0:6, 2:7]> : tensor<1xi32> -> tensor<6x9xi32>
  %1 = lazy.reduce maxs (%0) axes [1] : (tensor<6x9xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// A value that is no constant is no count.
// CHECK-LABEL: func.func @values
// CHECK: lazy.reduce
func.func @values(%x: tensor<9xi32>) -> tensor<6xi32> {
  %0 = lazy.view %x <(6, 9):(0, 1) mask [0:6, 2:7]> : tensor<9xi32> -> tensor<6x9xi32>
  %1 = lazy.reduce addi (%0) axes [1] : (tensor<6x9xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}
