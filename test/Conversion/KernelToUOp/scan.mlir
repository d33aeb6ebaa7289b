// A scan is what the loop that it follows carries.
// RUN: tiny-opt %s --convert-kernel-to-uop --verify-uop --split-input-file | FileCheck %s
// RUN: tiny-opt %s --convert-kernel-to-uop --split-input-file --check-passes -o /dev/null

// It lies inside of the loop over rows, where it begins anew, though that has the greater number.
// CHECK-LABEL: uop.func @rows
// CHECK: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: uop.for %{{.*}} to %{{.*}} {
// CHECK: uop.for %{{.*}} to %{{.*}} iter(%[[BEFORE:.*]] = %[[ZERO]])
// CHECK: %[[X:.*]] = uop.load
// CHECK: %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[X]] : f32
// CHECK: uop.store %[[SUM]]
// CHECK: uop.yield %[[SUM]] : f32
kernel.func @rows(%in: memref<24xf32>, %out: memref<24xf32>) {
  %k = kernel.range loop id(0) extent(8)
  %r = kernel.range loop id(1) extent(3)
  %c8 = arith.constant 8 : index
  %row = arith.muli %r, %c8 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<24xf32>
  %s = kernel.scan addf (%x) over (%k) : f32
  kernel.store %s, %out[%at] : memref<24xf32>
}

// -----

// Columns are lanes, each with its own running value; two scans follow one loop.
// CHECK-LABEL: uop.func @columns
// CHECK: uop.for {{.*}} iter(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (vector<4xi32>, vector<4xi32>)
// CHECK: arith.addi %[[A]], %{{.*}} : vector<4xi32>
// CHECK: arith.maxsi %[[B]], %{{.*}} : vector<4xi32>
kernel.func @columns(%in: memref<32xi32>, %sums: memref<32xi32>, %most: memref<32xi32>) {
  %k = kernel.range loop id(0) extent(8)
  %c = kernel.range upcast id(1) extent(4)
  %c4 = arith.constant 4 : index
  %row = arith.muli %k, %c4 : index
  %at = arith.addi %row, %c : index
  %x = kernel.load %in[%at] : memref<32xi32>
  %s = kernel.scan addi (%x) over (%k) : i32
  %m = kernel.scan maxs (%x) over (%k) : i32
  kernel.store %s, %sums[%at] : memref<32xi32>
  kernel.store %m, %most[%at] : memref<32xi32>
}

// -----

// What a reduction gives at each point is its input, and running values are kept for another one.
// CHECK-LABEL: uop.func @between_reductions
// CHECK: uop.for {{.*}} iter(%[[BEFORE:.*]] = %{{.*}})
// CHECK: %[[SUM:.*]] = uop.for
// CHECK: %[[NOW:.*]] = arith.addf %[[BEFORE]], %[[SUM]] : f32
// CHECK: uop.store %[[NOW]], %[[TILE:.*]][
// CHECK: uop.for
// CHECK: uop.load %[[TILE]]
// CHECK: arith.maximumf
kernel.func @between_reductions(%in: memref<32xf32>, %out: memref<1xf32>) {
  %k = kernel.range reduce id(0) extent(8)
  %j = kernel.range reduce id(1) extent(4)
  %i = kernel.range loop id(2) extent(8)
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %row = arith.muli %i, %c4 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<32xf32>
  %sum = kernel.reduce addf (%x) over (%j) : f32
  %s = kernel.scan addf (%sum) over (%i) : f32
  %t = kernel.stage %s over (%i) local : memref<8xf32>
  %y = kernel.load %t[%k] : memref<8xf32>
  %m = kernel.reduce maximumf (%y) over (%k) : f32
  kernel.store %m, %out[%c0] : memref<1xf32>
}
