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

// What has 32 bits is compared in them, where the other number has no more.
// CHECK-LABEL: spirv.func @widened
// CHECK: %[[W:.*]] = spirv.Load "StorageBuffer" %{{.*}} : i32
// CHECK: spirv.SGreaterThan %[[W]], %{{.*}} : i32
// CHECK: spirv.IEqual %{{.*}} : i64
// CHECK: spirv.ULessThan %[[W]], %{{.*}} : i32
// CHECK: spirv.SLessThan %{{.*}} : i64
uop.func @widened(%x: memref<4xi32>, %a: memref<4xi1>, %b: memref<4xi1>, %c: memref<4xi1>, %d: memref<4xi1>) {
  %c0 = arith.constant 0 : i64
  %large = arith.constant 4294967296 : i64
  %i = uop.special global dim(0) extent(4)
  %v = uop.load %x[%i] : memref<4xi32>, i32
  %s = arith.extsi %v : i32 to i64
  %u = arith.extui %v : i32 to i64
  %g = arith.cmpi sgt, %s, %c0 : i64
  %e = arith.cmpi eq, %s, %large : i64
  %l = arith.cmpi ult, %u, %c0 : i64
  %m = arith.cmpi slt, %u, %c0 : i64
  uop.store %g, %a[%i] : i1, memref<4xi1>
  uop.store %e, %b[%i] : i1, memref<4xi1>
  uop.store %l, %c[%i] : i1, memref<4xi1>
  uop.store %m, %d[%i] : i1, memref<4xi1>
  uop.return
}

// CHECK-LABEL: spirv.func @halves
// CHECK-NOT: spirv.GL.RoundEven
// CHECK: spirv.GL.Floor %{{.*}} : f64
// CHECK-NOT: spirv.GL.RoundEven
// CHECK: spirv.Return
uop.func @halves(%x: memref<4xf64>, %y: memref<4xf64>) {
  %i = uop.special global dim(0) extent(4)
  %v = uop.load %x[%i] : memref<4xf64>, f64
  %r = math.roundeven %v : f64
  uop.store %r, %y[%i] : f64, memref<4xf64>
  uop.return
}
