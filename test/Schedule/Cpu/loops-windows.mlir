// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// A depthwise convolution: lanes along what is stored, though a gate depends on it; eight rows share what they load;
// the rows of the window are written out.
// CHECK: Function=depthwise | {{.*}}"axis 2 padded to a multiple of 16, axis 2 by 16 as upcast, axis 3 by 3 as unroll, axis 1 by 8 as upcast"
kernel.func @depthwise(%in: memref<1600xf32>, %w: memref<9xf32>, %out: memref<1600xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c40 = arith.constant 40 : index
  %c41 = arith.constant 41 : index
  %zero = arith.constant 0.0 : f32
  %y = kernel.range loop id(1) extent(40)
  %x = kernel.range loop id(2) extent(40)
  %u = kernel.range reduce id(3) extent(3)
  %v = kernel.range reduce id(4) extent(3)
  %yu = arith.addi %y, %u : index
  %xv = arith.addi %x, %v : index
  %top = arith.cmpi sge, %yu, %c1 : index
  %bottom = arith.cmpi slt, %yu, %c41 : index
  %left = arith.cmpi sge, %xv, %c1 : index
  %right = arith.cmpi slt, %xv, %c41 : index
  %rows = arith.andi %top, %bottom : i1
  %columns = arith.andi %left, %right : i1
  %inside = arith.andi %rows, %columns : i1
  %row = arith.muli %yu, %c40 : index
  %place = arith.addi %row, %xv : index
  %from = arith.subi %place, %c41 : index
  %p = kernel.load %in[%from] if %inside : memref<1600xf32>
  %q = arith.select %inside, %p, %zero : f32
  %wu = arith.muli %u, %c3 : index
  %wv = arith.addi %wu, %v : index
  %k = kernel.load %w[%wv] : memref<9xf32>
  %t = arith.mulf %q, %k : f32
  %s = kernel.reduce addf (%t) over (%u, %v) fastmath<reassoc,contract> : f32
  %to = arith.muli %y, %c40 : index
  %at = arith.addi %to, %x : index
  kernel.store %s, %out[%at] : memref<1600xf32>
}

// Thirty-seven rows are padded.
// CHECK: Function=prime | {{.*}}"axis 2 padded to a multiple of 16, axis 2 by 16 as upcast, axis 3 by 3 as unroll, axis 1 padded to a multiple of 8, axis 1 by 8 as upcast"
kernel.func @prime(%in: memref<1480xf32>, %w: memref<9xf32>, %out: memref<1480xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c40 = arith.constant 40 : index
  %c38 = arith.constant 38 : index
  %c41 = arith.constant 41 : index
  %zero = arith.constant 0.0 : f32
  %y = kernel.range loop id(1) extent(37)
  %x = kernel.range loop id(2) extent(40)
  %u = kernel.range reduce id(3) extent(3)
  %v = kernel.range reduce id(4) extent(3)
  %yu = arith.addi %y, %u : index
  %xv = arith.addi %x, %v : index
  %top = arith.cmpi sge, %yu, %c1 : index
  %bottom = arith.cmpi slt, %yu, %c38 : index
  %left = arith.cmpi sge, %xv, %c1 : index
  %right = arith.cmpi slt, %xv, %c41 : index
  %rows = arith.andi %top, %bottom : i1
  %columns = arith.andi %left, %right : i1
  %inside = arith.andi %rows, %columns : i1
  %row = arith.muli %yu, %c40 : index
  %place = arith.addi %row, %xv : index
  %from = arith.subi %place, %c41 : index
  %p = kernel.load %in[%from] if %inside : memref<1480xf32>
  %q = arith.select %inside, %p, %zero : f32
  %wu = arith.muli %u, %c3 : index
  %wv = arith.addi %wu, %v : index
  %k = kernel.load %w[%wv] : memref<9xf32>
  %t = arith.mulf %q, %k : f32
  %s = kernel.reduce addf (%t) over (%u, %v) fastmath<reassoc,contract> : f32
  %to = arith.muli %y, %c40 : index
  %at = arith.addi %to, %x : index
  kernel.store %s, %out[%at] : memref<1480xf32>
}

// Seven columns fit eight lanes, and rows of the window are written out.
// CHECK: Function=maximum | {{.*}}"axis 2 padded to a multiple of 8, axis 2 by 8 as upcast, axis 3 by 3 as unroll"
kernel.func @maximum(%in: memref<49xf32>, %out: memref<49xf32>) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %lowest = arith.constant 0xFF800000 : f32
  %y = kernel.range loop id(1) extent(7)
  %x = kernel.range loop id(2) extent(7)
  %u = kernel.range reduce id(3) extent(3)
  %v = kernel.range reduce id(4) extent(3)
  %yu = arith.addi %y, %u : index
  %xv = arith.addi %x, %v : index
  %top = arith.cmpi sge, %yu, %c1 : index
  %bottom = arith.cmpi slt, %yu, %c8 : index
  %left = arith.cmpi sge, %xv, %c1 : index
  %right = arith.cmpi slt, %xv, %c8 : index
  %rows = arith.andi %top, %bottom : i1
  %columns = arith.andi %left, %right : i1
  %inside = arith.andi %rows, %columns : i1
  %row = arith.muli %yu, %c7 : index
  %place = arith.addi %row, %xv : index
  %from = arith.subi %place, %c8 : index
  %p = kernel.load %in[%from] if %inside : memref<49xf32>
  %q = arith.select %inside, %p, %lowest : f32
  %s = kernel.reduce maximumf (%q) over (%u, %v) : f32
  %to = arith.muli %y, %c7 : index
  %at = arith.addi %to, %x : index
  kernel.store %s, %out[%at] : memref<49xf32>
}

// Channels do not slide: they stay a loop.
// CHECK: Function=channels | {{.*}}"axis 0 by 64 as upcast"
kernel.func @channels(%in: memref<1088xf32>, %w: memref<80xf32>, %out: memref<64xf32>) {
  %c68 = arith.constant 68 : index
  %c5 = arith.constant 5 : index
  %x = kernel.range loop id(0) extent(64)
  %c = kernel.range reduce id(1) extent(16)
  %v = kernel.range reduce id(2) extent(5)
  %plane = arith.muli %c, %c68 : index
  %place = arith.addi %plane, %x : index
  %from = arith.addi %place, %v : index
  %p = kernel.load %in[%from] : memref<1088xf32>
  %wc = arith.muli %c, %c5 : index
  %wv = arith.addi %wc, %v : index
  %k = kernel.load %w[%wv] : memref<80xf32>
  %t = arith.mulf %p, %k : f32
  %s = kernel.reduce addf (%t) over (%c, %v) fastmath<reassoc,contract> : f32
  kernel.store %s, %out[%x] : memref<64xf32>
}
