// The subgroups of a workgroup multiply what its lanes put into tiles.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// Tiles of 32 rows, 8 columns and a depth of 32, which all 64 lanes fill, 16 bytes at a time where rows have them.
// Each of the two subgroups has 16 rows.
// CHECK-LABEL: kernel.func @product
// CHECK-DAG: %[[ROWS:.*]] = kernel.range loop id(0) extent(2)
// CHECK-DAG: %[[COLUMNS:.*]] = kernel.range loop id(1) extent(2)
// CHECK-DAG: %[[DEPTH:.*]] = kernel.range reduce id(2) extent(3)
// CHECK-DAG: kernel.range local {{.*}}extent(64)
// CHECK-DAG: kernel.range local {{.*}}extent(64)
// CHECK-DAG: kernel.range upcast {{.*}}extent(8)
// CHECK-DAG: %[[SUBGROUP:.*]] = kernel.range warp {{.*}}extent(2)
// CHECK-DAG: %[[I:.*]] = kernel.range fragment {{.*}}extent(16)
// CHECK-DAG: %[[J:.*]] = kernel.range fragment {{.*}}extent(8)
// CHECK-DAG: %[[K:.*]] = kernel.range fragment {{.*}}extent(16)
// CHECK-DAG: kernel.stage {{.*}} local : memref<1024xf16>
// CHECK-DAG: kernel.stage {{.*}} local : memref<256xf16>
// CHECK: kernel.reduce addf
// CHECK: kernel.store
kernel.func @product(%a: memref<3600xf16>, %b: memref<1440xf16>, %c: memref<640xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(40)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(90)
  %c16 = arith.constant 16 : index
  %c90 = arith.constant 90 : index
  %i90 = arith.muli %i, %c90 : index
  %ik = arith.addi %i90, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<3600xf16>
  %y = kernel.load %b[%kj] : memref<1440xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<640xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}
