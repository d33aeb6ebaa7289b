// RUN: tiny-opt %s -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// A row of a product is kept for two passes over it. Widened, the tile is filled for four rows at once: the product runs
// along an axis of its own, and nothing of it is left in the loop over rows.
// CHECK-LABEL: kernel.func @rows
// CHECK-DAG: %[[BLOCK:.*]] = kernel.range loop id(0) extent(2)
// CHECK-DAG: %[[K:.*]] = kernel.range reduce id(1) extent(8)
// CHECK-DAG: %[[C:.*]] = kernel.range loop id(2) extent(6)
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(4) extent(4)
// CHECK-DAG: %[[ROWS:.*]] = kernel.range loop id(5) extent(4)
// CHECK: %[[SUM:.*]] = kernel.reduce addf
// CHECK-NOT: kernel.reduce addf
// CHECK: %[[TILE:.*]] = kernel.stage %[[SUM]] over (%[[ROWS]], %[[C]]) local : memref<24xf32>
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c6
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %{{.*}}
// CHECK: kernel.load %[[TILE]][%[[AT]]] : memref<24xf32>
kernel.func @rows(%a: memref<64xf32>, %b: memref<48xf32>, %out: memref<8xf32>) attributes {schedule = @schedules::@rows} {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(8)
  %c = kernel.range loop id(2) extent(6)
  %j = kernel.range reduce id(3) extent(6)
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %a[%ik] : memref<64xf32>
  %k6 = arith.muli %k, %c6 : index
  %kc = arith.addi %k6, %c : index
  %y = kernel.load %b[%kc] : memref<48xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %t = kernel.stage %s over (%c) local : memref<6xf32>
  %e = kernel.load %t[%j] : memref<6xf32>
  %most = kernel.reduce maximumf (%e) over (%j) : f32
  kernel.store %most, %out[%i] : memref<8xf32>
}

// A tile over one axis gets longer where the axis is padded; what reads it stays.
// CHECK-LABEL: kernel.func @padded
// CHECK-DAG: %[[C:.*]] = kernel.range loop id(1) extent(8)
// CHECK-DAG: %[[J:.*]] = kernel.range loop id(2) extent(6)
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi slt, %[[C]], %c6
// CHECK: kernel.load %arg0[%{{.*}}] if %[[INSIDE]]
// CHECK: %[[TILE:.*]] = kernel.stage %{{.*}} over (%[[C]]) local : memref<8xf32>
// CHECK: kernel.load %[[TILE]][%[[J]]] : memref<8xf32>
kernel.func @padded(%in: memref<24xf32>, %out: memref<24xf32>) attributes {schedule = @schedules::@padded} {
  %i = kernel.range loop id(0) extent(4)
  %c = kernel.range loop id(1) extent(6)
  %j = kernel.range loop id(2) extent(6)
  %c6 = arith.constant 6 : index
  %row = arith.muli %i, %c6 : index
  %from = arith.addi %row, %c : index
  %x = kernel.load %in[%from] : memref<24xf32>
  %e = math.exp %x : f32
  %t = kernel.stage %e over (%c) local : memref<6xf32>
  %y = kernel.load %t[%j] : memref<6xf32>
  %to = arith.addi %row, %j : index
  kernel.store %y, %out[%to] : memref<24xf32>
}

module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @rows(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %blocks, %inside = transform.tiny.split %i by 4 as loop : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %c = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %rows = transform.tiny.widen_stage %c, %inside : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @padded(%kernel: !transform.any_op {transform.readonly}) {
    %c = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %p = transform.tiny.pad_to %c multiple 4 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
