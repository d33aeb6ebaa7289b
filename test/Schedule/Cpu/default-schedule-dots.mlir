// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// Few rows by a factor that is stored column by column: lanes along the reduced axis, which is padded. Rows begin
// anywhere in a cache line, so that each vector is two loads: six columns share those of four rows.
// CHECK: axis 2 padded to a multiple of 16, axis 2 by 16 as upcast, axis 0 by 4 as upcast, axis 1 padded to a multiple of 6, axis 1 by 6 as upcast, axes 0 and 1 exchanged
kernel.func @dots(%a: memref<800xf32>, %b: memref<6500xf32>, %out: memref<520xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(65)
  %k = kernel.range reduce id(2) extent(100)
  %c100 = arith.constant 100 : index
  %c65 = arith.constant 65 : index
  %0 = arith.muli %i, %c100 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %j, %c100 : index
  %3 = arith.addi %2, %k : index
  %4 = arith.muli %i, %c65 : index
  %5 = arith.addi %4, %j : index
  %x = kernel.load %a[%1] : memref<800xf32>
  %y = kernel.load %b[%3] : memref<6500xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) fastmath<reassoc,contract> : f32
  kernel.store %s, %out[%5] : memref<520xf32>
}

// Two rows have sums that would wait for each other: those of six columns do not.
// CHECK: axis 2 padded to a multiple of 16, axis 2 by 16 as upcast, axis 0 by 2 as upcast, axis 1 padded to a multiple of 6, axis 1 by 6 as upcast
kernel.func @two_rows(%a: memref<1400xf32>, %b: memref<45500xf32>, %out: memref<130xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %j = kernel.range loop id(1) extent(65)
  %k = kernel.range reduce id(2) extent(700)
  %c700 = arith.constant 700 : index
  %c65 = arith.constant 65 : index
  %0 = arith.muli %i, %c700 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %j, %c700 : index
  %3 = arith.addi %2, %k : index
  %4 = arith.muli %i, %c65 : index
  %5 = arith.addi %4, %j : index
  %x = kernel.load %a[%1] : memref<1400xf32>
  %y = kernel.load %b[%3] : memref<45500xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) fastmath<reassoc,contract> : f32
  kernel.store %s, %out[%5] : memref<130xf32>
}

// Long rows do not stay near: four rows and six columns share what they read, for all rows before the next columns.
// CHECK: axis 2 by 16 as upcast, axis 0 by 4 as upcast, axis 1 padded to a multiple of 6, axis 1 by 6 as upcast, axes 0 and 1 exchanged
kernel.func @long_rows(%a: memref<24000xf32>, %b: memref<130000xf32>, %out: memref<780xf32>) {
  %i = kernel.range loop id(0) extent(12)
  %j = kernel.range loop id(1) extent(65)
  %k = kernel.range reduce id(2) extent(2000)
  %c2000 = arith.constant 2000 : index
  %c65 = arith.constant 65 : index
  %0 = arith.muli %i, %c2000 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %j, %c2000 : index
  %3 = arith.addi %2, %k : index
  %4 = arith.muli %i, %c65 : index
  %5 = arith.addi %4, %j : index
  %x = kernel.load %a[%1] : memref<24000xf32>
  %y = kernel.load %b[%3] : memref<130000xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) fastmath<reassoc,contract> : f32
  kernel.store %s, %out[%5] : memref<780xf32>
}
