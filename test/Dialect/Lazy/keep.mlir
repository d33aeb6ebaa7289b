// RUN: tiny-opt %s | tiny-opt | FileCheck %s --check-prefix=PRINT
// RUN: tiny-opt %s --canonicalize | FileCheck %s

// PRINT-LABEL: func.func @twice
// PRINT: lazy.keep %{{.*}} over [1] : tensor<4x8xf32>
// CHECK-LABEL: func.func @twice
// CHECK: %[[K:.*]] = lazy.keep %{{.*}} over [1] : tensor<4x8xf32>
// CHECK-NOT: lazy.keep
// CHECK: lazy.yield %[[K]]
func.func @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "twice"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %1 = math.exp %a : tensor<4x8xf32>
    %2 = lazy.keep %1 over [1] : tensor<4x8xf32>
    %3 = lazy.keep %2 over [1] : tensor<4x8xf32>
    lazy.yield %3 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// Over all axes it is the whole value.
// CHECK-LABEL: func.func @all_axes
// CHECK: lazy.keep %{{[^ ]*}} : tensor<4x8xf32>
func.func @all_axes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "all_axes"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %1 = math.exp %a : tensor<4x8xf32>
    %2 = lazy.keep %1 over [0, 1] : tensor<4x8xf32>
    lazy.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @one_element
// CHECK-NOT: lazy.keep
// CHECK: return
func.func @one_element(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = lazy.group "one_element"(%x) : (tensor<1x1xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<1x1xf32>):
    %1 = math.exp %a : tensor<1x1xf32>
    %2 = lazy.keep %1 over [1] : tensor<1x1xf32>
    lazy.yield %2 : tensor<1x1xf32>
  }
  return %0 : tensor<1x1xf32>
}

// What is kept over other axes is kept besides.
// CHECK-LABEL: func.func @other_axes
// CHECK-COUNT-2: lazy.keep
func.func @other_axes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "other_axes"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %1 = lazy.keep %a over [1] : tensor<4x8xf32>
    %2 = lazy.keep %1 over [0] : tensor<4x8xf32>
    lazy.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
