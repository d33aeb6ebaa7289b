// Signs that instructions of Vulkan, or upstream's patterns, may lose.
// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-spirv | FileCheck %s

// What is rounded has the sign of what it was; with nsz a zero's sign does not count.
// CHECK-LABEL: spirv.func @rounding
// CHECK: %[[X:.*]] = spirv.Load "StorageBuffer" %{{.*}} : f32
// CHECK: %[[F:.*]] = spirv.GL.Floor %[[X]] : f32
// CHECK: %[[BITS:.*]] = spirv.Bitcast %[[F]] : f32 to i32
// CHECK: %[[SIGN:.*]] = spirv.Bitcast %[[X]] : f32 to i32
// CHECK: spirv.BitwiseOr
// CHECK: %[[C:.*]] = spirv.GL.Ceil %{{.*}} : f32
// CHECK: spirv.Store "StorageBuffer" %{{.*}}, %[[C]] : f32
uop.func @rounding(%x: memref<4xf32>, %y: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %v = uop.load %x[%i] : memref<4xf32>, f32
  %f = math.floor %v : f32
  %c = math.ceil %f fastmath<nsz> : f32
  uop.store %c, %y[%i] : f32, memref<4xf32>
  uop.return
}

// -0 is less than 0, and a NaN stays one.
// CHECK-LABEL: spirv.func @extrema
// CHECK: %[[OR:.*]] = spirv.BitwiseOr
// CHECK: %[[OTHER:.*]] = spirv.Bitcast %[[OR]] : i32 to f32
// CHECK: spirv.FOrdLessThan
// CHECK: spirv.FOrdGreaterThan
// CHECK: spirv.Select %{{.*}}, %{{.*}}, %[[OTHER]] : i1, f32
// CHECK: spirv.BitwiseOr
// CHECK: spirv.BitwiseAnd
// CHECK-NOT: spirv.GL.FM
// CHECK-LABEL: spirv.func @plain
// CHECK: spirv.GL.FMax
uop.func @extrema(%x: memref<4xf32>, %y: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %v = uop.load %x[%i] : memref<4xf32>, f32
  %w = uop.load %y[%i] : memref<4xf32>, f32
  %a = arith.minimumf %v, %w : f32
  %b = arith.maximumf %a, %w : f32
  uop.store %b, %y[%i] : f32, memref<4xf32>
  uop.return
}
uop.func @plain(%x: memref<4xf32>, %y: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %v = uop.load %x[%i] : memref<4xf32>, f32
  %w = uop.load %y[%i] : memref<4xf32>, f32
  %b = arith.maximumf %v, %w fastmath<nsz> : f32
  uop.store %b, %y[%i] : f32, memref<4xf32>
  uop.return
}

// A product with zero has a sign, and is NaN for an infinity.
// CHECK-LABEL: spirv.func @nothing
// CHECK-NOT: spirv.FMul
// CHECK: spirv.FOrdLessThan
// CHECK: spirv.BitwiseOr
// CHECK: spirv.Select
// CHECK-LABEL: spirv.func @rest
// CHECK: spirv.UMod
// CHECK-NOT: spirv.GL.SAbs
uop.func @nothing(%x: memref<4xf32>, %y: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %zero = arith.constant 0.0 : f32
  %v = uop.load %x[%i] : memref<4xf32>, f32
  %b = arith.mulf %v, %zero : f32
  uop.store %b, %y[%i] : f32, memref<4xf32>
  uop.return
}

// The least integer is negative.
uop.func @rest(%x: memref<4xi32>, %y: memref<4xi32>) {
  %i = uop.special global dim(0) extent(4)
  %v = uop.load %x[%i] : memref<4xi32>, i32
  %w = uop.load %y[%i] : memref<4xi32>, i32
  %b = arith.remsi %v, %w : i32
  uop.store %b, %y[%i] : i32, memref<4xi32>
  uop.return
}
