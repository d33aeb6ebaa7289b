// RUN: tiny-interpret %s --program=main --input='dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>' \
// RUN:   | FileCheck %s --check-prefix=MAIN
// RUN: tiny-interpret %s --program=gates --input='dense<[1.0, 2.0]> : tensor<2xf32>' \
// RUN:   --input='dense<9.0> : tensor<4xf32>' | FileCheck %s --check-prefix=GATES
// RUN: tiny-interpret %s --program=softmax --input='dense<0.0> : tensor<4xf32>' --input='dense<9.0> : tensor<4xf32>' \
// RUN:   | FileCheck %s --check-prefix=SOFTMAX
// RUN: tiny-interpret %s --program=argmax --input='dense<[3.0, 7.0, 7.0]> : tensor<3xf32>' \
// RUN:   --input='dense<0> : tensor<1xi32>' | FileCheck %s --check-prefix=ARGMAX
// RUN: tiny-interpret %s --program=pair --input='dense<[1.0, 4.0, 2.0, 3.0]> : tensor<4xf32>' \
// RUN:   --input='dense<2.5> : tensor<12xf32>' --input='dense<0.0> : tensor<1xf32>' --input='dense<0.0> : tensor<3xf32>' \
// RUN:   | FileCheck %s --check-prefix=PAIR

// Kernels may run on a part of a buffer; results may be aliases and constants.
// MAIN: main result 0: tensor<2xf32> [6, 15]
// MAIN: main result 1: tensor<3xf32> [4, 5, 6]
// MAIN: main result 2: tensor<2xf32> [7, 7]
// MAIN: main result 3: tensor<2xi32> [1, 2]
kernel.program @main(%x: memref<6xf32> {tiny.type = tensor<2x3xf32>})
    -> (memref<2xf32>, memref<3xf32>, memref<2xf32>, memref<2xi32>) {
  %s = kernel.alloc : memref<2xf32>
  kernel.launch @sum ins(%x : memref<6xf32>) outs(%s : memref<2xf32>)
  %row = kernel.alias %x[3] : memref<6xf32> -> memref<3xf32>
  %f = kernel.alloc : memref<2xf32>
  kernel.fill %f, 7.0 : f32 -> memref<2xf32>
  %c = kernel.constant dense<[1, 2]> : tensor<2xi32> -> memref<2xi32>
  %d = kernel.alloc : memref<2xi32>
  kernel.copy %c, %d : memref<2xi32>
  kernel.return %s, %row, %f, %d : memref<2xf32>, memref<3xf32>, memref<2xf32>, memref<2xi32>
}
kernel.func private @sum(%in: memref<6xf32>, %out: memref<2xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %k = kernel.range reduce id(1) extent(3)
  %c3 = arith.constant 3 : index
  %r = arith.muli %i, %c3 : index
  %l = arith.addi %r, %k : index
  %x = kernel.load %in[%l] : memref<6xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %s, %out[%i] : memref<2xf32>
}

// Where a load's gate is off it may be anything, here NaN; a store's gate leaves the element alone.
// GATES: gates result 1: tensor<4xf32> [1, 2, nan, 9]
kernel.func @gates(%in: memref<2xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %inside = arith.cmpi slt, %i, %c2 : index
  %x = kernel.load %in[%i] if %inside : memref<2xf32>
  %kept = arith.cmpi slt, %i, %c3 : index
  kernel.store %x, %out[%i] if %kept : memref<4xf32>
}

// Text order means nothing, and a reduction may read another one.
// SOFTMAX: softmax result 1: tensor<4xf32> [0.25, 0.25, 0.25, 0.25]
kernel.func @softmax(%in: memref<4xf32>, %out: memref<4xf32>) {
  kernel.store %y, %out[%i] : memref<4xf32>
  %y = arith.divf %e, %sum : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %ek = math.exp %dk : f32
  %dk = arith.subf %xk, %max : f32
  %xk = kernel.load %in[%k] : memref<4xf32>
  %e = math.exp %d : f32
  %d = arith.subf %x, %max : f32
  %x = kernel.load %in[%i] : memref<4xf32>
  %max = kernel.reduce maximumf (%xm) over (%m) : f32
  %xm = kernel.load %in[%m] : memref<4xf32>
  %i = kernel.range loop id(0) extent(4)
  %k = kernel.range reduce id(1) extent(4)
  %m = kernel.range reduce id(2) extent(4)
}

// ARGMAX: argmax result 1: tensor<1xi32> [1]
kernel.func @argmax(%in: memref<3xf32>, %out: memref<1xi32>) {
  %k = kernel.range reduce id(0) extent(3)
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %lowest = arith.constant 0xFF800000 : f32
  %x = kernel.load %in[%k] : memref<3xf32>
  %j = arith.index_cast %k : index to i32
  %m:2 = kernel.reduce (%x, %j) init (%lowest, %zero) over (%k) : f32, i32 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %gt = arith.cmpf ogt, %b, %a : f32
    %v = arith.select %gt, %b, %a : f32
    %w = arith.select %gt, %bi, %ai : i32
    kernel.yield %v, %w : f32, i32
  }
  kernel.store %m#1, %out[%c0] : memref<1xi32>
}

// One result varies along a loop, and the other does not: it may be read outside.
// PAIR: pair result 2: tensor<1xf32> [4]
// PAIR: pair result 3: tensor<3xf32> [10, 10, 10]
kernel.func @pair(%a: memref<4xf32>, %b: memref<12xf32>, %most: memref<1xf32>, %sums: memref<3xf32>) {
  %j = kernel.range reduce id(0) extent(4)
  %d = kernel.range loop id(1) extent(3)
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %x = kernel.load %a[%j] : memref<4xf32>
  %row = arith.muli %j, %c3 : index
  %at = arith.addi %row, %d : index
  %y = kernel.load %b[%at] : memref<12xf32>
  %r:2 = kernel.reduce (%x, %y) init (%zero, %zero) over (%j) : f32, f32 {
  ^bb0(%m: f32, %s: f32, %mx: f32, %sy: f32):
    %n = arith.maximumf %m, %mx : f32
    %t = arith.addf %s, %sy : f32
    kernel.yield %n, %t : f32, f32
  }
  kernel.store %r#0, %most[%c0] : memref<1xf32>
  kernel.store %r#1, %sums[%d] : memref<3xf32>
}
