// RUN: tiny-interpret %s --input='dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>' | FileCheck %s --check-prefix=TWO
// RUN: tiny-interpret %s --input='dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>' \
// RUN:   | FileCheck %s --check-prefix=FOUR
// RUN: not tiny-interpret %s --input='dense<1.0> : tensor<4xf32>' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not tiny-interpret %s --input='dense<1.0> : tensor<5x2xf32>' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tiny-interpret %s --input='dense<1.0> : tensor<4x3xf32>' 2>&1 | FileCheck %s --check-prefix=WIDE

// One program for several sizes, at every level from here down.
// RUN: tiny-opt %s --tiny-kernel-to-uop-pipeline \
// RUN:   | tiny-interpret --program=main --input='dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>' \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: tiny-opt %s --kernel-default-schedule --tiny-kernel-to-uop-pipeline \
// RUN:   | tiny-interpret --program=main --input='dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>' \
// RUN:   | FileCheck %s --check-prefix=TWO

// TWO: main result 0: tensor<2xf32> [3, 7]
// TWO: main result 1: tensor<1xf32> [10]
// FOUR: main result 0: tensor<4xf32> [3, 7, 11, 15]
// FOUR: main result 1: tensor<1xf32> [36]
// RANK: no input tells 'rows'
// MANY: input 'x': 'rows' is 5, expected 1 to 4
// WIDE: input 'x' has the shape [4, 3], expected [4, 2] as by the other inputs
kernel.program @main(%x: memref<8xf32> {tiny.name = "x", tiny.type = tensor<4x2xf32>, tiny.shape = affine_map<()[n] -> (n, 2)>},
                     %sizes: memref<1xi64>)
    -> (memref<4xf32> {tiny.type = tensor<4xf32>, tiny.shape = affine_map<()[n] -> (n)>}, memref<1xf32>)
    attributes {sizes = [#kernel.size<"rows", 1, 4>]} {
  %y = kernel.alloc : memref<4xf32>
  kernel.launch @rows ins(%x, %sizes : memref<8xf32>, memref<1xi64>) outs(%y : memref<4xf32>)
  %z = kernel.alloc : memref<1xf32>
  kernel.launch @all ins(%y, %sizes : memref<4xf32>, memref<1xi64>) outs(%z : memref<1xf32>)
  kernel.return %y, %z : memref<4xf32>, memref<1xf32>
}
kernel.func private @rows(%x: memref<8xf32>, %sizes: memref<1xi64>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %loaded = kernel.load %sizes[%c0] : memref<1xi64>
  %live = arith.index_cast %loaded : i64 to index
  %n = sym.range_of %live [1, 4] : index
  %i = kernel.range loop id(0) extent(4) size(%n)
  %j = kernel.range reduce id(1) extent(2)
  %row = arith.muli %i, %c2 : index
  %at = arith.addi %row, %j : index
  %v = kernel.load %x[%at] : memref<8xf32>
  %s = kernel.reduce addf (%v) over (%j) : f32
  kernel.store %s, %y[%i] : memref<4xf32>
}
kernel.func private @all(%y: memref<4xf32>, %sizes: memref<1xi64>, %z: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %loaded = kernel.load %sizes[%c0] : memref<1xi64>
  %live = arith.index_cast %loaded : i64 to index
  %n = sym.range_of %live [1, 4] : index
  %i = kernel.range reduce id(0) extent(4) size(%n)
  %v = kernel.load %y[%i] : memref<4xf32>
  %s = kernel.reduce addf (%v) over (%i) : f32
  kernel.store %s, %z[%c0] : memref<1xf32>
}
