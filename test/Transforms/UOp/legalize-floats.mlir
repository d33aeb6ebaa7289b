// RUN: tiny-opt %s --uop-legalize --verify-uop=legal | FileCheck %s
// RUN: tiny-opt %s --uop-legalize --check-passes -o /dev/null

// To f32 by a shift; from it by integer arithmetic that rounds to nearest even; one product between.
// CHECK-LABEL: uop.func @product
// CHECK: %[[X:.*]] = uop.load {{.*}}, vector<8xbf16>
// CHECK: %[[B:.*]] = arith.bitcast %[[X]] : vector<8xbf16> to vector<8xi16>
// CHECK: %[[W:.*]] = arith.extui %[[B]] : vector<8xi16> to vector<8xi32>
// CHECK: %[[S:.*]] = arith.shli %[[W]]
// CHECK: arith.bitcast %[[S]] : vector<8xi32> to vector<8xf32>
// CHECK: arith.mulf {{.*}} : vector<8xf32>
// CHECK-NOT: truncf
// CHECK: %[[T:.*]] = arith.trunci {{.*}} : vector<8xi32> to vector<8xi16>
// CHECK: %[[R:.*]] = arith.bitcast %[[T]] : vector<8xi16> to vector<8xbf16>
// CHECK: uop.store %[[R]]
uop.func @product(%in: memref<8xbf16>, %out: memref<8xbf16>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xbf16>, vector<8xbf16>
  %y = arith.mulf %x, %x : vector<8xbf16>
  uop.store %y, %out[%i] : vector<8xbf16>, memref<8xbf16>
  uop.return
}

// From f64 to f16, which the target has, through f32 with the last bit set where something was cut off.
// CHECK-LABEL: uop.func @half
// CHECK: %[[N:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.extf %[[N]] : f32 to f64
// CHECK: arith.cmpf one
// CHECK: arith.ori
// CHECK: arith.truncf %{{.*}} : f32 to f16
uop.func @half(%in: memref<8xf64>, %out: memref<8xf16>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf64>, f64
  %y = arith.truncf %x : f64 to f16
  uop.store %y, %out[%i] : f16, memref<8xf16>
  uop.return
}

// A sum over lanes rounds after each; the largest lane needs no order.
// CHECK-LABEL: uop.func @lanes
// CHECK-COUNT-4: arith.addf {{.*}} : f32
// CHECK: vector.reduction <maximumf>, {{.*}} : vector<4xf32> into f32
uop.func @lanes(%in: memref<4xf8E5M2>, %out: memref<2xf8E5M2>) {
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  %x = uop.load %in[%i] : memref<4xf8E5M2>, vector<4xf8E5M2>
  %zero = arith.constant 0.0 : f8E5M2
  %s = vector.reduction <add>, %x, %zero : vector<4xf8E5M2> into f8E5M2
  %m = vector.reduction <maximumf>, %x : vector<4xf8E5M2> into f8E5M2
  uop.store %s, %out[%i] : f8E5M2, memref<2xf8E5M2>
  uop.store %m, %out[%j] : f8E5M2, memref<2xf8E5M2>
  uop.return
}

// Casts to integers saturate, and NaN is 0.
// CHECK-LABEL: uop.func @saturate
// CHECK: %[[C:.*]] = arith.fptosi
// CHECK: arith.cmpf oge
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf uno
// CHECK: arith.fptoui
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf oge
uop.func @saturate(%in: memref<8xf32>, %out: memref<8xi8>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  %y = arith.fptosi %x : f32 to i8
  %z = arith.fptoui %x : f32 to i8
  %r = arith.addi %y, %z : i8
  uop.store %r, %out[%i] : i8, memref<8xi8>
  uop.return
}
