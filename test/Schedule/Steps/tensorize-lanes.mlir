// Products in the registers of lanes: rows and columns of lanes, which fill tiles as one line of lanes.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-apply-schedules | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --tiny-kernel-to-uop-pipeline --check-passes | FileCheck %s --check-prefix=UOP
// RUN: tiny-opt %s --target-attach="target=vulkan processor=lavapipe" --kernel-apply-schedules | FileCheck %s --check-prefix=NARROW

// CHECK-LABEL: kernel.func @product
// CHECK-DAG: kernel.range local {{.*}}extent(32)
// CHECK-DAG: kernel.range local {{.*}}extent(32)
// CHECK-DAG: kernel.range local {{.*}}extent(8)
// CHECK-DAG: kernel.range local {{.*}}extent(4)
// CHECK-DAG: kernel.range upcast {{.*}}extent(4)
// CHECK-DAG: kernel.range reduce id(2) extent(4)
// CHECK-DAG: kernel.stage {{.*}} local : memref<256xf32>
// CHECK-DAG: kernel.stage {{.*}} local : memref<512xf32>
// Vectors need accesses of 16 bytes.
// NARROW-LABEL: kernel.func @product
// NARROW-NOT: upcast

// One axis of the hardware has rows and columns of lanes. Both tiles are filled between two barriers. Rows of 64 bytes
// would meet in the banks of memory; they lie 80 apart.
// UOP-LABEL: uop.func @product
// UOP-DAG: uop.local : memref<320xf32>
// UOP-DAG: uop.local : memref<512xf32>
// UOP: %[[LANE:.*]] = uop.special local dim(0) extent(32)
// UOP-DAG: arith.andi %[[LANE]], %c7
// UOP-DAG: arith.shrsi %[[LANE]], %c3
// UOP-NOT: uop.special local
// UOP: uop.for
// UOP: uop.barrier
// UOP: uop.store {{.*}}memref<{{320|512}}xf32>
// UOP: uop.store {{.*}}memref<{{320|512}}xf32>
// UOP: uop.barrier
// UOP-NOT: uop.barrier
// UOP: uop.load {{.*}}memref<320xf32>
// UOP: math.fma {{.*}} : vector<4xf32>
kernel.func @product(%a: memref<1024xf32>, %b: memref<4096xf32>, %c: memref<1024xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(16)
  %j = kernel.range loop id(1) extent(64)
  %k = kernel.range reduce id(2) extent(64)
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k64 = arith.muli %k, %c64 : index
  %kj = arith.addi %k64, %j : index
  %x = kernel.load %a[%ik] : memref<1024xf32>
  %y = kernel.load %b[%kj] : memref<4096xf32>
  %p = arith.mulf %x, %y fastmath<contract> : f32
  %s = kernel.reduce addf (%p) over (%k) fastmath<reassoc,contract> : f32
  %ij = arith.addi %i64, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [16, 32, 16] lanes [4, 8] : (!transform.any_op) -> ()
    transform.yield
  }
}
