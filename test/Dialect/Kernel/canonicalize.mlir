// RUN: tiny-opt %s --canonicalize="test-convergence" | FileCheck %s

// CHECK-LABEL: kernel.func @unit_range(
// CHECK-SAME: %[[IN:[^:]*]]: memref<1xf32>, %[[OUT:[^:]*]]: memref<1xf32>
// CHECK-NOT: kernel.range
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[X:.*]] = kernel.load %[[IN]][%[[ZERO]]]
// CHECK: kernel.store %[[X]], %[[OUT]][%[[ZERO]]]
kernel.func @unit_range(%in: memref<1xf32>, %out: memref<1xf32>) {
  %i = kernel.range loop id(0) extent(1)
  %x = kernel.load %in[%i] : memref<1xf32>
  kernel.store %x, %out[%i] : memref<1xf32>
}

// CHECK-LABEL: kernel.func @longer_range(
// CHECK: kernel.range loop id(0) extent(2)
kernel.func @longer_range(%in: memref<2xf32>, %out: memref<2xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %x = kernel.load %in[%i] : memref<2xf32>
  kernel.store %x, %out[%i] : memref<2xf32>
}

// CHECK-LABEL: kernel.func @unit_reduce_range_beside_another(
// CHECK: %[[L:.*]] = kernel.range reduce id(1) extent(4)
// CHECK: kernel.reduce addf (%{{.*}}) over (%[[L]]) : f32
kernel.func @unit_reduce_range_beside_another(%in: memref<4xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %k = kernel.range reduce id(0) extent(1)
  %l = kernel.range reduce id(1) extent(4)
  %at = arith.addi %k, %l : index
  %x = kernel.load %in[%at] : memref<4xf32>
  %s = kernel.reduce addf (%x) over (%k, %l) : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// 0 + x is not x: the sum of a negative zero alone is positive.
// CHECK-LABEL: kernel.func @reduce_over_unit_range(
// CHECK-NOT: kernel.reduce
// CHECK: %[[X:.*]] = kernel.load
// CHECK: %[[S:.*]] = arith.addf %[[X]], %{{.*}} fastmath<reassoc,contract> : f32
// CHECK: kernel.store %[[S]]
kernel.func @reduce_over_unit_range(%in: memref<1xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %k = kernel.range reduce id(0) extent(1)
  %x = kernel.load %in[%k] : memref<1xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// CHECK-LABEL: kernel.func @combiner_over_unit_range(
// CHECK-SAME: %[[IN:[^:]*]]: memref<1xf32>
// CHECK-DAG: %[[INIT:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[X:.*]] = kernel.load %[[IN]]
// CHECK: %[[S:.*]] = arith.subf %[[INIT]], %[[X]] : f32
// CHECK: kernel.store %[[S]]
kernel.func @combiner_over_unit_range(%in: memref<1xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %init = arith.constant 1.0 : f32
  %k = kernel.range reduce id(0) extent(1)
  %x = kernel.load %in[%k] : memref<1xf32>
  %s = kernel.reduce (%x) init (%init) over (%k) : f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    kernel.yield %c : f32
  }
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// CHECK-LABEL: kernel.func @gates(
// CHECK-SAME: %[[IN:[^:]*]]: memref<8xf32>, %[[OUT:[^:]*]]: memref<8xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(0) extent(8)
// CHECK: %[[X:.*]] = kernel.load %[[IN]][%[[I]]] : memref<8xf32>
// CHECK: %[[S:.*]] = arith.divf %[[X]], %[[ZERO]] : f32
// CHECK-NEXT: kernel.store %[[S]], %[[OUT]][%[[I]]] : memref<8xf32>
// CHECK-NEXT: }
kernel.func @gates(%in: memref<8xf32>, %out: memref<8xf32>) {
  %true = arith.constant true
  %false = arith.constant false
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] if %true : memref<8xf32>
  %y = kernel.load %in[%i] if %false : memref<8xf32>
  %s = arith.divf %x, %y : f32
  kernel.store %s, %out[%i] if %true : memref<8xf32>
  kernel.store %y, %out[%i] if %false : memref<8xf32>
}

// CHECK-LABEL: kernel.func @open_gate(
// CHECK: kernel.load %{{.*}}[%{{.*}}] if %[[C:.*]] :
// CHECK: kernel.store %{{.*}}, %{{.*}}[%{{.*}}] if %[[C]] :
kernel.func @open_gate(%in: memref<8xf32>, %out: memref<8xf32>) {
  %c4 = arith.constant 4 : index
  %i = kernel.range loop id(0) extent(8)
  %c = arith.cmpi slt, %i, %c4 : index
  %x = kernel.load %in[%i] if %c : memref<8xf32>
  kernel.store %x, %out[%i] if %c : memref<8xf32>
}

// CHECK-LABEL: kernel.program @items(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>, %[[Y:[^:]*]]: memref<8xf32>
// CHECK-NEXT: %[[A:.*]] = kernel.alias %[[X]][3] : memref<8xf32> -> memref<4xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[Y]] : memref<8xf32>
// CHECK-NEXT: kernel.return %[[X]], %[[A]]
kernel.program @items(%x: memref<8xf32>, %y: memref<8xf32>) -> (memref<8xf32>, memref<4xf32>) {
  %same = kernel.alias %x[0] : memref<8xf32> -> memref<8xf32>
  %part = kernel.alias %x[2] : memref<8xf32> -> memref<6xf32>
  %smaller = kernel.alias %part[1] : memref<6xf32> -> memref<4xf32>
  kernel.copy %x, %same : memref<8xf32>
  kernel.copy %x, %y : memref<8xf32>
  kernel.return %same, %smaller : memref<8xf32>, memref<4xf32>
}

// scan (x) over (r) -> x   [extent of r is 1]
// CHECK-LABEL: kernel.func @scan_of_one(
// CHECK-NOT: kernel.scan
// CHECK: kernel.store
kernel.func @scan_of_one(%in: memref<8xf32>, %out: memref<8xf32>) {
  %r = kernel.range loop id(0) extent(8)
  %k = kernel.range loop id(1) extent(1)
  %at = arith.addi %r, %k : index
  %x = kernel.load %in[%at] : memref<8xf32>
  %s = kernel.scan addf (%x) over (%k) : f32
  kernel.store %s, %out[%at] : memref<8xf32>
}
