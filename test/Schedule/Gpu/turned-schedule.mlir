// A lane reads rows of a block and stores its columns: each access is of neighbours. Ends that are no multiples of a block
// are padded. A load that walks along no axis that stores do not has none.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --remarks-filter=kernel-default-schedule --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules --check-passes

// REMARK: the rule that fits is about blocks of rows and columns of which a lane holds one
// REMARK: the rule that fits is about blocks of rows and columns of which a lane holds one
// REMARK: the rule that fits is about
// REMARK-NOT: blocks of rows and columns

// CHECK-LABEL: kernel.func @transpose
// CHECK-DAG: kernel.range local {{.*}} extent(8)
// CHECK-DAG: kernel.range local {{.*}} extent(8)
// CHECK-DAG: kernel.range unroll {{.*}} extent(4)
// CHECK-DAG: kernel.range unroll {{.*}} extent(4)
// CHECK-DAG: kernel.range global {{.*}} extent(32)
// CHECK-DAG: kernel.range global {{.*}} extent(64)
// CHECK-NOT: kernel.range
// CHECK-NOT: kernel.stage
kernel.func @transpose(%in: memref<2097152xf32>, %out: memref<2097152xf32>) {
  %i = kernel.range loop id(0) extent(1024)
  %j = kernel.range loop id(1) extent(2048)
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  %row = arith.muli %j, %c1024 : index
  %from = arith.addi %row, %i : index
  %x = kernel.load %in[%from] : memref<2097152xf32>
  %column = arith.muli %i, %c2048 : index
  %to = arith.addi %column, %j : index
  kernel.store %x, %out[%to] : memref<2097152xf32>
}

// CHECK-LABEL: kernel.func @ends
// CHECK-COUNT-2: kernel.range unroll {{.*}} extent(8)
// CHECK: kernel.store {{.*}} if
kernel.func @ends(%in: memref<1022117xf16>, %out: memref<1022117xf16>) {
  %i = kernel.range loop id(0) extent(1013)
  %j = kernel.range loop id(1) extent(1009)
  %c1013 = arith.constant 1013 : index
  %c1009 = arith.constant 1009 : index
  %row = arith.muli %j, %c1013 : index
  %from = arith.addi %row, %i : index
  %x = kernel.load %in[%from] : memref<1022117xf16>
  %column = arith.muli %i, %c1009 : index
  %to = arith.addi %column, %j : index
  kernel.store %x, %out[%to] : memref<1022117xf16>
}

// CHECK-LABEL: kernel.func @rows
// CHECK-NOT: kernel.range unroll
kernel.func @rows(%in: memref<2097152xf32>, %out: memref<1048576xf32>) {
  %i = kernel.range loop id(0) extent(1024)
  %j = kernel.range loop id(1) extent(1024)
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  %row = arith.muli %i, %c2048 : index
  %from = arith.addi %row, %j : index
  %x = kernel.load %in[%from] : memref<2097152xf32>
  %column = arith.muli %i, %c1024 : index
  %to = arith.addi %column, %j : index
  kernel.store %x, %out[%to] : memref<1048576xf32>
}
