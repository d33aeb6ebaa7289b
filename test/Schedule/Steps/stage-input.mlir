// RUN: tiny-opt %s -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// The exponentials are computed once: what the sum combines is kept, and the quotient takes it from there.
// CHECK-LABEL: kernel.func @softmax
// CHECK-DAG: %[[J:.*]] = kernel.range loop id(1) extent(1024)
// CHECK-DAG: %[[K:.*]] = kernel.range reduce id(2) extent(1024)
// CHECK-DAG: %[[FILL:.*]] = kernel.range loop id(4) extent(1024)
// CHECK-DAG: %[[EXP:.*]] = math.exp
// CHECK-DAG: %[[TILE:.*]] = kernel.stage %[[EXP]] over (%[[FILL]]) local : memref<1024xf32>
// CHECK-DAG: %[[REDUCED:.*]] = kernel.load %[[TILE]][%[[K]]]
// CHECK-DAG: %[[SUM:.*]] = kernel.reduce addf (%[[REDUCED]])
// CHECK-DAG: %[[AGAIN:.*]] = kernel.load %[[TILE]][%[[J]]]
// CHECK-DAG: arith.divf %[[AGAIN]], %[[SUM]]
kernel.func @softmax(%in: memref<8192xf32>, %out: memref<8192xf32>) attributes {schedule = @schedules::@softmax} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(1024)
  %k = kernel.range reduce id(2) extent(1024)
  %l = kernel.range reduce id(3) extent(1024)
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<8192xf32>
  %atl = arith.addi %row, %l : index
  %xl = kernel.load %in[%atl] : memref<8192xf32>
  %most = kernel.reduce maximumf (%xl) over (%l) : f32
  %d = arith.subf %x, %most : f32
  %e = math.exp %d : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<8192xf32>
  %dk = arith.subf %xk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<8192xf32>
}

// Of what the two sums over one axis take, the tangent is computed again; the cheaper difference goes second.
// CHECK-LABEL: kernel.func @sums
// CHECK-DAG: %[[J:.*]] = kernel.range loop id(1) extent(1024)
// CHECK-DAG: %[[K:.*]] = kernel.range reduce id(2) extent(1024)
// CHECK-DAG: %[[TANH:.*]] = math.tanh
// CHECK-DAG: %[[TILE:.*]] = kernel.stage %[[TANH]] over (%{{.*}}) local : memref<1024xf32>
// CHECK-DAG: %[[LESS:.*]] = arith.subf
// CHECK-DAG: %[[SECOND:.*]] = kernel.stage %[[LESS]] over (%{{.*}}) local : memref<1024xf32>
// CHECK-DAG: kernel.load %[[TILE]][%[[K]]]
// CHECK-DAG: kernel.load %[[TILE]][%[[J]]]
// CHECK-DAG: kernel.load %[[SECOND]][%[[K]]]
// CHECK-DAG: kernel.load %[[SECOND]][%[[J]]]
kernel.func @sums(%in: memref<8192xf32>, %out: memref<8192xf32>) attributes {schedule = @schedules::@sums} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(1024)
  %k = kernel.range reduce id(2) extent(1024)
  %c1024 = arith.constant 1024 : index
  %one = arith.constant 1.0 : f32
  %row = arith.muli %i, %c1024 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<8192xf32>
  %t = math.tanh %x : f32
  %d = arith.subf %x, %one : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<8192xf32>
  %tk = math.tanh %xk : f32
  %dk = arith.subf %xk, %one : f32
  %less = arith.mulf %dk, %dk : f32
  %square = arith.mulf %tk, %tk : f32
  %a = kernel.reduce addf (%less) over (%k) : f32
  %b = kernel.reduce addf (%square) over (%k) : f32
  %ab = arith.addf %a, %b : f32
  %y = arith.divf %t, %ab : f32
  %z = arith.addf %y, %d : f32
  kernel.store %z, %out[%at] : memref<8192xf32>
}

// A tile over a block of columns: the last axis is the fastest. The terms of the index stand in another order in the
// last pass, which takes the tile's elements all the same.
// CHECK-LABEL: kernel.func @columns
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(0) extent(4) order(1)
// CHECK-DAG: %[[J:.*]] = kernel.range upcast id(4) extent(8)
// CHECK-DAG: %[[L:.*]] = kernel.range reduce id(3) extent(4)
// CHECK-DAG: %[[FILL:.*]] = kernel.range loop id(5) extent(4) order(0)
// CHECK-DAG: %[[LANE:.*]] = kernel.range upcast id(6) extent(8) order(1)
// CHECK-DAG: %[[TANH:.*]] = math.tanh
// CHECK-DAG: %[[TILE:.*]] = kernel.stage %[[TANH]] over (%[[FILL]], %[[LANE]]) local : memref<32xf32>
// CHECK-DAG: %[[L8:.*]] = arith.muli %[[L]], %c8
// CHECK-DAG: %[[LJ:.*]] = arith.addi %[[L8]], %[[J]]
// CHECK-DAG: kernel.load %[[TILE]][%[[LJ]]]
// CHECK-DAG: %[[I8:.*]] = arith.muli %[[I]], %c8
// CHECK-DAG: %[[IJ:.*]] = arith.addi %[[I8]], %[[J]]
// CHECK-DAG: kernel.load %[[TILE]][%[[IJ]]]
kernel.func @columns(%in: memref<128xf32>, %out: memref<128xf32>) attributes {schedule = @schedules::@columns} {
  %i = kernel.range loop id(0) extent(4) order(1)
  %j = kernel.range loop id(1) extent(32) order(0)
  %k = kernel.range reduce id(2) extent(4)
  %l = kernel.range reduce id(3) extent(4)
  %columns = arith.constant 32 : index
  %row = arith.muli %i, %columns : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<128xf32>
  %t = math.tanh %x : f32
  %rowl = arith.muli %l, %columns : index
  %atl = arith.addi %j, %rowl : index
  %xl = kernel.load %in[%atl] : memref<128xf32>
  %tl = math.tanh %xl : f32
  %most = kernel.reduce maximumf (%tl) over (%l) : f32
  %d = arith.subf %t, %most : f32
  %e = math.exp %d : f32
  %rowk = arith.muli %k, %columns : index
  %atk = arith.addi %j, %rowk : index
  %xk = kernel.load %in[%atk] : memref<128xf32>
  %tk = math.tanh %xk : f32
  %dk = arith.subf %tk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<128xf32>
}

module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @sums(%kernel: !transform.any_op {transform.readonly}) {
    %tile = transform.tiny.stage_input %kernel [2] local : (!transform.any_op) -> !transform.any_op
    %next = transform.tiny.stage_input %kernel [2] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @columns(%kernel: !transform.any_op {transform.readonly}) {
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %blocks, %lanes = transform.tiny.split %j by 8 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %tile = transform.tiny.stage_input %kernel [3] with [4] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @softmax(%kernel: !transform.any_op {transform.readonly}) {
    %tile = transform.tiny.stage_input %kernel [2] local : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
