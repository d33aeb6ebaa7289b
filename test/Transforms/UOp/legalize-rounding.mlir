// Rounding without instructions for it: halves, both zeros, infinities and NaN are among the inputs that are checked.
// RUN: tiny-opt %s --target-attach=processor=x86-64 --uop-legalize --verify-uop=legal | FileCheck %s --implicit-check-not=math.floor --implicit-check-not=math.ceil --implicit-check-not=math.round --implicit-check-not=math.trunc
// RUN: tiny-opt %s --target-attach=processor=x86-64 --uop-legalize --check-passes -o /dev/null
// RUN: tiny-opt %s --target-attach=processor=x86-64 --uop-legalize --check-passes --check-passes-wide-floats --check-passes-tolerance=0 -o /dev/null
// RUN: tiny-opt %s --target-attach=processor=x86-64 --uop-legalize --check-passes --check-passes-tolerance=0 -o /dev/null
// RUN: tiny-opt %s --uop-legalize | FileCheck %s --check-prefix=KEPT

// To nearest, which is what the addition rounds to; up to 2^23 in size.
// CHECK-LABEL: uop.func @nearest
// CHECK: %[[X:.*]] = uop.load
// CHECK: %[[A:.*]] = math.absf %[[X]] : vector<8xf32>
// CHECK: %[[C:.*]] = arith.constant dense<0x4B000000> : vector<8xf32>
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[C]]
// CHECK: %[[N:.*]] = arith.subf %[[S]], %[[C]]
// CHECK: %[[R:.*]] = math.copysign %[[N]], %[[X]]
// CHECK: %[[L:.*]] = arith.cmpf olt, %[[A]], %[[C]]
// CHECK: arith.select %[[L]], %[[R]], %[[X]]
// KEPT: math.roundeven
uop.func @nearest(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, vector<8xf32>
  %y = math.roundeven %x : vector<8xf32>
  uop.store %y, %out[%i] : vector<8xf32>, memref<8xf32>
  uop.return
}

// CHECK-LABEL: uop.func @double
uop.func @double(%in: memref<64xf64>, %out: memref<320xf64>) {
  %i = uop.special global dim(0) extent(64)
  %c64 = arith.constant 64 : index
  %scale = arith.constant 1.5 : f64
  %x0 = uop.load %in[%i] : memref<64xf64>, f64
  %x = arith.mulf %x0, %scale : f64
  %0 = math.floor %x : f64
  %1 = math.ceil %x : f64
  %2 = math.trunc %x : f64
  %3 = math.round %x : f64
  %4 = math.roundeven %x : f64
  %i1 = arith.addi %i, %c64 : index
  %i2 = arith.addi %i1, %c64 : index
  %i3 = arith.addi %i2, %c64 : index
  %i4 = arith.addi %i3, %c64 : index
  uop.store %0, %out[%i] : f64, memref<320xf64>
  uop.store %1, %out[%i1] : f64, memref<320xf64>
  uop.store %2, %out[%i2] : f64, memref<320xf64>
  uop.store %3, %out[%i3] : f64, memref<320xf64>
  uop.store %4, %out[%i4] : f64, memref<320xf64>
  uop.return
}

// CHECK-LABEL: uop.func @half
uop.func @half(%in: memref<64xf16>, %out: memref<64xf16>) {
  %i = uop.special global dim(0) extent(64)
  %x = uop.load %in[%i] : memref<64xf16>, f16
  %y = math.floor %x : f16
  %z = math.round %y : f16
  uop.store %z, %out[%i] : f16, memref<64xf16>
  uop.return
}
