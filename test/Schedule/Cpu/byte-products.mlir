// Sums of products of bytes, where the processor has instructions for them: four points are one operation of a lane, and
// rows, which are read once, are read one after the other.
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --kernel-default-schedule --kernel-apply-schedules | FileCheck %s --check-prefixes=CHECK,DOT
// RUN: tiny-opt %s --target-attach=processor=x86-64 --kernel-default-schedule --kernel-apply-schedules | FileCheck %s --implicit-check-not="range dot"
// RUN: tiny-opt %s --target-attach=processor=icelake-server --kernel-default-schedule --kernel-apply-schedules | FileCheck %s --check-prefix=HALF
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --kernel-default-schedule --kernel-apply-schedules --check-passes --convert-kernel-to-uop --uop-legalize=split-vectors -o /dev/null

// CHECK-LABEL: kernel.func @blocks
// DOT-DAG: kernel.range loop id(0) extent(6)
// DOT-DAG: kernel.range reduce id(1) extent(3)
// DOT-DAG: kernel.range upcast id(2) extent(8)
// DOT-DAG: kernel.range dot id(3) extent(4)
kernel.func @blocks(%w: memref<576xi8>, %q: memref<96xi8>, %d: memref<3xf32>, %out: memref<6xf32>) {
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %i = kernel.range loop id(0) extent(6)
  %b = kernel.range reduce id(1) extent(3)
  %l = kernel.range reduce id(2) extent(8)
  %k = kernel.range reduce id(3) extent(4)
  %i96 = arith.muli %i, %c96 : index
  %b32 = arith.muli %b, %c32 : index
  %l4 = arith.muli %l, %c4 : index
  %bl = arith.addi %b32, %l4 : index
  %blk = arith.addi %bl, %k : index
  %at = arith.addi %i96, %blk : index
  %x = kernel.load %w[%at] : memref<576xi8>
  %size = math.absi %x : i8
  %xw = arith.extui %size : i8 to i32
  %y = kernel.load %q[%blk] : memref<96xi8>
  %yw = arith.extsi %y : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %s = kernel.reduce addi (%p) over (%k) : i32
  %f = arith.sitofp %s : i32 to f32
  %scale = kernel.load %d[%b] : memref<3xf32>
  %t = arith.mulf %f, %scale : f32
  %r = kernel.reduce addf (%t) over (%b, %l) {fastmath = #arith.fastmath<reassoc,contract>} : f32
  kernel.store %r, %out[%i] : memref<6xf32>
}

// One sum over all of a row: lanes along what is left of it. What two signed factors give no instruction computes.
// CHECK-LABEL: kernel.func @rows
// DOT-DAG: kernel.range dot {{.*}} extent(4)
// DOT-DAG: kernel.range upcast {{.*}} extent(8)
// CHECK-LABEL: kernel.func @signed
// CHECK-NOT: range dot
kernel.func @rows(%w: memref<256xi8>, %q: memref<64xi8>, %out: memref<4xi32>) {
  %c64 = arith.constant 64 : index
  %c15 = arith.constant 15 : i8
  %i = kernel.range loop id(0) extent(4)
  %k = kernel.range reduce id(1) extent(64)
  %i64 = arith.muli %i, %c64 : index
  %at = arith.addi %i64, %k : index
  %x = kernel.load %w[%at] : memref<256xi8>
  %low = arith.andi %x, %c15 : i8
  %xw = arith.extui %low : i8 to i32
  %y = kernel.load %q[%k] : memref<64xi8>
  %yw = arith.extsi %y : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %s = kernel.reduce addi (%p) over (%k) : i32
  kernel.store %s, %out[%i] : memref<4xi32>
}
kernel.func @signed(%w: memref<256xi8>, %q: memref<64xi8>, %out: memref<4xi32>) {
  %c64 = arith.constant 64 : index
  %i = kernel.range loop id(0) extent(4)
  %k = kernel.range reduce id(1) extent(64)
  %i64 = arith.muli %i, %c64 : index
  %at = arith.addi %i64, %k : index
  %x = kernel.load %w[%at] : memref<256xi8>
  %xw = arith.extsi %x : i8 to i32
  %y = kernel.load %q[%k] : memref<64xi8>
  %yw = arith.extsi %y : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %s = kernel.reduce addi (%p) over (%k) : i32
  kernel.store %s, %out[%i] : memref<4xi32>
}

// Bytes of eight columns side by side: each lane has its own sum. What a body adds up is written out, and rows share what
// is read of the columns: eight of 16 stand beside each other, in the loop inside.
// CHECK-LABEL: kernel.func @columns
// DOT-DAG: kernel.range loop id(0) extent(2) order(1)
// DOT-DAG: kernel.range loop id(1) extent(3) order(0)
// DOT-DAG: kernel.range upcast id(2) extent(8)
// DOT-DAG: kernel.range reduce id(3) extent(5)
// DOT-DAG: kernel.range unroll id(4) extent(4)
// DOT-DAG: kernel.range dot id(5) extent(4)
// DOT-DAG: kernel.range upcast id(6) extent(8)
// Where a register has 16 lanes, the eight columns are half of one.
// HALF-LABEL: kernel.func @columns
// HALF-DAG: kernel.range upcast id(0) extent(16)
// HALF-DAG: kernel.range upcast id(2) extent(8)
// HALF-DAG: kernel.range unroll id(4) extent(4)
// HALF-DAG: kernel.range dot id(5) extent(4)
kernel.func @columns(%w: memref<1920xi8>, %q: memref<1280xi8>, %d: memref<80xf32>, %out: memref<384xf32>) {
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c80 = arith.constant 80 : index
  %c128 = arith.constant 128 : index
  %c640 = arith.constant 640 : index
  %four = arith.constant 4 : i8
  %m = kernel.range loop id(0) extent(16)
  %g = kernel.range loop id(1) extent(3)
  %l = kernel.range loop id(2) extent(8)
  %b = kernel.range reduce id(3) extent(5)
  %p = kernel.range reduce id(4) extent(4)
  %k = kernel.range reduce id(5) extent(4)
  %g640 = arith.muli %g, %c640 : index
  %b128 = arith.muli %b, %c128 : index
  %p32 = arith.muli %p, %c32 : index
  %l4 = arith.muli %l, %c4 : index
  %gb = arith.addi %g640, %b128 : index
  %gbp = arith.addi %gb, %p32 : index
  %gbpl = arith.addi %gbp, %l4 : index
  %at = arith.addi %gbpl, %k : index
  %x = kernel.load %w[%at] : memref<1920xi8>
  %high = arith.shrui %x, %four : i8
  %xw = arith.extui %high : i8 to i32
  %m80 = arith.muli %m, %c80 : index
  %b16 = arith.muli %b, %c16 : index
  %p4 = arith.muli %p, %c4 : index
  %mb = arith.addi %m80, %b16 : index
  %mbp = arith.addi %mb, %p4 : index
  %mbpk = arith.addi %mbp, %k : index
  %y = kernel.load %q[%mbpk] : memref<1280xi8>
  %yw = arith.extsi %y : i8 to i32
  %xy = arith.muli %xw, %yw : i32
  %s = kernel.reduce addi (%xy) over (%p, %k) : i32
  %f = arith.sitofp %s : i32 to f32
  %m5 = arith.muli %m, %c5 : index
  %mb5 = arith.addi %m5, %b : index
  %scale = kernel.load %d[%mb5] : memref<80xf32>
  %t = arith.mulf %f, %scale : f32
  %r = kernel.reduce addf (%t) over (%b) {fastmath = #arith.fastmath<reassoc,contract>} : f32
  %m24 = arith.muli %m, %c24 : index
  %g8 = arith.muli %g, %c8 : index
  %mg = arith.addi %m24, %g8 : index
  %to = arith.addi %mg, %l : index
  kernel.store %r, %out[%to] : memref<384xf32>
}

// One row, and a factor larger than the second-level cache: its halves are read side by side.
// CHECK-LABEL: kernel.func @streams
// DOT-DAG: kernel.range upcast id(0) extent(2)
// DOT-DAG: kernel.range upcast id(1) extent(8)
// DOT-DAG: kernel.range reduce id(2) extent(512)
// DOT-DAG: kernel.range dot id(3) extent(4)
// DOT-DAG: kernel.range loop id(5) extent(4)
// CHECK-LABEL: kernel.func @near
// DOT-DAG: kernel.range loop id(0) extent(16)
// DOT-DAG: kernel.range dot id(3) extent(4)
kernel.func @streams(%w: memref<524288xi8>, %q: memref<2048xi8>, %out: memref<256xi32>) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 16384 : index
  %four = arith.constant 4 : i8
  %g = kernel.range loop id(0) extent(32)
  %l = kernel.range loop id(1) extent(8)
  %b = kernel.range reduce id(2) extent(512)
  %k = kernel.range reduce id(3) extent(4)
  %gn = arith.muli %g, %n : index
  %b32 = arith.muli %b, %c32 : index
  %l4 = arith.muli %l, %c4 : index
  %gb = arith.addi %gn, %b32 : index
  %gbl = arith.addi %gb, %l4 : index
  %at = arith.addi %gbl, %k : index
  %x = kernel.load %w[%at] : memref<524288xi8>
  %high = arith.shrui %x, %four : i8
  %xw = arith.extui %high : i8 to i32
  %b4 = arith.muli %b, %c4 : index
  %bk = arith.addi %b4, %k : index
  %y = kernel.load %q[%bk] : memref<2048xi8>
  %yw = arith.extsi %y : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %s = kernel.reduce addi (%p) over (%b, %k) : i32
  %g8 = arith.muli %g, %c8 : index
  %to = arith.addi %g8, %l : index
  kernel.store %s, %out[%to] : memref<256xi32>
}
kernel.func @near(%w: memref<262144xi8>, %q: memref<2048xi8>, %out: memref<128xi32>) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 16384 : index
  %four = arith.constant 4 : i8
  %g = kernel.range loop id(0) extent(16)
  %l = kernel.range loop id(1) extent(8)
  %b = kernel.range reduce id(2) extent(512)
  %k = kernel.range reduce id(3) extent(4)
  %gn = arith.muli %g, %n : index
  %b32 = arith.muli %b, %c32 : index
  %l4 = arith.muli %l, %c4 : index
  %gb = arith.addi %gn, %b32 : index
  %gbl = arith.addi %gb, %l4 : index
  %at = arith.addi %gbl, %k : index
  %x = kernel.load %w[%at] : memref<262144xi8>
  %high = arith.shrui %x, %four : i8
  %xw = arith.extui %high : i8 to i32
  %b4 = arith.muli %b, %c4 : index
  %bk = arith.addi %b4, %k : index
  %y = kernel.load %q[%bk] : memref<2048xi8>
  %yw = arith.extsi %y : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %s = kernel.reduce addi (%p) over (%b, %k) : i32
  %g8 = arith.muli %g, %c8 : index
  %to = arith.addi %g8, %l : index
  kernel.store %s, %out[%to] : memref<128xi32>
}
