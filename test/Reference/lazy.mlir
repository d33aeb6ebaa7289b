// RUN: tiny-interpret %s | FileCheck %s

// CHECK: movement result 0: tensor<3x2xi32> {{\[\[}}1, 4], [2, 5], [3, 6{{\]\]}}
// CHECK: movement result 1: tensor<3x4xi32> {{\[\[}}0, 1, 2, 3], [0, 4, 5, 6], [0, 0, 0, 0{{\]\]}}
// CHECK: movement result 2: tensor<1x2xi32> {{\[\[}}5, 6{{\]\]}}
// CHECK: movement result 3: tensor<2x3xi32> {{\[\[}}6, 5, 4], [3, 2, 1{{\]\]}}
// CHECK: movement result 4: tensor<2x2xi32> {{\[\[}}3, 3], [3, 3{{\]\]}}
func.func @movement() -> (tensor<3x2xi32>, tensor<3x4xi32>, tensor<1x2xi32>, tensor<2x3xi32>, tensor<2x2xi32>) {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = lazy.permute %x [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %1 = lazy.pad %x low [0, 1] high [1, 0] : tensor<2x3xi32> -> tensor<3x4xi32>
  %2 = lazy.shrink %x begin [1, 1] end [2, 3] : tensor<2x3xi32> -> tensor<1x2xi32>
  %3 = lazy.flip %x [0, 1] : tensor<2x3xi32> -> tensor<2x3xi32>
  %4 = lazy.shrink %x begin [0, 2] end [1, 3] : tensor<2x3xi32> -> tensor<1x1xi32>
  %5 = lazy.expand %4 : tensor<1x1xi32> -> tensor<2x2xi32>
  return %0, %1, %2, %3, %5 : tensor<3x2xi32>, tensor<3x4xi32>, tensor<1x2xi32>, tensor<2x3xi32>, tensor<2x2xi32>
}

// A movement of a computed value masks the value, not what it is computed from.
// CHECK: masked result 0: tensor<4xf32> [0, 1, 1, 0]
func.func @masked() -> tensor<4xf32> {
  %x = arith.constant dense<0.0> : tensor<2xf32>
  %0 = math.exp %x : tensor<2xf32>
  %1 = lazy.pad %0 low [1] high [1] : tensor<2xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK: view result 0: tensor<3x2xf32> {{\[\[}}0, 1], [2, 3], [4, 0{{\]\]}}
func.func @view() -> tensor<3x2xf32> {
  %x = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = lazy.view %x <(6):(1) + -1 mask [1:5], (3, 2):(2, 1)> : tensor<4xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK: iota result 0: tensor<2x3xi32> {{\[\[}}0, 1, 2], [0, 1, 2{{\]\]}}
func.func @iota() -> tensor<2x3xi32> {
  %0 = lazy.iota 1 : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK: reduce result 0: tensor<2xf32> [6, 15]
// CHECK: reduce result 1: tensor<f32> 6
func.func @reduce() -> (tensor<2xf32>, tensor<f32>) {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = lazy.reduce addf (%x) axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = lazy.reduce maximumf (%x) axes [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %0, %1 : tensor<2xf32>, tensor<f32>
}

// CHECK: several result 0: tensor<2xf32> [6, 15]
// CHECK: several result 1: tensor<2xf64> [3, 0.5]
func.func @several() -> (tensor<2xf32>, tensor<2xf64>) {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = arith.constant dense<[[1.0, 1.0, 1.0], [0.0, 0.5, 0.0]]> : tensor<2x3xf64>
  %0:2 = lazy.reduce addf (%x, %y) axes [1] : (tensor<2x3xf32>, tensor<2x3xf64>) -> (tensor<2xf32>, tensor<2xf64>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf64>
}

// CHECK: argmax result 0: tensor<2xf32> [3, 9]
// CHECK: argmax result 1: tensor<2xi32> [2, 0]
func.func @argmax() -> (tensor<2xf32>, tensor<2xi32>) {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [9.0, 5.0, 9.0]]> : tensor<2x3xf32>
  %i = lazy.iota 1 : tensor<2x3xi32>
  %m:2 = lazy.reduce (%x, %i) init [0xFF800000 : f32, 0 : i32] axes [1]
      : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %gt = arith.cmpf ogt, %b, %a : f32
    %v = arith.select %gt, %b, %a : f32
    %k = arith.select %gt, %bi, %ai : i32
    lazy.yield %v, %k : f32, i32
  }
  return %m#0, %m#1 : tensor<2xf32>, tensor<2xi32>
}

// CHECK: group result 0: tensor<2xf32> [2, 6]
func.func @group() -> tensor<2xf32> {
  %x = arith.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %0 = lazy.group "double" (%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %d = arith.addf %a, %a : tensor<2xf32>
    lazy.yield %d : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// Signless integers print as the signature says.
// CHECK: unsigned result 0: tensor<2xui8> [255, 1]
func.func @unsigned() -> (tensor<2xi8> {tiny.type = tensor<2xui8>}) {
  %x = arith.constant dense<[-1, 1]> : tensor<2xi8>
  return %x : tensor<2xi8>
}

// CHECK: sine_and_cosine result 0: tensor<2xf32> [0, 0.84147096]
// CHECK: sine_and_cosine result 1: tensor<2xf32> [1, 0.5403023]
func.func @sine_and_cosine() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %s, %c = math.sincos %x : tensor<2xf32>
  return %s, %c : tensor<2xf32>, tensor<2xf32>
}
