// What a group computes once and keeps in memory of its kernel: a tile, which its readers load from.
// RUN: tiny-opt %s --convert-lazy-to-kernel --check-passes | FileCheck %s
// RUN: tiny-opt %s --tiny-lazy-to-uop-pipeline --check-passes -o /dev/null
// RUN: tiny-opt %s --tiny-lazy-to-uop-pipeline=default-schedule=false --check-passes -o /dev/null

// Column by column a sum is kept once, and read by rows and turned around.
// CHECK-LABEL: kernel.func private @turn
// CHECK: %[[SUM:.*]] = kernel.reduce addf
// CHECK: %[[TILE:.*]] = kernel.stage %[[SUM]] over (%{{.*}}, %{{.*}}) local : memref<12xf32>
// CHECK: kernel.load %[[TILE]][
// CHECK: kernel.load %[[TILE]][
// CHECK: kernel.store
func.func @turn(%x: tensor<3x4x5xf32>) -> tensor<4x3xf32> {
  %0 = lazy.group "turn"(%x) : (tensor<3x4x5xf32>) -> tensor<4x3xf32> {
  ^bb0(%a: tensor<3x4x5xf32>):
    %s = lazy.reduce addf (%a) axes [2] : (tensor<3x4x5xf32>) -> tensor<3x4xf32>
    %c = lazy.keep %s : tensor<3x4xf32>
    %p = lazy.permute %c [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
    %f = lazy.flip %p [0, 1] : tensor<4x3xf32> -> tensor<4x3xf32>
    %r = arith.subf %p, %f : tensor<4x3xf32>
    lazy.yield %r : tensor<4x3xf32>
  }
  return %0 : tensor<4x3xf32>
}

// The loops of a tile nest like those of a store: the maximum of a column stands outside of the column.
// CHECK-LABEL: kernel.func private @columns
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(2) extent(8) order(3)
// CHECK-DAG: %[[J:.*]] = kernel.range loop id(3) extent(6) order(2)
// CHECK: kernel.stage %{{.*}} over (%[[I]], %[[J]]) local : memref<48xf32>
func.func @columns(%x: tensor<8x6xf32>) -> tensor<6x8xf32> {
  %0 = lazy.group "columns"(%x) : (tensor<8x6xf32>) -> tensor<6x8xf32> {
  ^bb0(%a: tensor<8x6xf32>):
    %m = lazy.reduce maximumf (%a) axes [0] : (tensor<8x6xf32>) -> tensor<6xf32>
    %w = lazy.view %m <(8, 6):(0, 1)> : tensor<6xf32> -> tensor<8x6xf32>
    %d = arith.subf %a, %w : tensor<8x6xf32>
    %c = lazy.keep %d : tensor<8x6xf32>
    %p = lazy.permute %c [1, 0] : tensor<8x6xf32> -> tensor<6x8xf32>
    lazy.yield %p : tensor<6x8xf32>
  }
  return %0 : tensor<6x8xf32>
}

// Results of one reduction are kept by one loop nest; a padded read is gated; a gather reads where data says.
// CHECK-LABEL: kernel.func private @best
// CHECK: %[[BEST:.*]]:2 = kernel.reduce
// CHECK-DAG: %[[VALUES:.*]] = kernel.stage %[[BEST]]#0 over (%[[R:.*]]) local : memref<4xf32>
// CHECK-DAG: %[[PLACES:.*]] = kernel.stage %[[BEST]]#1 over (%[[R]]) local : memref<4xi32>
// CHECK-DAG: kernel.load %[[VALUES]][%{{.*}}] if %{{.*}}
// CHECK-DAG: kernel.load %[[PLACES]][
func.func @best(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>, %i: tensor<6xi64>) -> tensor<6xf32> {
  %0 = lazy.group "best"(%x, %y, %i) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<6xi64>) -> tensor<6xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %at: tensor<6xi64>):
    %m:2 = lazy.reduce (%a, %b) init [-1.0e+30 : f32, 0 : i32] axes [1] : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%v: f32, %p: i32, %w: f32, %q: i32):
      %gt = arith.cmpf ogt, %w, %v : f32
      %0 = arith.select %gt, %w, %v : f32
      %1 = arith.select %gt, %q, %p : i32
      lazy.yield %0, %1 : f32, i32
    }
    %values = lazy.keep %m#0 : tensor<4xf32>
    %places = lazy.keep %m#1 : tensor<4xi32>
    %wide = lazy.pad %values low [1] high [1] : tensor<4xf32> -> tensor<6xf32>
    %found = lazy.gather %places [%at] else 7 : i32 : tensor<4xi32>, (tensor<6xi64>) -> tensor<6xi32>
    %number = arith.sitofp %found : tensor<6xi32> to tensor<6xf32>
    %r = arith.addf %wide, %number : tensor<6xf32>
    lazy.yield %r : tensor<6xf32>
  }
  return %0 : tensor<6xf32>
}

// A single element is computed once as it is.
// CHECK-LABEL: kernel.func private @one
// CHECK-NOT: kernel.stage
func.func @one(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.group "one"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = lazy.reduce addf (%a) axes [0] : (tensor<8xf32>) -> tensor<f32>
    %c = lazy.keep %s : tensor<f32>
    %w = lazy.view %c <(8):(0)> : tensor<f32> -> tensor<8xf32>
    %r = arith.mulf %a, %w : tensor<8xf32>
    lazy.yield %r : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// It is the result that is kept, whichever it is.
// CHECK-LABEL: kernel.func private @second
// CHECK: %[[BOTH:.*]]:2 = kernel.reduce maximumf
// CHECK: arith.subf %{{.*}}, %[[BOTH]]#1
func.func @second(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.group "second"(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %m:2 = lazy.reduce maximumf (%a, %b) axes [0] : (tensor<8xf32>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
    %c = lazy.keep %m#1 : tensor<f32>
    %w = lazy.view %c <(8):(0)> : tensor<f32> -> tensor<8xf32>
    %r = arith.subf %a, %w : tensor<8xf32>
    lazy.yield %r : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// What is kept of what is kept has loops of its own.
// CHECK-LABEL: kernel.func private @twice
// CHECK-COUNT-2: kernel.stage
func.func @kept_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "twice"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %1 = lazy.keep %a : tensor<4x8xf32>
    %2 = lazy.keep %1 : tensor<4x8xf32>
    lazy.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: kernel.func private @besides
// CHECK-COUNT-2: kernel.stage
func.func @kept_besides(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "besides"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %2 = lazy.keep %a over [0] : tensor<4x8xf32>
    %4 = lazy.keep %2 : tensor<4x8xf32>
    %p = lazy.permute %4 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %6 = lazy.reshape %p : tensor<8x4xf32> -> tensor<4x8xf32>
    %7 = arith.addf %6, %2 : tensor<4x8xf32>
    lazy.yield %7 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// Three tiles, and a body that is long enough for several vectors side by side.
// CHECK-LABEL: kernel.func private @three
// CHECK-COUNT-3: kernel.stage
func.func @three(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>) {
  %0:1 = lazy.group "three"(%x) : (tensor<8x4xf32>) -> (tensor<8x4xf32>) {
  ^bb0(%a: tensor<8x4xf32>):
    %v1 = math.exp %a : tensor<8x4xf32>
    %v2 = math.exp %v1 : tensor<8x4xf32>
    %v3 = lazy.flip %v1 [0] : tensor<8x4xf32> -> tensor<8x4xf32>
    %v4 = arith.addf %v2, %v3 : tensor<8x4xf32>
    %v5 = lazy.keep %v4 over [1] : tensor<8x4xf32>
    %v6 = lazy.flip %v5 [1] : tensor<8x4xf32> -> tensor<8x4xf32>
    %v7 = math.exp %v4 : tensor<8x4xf32>
    %v8 = arith.addf %v5, %v1 : tensor<8x4xf32>
    %v9 = lazy.keep %v6 : tensor<8x4xf32>
    %v10 = lazy.reduce maximumf (%v9) axes [1] : (tensor<8x4xf32>) -> tensor<8xf32>
    %v11 = lazy.reshape %v10 : tensor<8xf32> -> tensor<8x1xf32>
    %v12 = lazy.expand %v11 : tensor<8x1xf32> -> tensor<8x4xf32>
    %v13 = math.exp %v9 : tensor<8x4xf32>
    %v14 = arith.addf %v12, %v7 : tensor<8x4xf32>
    %v15 = lazy.keep %v14 over [0] : tensor<8x4xf32>
    %v16 = arith.addf %v15, %v7 : tensor<8x4xf32>
    lazy.yield %v16 : tensor<8x4xf32>
  }
  return %0#0 : tensor<8x4xf32>
}
