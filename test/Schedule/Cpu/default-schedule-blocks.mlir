// RUN: tiny-opt %s -kernel-default-schedule | FileCheck %s
// RUN: tiny-opt %s -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// Heads are the threads' parts; six rows, of which the last tile has fewer; blocks of 64; both factors of the elements
// packed.
// CHECK-LABEL: kernel.func @heads
kernel.func @heads(%arg0: memref<262144xf32>, %arg1: memref<262144xf32>, %arg2: memref<262144xf32>, %arg3: memref<262144xf32>) {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %c64 = arith.constant 64 : index
  %c32768 = arith.constant 32768 : index
  %0 = kernel.range loop id(0) extent(8)
  %1 = kernel.range loop id(1) extent(512)
  %2 = kernel.range loop id(2) extent(64)
  %3 = kernel.range reduce id(3) extent(512)
  %4 = kernel.range reduce id(4) extent(64)
  %5 = arith.muli %0, %c32768 : index
  %6 = arith.muli %1, %c64 : index
  %7 = arith.addi %5, %6 : index
  %8 = arith.addi %7, %4 : index
  %9 = kernel.load %arg0[%8] : memref<262144xf32>
  %10 = arith.muli %3, %c64 : index
  %11 = arith.addi %5, %10 : index
  %12 = arith.addi %11, %4 : index
  %13 = kernel.load %arg1[%12] : memref<262144xf32>
  %14 = arith.mulf %9, %13 : f32
  %15 = kernel.reduce addf (%14) over (%4) : f32
  %16 = arith.mulf %15, %cst_1 : f32
  %17 = arith.addi %5, %2 : index
  %18 = arith.addi %17, %10 : index
  %19 = kernel.load %arg2[%18] : memref<262144xf32>
  %20:3 = kernel.reduce (%16, %cst_0, %19) init (%cst, %cst_2, %cst_2) over (%3) : f32, f32, f32 {
  ^bb0(%arg4: f32, %arg5: f32, %arg6: f32, %arg7: f32, %arg8: f32, %arg9: f32):
    %cst_3 = arith.constant 1.000000e+00 : f32
    %26 = arith.subf %arg4, %arg7 : f32
    %27 = math.absf %26 : f32
    %28 = arith.negf %27 : f32
    %29 = math.exp %28 : f32
    %30 = arith.cmpf oge, %arg4, %arg7 : f32
    %31 = arith.select %30, %cst_3, %29 : f32
    %32 = arith.cmpf ole, %arg4, %arg7 : f32
    %33 = arith.select %32, %cst_3, %29 : f32
    %34 = arith.maximumf %arg4, %arg7 : f32
    %35 = arith.mulf %arg5, %31 fastmath<reassoc,contract> : f32
    %36 = arith.mulf %arg8, %33 fastmath<reassoc,contract> : f32
    %37 = arith.addf %35, %36 fastmath<reassoc,contract> : f32
    %38 = arith.mulf %arg6, %31 fastmath<reassoc,contract> : f32
    %39 = arith.mulf %arg9, %33 fastmath<reassoc,contract> : f32
    %40 = arith.addf %38, %39 fastmath<reassoc,contract> : f32
    kernel.yield %34, %37, %40 : f32, f32, f32
  }
  %21 = arith.subf %20#0, %20#0 : f32
  %22 = arith.addf %20#2, %21 : f32
  %23 = arith.addf %20#1, %21 : f32
  %24 = arith.divf %22, %23 : f32
  %25 = arith.addi %7, %2 : index
  kernel.store %24, %arg3[%25] : memref<262144xf32>
}

// Rows are all that is free: few parts, each of whole tiles.
// CHECK-LABEL: kernel.func @rows
kernel.func @rows(%arg0: memref<262144xf32>, %arg1: memref<262144xf32>, %arg2: memref<262144xf32>, %arg3: memref<262144xf32>) {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %c64 = arith.constant 64 : index
  %0 = kernel.range loop id(0) extent(4096)
  %1 = kernel.range loop id(1) extent(64)
  %2 = kernel.range reduce id(2) extent(4096)
  %3 = kernel.range reduce id(3) extent(64)
  %4 = arith.muli %0, %c64 : index
  %5 = arith.addi %4, %3 : index
  %6 = kernel.load %arg0[%5] : memref<262144xf32>
  %7 = arith.muli %2, %c64 : index
  %8 = arith.addi %7, %3 : index
  %9 = kernel.load %arg1[%8] : memref<262144xf32>
  %10 = arith.mulf %6, %9 : f32
  %11 = kernel.reduce addf (%10) over (%3) : f32
  %12 = arith.mulf %11, %cst_1 : f32
  %13 = arith.addi %1, %7 : index
  %14 = kernel.load %arg2[%13] : memref<262144xf32>
  %15:3 = kernel.reduce (%12, %cst_0, %14) init (%cst, %cst_2, %cst_2) over (%2) : f32, f32, f32 {
  ^bb0(%arg4: f32, %arg5: f32, %arg6: f32, %arg7: f32, %arg8: f32, %arg9: f32):
    %cst_3 = arith.constant 1.000000e+00 : f32
    %21 = arith.subf %arg4, %arg7 : f32
    %22 = math.absf %21 : f32
    %23 = arith.negf %22 : f32
    %24 = math.exp %23 : f32
    %25 = arith.cmpf oge, %arg4, %arg7 : f32
    %26 = arith.select %25, %cst_3, %24 : f32
    %27 = arith.cmpf ole, %arg4, %arg7 : f32
    %28 = arith.select %27, %cst_3, %24 : f32
    %29 = arith.maximumf %arg4, %arg7 : f32
    %30 = arith.mulf %arg5, %26 fastmath<reassoc,contract> : f32
    %31 = arith.mulf %arg8, %28 fastmath<reassoc,contract> : f32
    %32 = arith.addf %30, %31 fastmath<reassoc,contract> : f32
    %33 = arith.mulf %arg6, %26 fastmath<reassoc,contract> : f32
    %34 = arith.mulf %arg9, %28 fastmath<reassoc,contract> : f32
    %35 = arith.addf %33, %34 fastmath<reassoc,contract> : f32
    kernel.yield %29, %32, %35 : f32, f32, f32
  }
  %16 = arith.subf %15#0, %15#0 : f32
  %17 = arith.addf %15#2, %16 : f32
  %18 = arith.addf %15#1, %16 : f32
  %19 = arith.divf %17, %18 : f32
  %20 = arith.addi %4, %1 : index
  kernel.store %19, %arg3[%20] : memref<262144xf32>
}

// CHECK: transform.named_sequence @heads
// CHECK: split %{{.*}} by 64 as upcast
// CHECK: pad_to %{{.*}} multiple 6
// CHECK: split %{{.*}} by 6 as upcast
// CHECK: split %{{.*}} by 64 as upcast
// CHECK: stage %arg0 argument 1 over [3, 4, 6] local
// CHECK: stage %arg0 argument 0 over [4, 5] local
// CHECK: %[[J:.*]] = transform.tiny.axis %arg0[6]
// CHECK: block_reduce %[[J]]
// CHECK: split %{{.*}} by 8 as thread
// CHECK: transform.named_sequence @rows
// CHECK: pad_to %{{.*}} multiple 96
// CHECK: split %{{.*}} by 16 as thread
// CHECK: split %{{.*}} by 6 as upcast
// CHECK: block_reduce
// CHECK-NOT: as thread
