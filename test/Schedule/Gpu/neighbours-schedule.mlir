// A lane computes four neighbours of two images, and the sums of a short window at once: what windows share is read once.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --remarks-filter=kernel-default-schedule --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules --check-passes
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --tiny-kernel-to-uop-pipeline | FileCheck %s --check-prefix=UOP

// REMARK: the rule that fits is about lanes that reduce for neighbours

// CHECK-LABEL: kernel.func @window
// CHECK-DAG: kernel.range unroll {{.*}} extent(4)
// CHECK-DAG: kernel.range unroll {{.*}} extent(2)
// CHECK-DAG: kernel.range unroll {{.*}} extent(3)
// UOP-LABEL: uop.func @window
// UOP-COUNT-12: uop.load
// UOP-NOT: uop.load
kernel.func @window(%in: memref<4227072xf32>, %out: memref<4194304xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %j = kernel.range loop id(1) extent(1024)
  %k = kernel.range reduce id(2) extent(3)
  %c1032 = arith.constant 1032 : index
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1032 : index
  %begin = arith.addi %row, %j : index
  %from = arith.addi %begin, %k : index
  %x = kernel.load %in[%from] : memref<4227072xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  %column = arith.muli %i, %c1024 : index
  %to = arith.addi %column, %j : index
  kernel.store %s, %out[%to] : memref<4194304xf32>
}
