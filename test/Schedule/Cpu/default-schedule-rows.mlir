// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// Lanes along what is reduced, four vectors of accumulators; exponentials are kept in a tile.
// CHECK: what is reduced over axis 2 staged, axis 3 by 64 as upcast, axis 4 by 64 as upcast, axis 2 by 64 as upcast, axis 1 by 16 as upcast
kernel.func @softmax(%in: memref<8192xf32>, %out: memref<8192xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(1024)
  %k = kernel.range reduce id(2) extent(1024)
  %l = kernel.range reduce id(3) extent(1024)
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<8192xf32>
  %atl = arith.addi %row, %l : index
  %xl = kernel.load %in[%atl] : memref<8192xf32>
  %most = kernel.reduce maximumf (%xl) over (%l) : f32
  %d = arith.subf %x, %most : f32
  %e = math.exp %d : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<8192xf32>
  %dk = arith.subf %xk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<8192xf32>
}

// The first pass over a row keeps its function for the next ones: the tile is what both exponentials are of.
// CHECK: what is reduced over axis 3 staged, what is reduced over axis 2 staged, axis 4 by 64 as upcast, axis 3 by 64 as upcast, axis 5 by 64 as upcast, axis 2 by 64 as upcast, axis 1 by 16 as upcast
kernel.func @softmax_of_tanh(%in: memref<8192xf32>, %out: memref<8192xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(1024)
  %k = kernel.range reduce id(2) extent(1024)
  %l = kernel.range reduce id(3) extent(1024)
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<8192xf32>
  %t = math.tanh %x : f32
  %atl = arith.addi %row, %l : index
  %xl = kernel.load %in[%atl] : memref<8192xf32>
  %tl = math.tanh %xl : f32
  %most = kernel.reduce maximumf (%tl) over (%l) : f32
  %d = arith.subf %t, %most : f32
  %e = math.exp %d : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<8192xf32>
  %tk = math.tanh %xk : f32
  %dk = arith.subf %tk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<8192xf32>
}

// A row of two axes that every access walks as one is one axis.
// CHECK: "axes 1 and 2 merged, axes 3 and 4 merged, what is reduced over axis 3 staged, axis 4 by 64 as upcast, axis 3 by 64 as upcast, axis 1 by 16 as upcast"
kernel.func @norm_over_two_axes(%in: memref<8192xf32>, %out: memref<8192xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %y = kernel.range loop id(1) extent(32)
  %x = kernel.range loop id(2) extent(32)
  %v = kernel.range reduce id(3) extent(32)
  %u = kernel.range reduce id(4) extent(32)
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %y32 = arith.muli %y, %c32 : index
  %aty = arith.addi %row, %y32 : index
  %at = arith.addi %aty, %x : index
  %a = kernel.load %in[%at] : memref<8192xf32>
  %t = math.tanh %a : f32
  %v32 = arith.muli %v, %c32 : index
  %atv = arith.addi %row, %v32 : index
  %atvu = arith.addi %atv, %u : index
  %b = kernel.load %in[%atvu] : memref<8192xf32>
  %tb = math.tanh %b : f32
  %sum = kernel.reduce addf (%tb) over (%v, %u) : f32
  %d = arith.divf %t, %sum : f32
  kernel.store %d, %out[%at] : memref<8192xf32>
}

// What is computed again may be a part of what is reduced, here of a sum of squares.
// CHECK: what is reduced over axis 2 staged, axis 3 by 64 as upcast, axis 2 by 64 as upcast, axis 1 by 16 as upcast
kernel.func @norm_of_tanh(%in: memref<8192xf32>, %out: memref<8192xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(1024)
  %k = kernel.range reduce id(2) extent(1024)
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<8192xf32>
  %t = math.tanh %x : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<8192xf32>
  %tk = math.tanh %xk : f32
  %square = arith.mulf %tk, %tk : f32
  %sum = kernel.reduce addf (%square) over (%k) : f32
  %y = arith.divf %t, %sum : f32
  kernel.store %y, %out[%at] : memref<8192xf32>
}

// A row that 64 does not divide is padded: behind its end the sum sees zeros.
// CHECK: axis 1 padded to a multiple of 64, axis 1 by 64 as upcast
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

// Both axes reach the difference: the free one is lanes. Enough work is cut into parts for threads.
// CHECK: axis 0 by 16 as upcast, axis 0 by 8 as thread
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
// CHECK-NOT: as thread
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

// A nest of reduced axes that can't be merged, since the places count: one of them has lanes, for which each lane of
// another would be a copy.
// CHECK: remark: {{.*}}"axes 3 and 4 merged, axes 3 and 5 merged, axis 3 by 64 as upcast, axis 1 by 64 as upcast"
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

// Rows that vectors do not divide are padded: gates of the last step alone cost nothing.
// CHECK: remark: {{.*}}"axis 1 padded to a multiple of 64, axis 1 by 64 as upcast"
// CHECK: remark: {{.*}}"axis 1 padded to a multiple of 64, axis 1 by 64 as upcast"
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

// Eight vectors of a row stay in registers; of nine functions of them, twice, the code would be too long.
// CHECK: remark: {{.*}}"axis 2 by 128 as upcast, axis 1 by 128 as upcast"
// CHECK: remark: {{.*}}"what is reduced over axis 2 staged, axis 3 by 64 as upcast, axis 2 by 64 as upcast, axis 1 by 16 as upcast"
kernel.func @eight_functions(%in: memref<1280xf64>, %out: memref<1280xf64>) {
  %i = kernel.range loop id(0) extent(10)
  %j = kernel.range loop id(1) extent(128)
  %k = kernel.range reduce id(2) extent(128)
  %c128 = arith.constant 128 : index
  %row = arith.muli %i, %c128 : index
  %at = arith.addi %row, %k : index
  %to = arith.addi %row, %j : index
  %a0 = kernel.load %in[%at] : memref<1280xf64>
  %a1 = math.exp %a0 : f64
  %a2 = math.exp %a1 : f64
  %a3 = math.exp %a2 : f64
  %a4 = math.exp %a3 : f64
  %a5 = math.exp %a4 : f64
  %a6 = math.exp %a5 : f64
  %a7 = math.exp %a6 : f64
  %a8 = math.exp %a7 : f64
  %sum = kernel.reduce addf (%a8) over (%k) fastmath<reassoc> : f64
  %b0 = kernel.load %in[%to] : memref<1280xf64>
  %b1 = math.exp %b0 : f64
  %b2 = math.exp %b1 : f64
  %b3 = math.exp %b2 : f64
  %b4 = math.exp %b3 : f64
  %b5 = math.exp %b4 : f64
  %b6 = math.exp %b5 : f64
  %b7 = math.exp %b6 : f64
  %b8 = math.exp %b7 : f64
  %q = arith.divf %b8, %sum : f64
  kernel.store %q, %out[%to] : memref<1280xf64>
}

kernel.func @nine_functions(%in: memref<1280xf64>, %out: memref<1280xf64>) {
  %i = kernel.range loop id(0) extent(10)
  %j = kernel.range loop id(1) extent(128)
  %k = kernel.range reduce id(2) extent(128)
  %c128 = arith.constant 128 : index
  %row = arith.muli %i, %c128 : index
  %at = arith.addi %row, %k : index
  %to = arith.addi %row, %j : index
  %a0 = kernel.load %in[%at] : memref<1280xf64>
  %a1 = math.exp %a0 : f64
  %a2 = math.exp %a1 : f64
  %a3 = math.exp %a2 : f64
  %a4 = math.exp %a3 : f64
  %a5 = math.exp %a4 : f64
  %a6 = math.exp %a5 : f64
  %a7 = math.exp %a6 : f64
  %a8 = math.exp %a7 : f64
  %a9 = math.exp %a8 : f64
  %sum = kernel.reduce addf (%a9) over (%k) fastmath<reassoc> : f64
  %b0 = kernel.load %in[%to] : memref<1280xf64>
  %b1 = math.exp %b0 : f64
  %b2 = math.exp %b1 : f64
  %b3 = math.exp %b2 : f64
  %b4 = math.exp %b3 : f64
  %b5 = math.exp %b4 : f64
  %b6 = math.exp %b5 : f64
  %b7 = math.exp %b6 : f64
  %b8 = math.exp %b7 : f64
  %b9 = math.exp %b8 : f64
  %q = arith.divf %b9, %sum : f64
  kernel.store %q, %out[%to] : memref<1280xf64>
}
