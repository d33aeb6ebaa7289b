// RUN: tiny-opt %s -split-input-file --lazy-plan-state --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=lazy. --implicit-check-not=func.func

// CHECK-LABEL: kernel.program @elementwise(
// CHECK-SAME: %[[X:[^:]*]]: memref<32xf32> {tiny.type = tensor<4x8xf32>}
// CHECK-SAME: -> (memref<32xf32> {tiny.type = tensor<4x8xf32>}) {
// CHECK: %[[Y:.*]] = kernel.alloc : memref<32xf32>
// CHECK: kernel.launch @double ins(%[[X]] : memref<32xf32>) outs(%[[Y]] : memref<32xf32>)
// CHECK: kernel.return %[[Y]]
// CHECK-LABEL: kernel.func private @double(
// CHECK-SAME: %[[IN:[^:]*]]: memref<32xf32>, %[[OUT:[^:]*]]: memref<32xf32>
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(4)
// CHECK: %[[J:.*]] = kernel.range loop id(1) extent(8)
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c8
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[J]] : index
// CHECK: %[[V:.*]] = kernel.load %[[IN]][%[[AT]]] : memref<32xf32>
// CHECK: %[[S:.*]] = arith.addf %[[V]], %[[V]] fastmath<nnan> : f32
// CHECK: kernel.store %[[S]], %[[OUT]][%[[AT]]] : memref<32xf32>
func.func @elementwise(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lazy.group "double" (%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %s = arith.addf %a, %a fastmath<nnan> : tensor<4x8xf32>
    lazy.yield %s : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// What is said at the tensor level stays.
// CHECK-LABEL: kernel.program private @signature(
// CHECK-SAME: memref<4xi8> {tiny.donated, tiny.type = tensor<4xui8>}
// CHECK-SAME: -> (memref<4xi8> {tiny.type = tensor<2x2xui8>}) attributes {tiny.note = 1 : i32}
func.func private @signature(%x: tensor<4xi8> {tiny.donated, tiny.type = tensor<4xui8>})
    -> (tensor<4xi8> {tiny.type = tensor<2x2xui8>}) attributes {tiny.note = 1 : i32} {
  return %x : tensor<4xi8>
}

// -----

// Two launches of one name are two kernels, and the label becomes a symbol.
// CHECK-LABEL: kernel.program @names(
// CHECK: kernel.launch @conv_relu ins
// CHECK: kernel.launch @conv_relu_0 ins
// CHECK: kernel.launch @kernel ins
// CHECK: kernel.launch @names_0 ins
// CHECK: kernel.func private @conv_relu(
// CHECK: kernel.func private @conv_relu_0(
// CHECK: kernel.func private @kernel(
// CHECK: kernel.func private @names_0(
func.func @names(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.group "conv+relu" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %n = arith.negf %a : tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  %1 = lazy.group "conv+relu" (%0) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %n = arith.negf %a : tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  %2 = lazy.group (%1) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %n = arith.negf %a : tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  %3 = lazy.group "names" (%2) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %n = arith.negf %a : tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  return %3 : tensor<4xf32>
}

// -----

// CHECK-LABEL: kernel.func private @matmul(
// CHECK-SAME: %[[A:[^:]*]]: memref<32xf32>, %[[B:[^:]*]]: memref<24xf32>, %[[OUT:[^:]*]]: memref<12xf32>
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(0) extent(4)
// CHECK-DAG: %[[J:.*]] = kernel.range loop id(1) extent(3)
// CHECK-DAG: %[[K:.*]] = kernel.range reduce id(2) extent(8)
// CHECK: %[[X:.*]] = kernel.load %[[A]]
// CHECK: %[[Y:.*]] = kernel.load %[[B]]
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK: %[[S:.*]] = kernel.reduce addf (%[[P]]) over (%[[K]]) fastmath<contract> : f32
// CHECK: %[[R:.*]] = arith.maximumf %[[S]], %{{.*}} : f32
// CHECK: kernel.store %[[R]], %[[OUT]]
func.func @matmul_relu(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %0 = lazy.group "matmul" (%x, %w) : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>):
    %va = lazy.view %a <(4, 3, 8):(8, 0, 1)> : tensor<4x8xf32> -> tensor<4x3x8xf32>
    %vb = lazy.view %b <(4, 3, 8):(0, 1, 3)> : tensor<8x3xf32> -> tensor<4x3x8xf32>
    %m = arith.mulf %va, %vb : tensor<4x3x8xf32>
    %s = lazy.reduce addf (%m) axes [2] fastmath<contract> : (tensor<4x3x8xf32>) -> tensor<4x3xf32>
    %zero = arith.constant dense<0.0> : tensor<4x3xf32>
    %r = arith.maximumf %s, %zero : tensor<4x3xf32>
    lazy.yield %r : tensor<4x3xf32>
  }
  return %0 : tensor<4x3xf32>
}

// -----

// Unit axes are no ranges; outputs of one shape share theirs.
// CHECK-LABEL: kernel.func private @outputs(
// CHECK: kernel.range loop id(0) extent(4)
// CHECK-NEXT: %[[K:.*]] = kernel.range loop id(1) extent(2)
// CHECK-NEXT: kernel.range loop id(2) extent(4)
// CHECK-NOT: kernel.range
// CHECK-DAG: kernel.store %[[X:.*]], %arg1[%[[AT:.*]]] : memref<4xf32>
// CHECK-DAG: kernel.store %[[X]], %arg2[%[[AT]]] : memref<4xf32>
// CHECK-DAG: kernel.store %{{.*}}, %arg3[%[[OTHER:.*]]] : memref<8xi64>
func.func @main(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<2x4xi64>) {
  %0:3 = lazy.group "outputs" (%x) : (tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<2x4xi64>) {
  ^bb0(%a: tensor<4x1xf32>):
    %n = arith.negf %a : tensor<4x1xf32>
    %i = lazy.iota 1 : tensor<2x4xi64>
    lazy.yield %n, %n, %i : tensor<4x1xf32>, tensor<4x1xf32>, tensor<2x4xi64>
  }
  return %0#0, %0#1, %0#2 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<2x4xi64>
}

// -----

// A scalar has no range at all.
// CHECK-LABEL: kernel.func private @scalar(
// CHECK-NOT: kernel.range
// CHECK: %[[X:.*]] = kernel.load %{{.*}}[%[[ZERO:.*]]] : memref<1xf32>
// CHECK: %[[N:.*]] = arith.negf %[[X]] : f32
// CHECK: kernel.store %[[N]], %{{.*}}[%{{.*}}] : memref<1xf32>
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = lazy.group "scalar" (%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %n = arith.negf %a : tensor<f32>
    lazy.yield %n : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// Values at one index are computed once, whatever the number of paths.
// CHECK-LABEL: kernel.func private @paths(
// CHECK-COUNT-1: kernel.load
// CHECK-NOT: kernel.load
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: arith.addf
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = lazy.group "paths" (%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %1 = arith.addf %a, %a : tensor<4x4xf32>
    %t = lazy.permute %1 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    %u = lazy.permute %t [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = arith.addf %u, %1 : tensor<4x4xf32>
    %f = lazy.flip %2 [0] : tensor<4x4xf32> -> tensor<4x4xf32>
    %g = lazy.flip %f [0] : tensor<4x4xf32> -> tensor<4x4xf32>
    %3 = arith.addf %g, %2 : tensor<4x4xf32>
    %r = lazy.reshape %3 : tensor<4x4xf32> -> tensor<16xf32>
    %s = lazy.reshape %r : tensor<16xf32> -> tensor<4x4xf32>
    %4 = arith.addf %s, %3 : tensor<4x4xf32>
    lazy.yield %4 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

// An operation with two results is one operation.
// CHECK-LABEL: kernel.func private @two_results(
// CHECK: %[[SUM:.*]], %[[CARRY:.*]] = arith.addui_extended %{{.*}}, %{{.*}} : i32, i1
// CHECK-NOT: arith.addui_extended
// CHECK-DAG: kernel.store %[[SUM]], %arg1
// CHECK-DAG: kernel.store %[[CARRY]], %arg2
func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>) {
  %0:2 = lazy.group "two_results" (%x) : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>) {
  ^bb0(%a: tensor<4xi32>):
    %s, %c = arith.addui_extended %a, %a : tensor<4xi32>, tensor<4xi1>
    lazy.yield %s, %c : tensor<4xi32>, tensor<4xi1>
  }
  return %0#0, %0#1 : tensor<4xi32>, tensor<4xi1>
}

// -----

// A division is not run on what is not used.
// CHECK-LABEL: kernel.func private @division(
// CHECK: %[[VALID:.*]] = arith.andi
// CHECK: arith.ori
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[SAFE:.*]] = arith.select %[[VALID]], %{{.*}}, %[[ONE]] : i32
// CHECK: %[[Q:.*]] = arith.divsi %{{.*}}, %[[SAFE]] : i32
// CHECK: %[[OTHER:.*]] = arith.select %[[VALID]], %{{.*}}, %{{.*}} : i32
// CHECK: %[[R:.*]] = arith.remsi %[[Q]], %[[OTHER]] : i32
// CHECK: arith.select %[[VALID]], %[[R]], %{{.*}} : i32
func.func @main(%x: tensor<4xi32>) -> tensor<6xi32> {
  %0 = lazy.group "division" (%x) : (tensor<4xi32>) -> tensor<6xi32> {
  ^bb0(%a: tensor<4xi32>):
    %one = arith.constant dense<1> : tensor<4xi32>
    %b = arith.ori %a, %one : tensor<4xi32>
    %q = arith.divsi %a, %b : tensor<4xi32>
    %r = arith.remsi %q, %b : tensor<4xi32>
    %p = lazy.pad %r low [1] high [1] : tensor<4xi32> -> tensor<6xi32>
    lazy.yield %p : tensor<6xi32>
  }
  return %0 : tensor<6xi32>
}
