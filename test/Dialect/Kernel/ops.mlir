// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --mlir-print-op-generic | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --emit-bytecode | tiny-opt | FileCheck %s

// CHECK-LABEL: kernel.func @elementwise(
// CHECK-SAME: %[[IN:[^:]*]]: memref<128xf32>, %[[OUT:[^:]*]]: memref<128xf32>) {
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(128)
// CHECK: %[[X:.*]] = kernel.load %[[IN]][%[[I]]] : memref<128xf32>
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK: kernel.store %[[Y]], %[[OUT]][%[[I]]] : memref<128xf32>
kernel.func @elementwise(%in: memref<128xf32>, %out: memref<128xf32>) {
  %i = kernel.range loop id(0) extent(128)
  %x = kernel.load %in[%i] : memref<128xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<128xf32>
}

// CHECK-LABEL: kernel.func @users_first(
// CHECK: kernel.store %[[Y:.*]], %{{.*}}[%[[I:.*]]]
// CHECK: %[[Y]] = arith.addf %[[X:.*]], %[[X]]
// CHECK: %[[X]] = kernel.load %{{.*}}[%[[I]]]
// CHECK: %[[I]] = kernel.range loop id(0) extent(128)
kernel.func @users_first(%in: memref<128xf32>, %out: memref<128xf32>) {
  kernel.store %y, %out[%i] : memref<128xf32>
  %y = arith.addf %x, %x : f32
  %x = kernel.load %in[%i] : memref<128xf32>
  %i = kernel.range loop id(0) extent(128)
}

// CHECK-LABEL: kernel.func private @scheduled(
// CHECK-SAME: attributes {schedule = @scripts::@scheduled}
kernel.func private @scheduled(%out: memref<4xf32> {tiny.note = "kept"}) attributes {schedule = @scripts::@scheduled} {
}

// CHECK-LABEL: kernel.func @axes()
// CHECK: kernel.range global id(0) extent(2)
// CHECK: kernel.range thread id(1) extent(2) order(5)
// CHECK: kernel.range local id(2) extent(2)
// CHECK: kernel.range warp id(3) extent(2)
// CHECK: kernel.range group_reduce id(4) extent(2)
// CHECK: kernel.range upcast id(6) extent(2)
// CHECK: kernel.range unroll id(5) extent(2) {note = 1 : i32}
kernel.func @axes() {
  %0 = kernel.range global id(0) extent(2)
  %1 = kernel.range thread id(1) extent(2) order(5)
  %2 = kernel.range local id(2) extent(2)
  %3 = kernel.range warp id(3) extent(2)
  %4 = kernel.range group_reduce id(4) extent(2)
  %5 = kernel.range upcast id(6) extent(2)
  %6 = kernel.range unroll id(5) extent(2) {note = 1 : i32}
}

// CHECK-LABEL: kernel.func @gates(
// CHECK: %[[X:.*]] = kernel.load %{{.*}}[%[[I:.*]]] if %[[IN:.*]] : memref<8xi1>
// CHECK: kernel.store %[[X]], %{{.*}}[%[[I]]] if %[[IN]] : memref<8xi1>
kernel.func @gates(%in: memref<8xi1>, %out: memref<8xi1>) {
  %i = kernel.range loop id(0) extent(8)
  %c4 = arith.constant 4 : index
  %inside = arith.cmpi slt, %i, %c4 : index
  %x = kernel.load %in[%i] if %inside : memref<8xi1>
  kernel.store %x, %out[%i] if %inside : memref<8xi1>
}

// CHECK-LABEL: kernel.func @reduce_kind(
// CHECK: %[[K:.*]] = kernel.range reduce id(1) extent(8)
// CHECK: %[[S:.*]] = kernel.reduce addf (%{{.*}}) over (%[[K]]) : f32
// CHECK: kernel.reduce maximumf (%{{.*}}) over (%[[L:.*]], %[[M:.*]]) fastmath<none> : f32
kernel.func @reduce_kind(%in: memref<64xf32>, %out: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(8)
  %row = arith.muli %i, %c8 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<64xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  %l = kernel.range reduce id(2) extent(4)
  %m = kernel.range unroll id(3) extent(2)
  %lm = arith.muli %l, %m : index
  %y = kernel.load %in[%lm] : memref<64xf32>
  %t = kernel.reduce maximumf (%y) over (%l, %m) fastmath<none> : f32
  %sum = arith.addf %s, %t : f32
  kernel.store %sum, %out[%i] : memref<8xf32>
}

// CHECK-LABEL: kernel.func @argmax(
// CHECK: %[[M:.*]]:2 = kernel.reduce (%{{.*}}, %{{.*}}) init (%{{.*}}, %{{.*}}) over (%{{.*}}) associative commutative : f32, i32 {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
// CHECK: kernel.yield %{{.*}}, %{{.*}} : f32, i32
kernel.func @argmax(%in: memref<8xf32>, %out: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %lowest = arith.constant 0xFF800000 : f32
  %k = kernel.range reduce id(0) extent(8)
  %x = kernel.load %in[%k] : memref<8xf32>
  %j = arith.index_cast %k : index to i32
  %m:2 = kernel.reduce (%x, %j) init (%lowest, %zero) over (%k) associative commutative : f32, i32 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %gt = arith.cmpf ogt, %b, %a : f32
    %v = arith.select %gt, %b, %a : f32
    %w = arith.select %gt, %bi, %ai : i32
    kernel.yield %v, %w : f32, i32
  }
  kernel.store %m#1, %out[%c0] : memref<1xi32>
}

// CHECK-LABEL: kernel.program @main(
// CHECK-SAME: %[[X:[^:]*]]: memref<128xf32> {tiny.type = tensor<4x32xf32>}
// CHECK-SAME: -> (memref<128xf32> {tiny.type = tensor<128xf32>}, memref<2xi8> {tiny.type = tensor<2xui8>}, memref<64xf32>) {
// CHECK: %[[W:.*]] = kernel.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> -> memref<2xf32>
// CHECK: %[[Y:.*]] = kernel.alloc : memref<128xf32>
// CHECK: kernel.launch @elementwise ins(%[[X]] : memref<128xf32>) outs(%[[Y]] : memref<128xf32>)
// CHECK: %[[Z:.*]] = kernel.alloc : memref<128xf32>
// CHECK: kernel.fill %[[Z]], 0.000000e+00 : f32 -> memref<128xf32>
// CHECK: kernel.copy %[[Y]], %[[Z]] : memref<128xf32>
// CHECK: %[[U:.*]] = kernel.alloc : memref<2xi8>
// CHECK: kernel.launch @nothing ins() outs()
// CHECK: %[[A:.*]] = kernel.alias %[[Z]][32] : memref<128xf32> -> memref<64xf32>
// CHECK: kernel.return %[[Z]], %[[U]], %[[A]] : memref<128xf32>, memref<2xi8>, memref<64xf32>
kernel.program @main(%x: memref<128xf32> {tiny.type = tensor<4x32xf32>})
    -> (memref<128xf32> {tiny.type = tensor<128xf32>}, memref<2xi8> {tiny.type = tensor<2xui8>}, memref<64xf32>) {
  %w = kernel.constant dense<[1.0, 2.0]> : tensor<2xf32> -> memref<2xf32>
  %y = kernel.alloc : memref<128xf32>
  kernel.launch @elementwise ins(%x : memref<128xf32>) outs(%y : memref<128xf32>)
  %z = kernel.alloc : memref<128xf32>
  kernel.fill %z, 0.0 : f32 -> memref<128xf32>
  kernel.copy %y, %z : memref<128xf32>
  %u = kernel.alloc : memref<2xi8>
  kernel.launch @nothing ins() outs()
  %a = kernel.alias %z[32] : memref<128xf32> -> memref<64xf32>
  kernel.return %z, %u, %a : memref<128xf32>, memref<2xi8>, memref<64xf32>
}

// CHECK-LABEL: kernel.func @nothing() {
// CHECK-NEXT: }
kernel.func @nothing() {
}

// A kernel that was compiled further takes its buffers as the machine wants them.
// CHECK: llvm.func @compiled(!llvm.ptr, !llvm.ptr)
llvm.func @compiled(!llvm.ptr, !llvm.ptr)

// CHECK-LABEL: kernel.program @later(
// CHECK: kernel.launch @compiled
kernel.program @later(%x: memref<8xf32>) {
  kernel.launch @compiled ins(%x : memref<8xf32>) outs()
  kernel.return
}

// CHECK: #kernel.axis<upcast>
module attributes {tiny.note = #kernel.axis<upcast>} {
}

// CHECK-LABEL: kernel.func @tiles(
kernel.func @tiles(%in: memref<128xf32>, %out: memref<128xf32>) {
  %c16 = arith.constant 16 : index
  %o = kernel.range loop id(0) extent(8)
  %i = kernel.range upcast id(1) extent(16)
  %base = arith.muli %o, %c16 : index
  %at = arith.addi %base, %i : index
  %x = kernel.load %in[%at] : memref<128xf32>
  // CHECK: %[[TILE:.*]] = kernel.stage %{{.*}} over (%{{.*}}) local : memref<16xf32>
  %t = kernel.stage %x over (%i) local : memref<16xf32>
  // CHECK: kernel.stage %{{.*}} over (%{{.*}}) register : memref<16xf32>
  %r = kernel.stage %x over (%i) register : memref<16xf32>
  %j = kernel.range loop id(2) extent(16)
  // CHECK: kernel.load %[[TILE]]
  %y = kernel.load %t[%j] : memref<16xf32>
  %to = arith.addi %base, %j : index
  kernel.store %y, %out[%to] : memref<128xf32>
}

// CHECK-LABEL: kernel.program @lists(
// CHECK: kernel.loop most(10) limit(%[[N:.*]]) counter(%[[I:.*]]) while(%[[GO:.*]]) {
// CHECK:   kernel.if %[[GO]] {
// CHECK:     kernel.copy
// CHECK:   } else {
// CHECK:     kernel.fill
// CHECK:   }
// CHECK: }
// CHECK: kernel.loop most(0) {
// CHECK-NEXT: } {tiny.note = 1 : i64}
// CHECK: kernel.if %[[GO]] {
// CHECK-NEXT: }
// CHECK-NEXT: kernel.return
kernel.program @lists(%n: memref<1xi64>, %go: memref<1xi1>, %x: memref<4xf32>) {
  %i = kernel.alloc : memref<1xi64>
  %y = kernel.alloc : memref<4xf32>
  kernel.loop most(10) limit(%n) counter(%i) while(%go) {
    kernel.if %go {
      kernel.copy %x, %y : memref<4xf32>
    } else {
      kernel.fill %y, 0.0 : f32 -> memref<4xf32>
    }
  }
  kernel.loop most(0) {} {tiny.note = 1 : i64}
  kernel.if %go {}
  kernel.return
}

// CHECK-LABEL: kernel.func @running_sum(
// CHECK: %[[K:.*]] = kernel.range loop id(0) extent(8)
// CHECK: kernel.scan addf (%{{.*}}) over (%[[K]]) : f32
kernel.func @running_sum(%in: memref<8xf32>, %out: memref<8xf32>) {
  %k = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%k] : memref<8xf32>
  %s = kernel.scan addf (%x) over (%k) : f32
  kernel.store %s, %out[%k] : memref<8xf32>
}
