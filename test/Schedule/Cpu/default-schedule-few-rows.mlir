// Attention of few rows: to add up lanes of each element costs less than to pack what the rows share.
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --kernel-default-schedule | FileCheck %s
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --kernel-default-schedule --check-passes --kernel-apply-schedules --canonicalize --convert-kernel-to-uop -o /dev/null

kernel.func @few(%arg0: memref<384xf32>, %arg1: memref<12288xf32>, %arg2: memref<12288xf32>, %arg3: memref<384xf32>) {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %c64 = arith.constant 64 : index
  %cw = arith.constant 64 : index
  %cq = arith.constant 192 : index
  %ck = arith.constant 6144 : index
  %cv = arith.constant 6144 : index
  %co = arith.constant 192 : index
  %0 = kernel.range loop id(0) extent(2)
  %1 = kernel.range loop id(1) extent(3)
  %2 = kernel.range loop id(2) extent(64)
  %3 = kernel.range reduce id(3) extent(96)
  %4 = kernel.range reduce id(4) extent(64)
  %5 = arith.muli %0, %cq : index
  %6 = arith.muli %1, %cw : index
  %7 = arith.addi %5, %6 : index
  %8 = arith.addi %7, %4 : index
  %9 = kernel.load %arg0[%8] : memref<384xf32>
  %k = arith.muli %0, %ck : index
  %10 = arith.muli %3, %cw : index
  %11 = arith.addi %k, %10 : index
  %12 = arith.addi %11, %4 : index
  %13 = kernel.load %arg1[%12] : memref<12288xf32>
  %14 = arith.mulf %9, %13 : f32
  %15 = kernel.reduce addf (%14) over (%4) : f32
  %16 = arith.mulf %15, %cst_1 : f32
  %v = arith.muli %0, %cv : index
  %p = arith.muli %3, %c64 : index
  %17 = arith.addi %v, %2 : index
  %18 = arith.addi %17, %p : index
  %19 = kernel.load %arg2[%18] : memref<12288xf32>
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
  %o = arith.muli %0, %co : index
  %r = arith.muli %1, %c64 : index
  %or = arith.addi %o, %r : index
  %25 = arith.addi %or, %2 : index
  kernel.store %24, %arg3[%25] : memref<384xf32>
}

// So many rows share the packed places.
kernel.func @rows(%arg0: memref<2048xf32>, %arg1: memref<12288xf32>, %arg2: memref<12288xf32>, %arg3: memref<2048xf32>) {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %c64 = arith.constant 64 : index
  %cw = arith.constant 64 : index
  %cq = arith.constant 1024 : index
  %ck = arith.constant 6144 : index
  %cv = arith.constant 6144 : index
  %co = arith.constant 1024 : index
  %0 = kernel.range loop id(0) extent(2)
  %1 = kernel.range loop id(1) extent(16)
  %2 = kernel.range loop id(2) extent(64)
  %3 = kernel.range reduce id(3) extent(96)
  %4 = kernel.range reduce id(4) extent(64)
  %5 = arith.muli %0, %cq : index
  %6 = arith.muli %1, %cw : index
  %7 = arith.addi %5, %6 : index
  %8 = arith.addi %7, %4 : index
  %9 = kernel.load %arg0[%8] : memref<2048xf32>
  %k = arith.muli %0, %ck : index
  %10 = arith.muli %3, %cw : index
  %11 = arith.addi %k, %10 : index
  %12 = arith.addi %11, %4 : index
  %13 = kernel.load %arg1[%12] : memref<12288xf32>
  %14 = arith.mulf %9, %13 : f32
  %15 = kernel.reduce addf (%14) over (%4) : f32
  %16 = arith.mulf %15, %cst_1 : f32
  %v = arith.muli %0, %cv : index
  %p = arith.muli %3, %c64 : index
  %17 = arith.addi %v, %2 : index
  %18 = arith.addi %17, %p : index
  %19 = kernel.load %arg2[%18] : memref<12288xf32>
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
  %o = arith.muli %0, %co : index
  %r = arith.muli %1, %c64 : index
  %or = arith.addi %o, %r : index
  %25 = arith.addi %or, %2 : index
  kernel.store %24, %arg3[%25] : memref<2048xf32>
}

// The sums of a block would be too much code.
kernel.func @long(%arg0: memref<3072xf32>, %arg1: memref<98304xf32>, %arg2: memref<12288xf32>, %arg3: memref<384xf32>) {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %c64 = arith.constant 64 : index
  %cw = arith.constant 512 : index
  %cq = arith.constant 1536 : index
  %ck = arith.constant 49152 : index
  %cv = arith.constant 6144 : index
  %co = arith.constant 192 : index
  %0 = kernel.range loop id(0) extent(2)
  %1 = kernel.range loop id(1) extent(3)
  %2 = kernel.range loop id(2) extent(64)
  %3 = kernel.range reduce id(3) extent(96)
  %4 = kernel.range reduce id(4) extent(512)
  %5 = arith.muli %0, %cq : index
  %6 = arith.muli %1, %cw : index
  %7 = arith.addi %5, %6 : index
  %8 = arith.addi %7, %4 : index
  %9 = kernel.load %arg0[%8] : memref<3072xf32>
  %k = arith.muli %0, %ck : index
  %10 = arith.muli %3, %cw : index
  %11 = arith.addi %k, %10 : index
  %12 = arith.addi %11, %4 : index
  %13 = kernel.load %arg1[%12] : memref<98304xf32>
  %14 = arith.mulf %9, %13 : f32
  %15 = kernel.reduce addf (%14) over (%4) : f32
  %16 = arith.mulf %15, %cst_1 : f32
  %v = arith.muli %0, %cv : index
  %p = arith.muli %3, %c64 : index
  %17 = arith.addi %v, %2 : index
  %18 = arith.addi %17, %p : index
  %19 = kernel.load %arg2[%18] : memref<12288xf32>
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
  %o = arith.muli %0, %co : index
  %r = arith.muli %1, %c64 : index
  %or = arith.addi %o, %r : index
  %25 = arith.addi %or, %2 : index
  kernel.store %24, %arg3[%25] : memref<384xf32>
}

// Lanes would not fill the axis.
kernel.func @uneven(%arg0: memref<120xf32>, %arg1: memref<3840xf32>, %arg2: memref<12288xf32>, %arg3: memref<384xf32>) {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %c64 = arith.constant 64 : index
  %cw = arith.constant 20 : index
  %cq = arith.constant 60 : index
  %ck = arith.constant 1920 : index
  %cv = arith.constant 6144 : index
  %co = arith.constant 192 : index
  %0 = kernel.range loop id(0) extent(2)
  %1 = kernel.range loop id(1) extent(3)
  %2 = kernel.range loop id(2) extent(64)
  %3 = kernel.range reduce id(3) extent(96)
  %4 = kernel.range reduce id(4) extent(20)
  %5 = arith.muli %0, %cq : index
  %6 = arith.muli %1, %cw : index
  %7 = arith.addi %5, %6 : index
  %8 = arith.addi %7, %4 : index
  %9 = kernel.load %arg0[%8] : memref<120xf32>
  %k = arith.muli %0, %ck : index
  %10 = arith.muli %3, %cw : index
  %11 = arith.addi %k, %10 : index
  %12 = arith.addi %11, %4 : index
  %13 = kernel.load %arg1[%12] : memref<3840xf32>
  %14 = arith.mulf %9, %13 : f32
  %15 = kernel.reduce addf (%14) over (%4) : f32
  %16 = arith.mulf %15, %cst_1 : f32
  %v = arith.muli %0, %cv : index
  %p = arith.muli %3, %c64 : index
  %17 = arith.addi %v, %2 : index
  %18 = arith.addi %17, %p : index
  %19 = kernel.load %arg2[%18] : memref<12288xf32>
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
  %o = arith.muli %0, %co : index
  %r = arith.muli %1, %c64 : index
  %or = arith.addi %o, %r : index
  %25 = arith.addi %or, %2 : index
  kernel.store %24, %arg3[%25] : memref<384xf32>
}

// CHECK-LABEL: transform.named_sequence @few
// CHECK: %[[SUMMED:.*]] = transform.tiny.axis %arg0[4]
// CHECK: split %[[SUMMED]] by 0 as upcast
// CHECK-NOT: transform.tiny.stage
// CHECK: block_reduce
// CHECK-LABEL: transform.named_sequence @rows
// CHECK: stage %arg0 argument 1
// CHECK-LABEL: transform.named_sequence @long
// CHECK: stage %arg0 argument 1
// CHECK-LABEL: transform.named_sequence @uneven
// CHECK: stage %arg0 argument 1
