// RUN: tiny-opt %s -split-input-file --kernel-fuse-collectives --check-passes | FileCheck %s
// RUN: tiny-opt %s -split-input-file '--kernel-fuse-collectives=max-bytes=0' | FileCheck %s --check-prefix=NONE
// RUN: tiny-opt %s -split-input-file --kernel-fuse-collectives --remarks-filter=kernel-fuse-collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Sums that do not wait for each other are one, and their buffers are parts of one. Nothing is copied.

// REMARK: one 'all_reduce' of 24 bytes instead of 2
// CHECK-LABEL: kernel.program @two_sums(
// CHECK: %[[SOURCE:.*]] = kernel.alloc : memref<6xf32>
// CHECK: %[[A:.*]] = kernel.alias %[[SOURCE]][0] : memref<6xf32> -> memref<4xf32>
// CHECK: kernel.launch @double4 ins(%{{.*}}) outs(%[[A]] : memref<4xf32>)
// CHECK: %[[C:.*]] = kernel.alias %[[SOURCE]][4] : memref<6xf32> -> memref<2xf32>
// CHECK: kernel.launch @double2 ins(%{{.*}}) outs(%[[C]] : memref<2xf32>)
// CHECK: %[[TARGET:.*]] = kernel.alloc : memref<6xf32>
// CHECK: kernel.collective "all_reduce" %[[SOURCE]], %[[TARGET]] grid [2] axes [0] by "sum" : memref<6xf32>, memref<6xf32>
// CHECK-NOT: kernel.collective "
// CHECK: kernel.return
// NONE-LABEL: kernel.program @two_sums(
// NONE-COUNT-2: kernel.collective "all_reduce"
kernel.program @two_sums(%x: memref<4xf32> {tiny.type = tensor<4xf32>}, %y: memref<2xf32> {tiny.type = tensor<2xf32>})
    -> (memref<4xf32> {tiny.type = tensor<4xf32>}, memref<2xf32> {tiny.type = tensor<2xf32>})
    attributes {tiny.grid = array<i64: 2>} {
  %a = kernel.alloc : memref<4xf32>
  kernel.launch @double4 ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %a, %b grid [2] axes [0] by "sum" : memref<4xf32>, memref<4xf32>
  %r = kernel.alloc : memref<4xf32>
  kernel.launch @double4 ins(%b : memref<4xf32>) outs(%r : memref<4xf32>)
  %c = kernel.alloc : memref<2xf32>
  kernel.launch @double2 ins(%y : memref<2xf32>) outs(%c : memref<2xf32>)
  %d = kernel.alloc : memref<2xf32>
  kernel.collective "all_reduce" %c, %d grid [2] axes [0] by "sum" : memref<2xf32>, memref<2xf32>
  %s = kernel.alloc : memref<2xf32>
  kernel.launch @double2 ins(%d : memref<2xf32>) outs(%s : memref<2xf32>)
  kernel.return %r, %s : memref<4xf32>, memref<2xf32>
}
kernel.func private @double4(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %0 = kernel.load %in[%i] : memref<4xf32>
  %1 = arith.addf %0, %0 : f32
  kernel.store %1, %out[%i] : memref<4xf32>
}
kernel.func private @double2(%in: memref<2xf32>, %out: memref<2xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %0 = kernel.load %in[%i] : memref<2xf32>
  %1 = arith.addf %0, %0 : f32
  kernel.store %1, %out[%i] : memref<2xf32>
}

// -----

// The second one waits for the first one.

// CHECK-LABEL: kernel.program @chain(
// CHECK-COUNT-2: kernel.collective "all_reduce" %{{.*}} : memref<4xf32>, memref<4xf32>
kernel.program @chain(%x: memref<4xf32> {tiny.type = tensor<4xf32>}) -> (memref<4xf32> {tiny.type = tensor<4xf32>})
    attributes {tiny.grid = array<i64: 2>} {
  %a = kernel.alloc : memref<4xf32>
  kernel.launch @double ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %a, %b grid [2] axes [0] by "sum" : memref<4xf32>, memref<4xf32>
  %c = kernel.alloc : memref<4xf32>
  kernel.launch @double ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  %d = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %c, %d grid [2] axes [0] by "sum" : memref<4xf32>, memref<4xf32>
  %r = kernel.alloc : memref<4xf32>
  kernel.launch @double ins(%d : memref<4xf32>) outs(%r : memref<4xf32>)
  kernel.return %r : memref<4xf32>
}
kernel.func private @double(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %0 = kernel.load %in[%i] : memref<4xf32>
  %1 = arith.addf %0, %0 : f32
  kernel.store %1, %out[%i] : memref<4xf32>
}

// -----

// Two pairs of which each half waits for one of the other pair: one pair is fused, and the other one stays apart.

// CHECK-LABEL: kernel.program @crossed(
// CHECK: kernel.collective "all_reduce" %{{.*}} by "max" : memref<4xf32>, memref<4xf32>
// CHECK: kernel.collective "all_reduce" %{{.*}} by "sum" : memref<8xf32>, memref<8xf32>
// CHECK: kernel.collective "all_reduce" %{{.*}} by "max" : memref<4xf32>, memref<4xf32>
// CHECK-NOT: kernel.collective "
// CHECK: kernel.return
kernel.program @crossed(%x: memref<4xf32> {tiny.type = tensor<4xf32>})
    -> (memref<4xf32> {tiny.type = tensor<4xf32>}, memref<4xf32> {tiny.type = tensor<4xf32>})
    attributes {tiny.grid = array<i64: 2>} {
  // A sum, and what is the largest of it.
  %a = kernel.alloc : memref<4xf32>
  kernel.launch @double ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %a, %b grid [2] axes [0] by "sum" : memref<4xf32>, memref<4xf32>
  // The largest, and the sum of these.
  %e = kernel.alloc : memref<4xf32>
  kernel.launch @double ins(%x : memref<4xf32>) outs(%e : memref<4xf32>)
  %f = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %e, %f grid [2] axes [0] by "max" : memref<4xf32>, memref<4xf32>
  %g = kernel.alloc : memref<4xf32>
  kernel.launch @double ins(%f : memref<4xf32>) outs(%g : memref<4xf32>)
  %h = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %g, %h grid [2] axes [0] by "sum" : memref<4xf32>, memref<4xf32>
  %c = kernel.alloc : memref<4xf32>
  kernel.launch @double ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  %d = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %c, %d grid [2] axes [0] by "max" : memref<4xf32>, memref<4xf32>
  %r = kernel.alloc : memref<4xf32>
  kernel.launch @double ins(%d : memref<4xf32>) outs(%r : memref<4xf32>)
  %s = kernel.alloc : memref<4xf32>
  kernel.launch @double ins(%h : memref<4xf32>) outs(%s : memref<4xf32>)
  kernel.return %r, %s : memref<4xf32>, memref<4xf32>
}
kernel.func private @double(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %0 = kernel.load %in[%i] : memref<4xf32>
  %1 = arith.addf %0, %0 : f32
  kernel.store %1, %out[%i] : memref<4xf32>
}

// -----

// Arguments and results are no parts of other buffers, and groups differ.

// CHECK-LABEL: kernel.program @kept(
// CHECK-COUNT-3: kernel.collective "all_reduce" %{{.*}} : memref<4xf32>, memref<4xf32>
kernel.program @kept(%x: memref<4xf32> {tiny.type = tensor<4xf32>}, %y: memref<4xf32> {tiny.type = tensor<4xf32>})
    -> (memref<4xf32> {tiny.type = tensor<4xf32>}, memref<4xf32> {tiny.type = tensor<4xf32>})
    attributes {tiny.grid = array<i64: 2, 2>} {
  %a = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %x, %a grid [2, 2] axes [0] by "sum" : memref<4xf32>, memref<4xf32>
  %b = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %y, %b grid [2, 2] axes [0] by "sum" : memref<4xf32>, memref<4xf32>
  %c = kernel.alloc : memref<4xf32>
  kernel.collective "all_reduce" %b, %c grid [2, 2] axes [1] by "sum" : memref<4xf32>, memref<4xf32>
  kernel.return %a, %c : memref<4xf32>, memref<4xf32>
}
