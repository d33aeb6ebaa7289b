// RUN: tiny-opt %s --lazy-kernelize="max-buffers=4 max-ops=4" | FileCheck %s

// Eight inputs: no kernel touches more than four buffers.
// CHECK-LABEL: func.func @buffers(
func.func @buffers(%0: tensor<4xf32>, %1: tensor<4xf32>, %2: tensor<4xf32>, %3: tensor<4xf32>, %4: tensor<4xf32>,
                   %5: tensor<4xf32>, %6: tensor<4xf32>, %7: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = lazy.group "addf"(%{{[^,)]*}}, %{{[^,)]*}}, %{{[^,)]*}}) :
  // CHECK: %[[B:.*]] = lazy.group "addf"(%{{[^,)]*}}, %{{[^,)]*}}, %[[A]]) :
  // CHECK: %[[C:.*]] = lazy.group "addf"(%{{[^,)]*}}, %{{[^,)]*}}, %[[B]]) :
  // CHECK: lazy.group "addf"(%{{[^,)]*}}, %[[C]]) :
  // CHECK-NOT: lazy.group
  %a = arith.addf %0, %1 : tensor<4xf32>
  %b = arith.addf %a, %2 : tensor<4xf32>
  %c = arith.addf %b, %3 : tensor<4xf32>
  %d = arith.addf %c, %4 : tensor<4xf32>
  %e = arith.addf %d, %5 : tensor<4xf32>
  %f = arith.addf %e, %6 : tensor<4xf32>
  %g = arith.addf %f, %7 : tensor<4xf32>
  return %g : tensor<4xf32>
}

// CHECK-LABEL: func.func @operations(
func.func @operations(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = lazy.group "negf_absf"
  // CHECK-COUNT-4: tensor<4xf32>{{$}}
  // CHECK: %[[B:.*]] = lazy.group "negf_absf"(%[[A]])
  // CHECK-NOT: lazy.group
  %0 = arith.negf %x : tensor<4xf32>
  %1 = math.absf %0 : tensor<4xf32>
  %2 = arith.negf %1 : tensor<4xf32>
  %3 = math.absf %2 : tensor<4xf32>
  %4 = arith.negf %3 : tensor<4xf32>
  %5 = math.absf %4 : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// Each step uses the one before it twice, at other places: without a limit 2^8 evaluations of the first.
// CHECK-LABEL: func.func @recomputation(
func.func @recomputation(%x: tensor<9xf32>) -> tensor<1xf32> {
  // CHECK-COUNT-2: lazy.group
  %a0 = lazy.shrink %x begin [0] end [7] : tensor<9xf32> -> tensor<7xf32>
  %b0 = lazy.shrink %x begin [2] end [9] : tensor<9xf32> -> tensor<7xf32>
  %1 = arith.mulf %a0, %b0 : tensor<7xf32>
  %a1 = lazy.shrink %1 begin [0] end [5] : tensor<7xf32> -> tensor<5xf32>
  %b1 = lazy.shrink %1 begin [2] end [7] : tensor<7xf32> -> tensor<5xf32>
  %2 = arith.mulf %a1, %b1 : tensor<5xf32>
  %a2 = lazy.shrink %2 begin [0] end [3] : tensor<5xf32> -> tensor<3xf32>
  %b2 = lazy.shrink %2 begin [2] end [5] : tensor<5xf32> -> tensor<3xf32>
  %3 = arith.mulf %a2, %b2 : tensor<3xf32>
  %a3 = lazy.shrink %3 begin [0] end [1] : tensor<3xf32> -> tensor<1xf32>
  %b3 = lazy.shrink %3 begin [2] end [3] : tensor<3xf32> -> tensor<1xf32>
  %4 = arith.mulf %a3, %b3 : tensor<1xf32>
  return %4 : tensor<1xf32>
}

// Results side by side fill one kernel after the other: three fit beside the argument.
// CHECK-LABEL: func.func @beside(
// CHECK: lazy.group {{.*}} -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK: lazy.group {{.*}} -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK: lazy.group {{.*}} -> tensor<4xf32>
// CHECK-NOT: lazy.group
func.func @beside(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
                                         tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.negf %x : tensor<4xf32>
  %1 = math.ceil %x : tensor<4xf32>
  %2 = math.roundeven %x : tensor<4xf32>
  %3 = math.trunc %x : tensor<4xf32>
  %4 = math.absf %x : tensor<4xf32>
  %5 = arith.mulf %x, %x : tensor<4xf32>
  %6 = math.floor %x : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
                                      tensor<4xf32>, tensor<4xf32>
}
