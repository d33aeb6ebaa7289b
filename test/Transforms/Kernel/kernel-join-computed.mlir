// RUN: tiny-opt %s --kernel-join-instances > %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: tiny-interpret %t.mlir --input='dense<[1, 0, 2, 0, 0, 0, 0, 0]> : tensor<8xi64>' | FileCheck %s --check-prefix=THREE
// RUN: tiny-interpret %t.mlir --input='dense<0> : tensor<8xi64>' | FileCheck %s --check-prefix=NONE
// RUN: not tiny-interpret %t.mlir --input='dense<2> : tensor<8xi64>' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: tiny-opt %t.mlir --kernel-default-schedule --tiny-kernel-to-uop-pipeline \
// RUN:   | tiny-interpret --program=main --input='dense<[1, 0, 2, 0, 0, 0, 0, 0]> : tensor<8xi64>' | FileCheck %s --check-prefix=THREE

// A result that says a size is written to its place, in front of what needs the size.
// CHECK: #[[MAP:.*]] = affine_map<()[s0] -> (s0)>
// CHECK: kernel.program @main(%[[X:.*]]: memref<8xi64> {tiny.type = tensor<8xi64>}, %[[SIZES:.*]]: memref<1xi64>)
// CHECK-SAME: -> (memref<8xi64> {tiny.shape = #[[MAP]], tiny.type = tensor<8xi64>})
// CHECK-SAME: sizes = [#kernel.size<"n", 0, 8, computed>]
// CHECK: kernel.launch @count
// CHECK: %[[PLACE:.*]] = kernel.alias %[[SIZES]][0] : memref<1xi64> -> memref<1xi64>
// CHECK: kernel.copy %{{.*}}, %[[PLACE]]
// CHECK: kernel.launch @copy ins(%[[X]], %[[SIZES]]
// CHECK: kernel.return %{{.*}} : memref<8xi64>

// Whatever was computed, no kernel leaves its buffers.
// CHECK: kernel.func private @copy
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: sym.range_of %{{.*}}[0, 8]

// THREE: main result 0: tensor<3xi64> [1, 0, 2]
// NONE: main result 0: tensor<0xi64> []
// MANY: size 'n' is computed as 16, expected 0 to 8
module attributes {tiny.sizes = {n = array<i64: 0, 8>}} {
  module @instance_0 attributes {tiny.sizes = {n = 8}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<8xi64> {tiny.type = tensor<8xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<8xi64>
      kernel.launch @copy ins(%x : memref<8xi64>) outs(%y : memref<8xi64>)
      %count = kernel.alloc : memref<1xi64>
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %y, %count : memref<8xi64>, memref<1xi64>
    }
    kernel.func private @copy(%x: memref<8xi64>, %y: memref<8xi64>) {
      %c8 = arith.constant 8 : index
      %i = kernel.range loop id(0) extent(8)
      %in = arith.cmpi slt, %i, %c8 : index
      %v = kernel.load %x[%i] if %in : memref<8xi64>
      kernel.store %v, %y[%i] : memref<8xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %i = kernel.range reduce id(0) extent(8)
      %v = kernel.load %x[%i] : memref<8xi64>
      %s = kernel.reduce addi (%v) over (%i) : i64
      kernel.store %s, %count[%c0] : memref<1xi64>
    }
  }
  module @instance_1 attributes {tiny.sizes = {n = 61}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<61xi64> {tiny.type = tensor<61xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<61xi64>
      kernel.launch @copy ins(%x : memref<8xi64>) outs(%y : memref<61xi64>)
      %count = kernel.alloc : memref<1xi64>
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %y, %count : memref<61xi64>, memref<1xi64>
    }
    kernel.func private @copy(%x: memref<8xi64>, %y: memref<61xi64>) {
      %c8 = arith.constant 8 : index
      %i = kernel.range loop id(0) extent(61)
      %in = arith.cmpi slt, %i, %c8 : index
      %v = kernel.load %x[%i] if %in : memref<8xi64>
      kernel.store %v, %y[%i] : memref<61xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %i = kernel.range reduce id(0) extent(8)
      %v = kernel.load %x[%i] : memref<8xi64>
      %s = kernel.reduce addi (%v) over (%i) : i64
      kernel.store %s, %count[%c0] : memref<1xi64>
    }
  }
  module @instance_2 attributes {tiny.sizes = {n = 67}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<67xi64> {tiny.type = tensor<67xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<67xi64>
      kernel.launch @copy ins(%x : memref<8xi64>) outs(%y : memref<67xi64>)
      %count = kernel.alloc : memref<1xi64>
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %y, %count : memref<67xi64>, memref<1xi64>
    }
    kernel.func private @copy(%x: memref<8xi64>, %y: memref<67xi64>) {
      %c8 = arith.constant 8 : index
      %i = kernel.range loop id(0) extent(67)
      %in = arith.cmpi slt, %i, %c8 : index
      %v = kernel.load %x[%i] if %in : memref<8xi64>
      kernel.store %v, %y[%i] : memref<67xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %i = kernel.range reduce id(0) extent(8)
      %v = kernel.load %x[%i] : memref<8xi64>
      %s = kernel.reduce addi (%v) over (%i) : i64
      kernel.store %s, %count[%c0] : memref<1xi64>
    }
  }
  module @instance_3 attributes {tiny.sizes = {n = 71}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<71xi64> {tiny.type = tensor<71xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<71xi64>
      kernel.launch @copy ins(%x : memref<8xi64>) outs(%y : memref<71xi64>)
      %count = kernel.alloc : memref<1xi64>
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %y, %count : memref<71xi64>, memref<1xi64>
    }
    kernel.func private @copy(%x: memref<8xi64>, %y: memref<71xi64>) {
      %c8 = arith.constant 8 : index
      %i = kernel.range loop id(0) extent(71)
      %in = arith.cmpi slt, %i, %c8 : index
      %v = kernel.load %x[%i] if %in : memref<8xi64>
      kernel.store %v, %y[%i] : memref<71xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %i = kernel.range reduce id(0) extent(8)
      %v = kernel.load %x[%i] : memref<8xi64>
      %s = kernel.reduce addi (%v) over (%i) : i64
      kernel.store %s, %count[%c0] : memref<1xi64>
    }
  }
  module @instance_4 attributes {tiny.sizes = {n = 73}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<73xi64> {tiny.type = tensor<73xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<73xi64>
      kernel.launch @copy ins(%x : memref<8xi64>) outs(%y : memref<73xi64>)
      %count = kernel.alloc : memref<1xi64>
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %y, %count : memref<73xi64>, memref<1xi64>
    }
    kernel.func private @copy(%x: memref<8xi64>, %y: memref<73xi64>) {
      %c8 = arith.constant 8 : index
      %i = kernel.range loop id(0) extent(73)
      %in = arith.cmpi slt, %i, %c8 : index
      %v = kernel.load %x[%i] if %in : memref<8xi64>
      kernel.store %v, %y[%i] : memref<73xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %i = kernel.range reduce id(0) extent(8)
      %v = kernel.load %x[%i] : memref<8xi64>
      %s = kernel.reduce addi (%v) over (%i) : i64
      kernel.store %s, %count[%c0] : memref<1xi64>
    }
  }
}
