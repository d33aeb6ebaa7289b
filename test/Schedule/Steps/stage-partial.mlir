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

// -----

// The tile accumulates: the loop over the blocks stands around those of the tile, which begins with the identity. What
// four rows of the second operand give is added to each row of the tile.
// CHECK-LABEL: kernel.func @accumulates
// CHECK-DAG: %[[BLOCKS:.*]] = kernel.range reduce id(2) extent(8)
// CHECK-DAG: %[[INNER:.*]] = kernel.range unroll id(3) extent(4)
// CHECK-DAG: %[[I:.*]] = kernel.range upcast id(4) extent(2)
// CHECK-DAG: %[[J:.*]] = kernel.range loop id(5) extent(8)
// CHECK-DAG: %[[PARTIAL:.*]] = kernel.reduce addf (%{{.*}}) over (%[[INNER]]) : f32
// CHECK-DAG: %[[SUM:.*]] = kernel.reduce addf (%[[PARTIAL]]) over (%[[BLOCKS]]) : f32
// CHECK-DAG: kernel.stage %[[SUM]] over (%[[I]], %[[J]]{{.*}}) local accumulates : memref<256xf32>
// UOP-LABEL: uop.func @accumulates
// UOP: %[[SUMS:.*]] = uop.local : memref<256xf32>
// UOP: uop.for %[[AT:.*]] to %c256
// UOP-NEXT: uop.store %cst, %[[SUMS]][%[[AT]]]
// UOP: uop.for %{{.*}} to %c8 {
// UOP: uop.for %{{.*}} to %c8 {
// UOP-COUNT-2: uop.load %[[SUMS]][{{.*}}] : memref<256xf32>, vector<16xf32>
// UOP: uop.store {{.*}}, %[[SUMS]][{{.*}}] : vector<16xf32>
// UOP: uop.store {{.*}}, %[[SUMS]][{{.*}}] : vector<16xf32>
// UOP-NEXT: }
// UOP-NEXT: }
kernel.func @accumulates(%a: memref<64xf32>, %b: memref<4096xf32>, %out: memref<256xf32>) attributes {schedule = @schedules::@accumulates} {
  %i = kernel.range loop id(0) extent(2)
  %j = kernel.range loop id(1) extent(128)
  %k = kernel.range reduce id(2) extent(32)
  %c128 = arith.constant 128 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %i, %c32 : index
  %ik = arith.addi %row, %k : index
  %x = kernel.load %a[%ik] : memref<64xf32>
  %column = arith.muli %k, %c128 : index
  %kj = arith.addi %column, %j : index
  %y = kernel.load %b[%kj] : memref<4096xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i128 = arith.muli %i, %c128 : index
  %at = arith.addi %i128, %j : index
  kernel.store %s, %out[%at] : memref<256xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @accumulates(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %ko, %ki = transform.tiny.split %k by 4 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 1] local accumulates : (!transform.any_op) -> !transform.any_op
    %i = transform.tiny.axis %kernel [4] : (!transform.any_op) -> !transform.any_op
    %io, %ii = transform.tiny.split %i by 2 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %j = transform.tiny.axis %kernel [5] : (!transform.any_op) -> !transform.any_op
    %jo, %ji = transform.tiny.split %j by 16 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %r = transform.tiny.axis %kernel [3] : (!transform.any_op) -> !transform.any_op
    %ro, %ri = transform.tiny.split %r by 4 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A reduction over one axis accumulates as it is, in its order; a maximum begins with the least number.
// CHECK-LABEL: kernel.func @columns
// CHECK: %[[MOST:.*]] = kernel.reduce maximumf (%{{.*}}) over (%{{.*}}) fastmath<none> : f32
// CHECK: kernel.stage %[[MOST]] over (%{{.*}}) local accumulates : memref<8xf32>
// UOP-LABEL: uop.func @columns
// UOP-DAG: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// UOP: uop.store %[[LEAST]], %[[TILE:.*]][%{{.*}}] : f32, memref<8xf32>
// UOP: uop.for
// UOP: uop.for
// UOP: %[[BEFORE:.*]] = uop.load %[[TILE]]
// UOP: %[[NOW:.*]] = arith.maximumf %[[BEFORE]],
// UOP: uop.store %[[NOW]], %[[TILE]]
kernel.func @columns(%in: memref<256xf32>, %out: memref<8xf32>) attributes {schedule = @schedules::@columns} {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(32)
  %c8 = arith.constant 8 : index
  %row = arith.muli %k, %c8 : index
  %at = arith.addi %row, %i : index
  %x = kernel.load %in[%at] : memref<256xf32>
  %most = kernel.reduce maximumf (%x) over (%k) fastmath<none> : f32
  kernel.store %most, %out[%i] : memref<8xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @columns(%kernel: !transform.any_op {transform.readonly}) {
    %most = transform.tiny.stage_partial %kernel [1] over [0] local accumulates : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
