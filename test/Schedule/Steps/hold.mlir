// Lanes hold what two passes over a row read: the row is read once, and each lane reads what it holds itself.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -canonicalize -cse | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -canonicalize -cse -convert-kernel-to-uop -canonicalize | FileCheck %s --check-prefix=UOP

// CHECK-LABEL: kernel.func @centre
// CHECK-DAG: %[[PART:.*]] = kernel.range unroll id(3) extent(2)
// CHECK-DAG: %[[VECTOR:.*]] = kernel.range upcast id({{[0-9]+}}) extent(4)
// CHECK: kernel.load %arg0
// CHECK-NOT: kernel.load %arg0
// CHECK: %[[ROW:.*]] = kernel.stage %{{.*}} over (%{{.*}}, %{{.*}}, %{{.*}}) register : memref<256xf32>
// CHECK-COUNT-2: kernel.load %[[ROW]]
// UOP-LABEL: uop.func @centre
// UOP-COUNT-2: uop.load %arg0[%{{.*}}] : memref<1024xf32>, vector<4xf32>
// UOP-NOT: uop.load
// UOP: uop.workgroup_reduce addf
// UOP-NOT: uop.load
// UOP-COUNT-2: uop.store %{{.*}}, %arg1[%{{.*}}] : vector<4xf32>, memref<1024xf32>
kernel.func @centre(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {schedule = @schedules::@centre} {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range reduce id(1) extent(256)
  %k = kernel.range loop id(2) extent(256)
  %c256 = arith.constant 256 : index
  %row = arith.muli %i, %c256 : index
  %at = arith.addi %row, %j : index
  %a = kernel.load %x[%at] : memref<1024xf32>
  %sum = kernel.reduce addf (%a) over (%j) : f32
  %to = arith.addi %row, %k : index
  %b = kernel.load %x[%to] : memref<1024xf32>
  %c = arith.subf %b, %sum : f32
  kernel.store %c, %y[%to] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @centre(%kernel: !transform.any_op {transform.readonly}) {
    %row = transform.tiny.hold %kernel [0] along [1, 2] : (!transform.any_op) -> !transform.any_op
    %f = transform.tiny.axis %kernel [3] : (!transform.any_op) -> !transform.any_op
    %f0, %fv = transform.tiny.split %f by 4 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %f1, %fl = transform.tiny.split %f0 by 32 as local : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %f2, %f3 = transform.tiny.split %f1 by 0 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %j0, %jv = transform.tiny.split %j by 4 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %j1, %jl = transform.tiny.split %j0 by 32 as group_reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %j2, %j3 = transform.tiny.split %j1 by 0 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %k0, %kv = transform.tiny.split %k by 4 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %k1, %kl = transform.tiny.split %k0 by 32 as local : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %k2, %k3 = transform.tiny.split %k1 by 0 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %i0, %i1 = transform.tiny.split %i by 0 as global : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
