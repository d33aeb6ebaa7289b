// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// Lanes are across columns, which the tile is then over, too.
// CHECK: Function=softmax | {{.*}}"axis 1 by 64 as upcast, axis 0 by 4 as upcast, axis 1 by 4 as thread"
kernel.func @softmax(%arg0: memref<25600xf32>, %arg1: memref<25600xf32>) {
  %c256 = arith.constant 256 : index
  %0 = kernel.range loop id(0) extent(100) order(1)
  %1 = kernel.range loop id(1) extent(256) order(0)
  %2 = kernel.range reduce id(2) extent(100)
  %3 = kernel.range reduce id(3) extent(100)
  %4 = arith.muli %0, %c256 : index
  %5 = arith.addi %4, %1 : index
  %6 = kernel.range loop id(4) extent(100) order(0)
  %7 = arith.muli %6, %c256 : index
  %8 = arith.addi %1, %7 : index
  %9 = kernel.load %arg0[%8] : memref<25600xf32>
  %10 = math.tanh %9 : f32
  %11 = kernel.stage %10 over (%6) local : memref<100xf32>
  %12 = kernel.load %11[%3] : memref<100xf32>
  %13 = kernel.reduce maximumf (%12) over (%3) : f32
  %14 = kernel.load %11[%2] : memref<100xf32>
  %15 = arith.subf %14, %13 : f32
  %16 = math.exp %15 : f32
  %17 = kernel.reduce addf (%16) over (%2) : f32
  %18 = kernel.load %11[%0] : memref<100xf32>
  %19 = arith.subf %18, %13 : f32
  %20 = math.exp %19 : f32
  %21 = arith.divf %20, %17 : f32
  kernel.store %21, %arg1[%5] : memref<25600xf32>
}

// A longer column.
// CHECK: Function=long | {{.*}}"axis 1 by 64 as upcast, axis 0 by 5 as upcast, axis 1 by 4 as thread"
kernel.func @long(%arg0: memref<281600xf32>, %arg1: memref<281600xf32>) {
  %c256 = arith.constant 256 : index
  %0 = kernel.range loop id(0) extent(1100) order(1)
  %1 = kernel.range loop id(1) extent(256) order(0)
  %2 = kernel.range reduce id(2) extent(1100)
  %3 = kernel.range reduce id(3) extent(1100)
  %4 = arith.muli %0, %c256 : index
  %5 = arith.addi %4, %1 : index
  %6 = kernel.range loop id(4) extent(1100) order(0)
  %7 = arith.muli %6, %c256 : index
  %8 = arith.addi %1, %7 : index
  %9 = kernel.load %arg0[%8] : memref<281600xf32>
  %10 = math.tanh %9 : f32
  %11 = kernel.stage %10 over (%6) local : memref<1100xf32>
  %12 = kernel.load %11[%3] : memref<1100xf32>
  %13 = kernel.reduce maximumf (%12) over (%3) : f32
  %14 = kernel.load %11[%2] : memref<1100xf32>
  %15 = arith.subf %14, %13 : f32
  %16 = math.exp %15 : f32
  %17 = kernel.reduce addf (%16) over (%2) : f32
  %18 = kernel.load %11[%0] : memref<1100xf32>
  %19 = arith.subf %18, %13 : f32
  %20 = math.exp %19 : f32
  %21 = arith.divf %20, %17 : f32
  kernel.store %21, %arg1[%5] : memref<281600xf32>
}

// Two vectors, of which a quarter is padding.
// CHECK: Function=padded | {{.*}}"axis 1 padded to a multiple of 32, axis 1 by 32 as upcast, axis 0 by 2 as upcast"
kernel.func @padded(%arg0: memref<2400xf32>, %arg1: memref<2400xf32>) {
  %c24 = arith.constant 24 : index
  %0 = kernel.range loop id(0) extent(100) order(1)
  %1 = kernel.range loop id(1) extent(24) order(0)
  %2 = kernel.range reduce id(2) extent(100)
  %3 = kernel.range reduce id(3) extent(100)
  %4 = arith.muli %0, %c24 : index
  %5 = arith.addi %4, %1 : index
  %6 = kernel.range loop id(4) extent(100) order(0)
  %7 = arith.muli %6, %c24 : index
  %8 = arith.addi %1, %7 : index
  %9 = kernel.load %arg0[%8] : memref<2400xf32>
  %10 = math.tanh %9 : f32
  %11 = kernel.stage %10 over (%6) local : memref<100xf32>
  %12 = kernel.load %11[%3] : memref<100xf32>
  %13 = kernel.reduce maximumf (%12) over (%3) : f32
  %14 = kernel.load %11[%2] : memref<100xf32>
  %15 = arith.subf %14, %13 : f32
  %16 = math.exp %15 : f32
  %17 = kernel.reduce addf (%16) over (%2) : f32
  %18 = kernel.load %11[%0] : memref<100xf32>
  %19 = arith.subf %18, %13 : f32
  %20 = math.exp %19 : f32
  %21 = arith.divf %20, %17 : f32
  kernel.store %21, %arg1[%5] : memref<2400xf32>
}

// One vector of columns, whose tile is read from the second-level cache.
// CHECK: Function=longest | {{.*}}"axis 1 by 16 as upcast, axis 0 by 8 as upcast"
kernel.func @longest(%arg0: memref<80000xf32>, %arg1: memref<80000xf32>) {
  %c16 = arith.constant 16 : index
  %0 = kernel.range loop id(0) extent(5000) order(1)
  %1 = kernel.range loop id(1) extent(16) order(0)
  %2 = kernel.range reduce id(2) extent(5000)
  %3 = kernel.range reduce id(3) extent(5000)
  %4 = arith.muli %0, %c16 : index
  %5 = arith.addi %4, %1 : index
  %6 = kernel.range loop id(4) extent(5000) order(0)
  %7 = arith.muli %6, %c16 : index
  %8 = arith.addi %1, %7 : index
  %9 = kernel.load %arg0[%8] : memref<80000xf32>
  %10 = math.tanh %9 : f32
  %11 = kernel.stage %10 over (%6) local : memref<5000xf32>
  %12 = kernel.load %11[%3] : memref<5000xf32>
  %13 = kernel.reduce maximumf (%12) over (%3) : f32
  %14 = kernel.load %11[%2] : memref<5000xf32>
  %15 = arith.subf %14, %13 : f32
  %16 = math.exp %15 : f32
  %17 = kernel.reduce addf (%16) over (%2) : f32
  %18 = kernel.load %11[%0] : memref<5000xf32>
  %19 = arith.subf %18, %13 : f32
  %20 = math.exp %19 : f32
  %21 = arith.divf %20, %17 : f32
  kernel.store %21, %arg1[%5] : memref<80000xf32>
}
