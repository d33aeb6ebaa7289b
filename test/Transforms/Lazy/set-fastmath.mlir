// RUN: tiny-opt %s -lazy-set-fastmath=flags=nsz | FileCheck %s
// RUN: tiny-opt %s -lazy-set-fastmath=flags=contract,nnan | FileCheck %s --check-prefix=OTHER
// RUN: tiny-opt %s -lazy-set-fastmath | FileCheck %s --check-prefix=NONE
// RUN: not tiny-opt %s -lazy-set-fastmath=flags=some 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: unknown fast-math flags: 'some'

// Flags are added and none is taken away; what nsz allows is folded.
// CHECK-LABEL: func.func @main
// OTHER-LABEL: func.func @main
// NONE-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<f32>, tensor<4xi32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  // CHECK-NOT: arith.addf
  // OTHER: arith.addf %{{.*}}, %{{.*}} fastmath<nnan,contract> : tensor<4xf32>
  // NONE: arith.addf %{{[^ ]*}}, %{{[^ ]*}} : tensor<4xf32>
  %0 = arith.addf %x, %zero : tensor<4xf32>
  // CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<nnan,nsz> : tensor<4xf32>
  // OTHER: arith.mulf %{{.*}}, %{{.*}} fastmath<nnan,contract> : tensor<4xf32>
  // NONE: arith.mulf %{{[^ ]*}}, %{{[^ ]*}} fastmath<nnan> : tensor<4xf32>
  %1 = arith.mulf %0, %0 fastmath<nnan> : tensor<4xf32>
  // CHECK: math.exp %{{.*}} fastmath<nsz> : tensor<4xf32>
  %2 = math.exp %1 : tensor<4xf32>
  // CHECK: lazy.reduce addf(%{{.*}}) axes [0] fastmath<reassoc,nsz,contract>
  // OTHER: lazy.reduce addf(%{{.*}}) axes [0] fastmath<reassoc,nnan,contract>
  %3 = lazy.reduce addf (%2) axes [0] : (tensor<4xf32>) -> tensor<f32>
  // CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<4xi32>
  %4 = arith.addi %i, %i : tensor<4xi32>
  return %3, %4 : tensor<f32>, tensor<4xi32>
}
