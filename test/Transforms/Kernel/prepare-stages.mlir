// RUN: tiny-opt %s --kernel-prepare-stages --canonicalize --cse | FileCheck %s
// RUN: tiny-opt %s --check-passes --kernel-prepare-stages -o /dev/null
// RUN: tiny-opt %s --kernel-prepare-stages=max-bytes=383 | FileCheck %s --check-prefix=FEW
// FEW-NOT: @scale_prepare

// Two launches of one kernel with constants of their own, and a third one that shares tiles with the first.
// CHECK-LABEL: kernel.program @main
// CHECK: %[[V:.*]] = kernel.constant dense<2.0
// CHECK: %[[VT:.*]] = kernel.alloc : memref<32xf32>
// CHECK: kernel.launch @scale_prepare ins(%[[V]] : memref<32xf32>) outs(%[[VT]] : memref<32xf32>)
// CHECK: %[[W:.*]] = kernel.constant dense<3.0
// CHECK: %[[WT:.*]] = kernel.alloc : memref<32xf32>
// CHECK: kernel.launch @scale_prepare ins(%[[W]] : memref<32xf32>) outs(%[[WT]] : memref<32xf32>)
// CHECK: kernel.launch @scale ins(%arg0, %[[VT]] :
// CHECK: kernel.launch @scale ins(%{{.*}}, %[[WT]] :
// CHECK: kernel.launch @scale ins(%{{.*}}, %[[VT]] :
// CHECK-LABEL: kernel.func private @scale_prepare(%arg0: memref<32xf32>, %arg1: memref<32xf32>)
// CHECK: %[[PART:.*]] = kernel.range thread id(0) extent(4) order(0)
// CHECK: kernel.range upcast id(1) extent(8) order(1)
// CHECK: kernel.load %arg0
// CHECK: kernel.store {{.*}}, %arg1
// CHECK-LABEL: kernel.func private @scale(
// CHECK-NOT: kernel.stage
kernel.program @main(%a: memref<32xf32> {tiny.type = tensor<32xf32>}) -> (memref<32xf32> {tiny.type = tensor<32xf32>}) {
  %v = kernel.constant dense<2.0> : tensor<32xf32> -> memref<32xf32>
  %w = kernel.constant dense<3.0> : tensor<32xf32> -> memref<32xf32>
  %0 = kernel.alloc : memref<32xf32>
  kernel.launch @scale ins(%a, %v : memref<32xf32>, memref<32xf32>) outs(%0 : memref<32xf32>)
  %1 = kernel.alloc : memref<32xf32>
  kernel.launch @scale ins(%0, %w : memref<32xf32>, memref<32xf32>) outs(%1 : memref<32xf32>)
  %2 = kernel.alloc : memref<32xf32>
  kernel.launch @scale ins(%1, %v : memref<32xf32>, memref<32xf32>) outs(%2 : memref<32xf32>)
  kernel.return %2 : memref<32xf32>
}
kernel.func private @scale(%in: memref<32xf32>, %w: memref<32xf32>, %out: memref<32xf32>) {
  %part = kernel.range thread id(0) extent(4)
  %i = kernel.range loop id(1) extent(8)
  %eight = arith.constant 8 : index
  %four = arith.constant 4 : index
  %base = arith.muli %part, %eight : index
  %at = arith.addi %base, %i : index
  %j = kernel.range upcast id(2) extent(8)
  %row = arith.muli %j, %four : index
  %place = arith.addi %row, %part : index
  %y = kernel.load %w[%place] : memref<32xf32>
  %tile = kernel.stage %y over (%j) local : memref<8xf32>
  %x = kernel.load %in[%at] : memref<32xf32>
  %z = kernel.load %tile[%i] : memref<8xf32>
  %p = arith.mulf %x, %z : f32
  kernel.store %p, %out[%at] : memref<32xf32>
}
// What a launch computes from constants alone is constant, too: its tiles are made behind it. What is written twice, or
// by what reads an argument, is not.
// CHECK-LABEL: kernel.program @computed
// CHECK: kernel.launch @double ins(%{{.*}}) outs(%[[D:.*]] : memref<32xf32>)
// CHECK: kernel.launch @scale_computed_prepare ins(%[[D]] : memref<32xf32>) outs(%[[T:.*]] : memref<32xf32>)
// CHECK: kernel.launch @scale_computed ins(%arg0, %[[T]] :
// CHECK: kernel.launch @scale_other ins(%arg0, %{{.*}} : memref<32xf32>, memref<32xf32>)
// CHECK: kernel.launch @scale_again ins(%arg0, %{{.*}} : memref<32xf32>, memref<32xf32>)
// CHECK: kernel.func private @scale_other(
// CHECK: kernel.stage
// CHECK: kernel.func private @scale_again(
// CHECK: kernel.stage
kernel.program @computed(%a: memref<32xf32> {tiny.type = tensor<32xf32>}) -> (memref<32xf32> {tiny.type = tensor<32xf32>}, memref<32xf32> {tiny.type = tensor<32xf32>}, memref<32xf32> {tiny.type = tensor<32xf32>}) {
  %v = kernel.constant dense<2.0> : tensor<32xf32> -> memref<32xf32>
  %d = kernel.alloc : memref<32xf32>
  kernel.launch @double ins(%v : memref<32xf32>) outs(%d : memref<32xf32>)
  %0 = kernel.alloc : memref<32xf32>
  kernel.launch @scale_computed ins(%a, %d : memref<32xf32>, memref<32xf32>) outs(%0 : memref<32xf32>)
  %other = kernel.alloc : memref<32xf32>
  kernel.launch @double ins(%a : memref<32xf32>) outs(%other : memref<32xf32>)
  %1 = kernel.alloc : memref<32xf32>
  kernel.launch @scale_other ins(%a, %other : memref<32xf32>, memref<32xf32>) outs(%1 : memref<32xf32>)
  %again = kernel.alloc : memref<32xf32>
  kernel.launch @double ins(%v : memref<32xf32>) outs(%again : memref<32xf32>)
  %2 = kernel.alloc : memref<32xf32>
  kernel.launch @scale_again ins(%a, %again : memref<32xf32>, memref<32xf32>) outs(%2 : memref<32xf32>)
  kernel.launch @double ins(%d : memref<32xf32>) outs(%again : memref<32xf32>)
  kernel.return %0, %1, %2 : memref<32xf32>, memref<32xf32>, memref<32xf32>
}
kernel.func private @double(%in: memref<32xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<32xf32>
}
kernel.func private @scale_computed(%in: memref<32xf32>, %w: memref<32xf32>, %out: memref<32xf32>) {
  %part = kernel.range thread id(0) extent(4)
  %i = kernel.range loop id(1) extent(8)
  %eight = arith.constant 8 : index
  %four = arith.constant 4 : index
  %base = arith.muli %part, %eight : index
  %at = arith.addi %base, %i : index
  %j = kernel.range upcast id(2) extent(8)
  %row = arith.muli %j, %four : index
  %place = arith.addi %row, %part : index
  %y = kernel.load %w[%place] : memref<32xf32>
  %tile = kernel.stage %y over (%j) local : memref<8xf32>
  %x = kernel.load %in[%at] : memref<32xf32>
  %z = kernel.load %tile[%i] : memref<8xf32>
  %p = arith.mulf %x, %z : f32
  kernel.store %p, %out[%at] : memref<32xf32>
}
kernel.func private @scale_other(%in: memref<32xf32>, %w: memref<32xf32>, %out: memref<32xf32>) {
  %part = kernel.range thread id(0) extent(4)
  %i = kernel.range loop id(1) extent(8)
  %eight = arith.constant 8 : index
  %four = arith.constant 4 : index
  %base = arith.muli %part, %eight : index
  %at = arith.addi %base, %i : index
  %j = kernel.range upcast id(2) extent(8)
  %row = arith.muli %j, %four : index
  %place = arith.addi %row, %part : index
  %y = kernel.load %w[%place] : memref<32xf32>
  %tile = kernel.stage %y over (%j) local : memref<8xf32>
  %x = kernel.load %in[%at] : memref<32xf32>
  %z = kernel.load %tile[%i] : memref<8xf32>
  %p = arith.mulf %x, %z : f32
  kernel.store %p, %out[%at] : memref<32xf32>
}
kernel.func private @scale_again(%in: memref<32xf32>, %w: memref<32xf32>, %out: memref<32xf32>) {
  %part = kernel.range thread id(0) extent(4)
  %i = kernel.range loop id(1) extent(8)
  %eight = arith.constant 8 : index
  %four = arith.constant 4 : index
  %base = arith.muli %part, %eight : index
  %at = arith.addi %base, %i : index
  %j = kernel.range upcast id(2) extent(8)
  %row = arith.muli %j, %four : index
  %place = arith.addi %row, %part : index
  %y = kernel.load %w[%place] : memref<32xf32>
  %tile = kernel.stage %y over (%j) local : memref<8xf32>
  %x = kernel.load %in[%at] : memref<32xf32>
  %z = kernel.load %tile[%i] : memref<8xf32>
  %p = arith.mulf %x, %z : f32
  kernel.store %p, %out[%at] : memref<32xf32>
}

// Nor is what one place of a pipeline alone writes: the others would pack what they never wrote.
// CHECK-LABEL: kernel.program @placed
// CHECK-NOT: _prepare
// CHECK: kernel.func private @scale_placed(
// CHECK: kernel.stage
kernel.program @placed(%a: memref<32xf32> {tiny.type = tensor<32xf32>}) -> (memref<32xf32> {tiny.type = tensor<32xf32>}) {
  %v = kernel.constant dense<2.0> : tensor<32xf32> -> memref<32xf32>
  %d = kernel.alloc : memref<32xf32>
  kernel.launch @double ins(%v : memref<32xf32>) outs(%d : memref<32xf32>) {tiny.places = array<i64: 0>}
  %0 = kernel.alloc : memref<32xf32>
  kernel.launch @scale_placed ins(%a, %d : memref<32xf32>, memref<32xf32>) outs(%0 : memref<32xf32>)
  kernel.return %0 : memref<32xf32>
}
kernel.func private @scale_placed(%in: memref<32xf32>, %w: memref<32xf32>, %out: memref<32xf32>) {
  %part = kernel.range thread id(0) extent(4)
  %i = kernel.range loop id(1) extent(8)
  %eight = arith.constant 8 : index
  %four = arith.constant 4 : index
  %base = arith.muli %part, %eight : index
  %at = arith.addi %base, %i : index
  %j = kernel.range upcast id(2) extent(8)
  %row = arith.muli %j, %four : index
  %place = arith.addi %row, %part : index
  %y = kernel.load %w[%place] : memref<32xf32>
  %tile = kernel.stage %y over (%j) local : memref<8xf32>
  %x = kernel.load %in[%at] : memref<32xf32>
  %z = kernel.load %tile[%i] : memref<8xf32>
  %p = arith.mulf %x, %z : f32
  kernel.store %p, %out[%at] : memref<32xf32>
}

// Of an argument, of more than it is made of, and in registers: they stay.
// CHECK-LABEL: kernel.program @stay
// A part of a constant that a loop names for itself, too.
// CHECK-NOT: _prepare
kernel.program @stay(%a: memref<32xf32> {tiny.type = tensor<32xf32>}) -> (memref<32xf32> {tiny.type = tensor<32xf32>}) {
  %w = kernel.constant dense<3> : tensor<8xi8> -> memref<8xi8>
  %0 = kernel.alloc : memref<32xf32>
  kernel.launch @twice ins(%a : memref<32xf32>) outs(%0 : memref<32xf32>)
  %1 = kernel.alloc : memref<32xf32>
  kernel.launch @unpack ins(%0, %w : memref<32xf32>, memref<8xi8>) outs(%1 : memref<32xf32>)
  %v = kernel.constant dense<2.0> : tensor<64xf32> -> memref<64xf32>
  kernel.loop most(2) {
    %part = kernel.alias %v[32] : memref<64xf32> -> memref<32xf32>
    kernel.launch @nested ins(%0, %part : memref<32xf32>, memref<32xf32>) outs(%1 : memref<32xf32>)
  }
  kernel.return %1 : memref<32xf32>
}
kernel.func private @nested(%in: memref<32xf32>, %w: memref<32xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(32)
  %j = kernel.range loop id(1) extent(32)
  %y = kernel.load %w[%j] : memref<32xf32>
  %tile = kernel.stage %y over (%j) local : memref<32xf32>
  %x = kernel.load %in[%i] : memref<32xf32>
  %z = kernel.load %tile[%i] : memref<32xf32>
  %p = arith.addf %x, %z : f32
  kernel.store %p, %out[%i] : memref<32xf32>
}
kernel.func private @twice(%in: memref<32xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(32)
  %j = kernel.range loop id(1) extent(32)
  %y = kernel.load %in[%j] : memref<32xf32>
  %tile = kernel.stage %y over (%j) local : memref<32xf32>
  %z = kernel.load %tile[%i] : memref<32xf32>
  %p = arith.addf %z, %z : f32
  kernel.store %p, %out[%i] : memref<32xf32>
}
kernel.func private @unpack(%in: memref<32xf32>, %w: memref<8xi8>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %k = kernel.range loop id(1) extent(8)
  %eight = arith.constant 8 : index
  %base = arith.muli %i, %eight : index
  %at = arith.addi %base, %k : index
  %j = kernel.range loop id(2) extent(8)
  %q = kernel.load %w[%j] : memref<8xi8>
  %y = arith.sitofp %q : i8 to f32
  %tile = kernel.stage %y over (%j) local : memref<8xf32>
  %x = kernel.load %in[%at] : memref<32xf32>
  %z = kernel.load %tile[%k] : memref<8xf32>
  %p = arith.mulf %x, %z : f32
  kernel.store %p, %out[%at] : memref<32xf32>
}
