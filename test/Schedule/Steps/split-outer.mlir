// Copies of an axis around a tile share one tile, which is over the copies too.
// RUN: tiny-opt %s -split-input-file -verify-diagnostics -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file -verify-diagnostics -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// Columns: the maximum that the tile is filled with runs for its copies.
// CHECK-LABEL: kernel.func @columns
// CHECK-DAG: %[[COPY:.*]] = kernel.range upcast id(5) extent(8)
// CHECK-DAG: %[[F:.*]] = kernel.range loop id(4) extent(16)
// CHECK-DAG: %[[FILL:.*]] = kernel.range upcast id(6) extent(8)
// CHECK-DAG: %[[TILE:.*]] = kernel.stage %{{.*}} over (%[[F]], %[[FILL]]) local : memref<128xf32>
// CHECK-DAG: %[[SCALED:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-DAG: kernel.load %[[TILE]][
kernel.func @columns(%in: memref<512xf32>, %out: memref<512xf32>) attributes {schedule = @schedules::@columns} {
  %i = kernel.range loop id(0) extent(16) order(1)
  %j = kernel.range loop id(1) extent(32) order(0)
  %k = kernel.range reduce id(2) extent(16)
  %l = kernel.range reduce id(3) extent(16)
  %f = kernel.range loop id(4) extent(16)
  %c32 = arith.constant 32 : index
  %rowl = arith.muli %l, %c32 : index
  %atl = arith.addi %rowl, %j : index
  %xl = kernel.load %in[%atl] : memref<512xf32>
  %most = kernel.reduce maximumf (%xl) over (%l) : f32
  %rowf = arith.muli %f, %c32 : index
  %atf = arith.addi %rowf, %j : index
  %x = kernel.load %in[%atf] : memref<512xf32>
  %d = arith.subf %x, %most : f32
  %e = math.exp %d : f32
  %t = kernel.stage %e over (%f) local : memref<16xf32>
  %ek = kernel.load %t[%k] : memref<16xf32>
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %ei = kernel.load %t[%i] : memref<16xf32>
  %y = arith.divf %ei, %sum : f32
  %row = arith.muli %i, %c32 : index
  %at = arith.addi %row, %j : index
  kernel.store %y, %out[%at] : memref<512xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @columns(%kernel: !transform.any_op {transform.readonly}) {
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %o, %c = transform.tiny.split %j by 8 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel 'used_besides'}}
kernel.func @used_besides(%in: memref<96xf32>, %out: memref<24xf32>, %most: memref<4xf32>) attributes {schedule = @schedules::@used_besides} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range loop id(1) extent(6)
  %l = kernel.range reduce id(2) extent(24)
  %f = kernel.range loop id(3) extent(6)
  %c24 = arith.constant 24 : index
  %c6 = arith.constant 6 : index
  %rowl = arith.muli %i, %c24 : index
  %atl = arith.addi %rowl, %l : index
  %xl = kernel.load %in[%atl] : memref<96xf32>
  %m = kernel.reduce maximumf (%xl) over (%l) : f32
  %x = kernel.load %in[%f] : memref<96xf32>
  %d = arith.subf %x, %m : f32
  %t = kernel.stage %d over (%f) local : memref<6xf32>
  %y = kernel.load %t[%j] : memref<6xf32>
  %row = arith.muli %i, %c6 : index
  %at = arith.addi %row, %j : index
  kernel.store %y, %out[%at] : memref<24xf32>
  kernel.store %m, %most[%i] : memref<4xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @used_besides(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 0 is outer to a tile, which is filled with a reduction or a scan that is used besides}}
    %o, %c = transform.tiny.split %i by 2 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
