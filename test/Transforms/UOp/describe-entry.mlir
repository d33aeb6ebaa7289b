// RUN: tiny-opt %s --uop-describe-entry | FileCheck %s
// RUN: tiny-opt %s --uop-describe-entry --uop-describe-entry | FileCheck %s

// Global axes are the grid's own, a thread axis takes the first that is free; local axes make the workgroup.

// CHECK-LABEL: uop.func @axes(
// CHECK-SAME: kernel.entry = #kernel.entry<grid = [4, 5, 3], workgroup = [8, 1, 1], bytes = 240>
uop.func @axes(%out: memref<60xf32>) {
  %i = uop.special global dim(0) extent(4)
  %j = uop.special global dim(1) extent(5)
  %k = uop.special thread dim(0) extent(3)
  %l = uop.special local dim(0) extent(8)
  uop.return
}

// Tiles in local space lie one after the other, each at a cache line; i1 takes a byte.

// CHECK-LABEL: uop.func @tiles(
// CHECK-SAME: kernel.entry = #kernel.entry<scratch = 320>
uop.func @tiles() {
  %a = uop.local : memref<65xi1>
  %b = uop.local : memref<40xf32>
  %c = uop.register : memref<8xf32>
  uop.return
}

// One launch that overlaps makes a kernel in place, wherever the others write.

// CHECK-LABEL: uop.func @apart(
// CHECK-SAME: kernel.entry = #kernel.entry<grid = [4, 1, 1], operations = 4, bytes = 32>
// CHECK-LABEL: uop.func @accumulate(
// CHECK-SAME: kernel.entry = #kernel.entry<grid = [4, 1, 1], in_place = true, bytes = 32>
kernel.program @main(%x: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %y = kernel.alloc : memref<8xf32>
  %low = kernel.alias %y[0] : memref<8xf32> -> memref<4xf32>
  %high = kernel.alias %y[4] : memref<8xf32> -> memref<4xf32>
  %middle = kernel.alias %y[2] : memref<8xf32> -> memref<4xf32>
  %part = kernel.alias %x[0] : memref<8xf32> -> memref<4xf32>
  kernel.launch @apart ins(%part : memref<4xf32>) outs(%low : memref<4xf32>)
  kernel.launch @accumulate ins(%part : memref<4xf32>) outs(%high : memref<4xf32>)
  kernel.launch @accumulate ins(%low : memref<4xf32>) outs(%middle : memref<4xf32>)
  kernel.return %y : memref<8xf32>
}
uop.func @apart(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %x = uop.load %in[%i] : memref<4xf32>, f32
  %y = arith.addf %x, %x : f32
  uop.store %y, %out[%i] : f32, memref<4xf32>
  uop.return
}
uop.func @accumulate(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %x = uop.load %in[%i] : memref<4xf32>, f32
  uop.store %x, %out[%i] : f32, memref<4xf32>
  uop.return
}

// What a kernel says already stays.

// CHECK-LABEL: uop.func @said(
// CHECK-SAME: kernel.entry = #kernel.entry<operations = 7>
uop.func @said() attributes {kernel.entry = #kernel.entry<operations = 7>} {
  uop.return
}
