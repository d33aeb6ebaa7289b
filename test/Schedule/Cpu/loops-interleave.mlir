// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// A pixel shuffle: neighbours of a row are in two planes. The row is split by what its loads divide by. Lanes lie along
// a plane, and copies of both planes interleave with them.
// CHECK: Function=shuffle | {{.*}}"axis 1 by 2 as loop, axis 1 padded to a multiple of 16, axis 1 by 16 as upcast, axis 2 by 2 as unroll"
kernel.func @shuffle(%in: memref<7680xf32>, %out: memref<7680xf32>) {
  %c2 = arith.constant 2 : index
  %c60 = arith.constant 60 : index
  %c120 = arith.constant 120 : index
  %c3840 = arith.constant 3840 : index
  %y = kernel.range loop id(0) extent(64)
  %x = kernel.range loop id(1) extent(120)
  %b = sym.mod %x, %c2 : index
  %column = arith.floordivsi %x, %c2 : index
  %plane = arith.muli %b, %c3840 : index
  %row = arith.muli %y, %c60 : index
  %place = arith.addi %plane, %row : index
  %from = arith.addi %place, %column : index
  %v = kernel.load %in[%from] : memref<7680xf32>
  %to = arith.muli %y, %c120 : index
  %at = arith.addi %to, %x : index
  kernel.store %v, %out[%at] : memref<7680xf32>
}

// A product that is stored with four results between its lanes: loops that interleave them take less time than a tile
// with lanes along the four.
// CHECK: Function=product | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast, axis 2 by 4 as unroll
kernel.func @product(%a: memref<24xf32>, %p: memref<43008xf32>, %out: memref<57344xf32>) {
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c14 = arith.constant 14 : index
  %c112 = arith.constant 112 : index
  %c7168 = arith.constant 7168 : index
  %y = kernel.range loop id(0) extent(512)
  %x = kernel.range loop id(1) extent(14)
  %b = kernel.range loop id(2) extent(4)
  %k = kernel.range reduce id(3) extent(6)
  %row = arith.muli %y, %c14 : index
  %place = arith.addi %row, %x : index
  %plane = arith.muli %k, %c7168 : index
  %from = arith.addi %plane, %place : index
  %v = kernel.load %p[%from] : memref<43008xf32>
  %line = arith.muli %b, %c6 : index
  %at = arith.addi %line, %k : index
  %w = kernel.load %a[%at] : memref<24xf32>
  %t = arith.mulf %v, %w : f32
  %s = kernel.reduce addf (%t) over (%k) fastmath<reassoc,contract> : f32
  %to = arith.muli %y, %c112 : index
  %far = arith.muli %x, %c4 : index
  %lane = arith.addi %to, %far : index
  %point = arith.addi %lane, %b : index
  kernel.store %s, %out[%point] : memref<57344xf32>
}
