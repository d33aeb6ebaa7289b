// RUN: tiny-opt %s --kernel-join-instances | FileCheck %s

// What differs by a number follows the size: extents, lengths of buffers, and the mean's divisor.

// CHECK-NOT: module @
// CHECK: kernel.program @main(%[[X:.*]]: memref<1024xf32> {tiny.shape = affine_map<()[s0] -> (s0, 64)>, tiny.type = tensor<16x64xf32>}, %[[SIZES:.*]]: memref<1xi64>)
// CHECK-SAME: -> (memref<16xf32> {tiny.shape = {{.*}}, tiny.type = tensor<16xf32>})
// CHECK-SAME: attributes {sizes = [#kernel.size<"n", 1, 16>]}
// CHECK: %[[Y:.*]] = kernel.alloc : memref<16xf32>
// CHECK: kernel.launch @k ins(%[[X]], %[[SIZES]] : memref<1024xf32>, memref<1xi64>) outs(%[[Y]] : memref<16xf32>)
// CHECK: kernel.func private @k(%{{.*}}: memref<1024xf32>, %[[LIVE:.*]]: memref<1xi64>, %{{.*}}: memref<16xf32>)
// CHECK: %[[LOADED:.*]] = kernel.load %[[LIVE]][%{{.*}}] : memref<1xi64>
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[LOADED]] : i64 to index
// CHECK: %[[N:.*]] = sym.range_of %[[INDEX]][1, 16] : index
// CHECK: kernel.range loop id(0) extent(16) size(%[[N]])
// CHECK: kernel.range reduce id(1) extent(64){{$}}
// CHECK: arith.mulf %{{.*}}, %[[MEAN:.*]] : f32
// CHECK: %[[WHOLE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[FLOAT:.*]] = arith.sitofp %[[WHOLE]] : i64 to f32
// CHECK: %[[MEAN]] = arith.divf %{{.*}}, %[[FLOAT]] : f32
module attributes {tiny.sizes = {n = array<i64: 1, 16>}} {
  module @instance_0 attributes {tiny.sizes = {n = 16}} {
    kernel.program @main(%x: memref<1024xf32> {tiny.type = tensor<16x64xf32>}) -> (memref<16xf32> {tiny.type = tensor<16xf32>}) {
      %y = kernel.alloc : memref<16xf32>
      kernel.launch @k ins(%x : memref<1024xf32>) outs(%y : memref<16xf32>)
      kernel.return %y : memref<16xf32>
    }
    kernel.func private @k(%x: memref<1024xf32>, %y: memref<16xf32>) {
      %c64 = arith.constant 64 : index
      %m = arith.constant 0.0625 : f32
      %i = kernel.range loop id(0) extent(16)
      %j = kernel.range reduce id(1) extent(64)
      %a = arith.muli %i, %c64 : index
      %b = arith.addi %a, %j : index
      %v = kernel.load %x[%b] : memref<1024xf32>
      %s = kernel.reduce addf (%v) over (%j) : f32
      %t = arith.mulf %s, %m : f32
      kernel.store %t, %y[%i] : memref<16xf32>
    }
  }
  module @instance_1 attributes {tiny.sizes = {n = 13}} {
    kernel.program @main(%x: memref<832xf32> {tiny.type = tensor<13x64xf32>}) -> (memref<13xf32> {tiny.type = tensor<13xf32>}) {
      %y = kernel.alloc : memref<13xf32>
      kernel.launch @k ins(%x : memref<832xf32>) outs(%y : memref<13xf32>)
      kernel.return %y : memref<13xf32>
    }
    kernel.func private @k(%x: memref<832xf32>, %y: memref<13xf32>) {
      %c64 = arith.constant 64 : index
      %m = arith.constant 0.07692307978868484 : f32
      %i = kernel.range loop id(0) extent(13)
      %j = kernel.range reduce id(1) extent(64)
      %a = arith.muli %i, %c64 : index
      %b = arith.addi %a, %j : index
      %v = kernel.load %x[%b] : memref<832xf32>
      %s = kernel.reduce addf (%v) over (%j) : f32
      %t = arith.mulf %s, %m : f32
      kernel.store %t, %y[%i] : memref<13xf32>
    }
  }
  module @instance_2 attributes {tiny.sizes = {n = 11}} {
    kernel.program @main(%x: memref<704xf32> {tiny.type = tensor<11x64xf32>}) -> (memref<11xf32> {tiny.type = tensor<11xf32>}) {
      %y = kernel.alloc : memref<11xf32>
      kernel.launch @k ins(%x : memref<704xf32>) outs(%y : memref<11xf32>)
      kernel.return %y : memref<11xf32>
    }
    kernel.func private @k(%x: memref<704xf32>, %y: memref<11xf32>) {
      %c64 = arith.constant 64 : index
      %m = arith.constant 0.09090909361839294 : f32
      %i = kernel.range loop id(0) extent(11)
      %j = kernel.range reduce id(1) extent(64)
      %a = arith.muli %i, %c64 : index
      %b = arith.addi %a, %j : index
      %v = kernel.load %x[%b] : memref<704xf32>
      %s = kernel.reduce addf (%v) over (%j) : f32
      %t = arith.mulf %s, %m : f32
      kernel.store %t, %y[%i] : memref<11xf32>
    }
  }
  module @instance_3 attributes {tiny.sizes = {n = 7}} {
    kernel.program @main(%x: memref<448xf32> {tiny.type = tensor<7x64xf32>}) -> (memref<7xf32> {tiny.type = tensor<7xf32>}) {
      %y = kernel.alloc : memref<7xf32>
      kernel.launch @k ins(%x : memref<448xf32>) outs(%y : memref<7xf32>)
      kernel.return %y : memref<7xf32>
    }
    kernel.func private @k(%x: memref<448xf32>, %y: memref<7xf32>) {
      %c64 = arith.constant 64 : index
      %m = arith.constant 0.1428571492433548 : f32
      %i = kernel.range loop id(0) extent(7)
      %j = kernel.range reduce id(1) extent(64)
      %a = arith.muli %i, %c64 : index
      %b = arith.addi %a, %j : index
      %v = kernel.load %x[%b] : memref<448xf32>
      %s = kernel.reduce addf (%v) over (%j) : f32
      %t = arith.mulf %s, %m : f32
      kernel.store %t, %y[%i] : memref<7xf32>
    }
  }
}
