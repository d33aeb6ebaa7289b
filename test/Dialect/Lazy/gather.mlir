// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s -canonicalize="test-convergence=true" | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @round_trip
func.func @round_trip(%x: tensor<4x6xf32>, %i: tensor<8xi64>, %j: tensor<8xi8>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: lazy.gather %{{.*}}[%{{.*}}, %{{.*}}] : tensor<4x6xf32>, (tensor<8xi64>, tensor<8xi8>) -> tensor<8xf32>
  %0 = lazy.gather %x [%i, %j] : tensor<4x6xf32>, (tensor<8xi64>, tensor<8xi8>) -> tensor<8xf32>
  // CHECK: lazy.gather %{{.*}}[%{{.*}}, %{{.*}}] else 1.000000e+00 : f32 : tensor<4x6xf32>
  %1 = lazy.gather %x [%i, %j] else 1.0 : f32 : tensor<4x6xf32>, (tensor<8xi64>, tensor<8xi8>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// FOLD-LABEL: func.func @permuted_base
// FOLD-SAME: (%[[X:.*]]: tensor<4x6xf32>, %[[I:.*]]: tensor<8xi64>, %[[J:.*]]: tensor<8xi64>)
func.func @permuted_base(%x: tensor<4x6xf32>, %i: tensor<8xi64>, %j: tensor<8xi64>) -> tensor<8xf32> {
  // FOLD: lazy.gather %[[X]][%[[J]], %[[I]]] : tensor<4x6xf32>
  %0 = lazy.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = lazy.gather %0 [%i, %j] : tensor<6x4xf32>, (tensor<8xi64>, tensor<8xi64>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// FOLD-LABEL: func.func @every_element_itself
// FOLD-SAME: (%[[X:.*]]: tensor<4x6xf32>)
func.func @every_element_itself(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // FOLD-NEXT: return %[[X]]
  %i = lazy.iota 0 : tensor<4x6xi32>
  %j = lazy.iota 1 : tensor<4x6xi32>
  %0 = lazy.gather %x [%i, %j] : tensor<4x6xf32>, (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// An i8 counts to 127 and then from -128.
// FOLD-LABEL: func.func @wrapped_iota
func.func @wrapped_iota(%x: tensor<200xf32>) -> tensor<200xf32> {
  // FOLD: lazy.gather
  %i = lazy.iota 0 : tensor<200xi8>
  %0 = lazy.gather %x [%i] : tensor<200xf32>, (tensor<200xi8>) -> tensor<200xf32>
  return %0 : tensor<200xf32>
}

// FOLD-LABEL: func.func @nothing_to_read
func.func @nothing_to_read(%x: tensor<0xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // FOLD-DAG: arith.constant dense<0.000000e+00> : tensor<3xf32>
  // FOLD-DAG: arith.constant dense<2.000000e+00> : tensor<3xf32>
  // FOLD-NOT: lazy.gather
  %zero = lazy.gather %x [%i] : tensor<0xf32>, (tensor<3xi32>) -> tensor<3xf32>
  %c = arith.constant dense<2.0> : tensor<5xf32>
  %two = lazy.gather %c [%i] else 2.0 : f32 : tensor<5xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %zero, %two : tensor<3xf32>, tensor<3xf32>
}

// What lies outside is zero, not two.
// FOLD-LABEL: func.func @other_outside
func.func @other_outside(%i: tensor<3xi32>) -> tensor<3xf32> {
  // FOLD: lazy.gather
  %c = arith.constant dense<2.0> : tensor<5xf32>
  %0 = lazy.gather %c [%i] : tensor<5xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @of_one_element
func.func @of_one_element(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: lazy.gather %{{.*}}[] : tensor<f32>, () -> tensor<f32>
  %0 = lazy.gather %x [] : tensor<f32>, () -> tensor<f32>
  return %0 : tensor<f32>
}
