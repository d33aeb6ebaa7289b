// RUN: tiny-opt %s -split-input-file -kernel-apply-schedules | FileCheck %s

// An upcast: the inner part takes the new kind and the next free id, every index is recombined.
// CHECK-LABEL: kernel.func @upcast
// CHECK-DAG: %[[OUTER:.*]] = kernel.range loop id(0) extent(4) order(0)
// CHECK-DAG: %[[INNER:.*]] = kernel.range upcast id(1) extent(8) order(0)
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[SCALED:.*]] = arith.muli %[[OUTER]], %[[C8]]
// CHECK-DAG: %[[I:.*]] = arith.addi %[[SCALED]], %[[INNER]]
// CHECK-DAG: kernel.load %{{.*}}[%[[I]]]
// CHECK-NOT: module @schedules
kernel.func @upcast(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@upcast} {
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @upcast(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 8 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// `thread` names the outer part: that many threads, each with a stretch of the axis.
// CHECK-LABEL: kernel.func @thread
// CHECK-DAG: kernel.range thread id(0) extent(4) order(0)
// CHECK-DAG: kernel.range loop id(1) extent(8) order(0)
kernel.func @thread(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@thread} {
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @thread(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 4 as thread : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A factor of 0 turns the whole axis over.
// CHECK-LABEL: kernel.func @whole
// CHECK: kernel.range unroll id(0) extent(4)
// CHECK-NOT: kernel.range
kernel.func @whole(%in: memref<4xf32>, %out: memref<4xf32>) attributes {schedule = @schedules::@whole} {
  %i = kernel.range loop id(0) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  kernel.store %x, %out[%i] : memref<4xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @whole(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 0 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A reduction closes both parts. The innermost reduced axis keeps its order, so no flag is needed.
// CHECK-LABEL: kernel.func @reduced
// CHECK-DAG: %[[OUTER:.*]] = kernel.range reduce id(0) extent(2) order(0)
// CHECK-DAG: %[[INNER:.*]] = kernel.range unroll id(1) extent(4) order(0)
// CHECK-DAG: kernel.reduce addf{{ ?}}(%{{.*}}) over{{ ?}}(%[[OUTER]], %[[INNER]])
kernel.func @reduced(%in: memref<8xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@reduced} {
  %zero = arith.constant 0 : index
  %k = kernel.range reduce id(0) extent(8)
  %x = kernel.load %in[%k] : memref<8xf32>
  %s = kernel.reduce addf (%x) over (%k) fastmath<none> : f32
  kernel.store %s, %out[%zero] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @reduced(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 4 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// What is split is still outside of what it was outside of, and parts of the old kind stand side by side.
// CHECK-LABEL: kernel.func @keeps_its_place
// CHECK-DAG: kernel.range thread id(0) extent(2)
// CHECK-DAG: kernel.range loop id(3) extent(3) order(0)
// CHECK-DAG: kernel.range loop id(2) extent(4) order(1)
// CHECK-DAG: kernel.range loop id(1) extent(5) order(2)
kernel.func @keeps_its_place(%in: memref<120xf32>, %out: memref<120xf32>) attributes {schedule = @schedules::@keeps_its_place} {
  %i = kernel.range loop id(0) extent(24)
  %j = kernel.range loop id(1) extent(5)
  %c5 = arith.constant 5 : index
  %row = arith.muli %i, %c5 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<120xf32>
  kernel.store %x, %out[%at] : memref<120xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @keeps_its_place(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %blocks, %rows = transform.tiny.split %axis by 4 as loop : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %threads, %rest = transform.tiny.split %blocks by 2 as thread : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// What an index has as quotient and remainder by the factor are the parts themselves; other divisors stay.
// CHECK-LABEL: kernel.func @divided
// CHECK-DAG: %[[OUTER:.*]] = kernel.range loop id(0) extent(16) order(0)
// CHECK-DAG: %[[INNER:.*]] = kernel.range loop id(1) extent(2) order(0)
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[PLANE:.*]] = arith.muli %[[INNER]], %[[C16]]
// CHECK-DAG: %[[FROM:.*]] = arith.addi %[[PLANE]], %[[OUTER]]
// CHECK-DAG: kernel.load %arg0[%[[FROM]]]
// CHECK-DAG: %[[OTHER:.*]] = arith.floordivsi
// CHECK-DAG: kernel.load %arg1[%[[OTHER]]]
kernel.func @divided(%in: memref<32xf32>, %other: memref<8xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@divided} {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %i = kernel.range loop id(0) extent(32)
  %b = sym.mod %i, %c2 : index
  %column = arith.floordivsi %i, %c2 : index
  %plane = arith.muli %b, %c16 : index
  %from = arith.addi %plane, %column : index
  %x = kernel.load %in[%from] : memref<32xf32>
  %fourth = arith.floordivsi %i, %c4 : index
  %y = kernel.load %other[%fourth] : memref<8xf32>
  %z = arith.addf %x, %y : f32
  kernel.store %z, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @divided(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 2 as loop : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
