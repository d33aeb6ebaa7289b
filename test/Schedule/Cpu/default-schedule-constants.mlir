// What is packed of constants is packed once, so rows of constants are always packed.
// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -kernel-default-schedule -kernel-apply-schedules -kernel-prepare-stages -canonicalize | FileCheck %s --check-prefix=PREPARED
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// CHECK: Function=weights | {{.*}}argument 0 staged
// CHECK: Function=both | {{.*}}as upcast
// CHECK-NOT: argument 0 staged
// PREPARED: kernel.launch @weights_prepare
// PREPARED-NOT: @both_prepare
kernel.program @main(%x: memref<3360xf32> {tiny.type = tensor<3360xf32>}, %v: memref<2048xf32> {tiny.type = tensor<2048xf32>}) -> (memref<6720xf32> {tiny.type = tensor<6720xf32>}) {
  %w = kernel.constant dense<2.0> : tensor<2048xf32> -> memref<2048xf32>
  %0 = kernel.alloc : memref<6720xf32>
  kernel.launch @weights ins(%w, %x : memref<2048xf32>, memref<3360xf32>) outs(%0 : memref<6720xf32>)
  %1 = kernel.alloc : memref<6720xf32>
  kernel.launch @both ins(%w, %x : memref<2048xf32>, memref<3360xf32>) outs(%1 : memref<6720xf32>)
  %2 = kernel.alloc : memref<6720xf32>
  kernel.launch @both ins(%v, %x : memref<2048xf32>, memref<3360xf32>) outs(%2 : memref<6720xf32>)
  kernel.return %0 : memref<6720xf32>
}
kernel.func private @weights(%a: memref<2048xf32>, %b: memref<3360xf32>, %out: memref<6720xf32>) {
  %i = kernel.range loop id(0) extent(64)
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
  %x = kernel.load %a[%1] : memref<2048xf32>
  %y = kernel.load %b[%3] : memref<3360xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %out[%5] : memref<6720xf32>
}
// An argument in one of its launches.
kernel.func private @both(%a: memref<2048xf32>, %b: memref<3360xf32>, %out: memref<6720xf32>) {
  %i = kernel.range loop id(0) extent(64)
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
  %x = kernel.load %a[%1] : memref<2048xf32>
  %y = kernel.load %b[%3] : memref<3360xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %out[%5] : memref<6720xf32>
}
