// What `verify-lazy` refuses is no reason to fail: unknown types and operations stay, and what they read is stored.
// RUN: tiny-opt %s --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize=policy=all | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize=policy=none | FileCheck %s

// CHECK-LABEL: func.func @index(
// CHECK: lazy.group
func.func @index(%a: tensor<4xindex>, %c: tensor<4xcomplex<f32>>) -> (tensor<4xindex>, tensor<4xcomplex<f32>>, tensor<2xindex>, tensor<4xindex>) {
  %0 = arith.addi %a, %a : tensor<4xindex>
  %f = lazy.flip %0 [0] : tensor<4xindex> -> tensor<4xindex>
  %s = lazy.shrink %0 begin [1] end [3] : tensor<4xindex> -> tensor<2xindex>
  %1 = arith.muli %0, %f : tensor<4xindex>
  %2 = arith.muli %s, %s : tensor<2xindex>
  %v = arith.addi %1, %f : tensor<4xindex>
  return %1, %c, %2, %v : tensor<4xindex>, tensor<4xcomplex<f32>>, tensor<2xindex>, tensor<4xindex>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK: arith.addf %{{.*}} : tensor<?xf32>
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.select %{{.*}} : tensor<4xf32>
// CHECK: lazy.group "addf"
func.func @dynamic(%a: tensor<?xf32>, %b: f32, %i: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<?xf32>, f32, tensor<4xf32>) {
  %0 = arith.addf %a, %a : tensor<?xf32>
  %1 = arith.mulf %b, %b : f32
  %2 = arith.select %i, %x, %y : tensor<4xf32>
  %3 = arith.addf %2, %2 : tensor<4xf32>
  return %0, %1, %3 : tensor<?xf32>, f32, tensor<4xf32>
}

// CHECK-LABEL: func.func @regions(
// CHECK: %[[E:.*]] = lazy.group "exp"
// CHECK: scf.if
// CHECK: arith.addf %[[E]], %[[E]]
// CHECK: lazy.group "negf"
func.func @regions(%i: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %e = math.exp %x : tensor<4xf32>
  %0 = scf.if %i -> tensor<4xf32> {
    %1 = arith.addf %e, %e : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %r = arith.negf %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @zero(
// CHECK: lazy.group "reduce{{.*}}"
func.func @zero(%x: tensor<0x4xf32>) -> (tensor<4xf32>, tensor<0x4xf32>, tensor<0x8xf32>) {
  %0 = lazy.reduce addf (%x) axes [0] : (tensor<0x4xf32>) -> tensor<4xf32>
  %1 = arith.addf %x, %x : tensor<0x4xf32>
  %2 = lazy.pad %1 low [0, 2] high [0, 2] : tensor<0x4xf32> -> tensor<0x8xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<0x4xf32>, tensor<0x8xf32>
}

// CHECK-LABEL: func.func @multi(
// CHECK: lazy.group "addui_extended
func.func @multi(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>) {
  %s, %o = arith.addui_extended %a, %b : tensor<4xi32>, tensor<4xi1>
  %f = lazy.flip %s [0] : tensor<4xi32> -> tensor<4xi32>
  %n = arith.addi %f, %s : tensor<4xi32>
  return %n, %o : tensor<4xi32>, tensor<4xi1>
}
