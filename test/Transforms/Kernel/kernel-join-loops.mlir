// RUN: tiny-opt %s --kernel-join-instances > %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: tiny-interpret %t.mlir --input='dense<1> : tensor<3xi64>' | FileCheck %s --check-prefix=THREE
// RUN: tiny-interpret %t.mlir --input='dense<1> : tensor<20xi64>' | FileCheck %s --check-prefix=TWENTY
// RUN: sed 's/most(27)/most(28)/' %s | not tiny-opt --kernel-join-instances 2>&1 | FileCheck %s --check-prefix=OTHER

// How often a loop runs follows the size: a kernel computes its limit, of a limit that there is the less.
// CHECK: kernel.program @main(%[[X:.*]]: memref<20xi64> {{.*}}, %[[SIZES:.*]]: memref<1xi64>)
// CHECK: kernel.launch @iterations ins(%[[SIZES]] : memref<1xi64>) outs(%[[LIMIT:.*]] : memref<1xi64>)
// CHECK: kernel.loop most(41) limit(%[[LIMIT]]) counter(%{{.*}}) {
// CHECK:   kernel.launch @next
// CHECK: kernel.launch @iterations_0 ins(%{{.*}}, %[[SIZES]] : memref<1xi64>, memref<1xi64>) outs(%[[LESS:.*]] : memref<1xi64>)
// CHECK: kernel.loop most(20) limit(%[[LESS]]) counter(%{{.*}}) {
// THREE: main result 0: tensor<1xi64> [7]
// THREE: main result 1: tensor<1xi64> [3]
// TWENTY: main result 0: tensor<1xi64> [41]
// TWENTY: main result 1: tensor<1xi64> [5]
// OTHER: the number of iterations is no polynomial of the sizes up to squares: [41, 35, 28, 15]
module attributes {tiny.sizes = {n = array<i64: 1, 20>}} {
  module @instance_0 attributes {tiny.sizes = {n = 20}} {
    kernel.program @main(%x: memref<20xi64> {tiny.type = tensor<20xi64>})
        -> (memref<1xi64> {tiny.type = tensor<1xi64>}, memref<1xi64> {tiny.type = tensor<1xi64>}) {
      %five = kernel.alloc : memref<1xi64>
      kernel.fill %five, 5 : i64 -> memref<1xi64>
      %i = kernel.alloc : memref<1xi64>
      %y = kernel.alloc : memref<20xi64>
      kernel.loop most(41) counter(%i) {
        kernel.launch @next ins(%x : memref<20xi64>) outs(%y : memref<20xi64>)
      }
      %j = kernel.alloc : memref<1xi64>
      kernel.loop most(20) limit(%five) counter(%j) {
        kernel.launch @next ins(%x : memref<20xi64>) outs(%y : memref<20xi64>)
      }
      kernel.return %i, %j : memref<1xi64>, memref<1xi64>
    }
    kernel.func private @next(%x: memref<20xi64>, %y: memref<20xi64>) {
      %k = kernel.range loop id(0) extent(20)
      %v = kernel.load %x[%k] : memref<20xi64>
      kernel.store %v, %y[%k] : memref<20xi64>
    }
  }
  module @instance_1 attributes {tiny.sizes = {n = 17}} {
    kernel.program @main(%x: memref<17xi64> {tiny.type = tensor<17xi64>})
        -> (memref<1xi64> {tiny.type = tensor<1xi64>}, memref<1xi64> {tiny.type = tensor<1xi64>}) {
      %five = kernel.alloc : memref<1xi64>
      kernel.fill %five, 5 : i64 -> memref<1xi64>
      %i = kernel.alloc : memref<1xi64>
      %y = kernel.alloc : memref<17xi64>
      kernel.loop most(35) counter(%i) {
        kernel.launch @next ins(%x : memref<17xi64>) outs(%y : memref<17xi64>)
      }
      %j = kernel.alloc : memref<1xi64>
      kernel.loop most(17) limit(%five) counter(%j) {
        kernel.launch @next ins(%x : memref<17xi64>) outs(%y : memref<17xi64>)
      }
      kernel.return %i, %j : memref<1xi64>, memref<1xi64>
    }
    kernel.func private @next(%x: memref<17xi64>, %y: memref<17xi64>) {
      %k = kernel.range loop id(0) extent(17)
      %v = kernel.load %x[%k] : memref<17xi64>
      kernel.store %v, %y[%k] : memref<17xi64>
    }
  }
  module @instance_2 attributes {tiny.sizes = {n = 13}} {
    kernel.program @main(%x: memref<13xi64> {tiny.type = tensor<13xi64>})
        -> (memref<1xi64> {tiny.type = tensor<1xi64>}, memref<1xi64> {tiny.type = tensor<1xi64>}) {
      %five = kernel.alloc : memref<1xi64>
      kernel.fill %five, 5 : i64 -> memref<1xi64>
      %i = kernel.alloc : memref<1xi64>
      %y = kernel.alloc : memref<13xi64>
      kernel.loop most(27) counter(%i) {
        kernel.launch @next ins(%x : memref<13xi64>) outs(%y : memref<13xi64>)
      }
      %j = kernel.alloc : memref<1xi64>
      kernel.loop most(13) limit(%five) counter(%j) {
        kernel.launch @next ins(%x : memref<13xi64>) outs(%y : memref<13xi64>)
      }
      kernel.return %i, %j : memref<1xi64>, memref<1xi64>
    }
    kernel.func private @next(%x: memref<13xi64>, %y: memref<13xi64>) {
      %k = kernel.range loop id(0) extent(13)
      %v = kernel.load %x[%k] : memref<13xi64>
      kernel.store %v, %y[%k] : memref<13xi64>
    }
  }
  module @instance_3 attributes {tiny.sizes = {n = 7}} {
    kernel.program @main(%x: memref<7xi64> {tiny.type = tensor<7xi64>})
        -> (memref<1xi64> {tiny.type = tensor<1xi64>}, memref<1xi64> {tiny.type = tensor<1xi64>}) {
      %five = kernel.alloc : memref<1xi64>
      kernel.fill %five, 5 : i64 -> memref<1xi64>
      %i = kernel.alloc : memref<1xi64>
      %y = kernel.alloc : memref<7xi64>
      kernel.loop most(15) counter(%i) {
        kernel.launch @next ins(%x : memref<7xi64>) outs(%y : memref<7xi64>)
      }
      %j = kernel.alloc : memref<1xi64>
      kernel.loop most(7) limit(%five) counter(%j) {
        kernel.launch @next ins(%x : memref<7xi64>) outs(%y : memref<7xi64>)
      }
      kernel.return %i, %j : memref<1xi64>, memref<1xi64>
    }
    kernel.func private @next(%x: memref<7xi64>, %y: memref<7xi64>) {
      %k = kernel.range loop id(0) extent(7)
      %v = kernel.load %x[%k] : memref<7xi64>
      kernel.store %v, %y[%k] : memref<7xi64>
    }
  }
}
