// RUN: tiny-opt %s -kernel-default-schedule | FileCheck %s
// RUN: tiny-opt %s -kernel-default-schedule -kernel-apply-schedules | FileCheck %s --check-prefix=APPLIED

// A program may be named like the module of scripts, which then takes another name.
// CHECK-LABEL: kernel.func @k
// CHECK-SAME: schedule = @schedules_0::@k
// CHECK: module @schedules_0
// APPLIED-NOT: module @schedules_0
// APPLIED: kernel.range upcast
kernel.program @schedules(%x: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %y = kernel.alloc : memref<8xf32>
  kernel.launch @k ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  kernel.return %y : memref<8xf32>
}
kernel.func @k(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  kernel.store %x, %out[%i] : memref<8xf32>
}
