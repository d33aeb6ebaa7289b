// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule="parts=2" -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// A register tile of rows and lanes, which is padded to fit; both operands are packed, the function of the first with it.
// CHECK: axis 0 padded to a multiple of 26, axis 1 padded to a multiple of 16, axis 0 by 26 as upcast, axis 1 by 16 as upcast, axes 0 and 1 exchanged, argument 0 staged, argument 1 staged
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

// The second operand lies the other way round: it becomes lanes when it is packed.
// CHECK: argument 1 staged
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
