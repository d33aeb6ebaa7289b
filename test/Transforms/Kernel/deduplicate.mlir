// RUN: tiny-opt %s --kernel-deduplicate --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tiny-opt %s --check-passes --kernel-deduplicate -o /dev/null

// CHECK-LABEL: kernel.program @main
// CHECK: kernel.launch @twice ins(%arg0
// CHECK: kernel.launch @twice ins(%0
// CHECK: kernel.launch @thrice
// CHECK: kernel.launch @twice
// CHECK: kernel.launch @public
// CHECK: kernel.launch @scheduled
kernel.program @main(%a: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %0 = kernel.alloc : memref<8xf32>
  kernel.launch @twice ins(%a : memref<8xf32>) outs(%0 : memref<8xf32>)
  %1 = kernel.alloc : memref<8xf32>
  kernel.launch @twice_0 ins(%0 : memref<8xf32>) outs(%1 : memref<8xf32>)
  %2 = kernel.alloc : memref<8xf32>
  kernel.launch @thrice ins(%1 : memref<8xf32>) outs(%2 : memref<8xf32>)
  %3 = kernel.alloc : memref<8xf32>
  kernel.launch @twice_1 ins(%2 : memref<8xf32>) outs(%3 : memref<8xf32>)
  %4 = kernel.alloc : memref<8xf32>
  kernel.launch @public ins(%3 : memref<8xf32>) outs(%4 : memref<8xf32>)
  %5 = kernel.alloc : memref<8xf32>
  kernel.launch @scheduled ins(%4 : memref<8xf32>) outs(%5 : memref<8xf32>)
  kernel.return %5 : memref<8xf32>
}

// It is from where all three were.
// CHECK: kernel.func private @twice(
// CHECK: } loc(fused["first", "second", "third"])
// CHECK-NOT: @twice_
// CHECK: kernel.func private @thrice(
kernel.func private @twice(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
} loc("first")

kernel.func private @twice_0(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
} loc("second")

// Another body.
kernel.func private @thrice(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  %z = arith.addf %y, %x : f32
  kernel.store %z, %out[%i] : memref<8xf32>
}

kernel.func private @twice_1(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
} loc("third")

// What others may launch, and what has a schedule of its own, stays.
// CHECK: kernel.func @public(
kernel.func @public(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// CHECK: kernel.func private @scheduled(
kernel.func private @scheduled(%in: memref<8xf32>, %out: memref<8xf32>) attributes {schedule = @schedules::@scheduled} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @scheduled(%kernel: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// Another module's launches name its own kernels.
// CHECK: module {
// CHECK: kernel.launch @twice_1
module {
  kernel.program @other(%a: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>}) {
    %0 = kernel.alloc : memref<8xf32>
    kernel.launch @twice_1 ins(%a : memref<8xf32>) outs(%0 : memref<8xf32>)
    kernel.return %0 : memref<8xf32>
  }
  kernel.func private @twice_1(%in: memref<8xf32>, %out: memref<8xf32>) {
    %i = kernel.range loop id(0) extent(8)
    %x = kernel.load %in[%i] : memref<8xf32>
    kernel.store %x, %out[%i] : memref<8xf32>
  }
}
