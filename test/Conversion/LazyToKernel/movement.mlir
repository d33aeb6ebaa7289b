// RUN: tiny-opt %s -split-input-file --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=lazy.
// Movement between computed values is index arithmetic; between a load and its input it is the input's index.

// CHECK-LABEL: kernel.func private @permute(
// CHECK-SAME: %[[A:[^:]*]]: memref<24xf32>, %[[B:[^:]*]]: memref<24xf32>, %[[OUT:[^:]*]]: memref<24xf32>
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(6)
// CHECK: %[[J:.*]] = kernel.range loop id(1) extent(4)
// CHECK: %[[ROW:.*]] = arith.muli %[[J]], %c6
// CHECK: %[[AT:.*]] = arith.addi %[[I]], %[[ROW]] : index
// CHECK-DAG: kernel.load %[[A]][%[[AT]]] : memref<24xf32>
// CHECK-DAG: kernel.load %[[B]][%[[AT]]] : memref<24xf32>
// CHECK-NOT: kernel.load
// CHECK-NOT: floordivsi
func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = lazy.group "permute" (%x, %y) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<6x4xf32> {
  ^bb0(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>):
    %s = arith.addf %a, %b : tensor<4x6xf32>
    %p = lazy.permute %s [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    lazy.yield %p : tensor<6x4xf32>
  }
  return %0 : tensor<6x4xf32>
}

// -----

// The same as a view: the index is unravelled and comes out without a division.
// CHECK-LABEL: kernel.func private @view(
// CHECK-NOT: floordivsi
// CHECK-NOT: sym.mod
// CHECK: kernel.store
func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = lazy.group "view" (%x) : (tensor<4x6xf32>) -> tensor<6x4xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    %s = math.exp %a : tensor<4x6xf32>
    %p = lazy.view %s <(6, 4):(1, 6)> : tensor<4x6xf32> -> tensor<6x4xf32>
    lazy.yield %p : tensor<6x4xf32>
  }
  return %0 : tensor<6x4xf32>
}

// -----

// CHECK-LABEL: kernel.func private @reshape(
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(24)
// CHECK: %[[X:.*]] = kernel.load %{{.*}}[%[[I]]] : memref<24xf32>
func.func @main(%x: tensor<4x6xf32>) -> tensor<1x24xf32> {
  %0 = lazy.group "reshape" (%x) : (tensor<4x6xf32>) -> tensor<1x24xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    %s = math.exp %a : tensor<4x6xf32>
    %p = lazy.reshape %s : tensor<4x6xf32> -> tensor<1x24xf32>
    lazy.yield %p : tensor<1x24xf32>
  }
  return %0 : tensor<1x24xf32>
}

// -----

// Only the axes that change are linearised: the iota stays the range.
// CHECK-LABEL: kernel.func private @reshape_of_part(
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(5)
// CHECK: %[[J:.*]] = kernel.range loop id(1) extent(6)
// CHECK: arith.index_cast %[[I]] : index to i32
func.func @main() -> tensor<5x6xi32> {
  %0 = lazy.group "reshape_of_part" () : () -> tensor<5x6xi32> {
    %s = lazy.iota 0 : tensor<5x2x1x3xi32>
    %p = lazy.reshape %s : tensor<5x2x1x3xi32> -> tensor<5x6xi32>
    lazy.yield %p : tensor<5x6xi32>
  }
  return %0 : tensor<5x6xi32>
}

// -----

// CHECK-LABEL: kernel.func private @expand_shrink_flip(
// CHECK-NOT: select
// CHECK: kernel.store
func.func @main(%x: tensor<4x1xf32>) -> tensor<2x6xf32> {
  %0 = lazy.group "expand_shrink_flip" (%x) : (tensor<4x1xf32>) -> tensor<2x6xf32> {
  ^bb0(%a: tensor<4x1xf32>):
    %s = math.exp %a : tensor<4x1xf32>
    %e = lazy.expand %s : tensor<4x1xf32> -> tensor<4x6xf32>
    %i = lazy.iota 1 : tensor<4x6xi32>
    %f = arith.sitofp %i : tensor<4x6xi32> to tensor<4x6xf32>
    %m = arith.mulf %e, %f : tensor<4x6xf32>
    %r = lazy.flip %m [0, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
    %p = lazy.shrink %r begin [1, 0] end [3, 6] : tensor<4x6xf32> -> tensor<2x6xf32>
    lazy.yield %p : tensor<2x6xf32>
  }
  return %0 : tensor<2x6xf32>
}

// -----

// The gate is safety, the select is meaning: exp of a padding is not zero.
// CHECK-LABEL: kernel.func private @pad(
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(6)
// CHECK: %[[AT:.*]] = arith.addi %[[I]], %c-1
// CHECK: %[[VALID:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: %[[X:.*]] = kernel.load %{{.*}}[%[[AT]]] if %[[VALID]] : memref<4xf32>
// CHECK: %[[E:.*]] = math.exp %[[X]] : f32
// CHECK: %[[Y:.*]] = arith.select %[[VALID]], %[[E]], %{{.*}} : f32
// CHECK: kernel.store %[[Y]]
func.func @main(%x: tensor<4xf32>) -> tensor<6xf32> {
  %0 = lazy.group "pad" (%x) : (tensor<4xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = math.exp %a : tensor<4xf32>
    %p = lazy.pad %s low [1] high [1] : tensor<4xf32> -> tensor<6xf32>
    lazy.yield %p : tensor<6xf32>
  }
  return %0 : tensor<6xf32>
}

// -----

// Padding with ones is padding with zeros, and one where the padding is: the mask of a mask.
// CHECK-LABEL: kernel.func private @pad_of_pad(
// CHECK: kernel.load %{{.*}} if %{{.*}} : memref<2x
func.func @main(%x: tensor<2xf32>) -> tensor<6xf32> {
  %0 = lazy.group "pad_of_pad" (%x) : (tensor<2xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<2xf32>):
    %s = math.exp %a : tensor<2xf32>
    %p = lazy.pad %s low [1] high [1] : tensor<2xf32> -> tensor<4xf32>
    %e = math.exp %p : tensor<4xf32>
    %q = lazy.pad %e low [1] high [1] : tensor<4xf32> -> tensor<6xf32>
    lazy.yield %q : tensor<6xf32>
  }
  return %0 : tensor<6xf32>
}

// -----

// Users that disagree on where a value is used: what is loaded is gated by its own bounds.
// CHECK-LABEL: kernel.func private @two_masks(
// CHECK: kernel.store
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.group "two_masks" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = math.exp %a : tensor<8xf32>
    %l = lazy.view %s <(8):(1) + 2 mask [0:4]> : tensor<8xf32> -> tensor<8xf32>
    %r = lazy.view %s <(8):(1) + 2 mask [2:6]> : tensor<8xf32> -> tensor<8xf32>
    %p = arith.subf %l, %r : tensor<8xf32>
    lazy.yield %p : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// A used-everywhere value needs no gate, whatever other users mask.
// CHECK-LABEL: kernel.func private @mask_beside_plain(
// CHECK: kernel.load %{{.*}}[%{{.*}}] : memref<8xf32>
// CHECK-NOT: kernel.load
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.group "mask_beside_plain" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = math.exp %a : tensor<8xf32>
    %l = lazy.view %s <(8):(1) mask [0:4]> : tensor<8xf32> -> tensor<8xf32>
    %p = arith.subf %l, %s : tensor<8xf32>
    lazy.yield %p : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// A padded convolution is a stack of two views. Its kernel divides nothing.
// CHECK-LABEL: kernel.func private @conv(
// CHECK-NOT: floordivsi
// CHECK-NOT: sym.mod
// CHECK: kernel.load %arg0[%{{.*}}] if %[[VALID:.*]] : memref<72xf32>
// CHECK: %[[X:.*]] = arith.select %[[VALID]],
// CHECK-NOT: floordivsi
// CHECK: kernel.store
func.func @main(%x: tensor<2x6x6xf32>, %w: tensor<2x3x3xf32>) -> tensor<6x6xf32> {
  %0 = lazy.group "conv" (%x, %w) : (tensor<2x6x6xf32>, tensor<2x3x3xf32>) -> tensor<6x6xf32> {
  ^bb0(%a: tensor<2x6x6xf32>, %b: tensor<2x3x3xf32>):
    %z = arith.constant dense<0.0> : tensor<2x6x6xf32>
    %r = arith.maximumf %a, %z : tensor<2x6x6xf32>
    %v = lazy.view %r <(2, 8, 8):(36, 6, 1) + -7 mask [0:2, 1:7, 1:7], (6, 6, 2, 3, 3):(8, 1, 64, 8, 1)>
        : tensor<2x6x6xf32> -> tensor<6x6x2x3x3xf32>
    %vb = lazy.view %b <(6, 6, 2, 3, 3):(0, 0, 9, 3, 1)> : tensor<2x3x3xf32> -> tensor<6x6x2x3x3xf32>
    %m = arith.mulf %v, %vb : tensor<6x6x2x3x3xf32>
    %s = lazy.reduce addf (%m) axes [2, 3, 4] : (tensor<6x6x2x3x3xf32>) -> tensor<6x6xf32>
    lazy.yield %s : tensor<6x6xf32>
  }
  return %0 : tensor<6x6xf32>
}

// -----

// Everything masked.
// CHECK-LABEL: kernel.func private @all_masked(
// CHECK-NOT: kernel.load
// CHECK: kernel.store
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.group "all_masked" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = math.exp %a : tensor<8xf32>
    %l = lazy.view %s <(8):(0) mask [0:0]> : tensor<8xf32> -> tensor<8xf32>
    lazy.yield %l : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
