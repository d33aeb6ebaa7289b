// RUN: tiny-opt %s -split-input-file --kernel-overlap-collectives --verify-kernel --check-passes | FileCheck %s
// RUN: tiny-opt %s -split-input-file --kernel-overlap-collectives --kernel-overlap-collectives | FileCheck %s
// RUN: tiny-opt %s -split-input-file --kernel-overlap-collectives --remarks-filter=kernel-overlap-collectives -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A collective begins where its source is there, and is waited for in front of who reads its target.

// REMARK: runs beside 1 item
// CHECK-LABEL: kernel.program @beside(
// CHECK: kernel.launch @double ins(%{{.*}}) outs(%[[A:.*]] : memref<8xf32>)
// CHECK: kernel.collective "all_reduce" %[[A]], %[[B:.*]] grid [2] axes [0] by "sum" async : memref<8xf32>, memref<8xf32>
// CHECK: kernel.launch @double ins(%{{.*}}) outs(%[[C:.*]] : memref<8xf32>)
// CHECK: kernel.wait %[[A]], %[[B]] : memref<8xf32>, memref<8xf32>
// CHECK: kernel.launch @add ins(%[[B]], %[[C]]
kernel.program @beside(%x: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>})
    attributes {tiny.grid = array<i64: 2>} {
  %a = kernel.alloc : memref<8xf32>
  kernel.launch @double ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %c = kernel.alloc : memref<8xf32>
  kernel.launch @double ins(%x : memref<8xf32>) outs(%c : memref<8xf32>)
  %b = kernel.alloc : memref<8xf32>
  kernel.collective "all_reduce" %a, %b grid [2] axes [0] by "sum" : memref<8xf32>, memref<8xf32>
  %r = kernel.alloc : memref<8xf32>
  kernel.launch @add ins(%b, %c : memref<8xf32>, memref<8xf32>) outs(%r : memref<8xf32>)
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

// Nothing stands between: it stays as it is. So do messages.

// CHECK-LABEL: kernel.program @alone(
// CHECK: kernel.collective "all_reduce" %{{.*}}, %{{.*}} grid [2] axes [0] by "sum" : memref
// CHECK: kernel.collective "send" %{{.*}}, %{{.*}} grid [2] axes [0] peers [0, 1] : memref
// CHECK-NOT: kernel.wait
kernel.program @alone(%x: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>})
    attributes {tiny.grid = array<i64: 2>} {
  %a = kernel.alloc : memref<8xf32>
  kernel.collective "all_reduce" %x, %a grid [2] axes [0] by "sum" : memref<8xf32>, memref<8xf32>
  %b = kernel.alloc : memref<8xf32>
  kernel.collective "send" %a, %b grid [2] axes [0] peers [0, 1] : memref<8xf32>, memref<8xf32>
  %c = kernel.alloc : memref<8xf32>
  kernel.copy %x, %c : memref<8xf32>
  kernel.return %b, %c : memref<8xf32>, memref<8xf32>
}

// -----

// What is written over the source, or returned, waits, too; and a list has waits of its own.

// CHECK-LABEL: kernel.program @written_over(
// CHECK: kernel.collective "all_reduce" %[[X:.*]], %[[A:.*]] grid [2] axes [0] by "sum" async
// CHECK-NEXT: kernel.alloc
// CHECK-NEXT: kernel.copy
// CHECK-NEXT: kernel.wait %[[X]], %[[A]]
// CHECK-NEXT: kernel.fill %[[X]]
// CHECK: kernel.loop
// CHECK: kernel.collective "all_reduce" %[[Y:.*]], %[[B:.*]] grid [2] axes [0] by "sum" async
// CHECK-NEXT: kernel.fill
// CHECK-NEXT: kernel.wait %[[Y]], %[[B]]
// CHECK: kernel.return
kernel.program @written_over(%y: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>})
    attributes {tiny.grid = array<i64: 2>} {
  %x = kernel.alloc : memref<8xf32>
  kernel.copy %y, %x : memref<8xf32>
  %a = kernel.alloc : memref<8xf32>
  kernel.collective "all_reduce" %x, %a grid [2] axes [0] by "sum" : memref<8xf32>, memref<8xf32>
  %c = kernel.alloc : memref<8xf32>
  kernel.copy %y, %c : memref<8xf32>
  kernel.fill %x, 1.0 : f32 -> memref<8xf32>
  %b = kernel.alloc : memref<8xf32>
  kernel.loop most(2) {
    kernel.collective "all_reduce" %y, %b grid [2] axes [0] by "sum" : memref<8xf32>, memref<8xf32>
    kernel.fill %c, 2.0 : f32 -> memref<8xf32>
  }
  kernel.return %a, %b, %c, %x : memref<8xf32>, memref<8xf32>, memref<8xf32>, memref<8xf32>
}
