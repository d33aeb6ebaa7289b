// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --emit-bytecode | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --mlir-print-op-generic | tiny-opt | FileCheck %s

// CHECK-LABEL: uop.func @loops(
// CHECK-SAME: %[[IN:.*]]: memref<128xf32> {tiny.note = 1 : i64}, %[[OUT:.*]]: memref<128xf32>) attributes {tiny.cost = 3 : i64} {
uop.func @loops(%in: memref<128xf32> {tiny.note = 1 : i64}, %out: memref<128xf32>) attributes {tiny.cost = 3 : i64} {
  // CHECK: %[[N:.*]] = arith.constant 128
  %n = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: uop.for %[[I:.*]] to %[[N]] {
  // CHECK-NOT: uop.yield
  uop.for %i to %n {
    %x = uop.load %in[%i] : memref<128xf32>, f32
    uop.store %x, %out[%i] : f32, memref<128xf32>
  }
  // CHECK: %[[S:.*]]:2 = uop.for %{{.*}} to %[[N]] iter(%[[A:.*]] = %{{.*}}, %[[J:.*]] = %[[N]]) -> (f32, index) {
  // CHECK: uop.yield %{{.*}}, %[[J]] : f32, index
  // CHECK: } {tiny.unroll = 4 : i64}
  %s:2 = uop.for %k to %n iter(%acc = %zero, %j = %n) -> (f32, index) {
    %x = uop.load %in[%k] : memref<128xf32>, f32
    %t = arith.addf %acc, %x : f32
    uop.yield %t, %j : f32, index
  } {tiny.unroll = 4 : i64}
  uop.return
}

// CHECK-LABEL: uop.func private @hardware
uop.func private @hardware(%out: memref<128xf32>) {
  // CHECK: uop.special global dim(0) extent(64)
  %g = uop.special global dim(0) extent(64)
  // CHECK: uop.special local dim(2) extent(4)
  %l = uop.special local dim(2) extent(4)
  // CHECK: uop.special thread dim(1) extent(1)
  %t = uop.special thread dim(1) extent(1)
  uop.return
}

// CHECK-LABEL: uop.func @accesses
uop.func @accesses(%in: memref<128xf32>, %out: memref<128xf32>, %c: memref<8xi1>) {
  %i = arith.constant 8 : index
  %gate = uop.load %c[%i] : memref<8xi1>, i1
  %mask = uop.load %c[%i] : memref<8xi1>, vector<8xi1>
  // CHECK: uop.load %{{.*}}[%{{.*}}] : memref<128xf32>, vector<8xf32>
  %v = uop.load %in[%i] : memref<128xf32>, vector<8xf32>
  // CHECK: uop.load %{{.*}}[%{{.*}}] if %{{.*}} as i1 : memref<128xf32>, f32
  %x = uop.load %in[%i] if %gate as i1 : memref<128xf32>, f32
  // CHECK: uop.load %{{.*}}[%{{.*}}] if %{{.*}} as vector<8xi1> : memref<128xf32>, vector<8xf32>
  %w = uop.load %in[%i] if %mask as vector<8xi1> : memref<128xf32>, vector<8xf32>
  %at = arith.constant dense<[9, 1, 7, 3, 5, 5, 0, 8]> : vector<8xindex>
  // CHECK: uop.gather %{{.*}}[%{{.*}}] : memref<128xf32>, vector<8xf32>
  %p = uop.gather %in[%at] : memref<128xf32>, vector<8xf32>
  // CHECK: uop.gather %{{.*}}[%{{.*}}] if %{{.*}} as vector<8xi1> : memref<128xf32>, vector<8xf32>
  %q = uop.gather %in[%at] if %mask as vector<8xi1> : memref<128xf32>, vector<8xf32>
  // CHECK: uop.prefetch %{{.*}}[%{{.*}}] : memref<128xf32>
  uop.prefetch %in[%i] : memref<128xf32>
  // CHECK: uop.prefetch %{{.*}}[%{{.*}}] level(2) : memref<128xf32>
  uop.prefetch %in[%i] level(2) : memref<128xf32>
  %bytes = arith.constant dense<3> : vector<16xi8>
  %sums = arith.constant dense<5> : vector<4xi32>
  // CHECK: uop.dot %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi8>, vector<4xi32>
  %dot = uop.dot %bytes, %bytes, %sums : vector<16xi8>, vector<4xi32>
  // CHECK: uop.dot %{{.*}}, %{{.*}}, %{{.*}} unsigned_left unsigned_right : vector<16xi8>, vector<4xi32>
  %dots = uop.dot %bytes, %bytes, %dot unsigned_left unsigned_right : vector<16xi8>, vector<4xi32>
  // CHECK: uop.if %{{.*}} {
  // CHECK-NEXT: uop.store %{{.*}}, %{{.*}}[%{{.*}}] if %{{.*}} as vector<8xi1> : vector<8xf32>, memref<128xf32>
  // CHECK-NEXT: }
  uop.if %gate {
    uop.store %w, %out[%i] if %mask as vector<8xi1> : vector<8xf32>, memref<128xf32>
  }
  // CHECK: uop.store %{{.*}}, %{{.*}}[%{{.*}}] if %{{.*}} as i1 : f32, memref<128xf32>
  uop.store %x, %out[%i] if %gate as i1 : f32, memref<128xf32>
  uop.return
}

// CHECK-LABEL: uop.func @tiles(
uop.func @tiles(%out: memref<128xf32>) {
  // CHECK: %[[LOCAL:.*]] = uop.local : memref<4096xf32>
  %t = uop.local : memref<4096xf32>
  // CHECK: %[[NEAR:.*]] = uop.register : memref<16xf32>
  %r = uop.register : memref<16xf32>
  %i = arith.constant 8 : index
  %x = arith.constant 1.0 : f32
  // CHECK: uop.store %{{.*}}, %[[LOCAL]]
  uop.store %x, %t[%i] : f32, memref<4096xf32>
  // CHECK: uop.store %{{.*}}, %[[NEAR]]
  uop.store %x, %r[%i] : f32, memref<16xf32>
  uop.return
}
