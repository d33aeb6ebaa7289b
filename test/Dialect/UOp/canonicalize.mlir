// RUN: tiny-opt %s --canonicalize="test-convergence" | FileCheck %s
// RUN: tiny-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: tiny-opt %s --int-range-optimizations | FileCheck %s --check-prefix=RANGE

// CHECK-LABEL: uop.func @no_trip
// CHECK-NOT: uop.for
// CHECK: uop.store %{{.*}}, %{{.*}}[%{{.*}}] : f32
uop.func @no_trip(%out: memref<4xf32>) {
  %n = arith.constant 0 : index
  %z = arith.constant 7.0 : f32
  %s = uop.for %i to %n iter(%acc = %z) -> (f32) {
    %t = arith.addf %acc, %acc : f32
    uop.yield %t : f32
  }
  uop.store %s, %out[%n] : f32, memref<4xf32>
  uop.return
}

// CHECK-LABEL: uop.func @one_trip
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NOT: uop.for
// CHECK: %[[X:.*]] = uop.load %{{.*}}[%[[C0]]]
// CHECK: uop.store %[[X]]
uop.func @one_trip(%in: memref<4xf32>, %out: memref<4xf32>) {
  %n = arith.constant 1 : index
  %z = arith.constant 7.0 : f32
  %s:2 = uop.for %i to %n iter(%acc = %z, %old = %z) -> (f32, f32) {
    %x = uop.load %in[%i] : memref<4xf32>, f32
    uop.yield %x, %acc : f32, f32
  }
  uop.store %s#0, %out[%n] : f32, memref<4xf32>
  uop.store %s#1, %out[%n] : f32, memref<4xf32>
  uop.return
}

// CHECK-LABEL: uop.func @carried
// CHECK: %[[Z:.*]] = arith.constant 7.0
// CHECK: %[[S:.*]] = uop.for %[[I:.*]] to %{{.*}} iter(%[[ACC:.*]] = %[[Z]]) -> (f32) {
// CHECK: %[[T:.*]] = arith.addf %[[ACC]], %[[Z]]
// CHECK: uop.yield %[[T]] : f32
// CHECK: uop.store %[[S]]
// CHECK: uop.store %[[Z]]
uop.func @carried(%out: memref<4xf32>) {
  %n = arith.constant 4 : index
  %z = arith.constant 7.0 : f32
  %s:3 = uop.for %i to %n iter(%same = %z, %acc = %z, %unread = %z) -> (f32, f32, f32) {
    %t = arith.addf %acc, %same : f32
    %u = arith.mulf %t, %t : f32
    uop.yield %same, %t, %u : f32, f32, f32
  }
  uop.store %s#1, %out[%n] : f32, memref<4xf32>
  uop.store %s#0, %out[%n] : f32, memref<4xf32>
  uop.return
}

// CHECK-LABEL: uop.func @conditions
// CHECK-NOT: uop.if
// CHECK: uop.store
// CHECK-NOT: uop.store
// CHECK: uop.return
uop.func @conditions(%b: memref<4xi1>, %out: memref<4xf32>) {
  %true = arith.constant true
  %false = arith.constant false
  %i = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %c = uop.load %b[%i] : memref<4xi1>, i1
  uop.if %true {
    uop.store %x, %out[%i] : f32, memref<4xf32>
  }
  uop.if %false {
    uop.store %x, %out[%i] : f32, memref<4xf32>
  }
  uop.if %c {
  }
  uop.return
}

// CHECK-LABEL: uop.func @gates
// CHECK: %[[Z:.*]] = arith.constant 0.0
// CHECK: %[[C:.*]] = uop.load %{{.*}} : memref<4xi1>, i1
// CHECK: %[[X:.*]] = uop.load %{{.*}}[%{{.*}}] : memref<4xf32>, f32
// CHECK: %[[V:.*]] = uop.load %{{.*}}[%{{.*}}] if %[[C]] as i1 : memref<4xf32>, vector<2xf32>
// CHECK: %[[G:.*]] = uop.gather %{{.*}}[%{{.*}}] : memref<4xf32>, vector<2xf32>
// CHECK: uop.store %[[X]], %{{.*}}[%{{.*}}] : f32
// CHECK-NEXT: uop.store %[[Z]], %{{.*}}[%{{.*}}] : f32
// CHECK-NEXT: uop.store %[[V]], %{{.*}}[%{{.*}}] if %[[C]] as i1 : vector<2xf32>
// CHECK-NEXT: uop.return
uop.func @gates(%b: memref<4xi1>, %in: memref<4xf32>, %out: memref<4xf32>) {
  %true = arith.constant true
  %false = arith.constant false
  %i = arith.constant 0 : index
  %c = uop.load %b[%i] : memref<4xi1>, i1
  %lanes = vector.broadcast %c : i1 to vector<2xi1>
  %x = uop.load %in[%i] if %true as i1 : memref<4xf32>, f32
  %y = uop.load %in[%i] if %false as i1 : memref<4xf32>, f32
  %v = uop.load %in[%i] if %lanes as vector<2xi1> : memref<4xf32>, vector<2xf32>
  %every = arith.constant dense<true> : vector<2xi1>
  %at = arith.constant dense<[3, 1]> : vector<2xindex>
  %g = uop.gather %in[%at] if %every as vector<2xi1> : memref<4xf32>, vector<2xf32>
  uop.store %g, %out[%i] : vector<2xf32>, memref<4xf32>
  uop.store %x, %out[%i] if %true as i1 : f32, memref<4xf32>
  uop.store %y, %out[%i] : f32, memref<4xf32>
  uop.store %y, %out[%i] if %false as i1 : f32, memref<4xf32>
  uop.store %v, %out[%i] if %lanes as vector<2xi1> : vector<2xf32>, memref<4xf32>
  uop.return
}

// What is added to a sum of products of bytes is what the sum begins with.
// CHECK-LABEL: uop.func @add_dots
// CHECK: %[[A:.*]] = uop.load %arg0
// CHECK: %[[B:.*]] = uop.load %arg1
// CHECK: %[[S:.*]] = uop.load %arg2
// CHECK: %[[FIRST:.*]] = uop.dot %[[A]], %[[A]], %[[S]] : vector<8xi8>, vector<2xi32>
// CHECK: %[[THIRD:.*]] = uop.dot %[[A]], %[[B]], %[[FIRST]] unsigned_right
// CHECK: %[[SECOND:.*]] = uop.dot %[[B]], %[[A]], %[[THIRD]] unsigned_left
// CHECK-NOT: arith.addi
// CHECK: uop.store %[[SECOND]]
uop.func @add_dots(%x: memref<8xi8>, %y: memref<8xi8>, %s: memref<2xi32>, %out: memref<2xi32>) {
  %i = arith.constant 0 : index
  %zero = arith.constant dense<0> : vector<2xi32>
  %a = uop.load %x[%i] : memref<8xi8>, vector<8xi8>
  %b = uop.load %y[%i] : memref<8xi8>, vector<8xi8>
  %first = uop.dot %a, %a, %zero : vector<8xi8>, vector<2xi32>
  %second = uop.dot %b, %a, %first unsigned_left : vector<8xi8>, vector<2xi32>
  %third = uop.dot %a, %b, %zero unsigned_right : vector<8xi8>, vector<2xi32>
  %sum = uop.load %s[%i] : memref<2xi32>, vector<2xi32>
  %all = arith.addi %second, %sum : vector<2xi32>
  %both = arith.addi %all, %third : vector<2xi32>
  uop.store %both, %out[%i] : vector<2xi32>, memref<2xi32>
  uop.return
}

// Others read the first dot, the second one begins with something else, and the third one is in a loop.
// CHECK-LABEL: uop.func @keep_dots
// CHECK: %[[FIRST:.*]] = uop.dot {{.*}}, %[[ZERO:.*]] :
// CHECK: uop.store %[[FIRST]]
// CHECK: arith.addi %[[FIRST]]
// CHECK: %[[SECOND:.*]] = uop.dot
// CHECK: arith.addi %[[SECOND]]
// CHECK: %[[THIRD:.*]] = uop.dot {{.*}}, %[[ZERO]] :
// CHECK: uop.for
// CHECK: arith.addi %{{.*}}, %[[THIRD]]
uop.func @keep_dots(%x: memref<8xi8>, %s: memref<2xi32>, %out: memref<2xi32>) {
  %i = arith.constant 0 : index
  %n = arith.constant 5 : index
  %zero = arith.constant dense<0> : vector<2xi32>
  %a = uop.load %x[%i] : memref<8xi8>, vector<8xi8>
  %sum = uop.load %s[%i] : memref<2xi32>, vector<2xi32>
  %first = uop.dot %a, %a, %zero : vector<8xi8>, vector<2xi32>
  uop.store %first, %out[%i] : vector<2xi32>, memref<2xi32>
  %more = arith.addi %first, %sum : vector<2xi32>
  %second = uop.dot %a, %a, %more : vector<8xi8>, vector<2xi32>
  %most = arith.addi %second, %sum : vector<2xi32>
  %third = uop.dot %a, %a, %zero : vector<8xi8>, vector<2xi32>
  %all = uop.for %k to %n iter(%old = %most) -> (vector<2xi32>) {
    %new = arith.addi %old, %third : vector<2xi32>
    uop.yield %new : vector<2xi32>
  }
  uop.store %all, %out[%i] : vector<2xi32>, memref<2xi32>
  uop.return
}

// Upstream's loop-invariant code motion sees the loop.
// LICM-LABEL: uop.func @invariant
// LICM: arith.mulf
// LICM: uop.for
// LICM-NOT: arith.mulf
// LICM: uop.return
uop.func @invariant(%out: memref<4xf32>) {
  %n = arith.constant 4 : index
  %x = arith.constant 3.0 : f32
  uop.for %i to %n {
    %y = arith.mulf %x, %x : f32
    uop.store %y, %out[%i] : f32, memref<4xf32>
  }
  uop.return
}

// Upstream's range analysis knows the bounds of a loop and of a hardware axis.
// RANGE-LABEL: uop.func @bounds
// RANGE: %[[T:.*]] = arith.constant true
// RANGE: uop.store %[[T]]
// RANGE: uop.store %[[T]]
uop.func @bounds(%out: memref<64xi1>) {
  %n = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %g = uop.special global dim(0) extent(64)
  %a = arith.cmpi slt, %g, %c64 : index
  uop.store %a, %out[%g] : i1, memref<64xi1>
  uop.for %i to %n {
    %b = arith.cmpi slt, %i, %n : index
    uop.store %b, %out[%i] : i1, memref<64xi1>
  }
  uop.return
}
