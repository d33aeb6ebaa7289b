// RUN: tiny-opt %s -convert-lazy-to-kernel | FileCheck %s
// RUN: tiny-opt %s -convert-lazy-to-kernel -sym-simplify -sym-check-bounds -o /dev/null

// The index is data: it gates the load, and what lies outside is chosen by a select. The other axis needs no check.
// CHECK-LABEL: kernel.func private @rows
// CHECK-SAME: (%[[TABLE:.*]]: memref<50xf32>, %[[TOKENS:.*]]: memref<4xi64>, %[[OUT:.*]]: memref<20xf32>)
// CHECK: %[[TOKEN:.*]] = kernel.load %[[TOKENS]]
// CHECK: %[[ROW:.*]] = arith.index_cast %[[TOKEN]] : i64 to index
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: %[[READ:.*]] = kernel.load %[[TABLE]][%{{.*}}] if %[[INSIDE]]
// CHECK: arith.select %[[INSIDE]], %[[READ]], %{{.*}} : f32
func.func @rows(%table: tensor<10x5xf32>, %tokens: tensor<4xi64>) -> tensor<4x5xf32> {
  %0 = lazy.group "rows" (%table, %tokens) : (tensor<10x5xf32>, tensor<4xi64>) -> tensor<4x5xf32> {
  ^bb0(%t: tensor<10x5xf32>, %k: tensor<4xi64>):
    %i = lazy.view %k <(4, 5):(1, 0)> : tensor<4xi64> -> tensor<4x5xi64>
    %j = lazy.iota 1 : tensor<4x5xi64>
    %g = lazy.gather %t [%i, %j] : tensor<10x5xf32>, (tensor<4x5xi64>, tensor<4x5xi64>) -> tensor<4x5xf32>
    lazy.yield %g : tensor<4x5xf32>
  }
  return %0 : tensor<4x5xf32>
}

// Through a view of the base, and of what is computed from it there; a gather of a gather.
// CHECK-LABEL: kernel.func private @nested
// CHECK-COUNT-3: kernel.load
// CHECK-NOT: kernel.load
func.func @nested(%x: tensor<8xf32>, %k: tensor<3xi32>, %n: tensor<6xi32>) -> tensor<6xf32> {
  %0 = lazy.group "nested" (%x, %k, %n) : (tensor<8xf32>, tensor<3xi32>, tensor<6xi32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<3xi32>, %c: tensor<6xi32>):
    %flipped = lazy.flip %a [0] : tensor<8xf32> -> tensor<8xf32>
    %e = math.exp %flipped : tensor<8xf32>
    %at = lazy.gather %b [%c] else -1 : i32 : tensor<3xi32>, (tensor<6xi32>) -> tensor<6xi32>
    %g = lazy.gather %e [%at] else 7.0 : f32 : tensor<8xf32>, (tensor<6xi32>) -> tensor<6xf32>
    lazy.yield %g : tensor<6xf32>
  }
  return %0 : tensor<6xf32>
}

// An index that wraps must say so: upstream folds an index cast to i8 and back, whatever it loses.
// CHECK-LABEL: kernel.func private @wrapped
// CHECK:         %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:         %[[NARROW:.*]] = arith.trunci %[[WIDE]] : i64 to i8
// CHECK:         arith.index_cast %[[NARROW]] : i8 to index
func.func @wrapped(%x: tensor<300xf32>) -> tensor<300xf32> {
  %0 = lazy.group "wrapped" (%x) : (tensor<300xf32>) -> tensor<300xf32> {
  ^bb0(%a: tensor<300xf32>):
    %i = lazy.iota 0 : tensor<300xi8>
    %g = lazy.gather %a [%i] : tensor<300xf32>, (tensor<300xi8>) -> tensor<300xf32>
    lazy.yield %g : tensor<300xf32>
  }
  return %0 : tensor<300xf32>
}
