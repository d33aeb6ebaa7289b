// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// A register tile of rows and lanes, which is padded to fit; both operands are packed, the operation of the first with it.
// CHECK: Function=product | {{.*}}"axis 0 padded to a multiple of 5, axis 1 padded to a multiple of 64, axis 0 by 5 as upcast, axis 1 by 64 as upcast, axes 0 and 1 exchanged, argument 0 staged, argument 1 staged"
kernel.func @product(%a: memref<2464xf32>, %b: memref<3360xf32>, %out: memref<8085xf32>) {
  %i = kernel.range loop id(0) extent(77)
  %j = kernel.range loop id(1) extent(105)
  %k = kernel.range reduce id(2) extent(32)
  %zero = arith.constant 0.0 : f32
  %c32 = arith.constant 32 : index
  %c105 = arith.constant 105 : index
  %0 = arith.muli %i, %c32 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %k, %c105 : index
  %3 = arith.addi %2, %j : index
  %4 = arith.muli %i, %c105 : index
  %5 = arith.addi %4, %j : index
  %x = kernel.load %a[%1] : memref<2464xf32>
  %u = arith.maximumf %x, %zero : f32
  %y = kernel.load %b[%3] : memref<3360xf32>
  %p = arith.mulf %u, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %v = arith.maximumf %s, %zero : f32
  kernel.store %v, %out[%5] : memref<8085xf32>
}

// Rows whose functions are packed become vectors, so that a tile has a power of two of them.
// CHECK: Function=functions | {{.*}}"axis 0 padded to a multiple of 8, axis 1 padded to a multiple of 64, axis 0 by 4 as upcast, axis 1 by 64 as upcast, axis 0 by 2 as thread, axes 5 and 1 exchanged, argument 0 staged"
kernel.func @functions(%a: memref<2464xf16>, %b: memref<3360xf16>, %out: memref<8085xf32>) {
  %i = kernel.range loop id(0) extent(77)
  %j = kernel.range loop id(1) extent(105)
  %k = kernel.range reduce id(2) extent(32)
  %c32 = arith.constant 32 : index
  %c105 = arith.constant 105 : index
  %0 = arith.muli %i, %c32 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %k, %c105 : index
  %3 = arith.addi %2, %j : index
  %4 = arith.muli %i, %c105 : index
  %5 = arith.addi %4, %j : index
  %x = kernel.load %a[%1] : memref<2464xf16>
  %u = math.cos %x : f16
  %y = kernel.load %b[%3] : memref<3360xf16>
  %v = arith.extf %u : f16 to f32
  %w = arith.extf %y : f16 to f32
  %p = arith.mulf %v, %w : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %out[%5] : memref<8085xf32>
}

// The second operand lies the other way round: it becomes lanes when it is packed. Rows that are a multiple of the tile's
// are read as they lie.
// CHECK: Function=transposed | {{.*}}"axis 0 by 4 as upcast, axis 1 by 64 as upcast, argument 1 staged"
kernel.func @transposed(%a: memref<2048xf32>, %b: memref<2048xf32>, %out: memref<4096xf32>) {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(32)
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %0 = arith.muli %i, %c32 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %j, %c32 : index
  %3 = arith.addi %2, %k : index
  %4 = arith.muli %i, %c64 : index
  %5 = arith.addi %4, %j : index
  %x = kernel.load %a[%1] : memref<2048xf32>
  %y = kernel.load %b[%3] : memref<2048xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %out[%5] : memref<4096xf32>
}

// The pixels of a convolution with a stride are one axis of lanes, some vectors wide; packing takes them apart. Weights are
// read as they lie.
// CHECK: Function=strided | {{.*}}"axes 1 and 2 merged, axis 0 padded to a multiple of 6, axis 1 padded to a multiple of 48, axis 0 by 6 as upcast, axis 1 by 48 as upcast, axis 5 by 16 as upcast, axes 0 and 1 exchanged, argument 0 staged"
kernel.func @strided(%x: memref<6272xf32>, %w: memref<2048xf32>, %out: memref<12544xf32>) {
  %o = kernel.range loop id(0) extent(64)
  %i = kernel.range loop id(1) extent(14)
  %j = kernel.range loop id(2) extent(10)
  %c = kernel.range reduce id(3) extent(32)
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %c14 = arith.constant 14 : index
  %c32 = arith.constant 32 : index
  %c140 = arith.constant 140 : index
  %c196 = arith.constant 196 : index
  %0 = arith.muli %c, %c196 : index
  %1 = arith.muli %i, %c14 : index
  %2 = arith.addi %0, %1 : index
  %3 = arith.muli %j, %c2 : index
  %4 = arith.addi %2, %3 : index
  %inside = arith.cmpi slt, %3, %c14 : index
  %a = kernel.load %x[%4] if %inside : memref<6272xf32>
  %zero = arith.constant 0.0 : f32
  %m = arith.select %inside, %a, %zero : f32
  %5 = arith.muli %o, %c32 : index
  %6 = arith.addi %5, %c : index
  %b = kernel.load %w[%6] : memref<2048xf32>
  %p = arith.mulf %m, %b : f32
  %s = kernel.reduce addf (%p) over (%c) : f32
  %7 = arith.muli %o, %c140 : index
  %8 = arith.muli %i, %c10 : index
  %9 = arith.addi %7, %8 : index
  %10 = arith.addi %9, %j : index
  kernel.store %s, %out[%10] : memref<12544xf32>
}

// Two products in the same loops divide the registers.
// CHECK: Function=halves | {{.*}}"axis 0 padded to a multiple of 6, axis 0 by 6 as upcast, axis 1 by 32 as upcast, axes 0 and 1 exchanged"
kernel.func @halves(%a: memref<3584xf32>, %w: memref<16384xf32>, %out: memref<7168xf32>) {
  %i = kernel.range loop id(0) extent(56)
  %j = kernel.range loop id(1) extent(128)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %0 = arith.muli %i, %c64 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %k, %c256 : index
  %3 = arith.addi %2, %j : index
  %4 = arith.addi %3, %c128 : index
  %5 = arith.muli %i, %c128 : index
  %6 = arith.addi %5, %j : index
  %x = kernel.load %a[%1] : memref<3584xf32>
  %g = kernel.load %w[%3] : memref<16384xf32>
  %u = kernel.load %w[%4] : memref<16384xf32>
  %xg = arith.mulf %x, %g : f32
  %xu = arith.mulf %x, %u : f32
  %p = kernel.reduce addf (%xg) over (%k) : f32
  %q = kernel.reduce addf (%xu) over (%k) : f32
  %v = arith.mulf %p, %q : f32
  kernel.store %v, %out[%6] : memref<7168xf32>
}

// A matrix times itself: what is read along lanes is packed, of the one buffer.
// CHECK: Function=square | {{.*}}"axis 0 padded to a multiple of 96, axis 1 padded to a multiple of 48, axis 0 by 6 as upcast, axis 1 by 48 as upcast, axis 0 by 16 as thread, axis 4 by 16 as upcast, axes 5 and 1 exchanged, argument 0 staged, argument 0 staged"
kernel.func @square(%a: memref<810000xf32>, %out: memref<810000xf32>) {
  %i = kernel.range loop id(0) extent(900)
  %j = kernel.range loop id(1) extent(900)
  %k = kernel.range reduce id(2) extent(900)
  %c90 = arith.constant 900 : index
  %0 = arith.muli %i, %c90 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %k, %c90 : index
  %3 = arith.addi %2, %j : index
  %4 = arith.addi %0, %j : index
  %x = kernel.load %a[%1] : memref<810000xf32>
  %zero = arith.constant 0.0 : f32
  %r = arith.maximumf %x, %zero : f32
  %y = kernel.load %a[%3] : memref<810000xf32>
  %p = arith.mulf %r, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %out[%4] : memref<810000xf32>
}

// What is packed of all lanes would not stay in the first cache: a tile accumulates what blocks of the reduced axis sum up.
// CHECK: Function=long | {{.*}}"axis 0 by 25 as upcast, axis 1 by 16 as upcast, axis 0 by 8 as thread, argument 1 staged"
kernel.func @long(%w: memref<828000xf32>, %x: memref<13248xf32>, %out: memref<16000xf32>) {
  %i = kernel.range loop id(0) extent(1000)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(828)
  %c16 = arith.constant 16 : index
  %c828 = arith.constant 828 : index
  %row = arith.muli %i, %c828 : index
  %ik = arith.addi %row, %k : index
  %a = kernel.load %w[%ik] : memref<828000xf32>
  %column = arith.muli %j, %c828 : index
  %jk = arith.addi %column, %k : index
  %b = kernel.load %x[%jk] : memref<13248xf32>
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<16000xf32>
}

// Few rows share what is read of a factor that lies row by row, pieces of which uop-prefetch-rows fetches ahead. Those
// rows are a page apart, and share their places in the caches until they are packed.
// CHECK: Function=few_rows | {{.*}}"axis 0 by 4 as upcast, axis 1 by 64 as upcast, axis 1 by 16 as thread, axes 0 and 5 exchanged, argument 0 staged"
kernel.func @few_rows(%w: memref<8192xf32>, %x: memref<4194304xf32>, %out: memref<32768xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(4096)
  %k = kernel.range reduce id(2) extent(1024)
  %c4096 = arith.constant 4096 : index
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %ik = arith.addi %row, %k : index
  %a = kernel.load %w[%ik] : memref<8192xf32>
  %kjn = arith.muli %k, %c4096 : index
  %kj = arith.addi %kjn, %j : index
  %b = kernel.load %x[%kj] : memref<4194304xf32>
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %in = arith.muli %i, %c4096 : index
  %at = arith.addi %in, %j : index
  kernel.store %s, %out[%at] : memref<32768xf32>
}

// A sum whose flags keep its order has no blocks.
// CHECK: Function=ordered | {{.*}}"axis 1 padded to a multiple of 64, axis 0 by 4 as upcast, axis 1 by 64 as upcast, axis 0 by 2 as thread"
kernel.func @ordered(%w: memref<32768xf32>, %x: memref<200704xf32>, %out: memref<392xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(49)
  %k = kernel.range reduce id(2) extent(4096)
  %c49 = arith.constant 49 : index
  %c4096 = arith.constant 4096 : index
  %row = arith.muli %i, %c4096 : index
  %ik = arith.addi %row, %k : index
  %a = kernel.load %w[%ik] : memref<32768xf32>
  %kj49 = arith.muli %k, %c49 : index
  %kj = arith.addi %kj49, %j : index
  %b = kernel.load %x[%kj] : memref<200704xf32>
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce addf (%p) over (%k) fastmath<contract> : f32
  %i49 = arith.muli %i, %c49 : index
  %at = arith.addi %i49, %j : index
  kernel.store %s, %out[%at] : memref<392xf32>
}

// Lanes lie along an open size: threads share whole tiles of the points that there are.
// CHECK: Function=open_lanes | {{.*}}"axis 0 padded to a multiple of 7, axis 1 padded to a multiple of 768, axis 0 by 7 as upcast, axis 1 by 48 as upcast, axis 1 by 16 as thread, axis 4 by 16 as upcast, axes 0 and 5 exchanged, argument 0 staged"
kernel.func @open_lanes(%x: memref<786432xf32>, %w: memref<12288xf32>, %sizes: memref<1xi64>, %y: memref<65536xf32>) {
  %zero = arith.constant 0 : index
  %c384 = arith.constant 384 : index
  %c32 = arith.constant 32 : index
  %loaded = kernel.load %sizes[%zero] : memref<1xi64>
  %index = arith.index_cast %loaded : i64 to index
  %n = sym.range_of %index[1, 2048] : index
  %j = kernel.range loop id(0) extent(32)
  %i = kernel.range loop id(1) extent(2048) size(%n)
  %k = kernel.range reduce id(2) extent(384)
  %i384 = arith.muli %i, %c384 : index
  %xAt = arith.addi %i384, %k : index
  %k32 = arith.muli %k, %c32 : index
  %wAt = arith.addi %k32, %j : index
  %a = kernel.load %x[%xAt] : memref<786432xf32>
  %b = kernel.load %w[%wAt] : memref<12288xf32>
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %jn = arith.muli %j, %n : index
  %yAt = arith.addi %jn, %i : index
  kernel.store %s, %y[%yAt] : memref<65536xf32>
}

// Integers are multiplied in tiles as well: of bytes that are widened what is packed is wide.
// CHECK: Function=widened | {{.*}}"axis 0 padded to a multiple of 7, axis 1 padded to a multiple of 48, axis 0 by 7 as upcast, axis 1 by 48 as upcast, axis 1 by 16 as upcast"
kernel.func @widened(%a: memref<1240xi8>, %b: memref<1023xi8>, %out: memref<1320xi32>) {
  %i = kernel.range loop id(0) extent(40)
  %j = kernel.range loop id(1) extent(33)
  %k = kernel.range reduce id(2) extent(31)
  %c31 = arith.constant 31 : index
  %c33 = arith.constant 33 : index
  %0 = arith.muli %i, %c31 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %k, %c33 : index
  %3 = arith.addi %2, %j : index
  %4 = arith.muli %i, %c33 : index
  %5 = arith.addi %4, %j : index
  %x = kernel.load %a[%1] : memref<1240xi8>
  %y = kernel.load %b[%3] : memref<1023xi8>
  %u = arith.extsi %x : i8 to i32
  %v = arith.extsi %y : i8 to i32
  %p = arith.muli %u, %v : i32
  %s = kernel.reduce addi (%p) over (%k) : i32
  kernel.store %s, %out[%5] : memref<1320xi32>
}
