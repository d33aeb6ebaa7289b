// Panels of products that the device copies into a ring of tiles.
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_90a},uop.func(uop-copy-boxes))' --check-passes --check-passes-function=ring | FileCheck %s
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_90a},uop.func(uop-copy-boxes))' --check-passes --check-passes-function=needed -o /dev/null
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_90a},uop.func(uop-copy-boxes))' --check-passes --check-passes-function=read_by_lanes -o /dev/null
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_90a},uop.func(uop-copy-boxes))' --remarks-filter=uop-copy-boxes --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// Other devices have lanes copy.
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_90},uop.func(uop-copy-boxes))' | FileCheck %s --check-prefix=OTHERS --implicit-check-not=uop.copy_bulk
// OTHERS: uop.local buffers(2)

// The left factor has rows of 64 columns, a box for each tile; the right one rows of 128, two boxes behind each other.
// REMARK: the device fills the tiles
// CHECK-LABEL: uop.func @ring(
// CHECK-SAME: %[[A:.*]]: memref<16384xf16>, %[[B:.*]]: memref<32768xf16>
// CHECK: %[[FULL:.*]] = uop.local : memref<2xi64>
// CHECK: %[[EMPTY:.*]] = uop.local : memref<2xi64>
// CHECK: %[[LEFT:.*]] = uop.local : memref<8192xf16>
// CHECK: %[[RIGHT:.*]] = uop.local : memref<16384xf16>
// CHECK: uop.mbarrier_init %[[FULL]] arrivals(1)
// CHECK: uop.mbarrier_init %[[EMPTY]] arrivals(4)
// CHECK: %[[LANE:.*]] = uop.special local dim(0) extent(128)
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]]
// CHECK: uop.if %[[FIRST]] {
// CHECK: uop.mbarrier_expect %[[FULL]][%{{.*}}] bytes(24576)
// CHECK: uop.copy_bulk %[[A]][%{{.*}}, %{{.*}}] extents(64, 256) stride(256), %[[LEFT]][%{{.*}}] box(64, 64), %[[FULL]]
// CHECK: uop.copy_bulk %[[B]][%{{.*}}, %{{.*}}] extents(256, 128) stride(128), %[[RIGHT]][%{{.*}}] box(64, 64), %[[FULL]]
// CHECK: uop.copy_bulk %[[B]][%{{.*}}, %{{.*}}] extents(256, 128) stride(128), %[[RIGHT]][%{{.*}}] box(64, 64), %[[FULL]]
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.for %[[ROUND:.*]] to %{{.*}} iter(%[[SUM:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}})
// CHECK-NEXT: uop.mbarrier_wait %[[FULL]][%[[SLOT]]] phase(%[[PHASE]])
// CHECK-NOT: uop.barrier
// CHECK: uop.fragment_load %[[LEFT]][%{{.*}}] stride(64) panel(4096)
// CHECK: uop.fragment_load %[[RIGHT]][%{{.*}}] stride(64) panel(4096)
// CHECK: uop.mma %
// CHECK: %[[LAST:.*]] = uop.mma %
// CHECK: %[[NEXT:.*]] = uop.mma_wait %[[LAST]] pending(1)
// CHECK: uop.mbarrier_arrive %[[EMPTY]][%[[BEFORE:.*]]] : memref<2xi64>
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK: %[[MORE:.*]] = arith.andi %[[FIRST]], %[[INSIDE]]
// CHECK: uop.if %[[MORE]] {
// CHECK-NEXT: uop.mbarrier_wait %[[EMPTY]][%[[BEFORE]]] phase(%[[PHASE]])
// CHECK: uop.mbarrier_expect %[[FULL]][%[[BEFORE]]] bytes(24576)
// CHECK-COUNT-3: uop.copy_bulk
// CHECK: }
// CHECK: uop.yield %[[NEXT]], %{{.*}}, %{{.*}}
// CHECK: uop.mma_wait %{{.*}}#0 pending(0)
uop.func @ring(%a: memref<16384xf16>, %b: memref<32768xf16>, %out: memref<8192xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  %c4096 = arith.constant 4096 : index
  %c8192 = arith.constant 8192 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %left = uop.local buffers(2) : memref<4096xf16>
  %right = uop.local buffers(2) : memref<8192xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %row256 = arith.muli %row, %c256 : index
  %ofLane = arith.addi %row256, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x128xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x128xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index
    %from1 = arith.addi %from, %c4096 : index
    %from2 = arith.addi %from, %c8192 : index
    %c12288 = arith.constant 12288 : index
    %from3 = arith.addi %from, %c12288 : index
    %at1 = arith.addi %at, %c1024 : index
    %at2 = arith.addi %at, %c2048 : index
    %c3072 = arith.constant 3072 : index
    %at3 = arith.addi %at, %c3072 : index
    %x0 = uop.load %a[%from] : memref<16384xf16>, vector<8xf16>
    uop.store %x0, %left[%at] : vector<8xf16>, memref<4096xf16>
    %x1 = uop.load %a[%from1] : memref<16384xf16>, vector<8xf16>
    uop.store %x1, %left[%at1] : vector<8xf16>, memref<4096xf16>
    %x2 = uop.load %a[%from2] : memref<16384xf16>, vector<8xf16>
    uop.store %x2, %left[%at2] : vector<8xf16>, memref<4096xf16>
    %x3 = uop.load %a[%from3] : memref<16384xf16>, vector<8xf16>
    uop.store %x3, %left[%at3] : vector<8xf16>, memref<4096xf16>
    %k8192 = arith.muli %k, %c8192 : index
    %begin = arith.addi %k8192, %at : index
    %d0 = arith.constant 0 : index
    %y0 = arith.addi %begin, %d0 : index
    %w0 = uop.load %b[%y0] : memref<32768xf16>, vector<8xf16>
    %t0 = arith.addi %at, %d0 : index
    uop.store %w0, %right[%t0] : vector<8xf16>, memref<8192xf16>
    %d1 = arith.constant 1024 : index
    %y1 = arith.addi %begin, %d1 : index
    %w1 = uop.load %b[%y1] : memref<32768xf16>, vector<8xf16>
    %t1 = arith.addi %at, %d1 : index
    uop.store %w1, %right[%t1] : vector<8xf16>, memref<8192xf16>
    %d2 = arith.constant 2048 : index
    %y2 = arith.addi %begin, %d2 : index
    %w2 = uop.load %b[%y2] : memref<32768xf16>, vector<8xf16>
    %t2 = arith.addi %at, %d2 : index
    uop.store %w2, %right[%t2] : vector<8xf16>, memref<8192xf16>
    %d3 = arith.constant 3072 : index
    %y3 = arith.addi %begin, %d3 : index
    %w3 = uop.load %b[%y3] : memref<32768xf16>, vector<8xf16>
    %t3 = arith.addi %at, %d3 : index
    uop.store %w3, %right[%t3] : vector<8xf16>, memref<8192xf16>
    %d4 = arith.constant 4096 : index
    %y4 = arith.addi %begin, %d4 : index
    %w4 = uop.load %b[%y4] : memref<32768xf16>, vector<8xf16>
    %t4 = arith.addi %at, %d4 : index
    uop.store %w4, %right[%t4] : vector<8xf16>, memref<8192xf16>
    %d5 = arith.constant 5120 : index
    %y5 = arith.addi %begin, %d5 : index
    %w5 = uop.load %b[%y5] : memref<32768xf16>, vector<8xf16>
    %t5 = arith.addi %at, %d5 : index
    uop.store %w5, %right[%t5] : vector<8xf16>, memref<8192xf16>
    %d6 = arith.constant 6144 : index
    %y6 = arith.addi %begin, %d6 : index
    %w6 = uop.load %b[%y6] : memref<32768xf16>, vector<8xf16>
    %t6 = arith.addi %at, %d6 : index
    uop.store %w6, %right[%t6] : vector<8xf16>, memref<8192xf16>
    %d7 = arith.constant 7168 : index
    %y7 = arith.addi %begin, %d7 : index
    %w7 = uop.load %b[%y7] : memref<32768xf16>, vector<8xf16>
    %t7 = arith.addi %at, %d7 : index
    uop.store %w7, %right[%t7] : vector<8xf16>, memref<8192xf16>
    uop.barrier
    %f = uop.fragment_load %left[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %right[%c0] stride(128) : memref<8192xf16>, !uop.fragment<right 16x128xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x128xf16 by 4>, !uop.fragment<sum 64x128xf32 by 4>
    %h = uop.fragment_load %left[%c16] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %i = uop.fragment_load %right[%c2048] stride(128) : memref<8192xf16>, !uop.fragment<right 16x128xf16 by 4>
    %q = uop.mma %h, %i, %p : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x128xf16 by 4>, !uop.fragment<sum 64x128xf32 by 4>
    uop.yield %q : !uop.fragment<sum 64x128xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(128) : !uop.fragment<sum 64x128xf32 by 4>, memref<8192xf32>
  uop.return
}

// A left factor of tf32 that lies across the depth: lanes read it, so products are two series, each with registers that
// the one before does not have.
// REMARK: the device fills the tiles
// CHECK-LABEL: uop.func @read_by_lanes(
// CHECK: uop.for
// CHECK-NEXT: uop.mbarrier_wait
// CHECK: uop.fragment_load %[[LEFT:.*]][%{{.*}}] stride(32) transposed panel(1024)
// CHECK: %[[FIRST:.*]] = uop.mma %
// CHECK-NEXT: %[[GOES_ON:.*]] = uop.mma_wait %[[FIRST]] pending(1)
// CHECK: uop.fragment_load %[[LEFT]][%{{.*}}] stride(32) transposed panel(1024)
// CHECK: %[[SECOND:.*]] = uop.mma %{{.*}}, %{{.*}}, %[[GOES_ON]]
// CHECK: %[[NEXT:.*]] = uop.mma_wait %[[SECOND]] pending(1)
// CHECK: uop.mbarrier_arrive
// CHECK: uop.yield %[[NEXT]]
uop.func @read_by_lanes(%a: memref<8192xf32>, %b: memref<8192xf32>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %c2048 = arith.constant 2048 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %left = uop.local buffers(2) : memref<2048xf32>
  %right = uop.local buffers(2) : memref<2048xf32>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c4 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c4 : index
  %row128 = arith.muli %row, %c128 : index
  %ofLane = arith.addi %row128, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k2048 = arith.muli %k, %c2048 : index
    %ofLeft = arith.addi %k2048, %at : index
    %k32 = arith.muli %k, %c32 : index
    %ofRight = arith.addi %ofLane, %k32 : index
    %d0 = arith.constant 0 : index
    %t0 = arith.addi %at, %d0 : index
    %p0 = arith.addi %ofLeft, %d0 : index
    %x0 = uop.load %a[%p0] : memref<8192xf32>, vector<4xf32>
    uop.store %x0, %left[%t0] : vector<4xf32>, memref<2048xf32>
    %f0 = arith.constant 0 : index
    %q0 = arith.addi %ofRight, %f0 : index
    %y0 = uop.load %b[%q0] : memref<8192xf32>, vector<4xf32>
    uop.store %y0, %right[%t0] : vector<4xf32>, memref<2048xf32>
    %d1 = arith.constant 512 : index
    %t1 = arith.addi %at, %d1 : index
    %p1 = arith.addi %ofLeft, %d1 : index
    %x1 = uop.load %a[%p1] : memref<8192xf32>, vector<4xf32>
    uop.store %x1, %left[%t1] : vector<4xf32>, memref<2048xf32>
    %f1 = arith.constant 2048 : index
    %q1 = arith.addi %ofRight, %f1 : index
    %y1 = uop.load %b[%q1] : memref<8192xf32>, vector<4xf32>
    uop.store %y1, %right[%t1] : vector<4xf32>, memref<2048xf32>
    %d2 = arith.constant 1024 : index
    %t2 = arith.addi %at, %d2 : index
    %p2 = arith.addi %ofLeft, %d2 : index
    %x2 = uop.load %a[%p2] : memref<8192xf32>, vector<4xf32>
    uop.store %x2, %left[%t2] : vector<4xf32>, memref<2048xf32>
    %f2 = arith.constant 4096 : index
    %q2 = arith.addi %ofRight, %f2 : index
    %y2 = uop.load %b[%q2] : memref<8192xf32>, vector<4xf32>
    uop.store %y2, %right[%t2] : vector<4xf32>, memref<2048xf32>
    %d3 = arith.constant 1536 : index
    %t3 = arith.addi %at, %d3 : index
    %p3 = arith.addi %ofLeft, %d3 : index
    %x3 = uop.load %a[%p3] : memref<8192xf32>, vector<4xf32>
    uop.store %x3, %left[%t3] : vector<4xf32>, memref<2048xf32>
    %f3 = arith.constant 6144 : index
    %q3 = arith.addi %ofRight, %f3 : index
    %y3 = uop.load %b[%q3] : memref<8192xf32>, vector<4xf32>
    uop.store %y3, %right[%t3] : vector<4xf32>, memref<2048xf32>
    uop.barrier
    %l0 = uop.fragment_load %left[%c0] stride(64) transposed : memref<2048xf32>, !uop.fragment<left 64x8xtf32 by 4>
    %r0 = uop.fragment_load %right[%c0] stride(32) transposed : memref<2048xf32>, !uop.fragment<right 8x64xtf32 by 4>
    %m0 = uop.mma %l0, %r0, %sum : !uop.fragment<left 64x8xtf32 by 4>, !uop.fragment<right 8x64xtf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    %l1 = uop.fragment_load %left[%c512] stride(64) transposed : memref<2048xf32>, !uop.fragment<left 64x8xtf32 by 4>
    %r1 = uop.fragment_load %right[%c8] stride(32) transposed : memref<2048xf32>, !uop.fragment<right 8x64xtf32 by 4>
    %m1 = uop.mma %l1, %r1, %m0 : !uop.fragment<left 64x8xtf32 by 4>, !uop.fragment<right 8x64xtf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %m1 : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// Of one product there are no two series: it is done where the iteration ends.
// REMARK: the device fills the tiles
// CHECK-LABEL: uop.func @one_product(
// CHECK: uop.for
// CHECK: %[[ONE:.*]] = uop.mma %
// CHECK: uop.mma_wait %[[ONE]] pending(0)
uop.func @one_product(%a: memref<8192xf32>, %b: memref<8192xf32>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c2048 = arith.constant 2048 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %left = uop.local buffers(2) : memref<2048xf32>
  %right = uop.local buffers(2) : memref<2048xf32>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c4 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c4 : index
  %row128 = arith.muli %row, %c128 : index
  %ofLane = arith.addi %row128, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k2048 = arith.muli %k, %c2048 : index
    %ofLeft = arith.addi %k2048, %at : index
    %k32 = arith.muli %k, %c32 : index
    %ofRight = arith.addi %ofLane, %k32 : index
    %d0 = arith.constant 0 : index
    %t0 = arith.addi %at, %d0 : index
    %p0 = arith.addi %ofLeft, %d0 : index
    %x0 = uop.load %a[%p0] : memref<8192xf32>, vector<4xf32>
    uop.store %x0, %left[%t0] : vector<4xf32>, memref<2048xf32>
    %f0 = arith.constant 0 : index
    %q0 = arith.addi %ofRight, %f0 : index
    %y0 = uop.load %b[%q0] : memref<8192xf32>, vector<4xf32>
    uop.store %y0, %right[%t0] : vector<4xf32>, memref<2048xf32>
    %d1 = arith.constant 512 : index
    %t1 = arith.addi %at, %d1 : index
    %p1 = arith.addi %ofLeft, %d1 : index
    %x1 = uop.load %a[%p1] : memref<8192xf32>, vector<4xf32>
    uop.store %x1, %left[%t1] : vector<4xf32>, memref<2048xf32>
    %f1 = arith.constant 2048 : index
    %q1 = arith.addi %ofRight, %f1 : index
    %y1 = uop.load %b[%q1] : memref<8192xf32>, vector<4xf32>
    uop.store %y1, %right[%t1] : vector<4xf32>, memref<2048xf32>
    %d2 = arith.constant 1024 : index
    %t2 = arith.addi %at, %d2 : index
    %p2 = arith.addi %ofLeft, %d2 : index
    %x2 = uop.load %a[%p2] : memref<8192xf32>, vector<4xf32>
    uop.store %x2, %left[%t2] : vector<4xf32>, memref<2048xf32>
    %f2 = arith.constant 4096 : index
    %q2 = arith.addi %ofRight, %f2 : index
    %y2 = uop.load %b[%q2] : memref<8192xf32>, vector<4xf32>
    uop.store %y2, %right[%t2] : vector<4xf32>, memref<2048xf32>
    %d3 = arith.constant 1536 : index
    %t3 = arith.addi %at, %d3 : index
    %p3 = arith.addi %ofLeft, %d3 : index
    %x3 = uop.load %a[%p3] : memref<8192xf32>, vector<4xf32>
    uop.store %x3, %left[%t3] : vector<4xf32>, memref<2048xf32>
    %f3 = arith.constant 6144 : index
    %q3 = arith.addi %ofRight, %f3 : index
    %y3 = uop.load %b[%q3] : memref<8192xf32>, vector<4xf32>
    uop.store %y3, %right[%t3] : vector<4xf32>, memref<2048xf32>
    uop.barrier
    %l0 = uop.fragment_load %left[%c0] stride(64) transposed : memref<2048xf32>, !uop.fragment<left 64x8xtf32 by 4>
    %r0 = uop.fragment_load %right[%c0] stride(32) transposed : memref<2048xf32>, !uop.fragment<right 8x64xtf32 by 4>
    %m0 = uop.mma %l0, %r0, %sum : !uop.fragment<left 64x8xtf32 by 4>, !uop.fragment<right 8x64xtf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %m0 : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// What lanes go on filling, and why.
// REMARK: lanes fill the tiles: what fills a tile is computed
// CHECK-LABEL: uop.func @computed(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @computed(%a: memref<16384xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<16384xf16>, vector<8xf16>
    %z0 = arith.addf %x0, %x0 : vector<8xf16>
    uop.store %z0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<16384xf16>, vector<8xf16>
    %z1 = arith.addf %x1, %x1 : vector<8xf16>
    uop.store %z1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<16384xf16>, vector<8xf16>
    %z2 = arith.addf %x2, %x2 : vector<8xf16>
    uop.store %z2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<16384xf16>, vector<8xf16>
    %z3 = arith.addf %x3, %x3 : vector<8xf16>
    uop.store %z3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: rows of a matrix begin at no multiple of 16 bytes, or it is too large
// CHECK-LABEL: uop.func @narrow_rows(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @narrow_rows(%a: memref<16640xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 260 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<16640xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4160 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<16640xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8320 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<16640xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12480 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<16640xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: a buffer has no whole rows of the matrix
// CHECK-LABEL: uop.func @part_of_rows(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @part_of_rows(%a: memref<16392xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<16392xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<16392xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<16392xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<16392xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: a box may lie over the end of a row
// CHECK-LABEL: uop.func @over_the_end(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @over_the_end(%a: memref<20480xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index
    %shift = arith.constant 224 : index
    %late = arith.addi %from, %shift : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %late, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<20480xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %late, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<20480xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %late, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<20480xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %late, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<20480xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: what fills a tile is no box of a matrix
// CHECK-LABEL: uop.func @of_lanes(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @of_lanes(%a: memref<32768xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index
    %turned = arith.muli %k, %l : index
    %moved0 = arith.muli %turned, %c8 : index
    %moved = arith.addi %from, %moved0 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %moved, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<32768xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %moved, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<32768xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %moved, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<32768xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %moved, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<32768xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: its products are not of several subgroups, or their sums are for something else, too
// CHECK-LABEL: uop.func @other_use(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @other_use(%a: memref<16384xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<16384xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<16384xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<16384xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<16384xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    %e = uop.fragment_elements %p : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
    %first = vector.extract %e[0] : f32 from vector<32xf32>
    uop.store %first, %out[%l] : f32, memref<4096xf32>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: a tile is not for products of several subgroups
// CHECK-LABEL: uop.func @other_read(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @other_read(%a: memref<16384xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<16384xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<16384xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<16384xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<16384xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    %q = uop.load %tile[%l] : memref<4096xf16>, f16
    %r = arith.extf %q : f16 to f32
    uop.store %r, %out[%l] : f32, memref<4096xf32>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: a tile is read in a loop inside
// CHECK-LABEL: uop.func @read_inside(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @read_inside(%a: memref<16384xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<16384xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<16384xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<16384xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<16384xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.for %z to %n {
    %q = uop.load %tile[%l] : memref<4096xf16>, f16
    %r = arith.extf %q : f16 to f32
    uop.store %r, %out[%l] : f32, memref<4096xf32>
    }
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: zeros are not those outside of the matrix
// CHECK-LABEL: uop.func @other_zeros(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @other_zeros(%a: memref<16384xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %c12 = arith.constant 12 : index
  %inside = arith.cmpi slt, %row, %c12 : index
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] if %inside as i1 : memref<16384xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] if %inside as i1 : memref<16384xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] if %inside as i1 : memref<16384xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] if %inside as i1 : memref<16384xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: it is in a loop or a condition
// CHECK-LABEL: uop.func @nested(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @nested(%a: memref<16384xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  uop.for %outer to %n {
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<16384xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<16384xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<16384xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<16384xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  }
  uop.return
}

// REMARK: lanes fill the tiles: lanes lie along several axes
// CHECK-LABEL: uop.func @two_axes(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @two_axes(%a: memref<16384xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %y = uop.special local dim(1) extent(2)
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<16384xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<16384xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<16384xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<16384xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// REMARK: lanes fill the tiles: there is no memory left for barriers
// CHECK-LABEL: uop.func @no_memory(
// CHECK-NOT: uop.copy_bulk
// CHECK: uop.return
uop.func @no_memory(%a: memref<16384xf16>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(2) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %big = uop.local : memref<54016xf32>
  %s = uop.for %k to %n iter(%sum = %c) -> (!uop.fragment<sum 64x64xf32 by 4>) {
    uop.barrier
    %k64 = arith.muli %k, %c64 : index
    %from = arith.addi %ofLane, %k64 : index

    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<16384xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 4096 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<16384xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 8192 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<16384xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 12288 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<16384xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %sum : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    uop.yield %p : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.fragment_store %s, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}

// An iteration that needs its products itself waits for them. It gives the tile of the one before back when it begins,
// and has that filled.
// REMARK: the device fills the tiles
// CHECK-LABEL: uop.func @needed(
// CHECK-SAME: %[[A:.*]]: memref<32768xf16>
// CHECK: %[[FULL:.*]] = uop.local : memref<3xi64>
// CHECK: %[[EMPTY:.*]] = uop.local : memref<3xi64>
// CHECK-COUNT-2: uop.copy_bulk
// CHECK: uop.for %[[ROUND:.*]] to %{{.*}} iter(%{{.*}} = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}})
// CHECK: uop.mbarrier_arrive %[[EMPTY]][%[[BEFORE:.*]]] : memref<3xi64>
// CHECK: uop.if
// CHECK-NEXT: uop.mbarrier_wait %[[EMPTY]][%[[BEFORE]]] phase(%[[PHASE]])
// CHECK: uop.copy_bulk
// CHECK: }
// CHECK-NEXT: uop.mbarrier_wait %[[FULL]][%[[SLOT]]] phase(%[[PHASE]])
// CHECK-NOT: uop.barrier
// CHECK: uop.mma
// CHECK-NOT: uop.mma_wait
// CHECK: uop.return
uop.func @needed(%a: memref<32768xf16>, %out: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %stride = arith.constant 128 : index
  %length = arith.constant 8192 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local buffers(3) : memref<4096xf16>
  %l = uop.special local dim(0) extent(128)
  %at = arith.muli %l, %c8 : index
  %row = arith.divui %l, %c8 : index
  %column8 = arith.remui %l, %c8 : index
  %column = arith.muli %column8, %c8 : index
  %rowBegin = arith.muli %row, %stride : index
  %ofLane = arith.addi %rowBegin, %column : index
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %s = uop.for %k to %n iter(%sum = %zero) -> (f32) {
    uop.barrier
    %begin = arith.muli %k, %length : index
    %from = arith.addi %ofLane, %begin : index
    %d0 = arith.constant 0 : index
    %f0 = arith.addi %from, %d0 : index
    %t0 = arith.constant 0 : index
    %p0 = arith.addi %at, %t0 : index
    %x0 = uop.load %a[%f0] : memref<32768xf16>, vector<8xf16>
    uop.store %x0, %tile[%p0] : vector<8xf16>, memref<4096xf16>
    %d1 = arith.constant 2048 : index
    %f1 = arith.addi %from, %d1 : index
    %t1 = arith.constant 1024 : index
    %p1 = arith.addi %at, %t1 : index
    %x1 = uop.load %a[%f1] : memref<32768xf16>, vector<8xf16>
    uop.store %x1, %tile[%p1] : vector<8xf16>, memref<4096xf16>
    %d2 = arith.constant 4096 : index
    %f2 = arith.addi %from, %d2 : index
    %t2 = arith.constant 2048 : index
    %p2 = arith.addi %at, %t2 : index
    %x2 = uop.load %a[%f2] : memref<32768xf16>, vector<8xf16>
    uop.store %x2, %tile[%p2] : vector<8xf16>, memref<4096xf16>
    %d3 = arith.constant 6144 : index
    %f3 = arith.addi %from, %d3 : index
    %t3 = arith.constant 3072 : index
    %p3 = arith.addi %at, %t3 : index
    %x3 = uop.load %a[%f3] : memref<32768xf16>, vector<8xf16>
    uop.store %x3, %tile[%p3] : vector<8xf16>, memref<4096xf16>
    uop.barrier
    %f = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<left 64x16xf16 by 4>
    %g = uop.fragment_load %tile[%c0] stride(64) : memref<4096xf16>, !uop.fragment<right 16x64xf16 by 4>
    %p = uop.mma %f, %g, %c : !uop.fragment<left 64x16xf16 by 4>, !uop.fragment<right 16x64xf16 by 4>, !uop.fragment<sum 64x64xf32 by 4>
    %e = uop.fragment_elements %p : !uop.fragment<sum 64x64xf32 by 4>, vector<32xf32>
    %x = vector.extract %e[0] : f32 from vector<32xf32>
    %y = arith.addf %sum, %x : f32
    uop.yield %y : f32
  }
  uop.store %s, %out[%l] : f32, memref<128xf32>
  uop.return
}
