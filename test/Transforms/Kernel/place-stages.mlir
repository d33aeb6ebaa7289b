// RUN: tiny-opt %s -split-input-file --kernel-place-stages --check-passes | FileCheck %s

// Each stage runs what it needs, for a message or for its own results. What both read is computed by both.

// CHECK-LABEL: kernel.program @two_stages(
// CHECK: kernel.launch @double ins(%{{.*}}) outs(%[[A:.*]] : memref<8xf32>){{$}}
// CHECK: kernel.launch @double ins(%[[A]] : memref<8xf32>) outs(%[[B:.*]] : memref<8xf32>) {tiny.places = array<i64: 0>}
// CHECK: kernel.collective "send" %[[B]], %[[C:.*]] grid [2] axes [0] peers [0, 1] : memref<8xf32>, memref<8xf32>
// CHECK: kernel.launch @add ins(%[[A]], %[[C]] {{.*}} {tiny.places = array<i64: 1>}
kernel.program @two_stages(%x: memref<8xf32> {tiny.type = tensor<8xf32>})
    -> (memref<8xf32> {tiny.stage = 1 : i64, tiny.type = tensor<8xf32>})
    attributes {tiny.grid = array<i64: 2>, tiny.stage_axis = 0 : i64} {
  %a = kernel.alloc : memref<8xf32>
  %b = kernel.alloc : memref<8xf32>
  %c = kernel.alloc : memref<8xf32>
  %r = kernel.alloc : memref<8xf32>
  kernel.launch @double ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  kernel.launch @double ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  kernel.collective "send" %b, %c grid [2] axes [0] peers [0, 1] : memref<8xf32>, memref<8xf32>
  kernel.launch @add ins(%a, %c : memref<8xf32>, memref<8xf32>) outs(%r : memref<8xf32>)
  kernel.return %r : memref<8xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %0 = kernel.load %in[%i] : memref<8xf32>
  %1 = arith.addf %0, %0 : f32
  kernel.store %1, %out[%i] : memref<8xf32>
}
kernel.func private @add(%a: memref<8xf32>, %b: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %0 = kernel.load %a[%i] : memref<8xf32>
  %1 = kernel.load %b[%i] : memref<8xf32>
  %2 = arith.addf %0, %1 : f32
  kernel.store %2, %out[%i] : memref<8xf32>
}

// -----

// The first stage goes on with the next microbatch while the second one works, and the last item of a stage follows its
// message at once.

// CHECK-LABEL: kernel.program @two_microbatches(
// CHECK: kernel.launch @double {{.*}} {tiny.places = array<i64: 0>}
// CHECK: kernel.collective "send"
// CHECK: kernel.launch @double {{.*}} {tiny.places = array<i64: 1>}
// CHECK: kernel.launch @double {{.*}} {tiny.places = array<i64: 0>}
// CHECK: kernel.collective "send"
// CHECK: kernel.launch @double {{.*}} {tiny.places = array<i64: 1>}
kernel.program @two_microbatches(%x: memref<8xf32> {tiny.type = tensor<8xf32>}, %y: memref<8xf32> {tiny.type = tensor<8xf32>})
    -> (memref<8xf32> {tiny.stage = 1 : i64, tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.stage = 1 : i64, tiny.type = tensor<8xf32>})
    attributes {tiny.grid = array<i64: 2>, tiny.stage_axis = 0 : i64} {
  %a = kernel.alloc : memref<8xf32>
  %b = kernel.alloc : memref<8xf32>
  %c = kernel.alloc : memref<8xf32>
  %d = kernel.alloc : memref<8xf32>
  %r = kernel.alloc : memref<8xf32>
  %s = kernel.alloc : memref<8xf32>
  kernel.launch @double ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  kernel.launch @double ins(%y : memref<8xf32>) outs(%b : memref<8xf32>)
  kernel.collective "send" %a, %c grid [2] axes [0] peers [0, 1] : memref<8xf32>, memref<8xf32>
  kernel.collective "send" %b, %d grid [2] axes [0] peers [0, 1] : memref<8xf32>, memref<8xf32>
  kernel.launch @double ins(%c : memref<8xf32>) outs(%r : memref<8xf32>)
  kernel.launch @double ins(%d : memref<8xf32>) outs(%s : memref<8xf32>)
  kernel.return %r, %s : memref<8xf32>, memref<8xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %0 = kernel.load %in[%i] : memref<8xf32>
  %1 = arith.addf %0, %0 : f32
  kernel.store %1, %out[%i] : memref<8xf32>
}

// -----

// What both microbatches need comes before the second one begins.

// CHECK-LABEL: kernel.program @common(
// CHECK-SAME: %[[X:.*]]: memref<8xf32> {{.*}}, %[[Y:.*]]: memref<8xf32> {{.*}}, %[[W:[^:]*]]: memref
// CHECK: kernel.launch @double ins(%[[W]] {{.*}} {tiny.places = array<i64: 0>}
// CHECK: kernel.launch @double ins(%[[X]] {{.*}} {tiny.places = array<i64: 0>}
// CHECK: kernel.launch @double {{.*}} {tiny.places = array<i64: 0>}
// CHECK: kernel.launch @add {{.*}} {tiny.places = array<i64: 0>}
// CHECK: kernel.collective "send"
// CHECK: kernel.launch @double ins(%[[Y]] {{.*}} {tiny.places = array<i64: 0>}
// CHECK: kernel.launch @double {{.*}} {tiny.places = array<i64: 0>}
// CHECK: kernel.launch @add {{.*}} {tiny.places = array<i64: 0>}
// CHECK: kernel.collective "send"
kernel.program @common(%x: memref<8xf32> {tiny.type = tensor<8xf32>}, %y: memref<8xf32> {tiny.type = tensor<8xf32>},
                       %w: memref<8xf32> {tiny.type = tensor<8xf32>})
    -> (memref<8xf32> {tiny.stage = 1 : i64, tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.stage = 1 : i64, tiny.type = tensor<8xf32>})
    attributes {tiny.grid = array<i64: 2>, tiny.stage_axis = 0 : i64} {
  %a = kernel.alloc : memref<8xf32>
  %b = kernel.alloc : memref<8xf32>
  %a2 = kernel.alloc : memref<8xf32>
  %b2 = kernel.alloc : memref<8xf32>
  %g = kernel.alloc : memref<8xf32>
  %c = kernel.alloc : memref<8xf32>
  %d = kernel.alloc : memref<8xf32>
  %r = kernel.alloc : memref<8xf32>
  %s = kernel.alloc : memref<8xf32>
  kernel.launch @double ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  kernel.launch @double ins(%y : memref<8xf32>) outs(%b : memref<8xf32>)
  kernel.launch @double ins(%w : memref<8xf32>) outs(%g : memref<8xf32>)
  kernel.launch @double ins(%a : memref<8xf32>) outs(%a2 : memref<8xf32>)
  kernel.launch @double ins(%b : memref<8xf32>) outs(%b2 : memref<8xf32>)
  kernel.launch @add ins(%a2, %g : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  kernel.launch @add ins(%b2, %g : memref<8xf32>, memref<8xf32>) outs(%d : memref<8xf32>)
  kernel.collective "send" %c, %r grid [2] axes [0] peers [0, 1] : memref<8xf32>, memref<8xf32>
  kernel.collective "send" %d, %s grid [2] axes [0] peers [0, 1] : memref<8xf32>, memref<8xf32>
  kernel.return %r, %s : memref<8xf32>, memref<8xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %0 = kernel.load %in[%i] : memref<8xf32>
  %1 = arith.addf %0, %0 : f32
  kernel.store %1, %out[%i] : memref<8xf32>
}
kernel.func private @add(%a: memref<8xf32>, %b: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %0 = kernel.load %a[%i] : memref<8xf32>
  %1 = kernel.load %b[%i] : memref<8xf32>
  %2 = arith.addf %0, %1 : f32
  kernel.store %2, %out[%i] : memref<8xf32>
}
