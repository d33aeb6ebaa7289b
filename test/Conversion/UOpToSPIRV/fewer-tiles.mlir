// A pass behind uop-describe-entry may have removed tiles that the entry counts.
// RUN: tiny-opt %s --convert-uop-to-spirv | FileCheck %s
// CHECK: scratch = 64
// CHECK: spirv.func @fewer
uop.func @fewer(%out: memref<4xf32>) attributes {kernel.entry = #kernel.entry<workgroup = [4, 1, 1], scratch = 64>} {
  %l = uop.special local dim(0) extent(4)
  %c = arith.constant 1.0 : f32
  uop.store %c, %out[%l] : f32, memref<4xf32>
  uop.return
}
