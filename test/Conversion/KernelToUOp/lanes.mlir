// RUN: tiny-opt %s -convert-kernel-to-uop | FileCheck %s
// RUN: tiny-opt %s -check-passes -convert-kernel-to-uop -o /dev/null

// Lanes that go backwards are read at once from the last one on, and turned around.
// CHECK-LABEL: uop.func @backwards
// CHECK: %[[FIRST:.*]] = arith.subi %{{.*}}, %c3
// CHECK: %[[READ:.*]] = uop.load %arg0[%[[FIRST]]] : memref<16xf32>, vector<4xf32>
// CHECK: %[[TURNED:.*]] = vector.shuffle %[[READ]], %[[READ]] [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
// CHECK: uop.store %[[TURNED]], %arg1[%{{.*}}] : vector<4xf32>, memref<16xf32>
kernel.func @backwards(%in: memref<16xf32>, %out: memref<16xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range upcast id(1) extent(4)
  %c4 = arith.constant 4 : index
  %c15 = arith.constant 15 : index
  %row = arith.muli %i, %c4 : index
  %to = arith.addi %row, %j : index
  %from = arith.subi %c15, %to : index
  %x = kernel.load %in[%from] : memref<16xf32>
  kernel.store %x, %out[%to] : memref<16xf32>
}

// Their gates are computed the other way round, which is quicker than to turn single bits around.
// CHECK-LABEL: uop.func @backwards_gated
// CHECK: %[[BACK:.*]] = arith.constant dense<[3, 2, 1, 0]> : vector<4xindex>
// CHECK: %[[LANES:.*]] = arith.addi %{{.*}}, %[[BACK]] : vector<4xindex>
// CHECK: %[[GATE:.*]] = arith.cmpi slt, %[[LANES]], %{{.*}} : vector<4xindex>
// CHECK: uop.load %arg0[%{{.*}}] if %[[GATE]] as vector<4xi1> : memref<14xf32>, vector<4xf32>
// CHECK: vector.shuffle %{{.*}} [3, 2, 1, 0] : vector<4xf32>
kernel.func @backwards_gated(%in: memref<14xf32>, %out: memref<16xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range upcast id(1) extent(4)
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %row = arith.muli %i, %c4 : index
  %to = arith.addi %row, %j : index
  %inside = arith.cmpi slt, %to, %c14 : index
  %from = arith.subi %c13, %to : index
  %x = kernel.load %in[%from] if %inside : memref<14xf32>
  %y = arith.select %inside, %x, %zero : f32
  kernel.store %y, %out[%to] : memref<16xf32>
}

// A gate that was read is turned around as it is.
// CHECK-LABEL: uop.func @backwards_masked
// CHECK: %[[MASK:.*]] = uop.load %arg1[%{{.*}}] : memref<16xi1>, vector<4xi1>
// CHECK: %[[GATE:.*]] = vector.shuffle %[[MASK]], %[[MASK]] [3, 2, 1, 0] : vector<4xi1>, vector<4xi1>
// CHECK: uop.load %arg0[%{{.*}}] if %[[GATE]] as vector<4xi1> : memref<16xf32>, vector<4xf32>
kernel.func @backwards_masked(%in: memref<16xf32>, %mask: memref<16xi1>, %out: memref<16xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range upcast id(1) extent(4)
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  %c15 = arith.constant 15 : index
  %row = arith.muli %i, %c4 : index
  %to = arith.addi %row, %j : index
  %on = kernel.load %mask[%to] : memref<16xi1>
  %from = arith.subi %c15, %to : index
  %x = kernel.load %in[%from] if %on : memref<16xf32>
  %y = arith.select %on, %x, %zero : f32
  kernel.store %y, %out[%to] : memref<16xf32>
}

// Lanes that lie far apart are gathered where a function is evaluated for all of them at once.
// CHECK-LABEL: uop.func @function_across
// CHECK: %[[X:.*]] = uop.gather %arg0[%{{.*}}] : memref<32xf32>, vector<4xf32>
// CHECK: math.exp %[[X]] : vector<4xf32>
kernel.func @function_across(%in: memref<32xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range upcast id(1) extent(4)
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %row = arith.muli %i, %c4 : index
  %to = arith.addi %row, %j : index
  %column = arith.muli %j, %c8 : index
  %from = arith.addi %column, %i : index
  %x = kernel.load %in[%from] : memref<32xf32>
  %y = math.exp %x : f32
  kernel.store %y, %out[%to] : memref<32xf32>
}

// And where they are combined.
// CHECK-LABEL: uop.func @sum_across
// CHECK: %[[X:.*]] = uop.gather %arg0[%{{.*}}] : memref<64xf32>, vector<4xf32>
// CHECK: arith.addf %{{.*}}, %[[X]] {{.*}} : vector<4xf32>
// CHECK: vector.reduction <add>
kernel.func @sum_across(%in: memref<64xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range reduce id(1) extent(2)
  %k = kernel.range upcast id(2) extent(4)
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %block = arith.muli %j, %c4 : index
  %row = arith.addi %block, %k : index
  %place = arith.muli %row, %c8 : index
  %from = arith.addi %place, %i : index
  %x = kernel.load %in[%from] : memref<64xf32>
  %sum = kernel.reduce addf (%x) over (%j, %k) fastmath<reassoc> : f32
  kernel.store %sum, %out[%i] : memref<8xf32>
}

// They are stored one by one where what is loaded lies side by side, each if its own gate is on.
// CHECK-LABEL: uop.func @store_across
// CHECK: %[[GATE:.*]] = arith.cmpi
// CHECK: %[[Y:.*]] = math.exp %{{.*}} : vector<4xf32>
// CHECK: %[[Y0:.*]] = vector.extract %[[Y]][0] : f32 from vector<4xf32>
// CHECK: %[[TO0:.*]] = vector.extract %{{.*}}[0] : index from vector<4xindex>
// CHECK: %[[GATE0:.*]] = vector.extract %[[GATE]][0] : i1 from vector<4xi1>
// CHECK: uop.store %[[Y0]], %arg1[%[[TO0]]] if %[[GATE0]] as i1 : f32, memref<32xf32>
// CHECK-COUNT-3: uop.store {{.*}} : f32, memref<32xf32>
kernel.func @store_across(%in: memref<32xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range upcast id(1) extent(4)
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c30 = arith.constant 30 : index
  %row = arith.muli %i, %c4 : index
  %from = arith.addi %row, %j : index
  %column = arith.muli %j, %c8 : index
  %to = arith.addi %column, %i : index
  %inside = arith.cmpi slt, %from, %c30 : index
  %x = kernel.load %in[%from] : memref<32xf32>
  %y = math.exp %x : f32
  kernel.store %y, %out[%to] if %inside : memref<32xf32>
}

// To copy them one by one is as quick.
// CHECK-LABEL: uop.func @copy_across
// CHECK-NOT: uop.gather
// CHECK-COUNT-4: uop.store {{.*}} : f32
kernel.func @copy_across(%in: memref<32xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range upcast id(1) extent(4)
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %row = arith.muli %i, %c4 : index
  %to = arith.addi %row, %j : index
  %column = arith.muli %j, %c8 : index
  %from = arith.addi %column, %i : index
  %x = kernel.load %in[%from] : memref<32xf32>
  kernel.store %x, %out[%to] : memref<32xf32>
}
