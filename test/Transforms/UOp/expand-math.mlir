// RUN: tiny-opt %s --uop-expand-math --verify-uop=legal -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s --implicit-check-not="{{math.(exp|log|sin|cos|tan|erf|pow|fpow|ipow|cbrt|rsqrt|atan|asin|acos)|arith.remf}}"
// RUN: tiny-opt %s --uop-expand-math --canonicalize --cse --loop-invariant-code-motion -split-input-file \
// RUN:   -verify-diagnostics | FileCheck %s --check-prefix=FAR

// A target without a fused multiply-add gets products and sums.
// RUN: tiny-opt %s --target-attach=processor=x86-64 --uop-expand-math -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=UNFUSED
// UNFUSED-LABEL: uop.func @exponential
// UNFUSED-NOT: math.fma
// UNFUSED: uop.return

// CHECK-LABEL: uop.func @exponential
// CHECK-SAME: %[[IN:[a-z0-9]+]]: memref<8xf32>
// CHECK: %[[X:.*]] = uop.load %[[IN]]
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %{{.*}} : f32
// CHECK: math.fma %{{.*}} : f32
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.shli %{{.*}} : i32
// CHECK: uop.store
uop.func @exponential(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  %y = math.exp %x : f32
  uop.store %y, %out[%i] : f32, memref<8xf32>
  uop.return
}

// -----

// Vectors stay vectors. The far arguments of sin stand in a loop that runs if a lane is far.
// CHECK-LABEL: uop.func @vectors
// CHECK: vector.reduction <or>, %{{.*}} : vector<4xi1> into i1
// CHECK: uop.for %{{.*}} to %{{.*}} iter({{.*}}) -> (vector<4xi64>, vector<4xf64>, vector<4xf64>) {
// CHECK: arith.mului_extended %{{.*}} : vector<4xi64>
// CHECK: uop.store %{{.*}} : vector<4xf64>, memref<8xf64>

// They are not hoisted out of it.
// FAR-LABEL: uop.func @vectors
// FAR-NOT: arith.mului_extended
// FAR: uop.for
// FAR: arith.mului_extended
// FAR: uop.yield
uop.func @vectors(%in: memref<8xf64>, %out: memref<8xf64>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf64>, vector<4xf64>
  %y = math.sin %x : vector<4xf64>
  uop.store %y, %out[%i] : vector<4xf64>, memref<8xf64>
  uop.return
}

// -----

// CHECK-LABEL: uop.func @half
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// CHECK: arith.cmpf olt, %[[WIDE]]
// CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
uop.func @half(%in: memref<8xf16>, %out: memref<8xf16>, %b: memref<8xbf16>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf16>, vector<4xf16>
  %y = math.exp %x : vector<4xf16>
  uop.store %y, %out[%i] : vector<4xf16>, memref<8xf16>
  %z = uop.load %b[%i] : memref<8xbf16>, bf16
  %w = math.tanh %z : bf16
  uop.store %w, %b[%i] : bf16, memref<8xbf16>
  uop.return
}

// -----

// CHECK-LABEL: uop.func @integer_power
// CHECK: arith.andi %{{.*}} : vector<4xi32>
// CHECK: arith.sitofp %{{.*}} : vector<4xi32> to vector<4xf32>
uop.func @integer_power(%in: memref<8xf32>, %n: memref<8xi32>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, vector<4xf32>
  %k = uop.load %n[%i] : memref<8xi32>, vector<4xi32>
  %y = math.fpowi %x, %k : vector<4xf32>, vector<4xi32>
  uop.store %y, %out[%i] : vector<4xf32>, memref<8xf32>
  uop.return
}

// -----

// CHECK-LABEL: uop.func @every
uop.func @every(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  %0 = math.exp2 %x : f32
  %1 = math.expm1 %0 : f32
  %2 = math.log %1 : f32
  %3 = math.log2 %2 : f32
  %4 = math.log10 %3 : f32
  %5 = math.log1p %4 : f32
  %6 = math.cos %5 : f32
  %7 = math.tan %6 : f32
  %8 = math.asin %7 : f32
  %9 = math.acos %8 : f32
  %10 = math.atan %9 : f32
  %11 = math.atan2 %10, %x : f32
  %12 = math.sinh %11 : f32
  %13 = math.cosh %12 : f32
  %14 = math.tanh %13 : f32
  %15 = math.asinh %14 : f32
  %16 = math.acosh %15 : f32
  %17 = math.atanh %16 : f32
  %18 = math.erf %17 : f32
  %19 = math.powf %18, %x : f32
  %20 = math.cbrt %19 : f32
  %21 = math.rsqrt %20 : f32
  %22 = math.erfc %21 : f32
  uop.store %22, %out[%i] : f32, memref<8xf32>
  uop.return
}

// -----

// As many trips as the largest quotient of a lane needs, and no division but by the modulus.
// CHECK-LABEL: uop.func @remainder
// CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}} : vector<4xf32>
// CHECK: %[[LARGEST:.*]] = vector.reduction <maxsi>, %{{.*}} : vector<4xi32> into i32
// CHECK: %[[TRIPS:.*]] = arith.index_cast %[[LARGEST]] : i32 to index
// CHECK: %[[END:.*]]:2 = uop.for %{{.*}} to %[[TRIPS]] iter({{.*}}) -> (vector<4xi32>, vector<4xi32>) {
// CHECK: arith.mulf %{{.*}}, %[[INVERSE]] : vector<4xf32>
// CHECK: arith.sitofp %[[END]]#0 : vector<4xi32> to vector<4xf32>
uop.func @remainder(%x: memref<8xf32>, %y: memref<8xf32>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %a = uop.load %x[%i] : memref<8xf32>, vector<4xf32>
  %b = uop.load %y[%i] : memref<8xf32>, vector<4xf32>
  %c = arith.remf %a, %b : vector<4xf32>
  uop.store %c, %out[%i] : vector<4xf32>, memref<8xf32>
  uop.return
}

// -----

// CHECK-LABEL: uop.func @scalar_remainder
// CHECK-NOT: vector.reduction
// CHECK: uop.for %{{.*}} -> (i64, i64) {
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: uop.for %{{.*}} -> (i32, i32) {
// CHECK: arith.truncf %{{.*}} : f32 to f16
uop.func @scalar_remainder(%x: memref<8xf64>, %h: memref<8xf16>) {
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  %a = uop.load %x[%i] : memref<8xf64>, f64
  %b = uop.load %x[%j] : memref<8xf64>, f64
  %c = arith.remf %a, %b : f64
  uop.store %c, %x[%i] : f64, memref<8xf64>
  %d = uop.load %h[%i] : memref<8xf16>, f16
  %e = uop.load %h[%j] : memref<8xf16>, f16
  %f = arith.remf %d, %e : f16
  uop.store %f, %h[%i] : f16, memref<8xf16>
  uop.return
}

// -----

// Both come from one reduction of the argument.
// CHECK-LABEL: uop.func @sine_and_cosine
// CHECK-COUNT-1: uop.for
// CHECK-NOT: uop.for
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.truncf %{{.*}} : f32 to f16
uop.func @sine_and_cosine(%h: memref<8xf16>) {
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  %x = uop.load %h[%i] : memref<8xf16>, f16
  %s, %c = math.sincos %x : f16
  uop.store %s, %h[%i] : f16, memref<8xf16>
  uop.store %c, %h[%j] : f16, memref<8xf16>
  uop.return
}

// -----

// CHECK-LABEL: uop.func @power_of_integers
// CHECK: %[[BITS:.*]] = arith.constant 16 : index
// CHECK: uop.for %{{.*}} to %[[BITS]] iter({{.*}}) -> (vector<4xi16>, vector<4xi16>, vector<4xi16>) {
// CHECK: %[[BITS:.*]] = arith.constant 64 : index
// CHECK: uop.for %{{.*}} to %[[BITS]] iter({{.*}}) -> (index, index, index) {
uop.func @power_of_integers(%n: memref<8xi16>, %k: memref<8xindex>) {
  %i = arith.constant 0 : index
  %x = uop.load %n[%i] : memref<8xi16>, vector<4xi16>
  %y = math.ipowi %x, %x : vector<4xi16>
  uop.store %y, %n[%i] : vector<4xi16>, memref<8xi16>
  %z = uop.load %k[%i] : memref<8xindex>, index
  %w = math.ipowi %z, %z : index
  uop.store %w, %k[%i] : index, memref<8xindex>
  uop.return
}

// -----

// What is an instruction stays.
// CHECK-LABEL: uop.func @native
// CHECK: math.sqrt
// CHECK: math.fma
// CHECK: math.absf
// CHECK: math.copysign
// CHECK: math.floor
// CHECK: math.ceil
// CHECK: math.roundeven
// CHECK: math.trunc
uop.func @native(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  %0 = math.sqrt %x : f32
  %1 = math.fma %x, %0, %x : f32
  %2 = math.absf %1 : f32
  %3 = math.copysign %2, %x : f32
  %4 = math.floor %3 : f32
  %5 = math.ceil %4 : f32
  %6 = math.roundeven %5 : f32
  %7 = math.trunc %6 : f32
  uop.store %7, %out[%i] : f32, memref<8xf32>
  uop.return
}

// -----

uop.func @too_wide(%in: memref<8xf128>, %out: memref<8xf128>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf128>, f128
  // expected-error @below {{math.exp has no expansion on 'f128'; expected f8, f16, bf16, f32, f64 or a vector of them}}
  %y = math.exp %x : f128
  uop.store %y, %out[%i] : f128, memref<8xf128>
  uop.return
}
