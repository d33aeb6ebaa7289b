// RUN: tiny-opt %s -convert-kernel-to-uop | FileCheck %s
// RUN: tiny-opt %s -check-passes -convert-kernel-to-uop -o /dev/null
// RUN: tiny-opt %s -convert-kernel-to-uop -canonicalize | FileCheck %s --check-prefix=PLAIN

// Not every target has a vector.interleave.
// PLAIN-NOT: vector.interleave

// The copies of an unrolled range store between the lanes: both vectors together are one.
// CHECK-LABEL: uop.func @two
// CHECK: %[[EVEN:.*]] = uop.load %arg0[%{{.*}}] : memref<16xf32>, vector<4xf32>
// CHECK: %[[ODD:.*]] = uop.load %arg0[%{{.*}}] : memref<16xf32>, vector<4xf32>
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c2
// CHECK: %[[ALL:.*]] = vector.shuffle %[[ODD]], %[[EVEN]] [4, 0, 5, 1, 6, 2, 7, 3]
// CHECK: uop.store %[[ALL]], %arg1[%[[AT]]] : vector<8xf32>, memref<16xf32>
// CHECK-NOT: uop.store
kernel.func @two(%in: memref<16xf32>, %out: memref<16xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %x = kernel.range upcast id(1) extent(4)
  %b = kernel.range unroll id(2) extent(2)
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %row = arith.muli %i, %c4 : index
  %column = arith.addi %row, %x : index
  %plane = arith.muli %b, %c8 : index
  %from = arith.addi %plane, %column : index
  %v = kernel.load %in[%from] : memref<16xf32>
  %far = arith.muli %column, %c2 : index
  %to = arith.addi %far, %b : index
  kernel.store %v, %out[%to] : memref<16xf32>
}

// Four are interleaved two by two. A gate of lanes is compared for each element.
// CHECK-LABEL: uop.func @four_gated
// CHECK-DAG: %[[COLUMNS:.*]] = arith.constant dense<[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]> : vector<16xindex>
// CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[COLUMNS]]
// CHECK: %[[GATE:.*]] = arith.cmpi slt, %[[COLUMN]], %{{.*}} : vector<16xindex>
// CHECK: %[[EVEN:.*]] = vector.shuffle {{.*}} [4, 0, 5, 1, 6, 2, 7, 3]
// CHECK: %[[ODD:.*]] = vector.shuffle {{.*}} [4, 0, 5, 1, 6, 2, 7, 3]
// CHECK: %[[ALL:.*]] = vector.shuffle %[[ODD]], %[[EVEN]] [8, 0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7]
// CHECK: uop.store %[[ALL]], %arg1[%{{.*}}] if %[[GATE]] as vector<16xi1> : vector<16xf32>, memref<24xf32>
// CHECK-NOT: uop.store
kernel.func @four_gated(%in: memref<24xf32>, %out: memref<24xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %x = kernel.range upcast id(1) extent(4)
  %b = kernel.range unroll id(2) extent(4)
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %row = arith.muli %i, %c4 : index
  %column = arith.addi %row, %x : index
  %inside = arith.cmpi slt, %column, %c6 : index
  %plane = arith.muli %b, %c6 : index
  %from = arith.addi %plane, %column : index
  %v = kernel.load %in[%from] if %inside : memref<24xf32>
  %far = arith.muli %column, %c4 : index
  %to = arith.addi %far, %b : index
  kernel.store %v, %out[%to] if %inside : memref<24xf32>
}

// An odd number of bytes: one vector after the other takes its places.
// CHECK-LABEL: uop.func @three
// CHECK: vector.shuffle {{.*}} [0, 13, 2, 3, 16, 5, 6, 19, 8, 9, 22, 11]
// CHECK: %[[ALL:.*]] = vector.shuffle {{.*}} [0, 1, 14, 3, 4, 17, 6, 7, 20, 9, 10, 23]
// CHECK: uop.store %[[ALL]], %arg1[%c0] : vector<12xi8>, memref<12xi8>
kernel.func @three(%in: memref<12xi8>, %out: memref<12xi8>) {
  %x = kernel.range upcast id(0) extent(4)
  %b = kernel.range unroll id(1) extent(3)
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %plane = arith.muli %b, %c4 : index
  %from = arith.addi %plane, %x : index
  %v = kernel.load %in[%from] : memref<12xi8>
  %far = arith.muli %x, %c3 : index
  %to = arith.addi %far, %b : index
  kernel.store %v, %out[%to] : memref<12xi8>
}

// Gates of copies that differ are interleaved as well.
// CHECK-LABEL: uop.func @gates_apart
// CHECK: %[[GATE:.*]] = vector.shuffle %{{.*}} [4, 0, 5, 1, 6, 2, 7, 3] : vector<4xi1>, vector<4xi1>
// CHECK: uop.store %{{.*}}, %arg1[%c0] if %[[GATE]] as vector<8xi1> : vector<8xf32>, memref<8xf32>
kernel.func @gates_apart(%in: memref<8xf32>, %out: memref<8xf32>) {
  %x = kernel.range upcast id(0) extent(4)
  %b = kernel.range unroll id(1) extent(2)
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %plane = arith.muli %b, %c4 : index
  %from = arith.addi %plane, %x : index
  %v = kernel.load %in[%from] : memref<8xf32>
  %far = arith.muli %x, %c2 : index
  %to = arith.addi %far, %b : index
  %inside = arith.cmpi slt, %to, %c7 : index
  kernel.store %v, %out[%to] if %inside : memref<8xf32>
}

// Two copies leave a hole between lanes that lie three elements apart.
// CHECK-LABEL: uop.func @holes
// CHECK-COUNT-8: uop.store %{{.*}} : f32, memref<12xf32>
// CHECK-NOT: vector
kernel.func @holes(%in: memref<8xf32>, %out: memref<12xf32>) {
  %x = kernel.range upcast id(0) extent(4)
  %b = kernel.range unroll id(1) extent(2)
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %plane = arith.muli %b, %c4 : index
  %from = arith.addi %plane, %x : index
  %v = kernel.load %in[%from] : memref<8xf32>
  %far = arith.muli %x, %c3 : index
  %to = arith.addi %far, %b : index
  kernel.store %v, %out[%to] : memref<12xf32>
}

// An upcast range takes the lanes itself, where its stores are neighbours.
// CHECK-LABEL: uop.func @upcast
// CHECK-COUNT-4: uop.store %{{.*}} : vector<2xf32>, memref<8xf32>
kernel.func @upcast(%in: memref<8xf32>, %out: memref<8xf32>) {
  %x = kernel.range upcast id(0) extent(4)
  %b = kernel.range upcast id(1) extent(2)
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %plane = arith.muli %b, %c4 : index
  %from = arith.addi %plane, %x : index
  %v = kernel.load %in[%from] : memref<8xf32>
  %far = arith.muli %x, %c2 : index
  %to = arith.addi %far, %b : index
  kernel.store %v, %out[%to] : memref<8xf32>
}
