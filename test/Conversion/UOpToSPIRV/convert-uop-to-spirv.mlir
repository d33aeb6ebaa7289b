// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-spirv | FileCheck %s --implicit-check-not="uop."

// CHECK: kernel.launch @double
// CHECK: func.func private @double(memref<128xf32>, memref<128xf32>) attributes {kernel.entry =
kernel.program @main(%x: memref<128xf32> {tiny.type = tensor<128xf32>}) -> (memref<128xf32> {tiny.type = tensor<128xf32>}) {
  %y = kernel.alloc : memref<128xf32>
  kernel.launch @double ins(%x : memref<128xf32>) outs(%y : memref<128xf32>)
  kernel.return %y : memref<128xf32>
}

// Buffers are bound by their number, hardware axes are builtins that kernels share. Nothing is contracted.
// CHECK: spirv.module Logical GLSL450 requires #spirv.vce<v1.5, [Shader,{{.*}}], []>
// CHECK-DAG: spirv.GlobalVariable @LocalInvocationId built_in("LocalInvocationId")
// CHECK-DAG: spirv.GlobalVariable @WorkgroupId built_in("WorkgroupId")
// CHECK-DAG: spirv.GlobalVariable @double_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]){{.*}}>, StorageBuffer>
// CHECK-DAG: spirv.GlobalVariable @double_1 bind(0, 1)
// CHECK: spirv.func @double() "None"
// CHECK: %[[X:.*]] = spirv.Load "StorageBuffer"
// CHECK: spirv.FAdd %[[X]], %[[X]] {no_contraction} : f32
// CHECK: spirv.Store "StorageBuffer"
// CHECK: spirv.Return
uop.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
  %g = uop.special global dim(0) extent(2)
  %l = uop.special local dim(0) extent(64)
  %c64 = arith.constant 64 : index
  %base = arith.muli %g, %c64 : index
  %i = arith.addi %base, %l : index
  %x = uop.load %in[%i] : memref<128xf32>, f32
  %y = arith.addf %x, %x : f32
  uop.store %y, %out[%i] : f32, memref<128xf32>
  uop.return
}

// i1 is a byte in memory. A load behind a gate reads the first element, a store does not happen.
// CHECK: spirv.GlobalVariable @gates_0 {{.*}}rtarray<i8, stride=1>
// CHECK: spirv.func @gates
// CHECK: %[[BYTE:.*]] = spirv.Load "StorageBuffer" %{{.*}} : i8
// CHECK: spirv.INotEqual %[[BYTE]]
// CHECK: spirv.mlir.selection
// CHECK: spirv.Store "StorageBuffer" %{{.*}}, %{{.*}} : i8
uop.func @gates(%in: memref<10xi1>, %out: memref<10xi1>) {
  %i = uop.special local dim(0) extent(16)
  %c10 = arith.constant 10 : index
  %gate = arith.cmpi slt, %i, %c10 : index
  %x = uop.load %in[%i] if %gate as i1 : memref<10xi1>, i1
  uop.store %x, %out[%i] if %gate as i1 : i1, memref<10xi1>
  uop.return
}

// Loops, tiles of both spaces, and indices of 64 bits where they come from memory.
// CHECK: spirv.GlobalVariable @tiles_tile : !spirv.ptr<!spirv.array<64 x f32>, Workgroup>
// CHECK: spirv.func @tiles
// CHECK: spirv.Variable : !spirv.ptr<!spirv.array<4 x f32>, Function>
// CHECK: spirv.mlir.loop
// CHECK: spirv.SLessThan %{{.*}}, %{{.*}} : i64
uop.func @tiles(%in: memref<256xf32>, %at: memref<64xi64>, %out: memref<64xf32>) {
  %l = uop.special local dim(0) extent(64)
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local : memref<64xf32>
  %r = uop.register : memref<4xf32>
  %place = uop.load %at[%l] : memref<64xi64>, i64
  %row = arith.index_cast %place : i64 to index
  %base = arith.muli %row, %c4 : index
  %sum = uop.for %k to %c4 iter(%acc = %zero) -> (f32) {
    %i = arith.addi %base, %k : index
    %x = uop.load %in[%i] : memref<256xf32>, f32
    uop.store %x, %r[%k] : f32, memref<4xf32>
    %y = uop.load %r[%k] : memref<4xf32>, f32
    %s = arith.addf %acc, %y : f32
    uop.yield %s : f32
  }
  uop.store %sum, %t[%l] : f32, memref<64xf32>
  %v = uop.load %t[%l] : memref<64xf32>, f32
  %positive = arith.cmpf ogt, %v, %zero : f32
  uop.if %positive {
    uop.store %v, %out[%l] : f32, memref<64xf32>
  }
  uop.return
}

// What is only moved is an integer.
// CHECK: spirv.GlobalVariable @moves_0_0 {{.*}}rtarray<i16, stride=2>
// CHECK: spirv.func @moves
uop.func @moves(%in: memref<4xbf16>, %out: memref<4xbf16>) {
  %l = uop.special local dim(0) extent(4)
  %x = uop.load %in[%l] : memref<4xbf16>, bf16
  uop.store %x, %out[%l] : bf16, memref<4xbf16>
  uop.return
}

// A buffer without elements is never read.
// CHECK: spirv.func @empty
// CHECK-NOT: spirv.Load "StorageBuffer"
// CHECK: spirv.Return
uop.func @empty(%in: memref<0xf32>, %out: memref<1xf32>) {
  %i = uop.special local dim(0) extent(1)
  %false = arith.constant false
  %x = uop.load %in[%i] if %false as i1 : memref<0xf32>, f32
  uop.store %x, %out[%i] : f32, memref<1xf32>
  uop.return
}

// A loop that does not run gives its initial values.
// CHECK: spirv.func @never
// CHECK: spirv.mlir.loop
// CHECK: %[[RUNS:.*]] = spirv.SGreaterThan
// CHECK: spirv.Select %[[RUNS]], %{{.*}}, %{{.*}} : i1, f32
uop.func @never(%n: memref<1xi32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %count = uop.load %n[%c0] : memref<1xi32>, i32
  %bound = arith.index_cast %count : i32 to index
  %r = uop.for %k to %bound iter(%x = %one) -> (f32) {
    %y = arith.addf %x, %x : f32
    uop.yield %y : f32
  }
  uop.store %r, %out[%c0] : f32, memref<1xf32>
  uop.return
}

// Kernels keep their names, which a variable would take: here `moves_0`.
// CHECK: spirv.EntryPoint "GLCompute" @double, @double_0, @double_1, @WorkgroupId, @LocalInvocationId
// CHECK: spirv.ExecutionMode @double "LocalSize", 64, 1, 1
// CHECK: spirv.EntryPoint "GLCompute" @moves_0
uop.func @moves_0(%in: memref<4xf32>) {
  uop.return
}
