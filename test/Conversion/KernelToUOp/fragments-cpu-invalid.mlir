// A processor has no subgroups.
// RUN: tiny-opt %s --convert-kernel-to-uop -verify-diagnostics -o /dev/null

kernel.func @cpu(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  // expected-error @below {{range of kind fragment needs subgroups, which the device's record does not state}}
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}
