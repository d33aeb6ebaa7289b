// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// Lanes along rows of 1024, four vectors of them; the exponentials stay in their tile.
// CHECK: Function=softmax | {{.*}}"axis 4 by 64 as upcast, axis 1 by 64 as upcast, axis 2 by 64 as upcast, axis 3 by 64 as upcast"
kernel.func @softmax(%arg0: memref<8192xf32>, %arg1: memref<8192xf32>) {
  %c1024 = arith.constant 1024 : index
  %0 = kernel.range loop id(0) extent(8)
  %1 = kernel.range loop id(1) extent(1024)
  %2 = kernel.range reduce id(2) extent(1024)
  %3 = kernel.range reduce id(3) extent(1024)
  %4 = arith.muli %0, %c1024 : index
  %5 = arith.addi %4, %1 : index
  %6 = arith.addi %4, %3 : index
  %7 = kernel.load %arg0[%6] : memref<8192xf32>
  %8 = kernel.reduce maximumf (%7) over (%3) : f32
  %9 = kernel.range loop id(4) extent(1024) order(0)
  %10 = arith.addi %4, %9 : index
  %11 = kernel.load %arg0[%10] : memref<8192xf32>
  %12 = arith.subf %11, %8 : f32
  %13 = math.exp %12 : f32
  %14 = kernel.stage %13 over (%9) local : memref<1024xf32>
  %15 = kernel.load %14[%2] : memref<1024xf32>
  %16 = kernel.reduce addf (%15) over (%2) : f32
  %17 = kernel.load %14[%1] : memref<1024xf32>
  %18 = arith.divf %17, %16 : f32
  kernel.store %18, %arg1[%5] : memref<8192xf32>
}

// Two tiles, one filled from the other.
// CHECK: Function=softmax_of_tanh | {{.*}}"axis 4 by 128 as upcast, axis 5 by 128 as upcast, axis 1 by 128 as upcast, axis 2 by 128 as upcast, axis 3 by 128 as upcast"
kernel.func @softmax_of_tanh(%arg0: memref<8192xf32>, %arg1: memref<8192xf32>) {
  %c1024 = arith.constant 1024 : index
  %0 = kernel.range loop id(0) extent(8)
  %1 = kernel.range loop id(1) extent(1024)
  %2 = kernel.range reduce id(2) extent(1024)
  %3 = kernel.range reduce id(3) extent(1024)
  %4 = arith.muli %0, %c1024 : index
  %5 = arith.addi %4, %1 : index
  %6 = kernel.range loop id(4) extent(1024) order(0)
  %7 = arith.addi %4, %6 : index
  %8 = kernel.load %arg0[%7] : memref<8192xf32>
  %9 = math.tanh %8 : f32
  %10 = kernel.stage %9 over (%6) local : memref<1024xf32>
  %11 = kernel.load %10[%3] : memref<1024xf32>
  %12 = kernel.reduce maximumf (%11) over (%3) : f32
  %13 = kernel.range loop id(5) extent(1024) order(0)
  %14 = kernel.load %10[%13] : memref<1024xf32>
  %15 = arith.subf %14, %12 : f32
  %16 = math.exp %15 : f32
  %17 = kernel.stage %16 over (%13) local : memref<1024xf32>
  %18 = kernel.load %17[%2] : memref<1024xf32>
  %19 = kernel.reduce addf (%18) over (%2) : f32
  %20 = kernel.load %17[%1] : memref<1024xf32>
  %21 = arith.divf %20, %19 : f32
  kernel.store %21, %arg1[%5] : memref<8192xf32>
}

// A row of two axes that every access walks as one has been made one axis.
// CHECK: Function=norm_over_two_axes | {{.*}}"axis 4 by 128 as upcast, axis 1 by 128 as upcast, axis 3 by 128 as upcast"
kernel.func @norm_over_two_axes(%arg0: memref<8192xf32>, %arg1: memref<8192xf32>) {
  %c1024 = arith.constant 1024 : index
  %0 = kernel.range loop id(0) extent(8)
  %1 = kernel.range loop id(1) extent(1024)
  %2 = kernel.range reduce id(3) extent(1024)
  %3 = arith.muli %0, %c1024 : index
  %4 = arith.addi %3, %1 : index
  %5 = kernel.range loop id(4) extent(1024) order(0)
  %6 = arith.addi %3, %5 : index
  %7 = kernel.load %arg0[%6] : memref<8192xf32>
  %8 = math.tanh %7 : f32
  %9 = kernel.stage %8 over (%5) local : memref<1024xf32>
  %10 = kernel.load %9[%2] : memref<1024xf32>
  %11 = kernel.reduce addf (%10) over (%2) : f32
  %12 = kernel.load %9[%1] : memref<1024xf32>
  %13 = arith.divf %12, %11 : f32
  kernel.store %13, %arg1[%4] : memref<8192xf32>
}

// What is kept may be a part of what is reduced, here of a sum of squares.
// CHECK: Function=norm_of_tanh | {{.*}}"axis 3 by 128 as upcast, axis 1 by 128 as upcast, axis 2 by 128 as upcast"
kernel.func @norm_of_tanh(%arg0: memref<8192xf32>, %arg1: memref<8192xf32>) {
  %c1024 = arith.constant 1024 : index
  %0 = kernel.range loop id(0) extent(8)
  %1 = kernel.range loop id(1) extent(1024)
  %2 = kernel.range reduce id(2) extent(1024)
  %3 = arith.muli %0, %c1024 : index
  %4 = arith.addi %3, %1 : index
  %5 = kernel.range loop id(3) extent(1024) order(0)
  %6 = arith.addi %3, %5 : index
  %7 = kernel.load %arg0[%6] : memref<8192xf32>
  %8 = math.tanh %7 : f32
  %9 = kernel.stage %8 over (%5) local : memref<1024xf32>
  %10 = kernel.load %9[%2] : memref<1024xf32>
  %11 = arith.mulf %10, %10 : f32
  %12 = kernel.reduce addf (%11) over (%2) : f32
  %13 = kernel.load %9[%1] : memref<1024xf32>
  %14 = arith.divf %13, %12 : f32
  kernel.store %14, %arg1[%4] : memref<8192xf32>
}

// A row that vectors do not divide is padded: behind its end the sum sees zeros.
// CHECK: Function=sums | {{.*}}"axis 1 padded to a multiple of 64, axis 1 by 64 as upcast"
kernel.func @sums(%in: memref<3000xf32>, %out: memref<3xf32>) {
  %i = kernel.range loop id(0) extent(3)
  %k = kernel.range reduce id(1) extent(1000)
  %c1000 = arith.constant 1000 : index
  %row = arith.muli %i, %c1000 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<3000xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %s, %out[%i] : memref<3xf32>
}

// Both axes reach the difference: the free one is lanes.
// CHECK: Function=filter | {{.*}}"axis 0 by 128 as upcast, axis 0 by 4 as thread"
kernel.func @filter(%in: memref<16416xf32>, %w: memref<32xf32>, %out: memref<16384xf32>) {
  %i = kernel.range loop id(0) extent(16384)
  %k = kernel.range reduce id(1) extent(32)
  %at = arith.addi %i, %k : index
  %x = kernel.load %in[%at] : memref<16416xf32>
  %y = kernel.load %w[%k] : memref<32xf32>
  %d = arith.subf %x, %y : f32
  %s = kernel.reduce addf (%d) over (%k) : f32
  kernel.store %s, %out[%i] : memref<16384xf32>
}

// A tile that each part would fill for itself leaves the kernel to one thread.
// CHECK: Function=kept | {{.*}}"axes 2 and 3 merged, axis 2 by 128 as upcast"
kernel.func @kept(%x: memref<262144xf32>, %y: memref<262144xf32>) {
  %c512 = arith.constant 512 : index
  %i = kernel.range loop id(0) extent(512)
  %j = kernel.range loop id(1) extent(512)
  %k = kernel.range loop id(2) extent(512)
  %l = kernel.range loop id(3) extent(512)
  %row = arith.muli %k, %c512 : index
  %from = arith.addi %row, %l : index
  %v = kernel.load %x[%from] : memref<262144xf32>
  %e = math.exp %v : f32
  %tile = kernel.stage %e over (%k, %l) local : memref<262144xf32>
  %column = arith.muli %j, %c512 : index
  %turned = arith.addi %column, %i : index
  %t = kernel.load %tile[%turned] : memref<262144xf32>
  %down = arith.muli %i, %c512 : index
  %to = arith.addi %down, %j : index
  kernel.store %t, %y[%to] : memref<262144xf32>
}

// Reduced axes that can't all be merged, since the places count: one of them has lanes, as does the free axis.
// CHECK: Function=apart | {{.*}}"axes 3 and 4 merged, axes 3 and 5 merged, axis 1 by 64 as upcast, axis 3 padded to a multiple of 128, axis 3 by 128 as upcast"
kernel.func @apart(%in: memref<48960xi16>, %out: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c192 = arith.constant 192 : index
  %last = arith.constant 48959 : i32
  %i = kernel.range reduce id(0) extent(255)
  %j = kernel.range reduce id(1) extent(64)
  %k = kernel.range reduce id(2) extent(3)
  %l = kernel.range reduce id(3) extent(255)
  %m = kernel.range reduce id(4) extent(64)
  %n = kernel.range reduce id(5) extent(3)
  %0 = arith.muli %i, %c192 : index
  %1 = arith.muli %j, %c3 : index
  %2 = arith.addi %0, %1 : index
  %3 = arith.addi %2, %k : index
  %x = kernel.load %in[%3] : memref<48960xi16>
  %4 = arith.muli %l, %c192 : index
  %5 = arith.muli %m, %c3 : index
  %6 = arith.addi %4, %5 : index
  %7 = arith.addi %6, %n : index
  %y = kernel.load %in[%7] : memref<48960xi16>
  %least = kernel.reduce mins (%y) over (%l, %m, %n) : i16
  %is = arith.cmpi eq, %x, %least : i16
  %place = arith.index_cast %3 : index to i32
  %masked = arith.select %is, %place, %last : i32
  %first = kernel.reduce mins (%masked) over (%i, %j, %k) : i32
  kernel.store %first, %out[%c0] : memref<1xi32>
}

// Rows that vectors do not divide: several of them side by side hide the latency of their sums.
// CHECK: Function=gated_row | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast, axis 0 by 2 as upcast"
kernel.func @gated_row(%in: memref<1000xf32>, %out: memref<10xf32>) {
  %i = kernel.range loop id(0) extent(10)
  %k = kernel.range reduce id(1) extent(100)
  %c100 = arith.constant 100 : index
  %row = arith.muli %i, %c100 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<1000xf32>
  %e = math.exp %x : f32
  %sum = kernel.reduce addf (%e) over (%k) fastmath<reassoc> : f32
  kernel.store %sum, %out[%i] : memref<10xf32>
}

// Longer ones have several vectors each.
// CHECK: Function=long_row | {{.*}}"axis 1 padded to a multiple of 64, axis 1 by 64 as upcast, axis 0 by 2 as upcast"
kernel.func @long_row(%in: memref<10000xf32>, %out: memref<10xf32>) {
  %i = kernel.range loop id(0) extent(10)
  %k = kernel.range reduce id(1) extent(1000)
  %c1000 = arith.constant 1000 : index
  %row = arith.muli %i, %c1000 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<10000xf32>
  %e = math.exp %x : f32
  %sum = kernel.reduce addf (%e) over (%k) fastmath<reassoc> : f32
  kernel.store %sum, %out[%i] : memref<10xf32>
}

// Many functions of a row in f64: one vector of four at a time.
// CHECK: Function=eight_functions | {{.*}}"axis 3 by 64 as upcast, axis 1 by 64 as upcast, axis 2 by 64 as upcast"
kernel.func @eight_functions(%arg0: memref<1280xf64>, %arg1: memref<1280xf64>) {
  %c128 = arith.constant 128 : index
  %0 = kernel.range loop id(0) extent(10)
  %1 = kernel.range loop id(1) extent(128)
  %2 = kernel.range reduce id(2) extent(128)
  %3 = arith.muli %0, %c128 : index
  %4 = arith.addi %3, %1 : index
  %5 = kernel.range loop id(3) extent(128) order(0)
  %6 = arith.addi %3, %5 : index
  %7 = kernel.load %arg0[%6] : memref<1280xf64>
  %8 = math.exp %7 : f64
  %9 = math.exp %8 : f64
  %10 = math.exp %9 : f64
  %11 = math.exp %10 : f64
  %12 = math.exp %11 : f64
  %13 = math.exp %12 : f64
  %14 = math.exp %13 : f64
  %15 = math.exp %14 : f64
  %16 = kernel.stage %15 over (%5) local : memref<128xf64>
  %17 = kernel.load %16[%2] : memref<128xf64>
  %18 = kernel.reduce addf (%17) over (%2) fastmath<reassoc> : f64
  %19 = kernel.load %16[%1] : memref<128xf64>
  %20 = arith.divf %19, %18 : f64
  kernel.store %20, %arg1[%4] : memref<1280xf64>
}

// One more of them changes nothing.
// CHECK: Function=nine_functions | {{.*}}"axis 3 by 64 as upcast, axis 1 by 64 as upcast, axis 2 by 64 as upcast"
kernel.func @nine_functions(%arg0: memref<1280xf64>, %arg1: memref<1280xf64>) {
  %c128 = arith.constant 128 : index
  %0 = kernel.range loop id(0) extent(10)
  %1 = kernel.range loop id(1) extent(128)
  %2 = kernel.range reduce id(2) extent(128)
  %3 = arith.muli %0, %c128 : index
  %4 = arith.addi %3, %1 : index
  %5 = kernel.range loop id(3) extent(128) order(0)
  %6 = arith.addi %3, %5 : index
  %7 = kernel.load %arg0[%6] : memref<1280xf64>
  %8 = math.exp %7 : f64
  %9 = math.exp %8 : f64
  %10 = math.exp %9 : f64
  %11 = math.exp %10 : f64
  %12 = math.exp %11 : f64
  %13 = math.exp %12 : f64
  %14 = math.exp %13 : f64
  %15 = math.exp %14 : f64
  %16 = math.exp %15 : f64
  %17 = kernel.stage %16 over (%5) local : memref<128xf64>
  %18 = kernel.load %17[%2] : memref<128xf64>
  %19 = kernel.reduce addf (%18) over (%2) fastmath<reassoc> : f64
  %20 = kernel.load %17[%1] : memref<128xf64>
  %21 = arith.divf %20, %19 : f64
  kernel.store %21, %arg1[%4] : memref<1280xf64>
}

// No number of parts divides 683 rows: the last part has one fewer.
// CHECK: Function=rows_of_no_divisor | {{.*}}"axis 1 by 64 as upcast, axis 0 padded to a multiple of 6, axis 0 by 6 as upcast, axis 0 by 19 as thread"
kernel.func @rows_of_no_divisor(%arg0: memref<699392xf32>, %arg1: memref<683xf32>) {
  %c1024 = arith.constant 1024 : index
  %0 = kernel.range loop id(0) extent(683)
  %1 = kernel.range reduce id(1) extent(1024)
  %2 = arith.muli %0, %c1024 : index
  %3 = arith.addi %2, %1 : index
  %4 = kernel.load %arg0[%3] : memref<699392xf32>
  %5 = kernel.reduce addf (%4) over (%1) fastmath<reassoc> : f32
  kernel.store %5, %arg1[%0] : memref<683xf32>
}
