// RUN: tiny-opt %s -split-input-file -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file -kernel-apply-schedules -canonicalize -convert-kernel-to-uop | FileCheck %s --check-prefix=UOP
// RUN: tiny-opt %s -split-input-file -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// What each block of eight sums up is kept for all elements of the result; the blocks are added up behind. A panel of
// the second operand is packed for each block and serves all rows.
// CHECK-LABEL: kernel.func @blocks
// CHECK-DAG: %[[BLOCKS:.*]] = kernel.range reduce id(2) extent(4)
// CHECK-DAG: %[[INNER:.*]] = kernel.range reduce id(3) extent(8)
// CHECK-DAG: %[[B:.*]] = kernel.range loop id(4) extent(4)
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(5) extent(8)
// CHECK-DAG: %[[J:.*]] = kernel.range upcast id(6) extent(16)
// CHECK-DAG: %[[PARTIAL:.*]] = kernel.reduce addf (%{{.*}}) over (%[[INNER]]) : f32
// CHECK-DAG: %[[SUMS:.*]] = kernel.stage %[[PARTIAL]] over (%[[B]], %[[I]], %[[J]]) local : memref<512xf32>
// CHECK-DAG: %[[SUM:.*]] = kernel.load %[[SUMS]]
// CHECK-DAG: kernel.reduce addf (%[[SUM]]) over (%[[BLOCKS]]) : f32
// UOP-LABEL: uop.func @blocks
// UOP: %[[SUMS:.*]] = uop.local : memref<512xf32>
// UOP: %[[PANEL:.*]] = uop.local : memref<128xf32>
// UOP: uop.for %[[BLOCK:.*]] to
// UOP: uop.store {{.*}}, %[[PANEL]][{{.*}}] : vector<16xf32>
// UOP: uop.for %{{.*}} to
// UOP: uop.for {{.*}} iter
// UOP: uop.load %[[PANEL]]
// UOP: math.fma
// UOP: uop.store {{.*}}, %[[SUMS]][{{.*}}] : vector<16xf32>
// UOP: uop.for {{.*}} iter
// UOP: uop.load %[[SUMS]][{{.*}}] : memref<512xf32>, vector<16xf32>
// UOP: uop.store {{.*}} : vector<16xf32>, memref<128xf32>
kernel.func @blocks(%a: memref<256xf32>, %b: memref<512xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@blocks} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(32)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<256xf32>
  %column = arith.muli %k, %c16 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<512xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %at = arith.addi %i16, %j : index
  kernel.store %s, %out[%at] : memref<128xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @blocks(%kernel: !transform.any_op {transform.readonly}) {
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %jo, %ji = transform.tiny.split %j by 16 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %ko, %ki = transform.tiny.split %k by 8 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 1] local : (!transform.any_op) -> !transform.any_op
    %panel = transform.tiny.stage %kernel argument 1 over [3, 6] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Parts of other threads are outer to the tile; a maximum is taken apart as a sum is.
// CHECK-LABEL: kernel.func @maximum
// CHECK-DAG: kernel.range thread id(0) extent(2)
// CHECK-DAG: %[[BLOCKS:.*]] = kernel.range reduce id(1) extent(4)
// CHECK-DAG: %[[INNER:.*]] = kernel.range reduce id(3) extent(8)
// CHECK: %[[PARTIAL:.*]] = kernel.reduce maximumf (%{{.*}}) over (%[[INNER]]) : f32
// CHECK: kernel.stage %[[PARTIAL]] over (%{{.*}}, %{{.*}}) local : memref<16xf32>
// CHECK: kernel.reduce maximumf (%{{.*}}) over (%[[BLOCKS]]) : f32
kernel.func @maximum(%in: memref<256xf32>, %out: memref<8xf32>) attributes {schedule = @schedules::@maximum} {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(32)
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<256xf32>
  %most = kernel.reduce maximumf (%x) over (%k) : f32
  kernel.store %most, %out[%i] : memref<8xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @maximum(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %io, %ii = transform.tiny.split %i by 2 as thread : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %k = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %ko, %ki = transform.tiny.split %k by 8 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %most = transform.tiny.stage_partial %kernel [1] over [2] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
