// Tiles are filled ahead, by asynchronous copies where a vector moves as it is.
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-pipeline-tiles))' | FileCheck %s
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_75},uop.func(uop-pipeline-tiles))' | FileCheck %s --check-prefix=OLDER
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-pipeline-tiles))' --remarks-filter=uop-pipeline-tiles --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --check-passes --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-pipeline-tiles))' -o /dev/null
// RUN: tiny-opt %s --check-passes --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_75},uop.func(uop-pipeline-tiles))' -o /dev/null

// The copies of an iteration are waited for at the beginning of the next one, and one barrier is left.
// REMARK: tiles are filled ahead
// CHECK-LABEL: uop.func @copies
// CHECK: %[[TILE:.*]] = uop.local : memref<256xf32>
// CHECK: uop.copy_async %{{.*}}, %[[TILE]][%{{.*}}] count(4)
// CHECK: uop.copy_commit
// CHECK: uop.for
// CHECK-NEXT: uop.copy_wait pending(0)
// CHECK-NEXT: uop.barrier
// CHECK-NOT: uop.if
// CHECK: %[[MORE:.*]] = arith.cmpi slt
// CHECK: uop.copy_async %{{.*}}, %[[TILE]][%{{.*}}] count(4) if %[[MORE]]
// CHECK: uop.copy_commit
// CHECK-NOT: uop.barrier
// CHECK: uop.load %[[TILE]]
// CHECK: uop.return
// A device that does not copy by itself loads and stores.
// OLDER-LABEL: uop.func @copies
// OLDER-NOT: uop.copy_async
// OLDER: uop.store %{{.*}} : vector<4xf32>, memref<256xf32>
// OLDER: uop.for
// OLDER: uop.if
// OLDER: uop.store %{{.*}} : vector<4xf32>, memref<256xf32>
uop.func @copies(%in: memref<640xf32>, %out: memref<32xf32>) {
  %c4 = arith.constant 4 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<128xf32>
  %l = uop.special local dim(0) extent(32)
  %l4 = arith.muli %l, %c4 : index
  %other = arith.subi %c127, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c128 : index
    %at = arith.addi %begin, %l4 : index
    %x = uop.load %in[%at] : memref<640xf32>, vector<4xf32>
    uop.barrier
    uop.store %x, %t[%l4] : vector<4xf32>, memref<128xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<128xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// Three tiles, of which two are on their way; behind a gate there are zeros.
// CHECK-LABEL: uop.func @three
// CHECK: uop.local : memref<384xf32>
// CHECK-COUNT-2: uop.copy_commit
// CHECK: uop.for
// CHECK-NEXT: uop.copy_wait pending(1)
// CHECK: uop.copy_async %{{.*}} count(4) if %{{.*}}
uop.func @three(%in: memref<600xf32>, %out: memref<32xf32>) {
  %c4 = arith.constant 4 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %c600 = arith.constant 600 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %t = uop.local buffers(3) : memref<128xf32>
  %l = uop.special local dim(0) extent(32)
  %l4 = arith.muli %l, %c4 : index
  %other = arith.subi %c127, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c128 : index
    %at = arith.addi %begin, %l4 : index
    %inside = arith.cmpi slt, %at, %c600 : index
    %x = uop.load %in[%at] if %inside as i1 : memref<600xf32>, vector<4xf32>
    %m = arith.select %inside, %x, %zeros : vector<4xf32>
    uop.barrier
    uop.store %m, %t[%l4] : vector<4xf32>, memref<128xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<128xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// What fills the tile depends on what the loop carries.
// REMARK: tiles are there once: what fills a tile depends on what the loop carries or writes
// CHECK-LABEL: uop.func @carried
// CHECK: uop.local : memref<32xf32>
// CHECK-COUNT-2: uop.barrier
uop.func @carried(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c31 = arith.constant 31 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    uop.barrier
    uop.store %acc, %t[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %x = uop.load %in[%l] : memref<32xf32>, f32
    %next = arith.addf %x, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// Copies begin while lanes compute: half of what reads the tile stands in front of them.
// CHECK-LABEL: uop.func @between
// CHECK: uop.for
// CHECK-NEXT: uop.copy_wait pending(0)
// CHECK-NEXT: uop.barrier
// CHECK-COUNT-2: uop.load %{{.*}} : memref<256xf32>, f32
// CHECK: uop.copy_async
// CHECK: uop.copy_commit
// CHECK-COUNT-2: uop.load %{{.*}} : memref<256xf32>, f32
// What one lane loads for another purpose, too, is no copy alone: there is a branch.
// CHECK-LABEL: uop.func @mixed
// CHECK: uop.for
// CHECK: uop.if
// CHECK: uop.copy_async
// CHECK: uop.copy_commit
uop.func @between(%in: memref<640xf32>, %out: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<128xf32>
  %l = uop.special local dim(0) extent(32)
  %l4 = arith.muli %l, %c4 : index
  %p = arith.addi %l, %c32 : index
  %q = arith.addi %l, %c64 : index
  %r = arith.addi %l, %c96 : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c128 : index
    %at = arith.addi %begin, %l4 : index
    %x = uop.load %in[%at] : memref<640xf32>, vector<4xf32>
    uop.barrier
    uop.store %x, %t[%l4] : vector<4xf32>, memref<128xf32>
    uop.barrier
    %a = uop.load %t[%l] : memref<128xf32>, f32
    %b = uop.load %t[%p] : memref<128xf32>, f32
    %c = uop.load %t[%q] : memref<128xf32>, f32
    %d = uop.load %t[%r] : memref<128xf32>, f32
    %e = arith.addf %acc, %a : f32
    %f = arith.addf %e, %b : f32
    %g = arith.addf %f, %c : f32
    %next = arith.addf %g, %d : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

uop.func @mixed(%in: memref<640xf32>, %out: memref<32xf32>) {
  %c4 = arith.constant 4 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<128xf32>
  %s = uop.local buffers(2) : memref<128xf32>
  %l = uop.special local dim(0) extent(32)
  %l4 = arith.muli %l, %c4 : index
  %other = arith.subi %c127, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c128 : index
    %at = arith.addi %begin, %l4 : index
    %x = uop.load %in[%at] : memref<640xf32>, vector<4xf32>
    %square = arith.mulf %x, %x : vector<4xf32>
    uop.barrier
    uop.store %x, %t[%l4] : vector<4xf32>, memref<128xf32>
    uop.store %square, %s[%l4] : vector<4xf32>, memref<128xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<128xf32>, f32
    %z = uop.load %s[%other] : memref<128xf32>, f32
    %p = arith.mulf %y, %z : f32
    %next = arith.addf %acc, %p : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// Factors of the first products come from the iteration before, which loads them behind its last read.
// CHECK-LABEL: uop.func @early
// CHECK: uop.copy_wait pending(0)
// CHECK-NEXT: uop.barrier
// CHECK: uop.fragment_load
// CHECK: uop.fragment_load
// CHECK: uop.for {{.*}} -> (!uop.fragment<sum 16x8xf32>, index, !uop.fragment<left 16x16xf16>, !uop.fragment<right 16x8xf16>)
// CHECK-NOT: uop.barrier
// CHECK: uop.copy_async
// CHECK: uop.copy_commit
// CHECK-COUNT-2: uop.fragment_load
// CHECK: uop.copy_wait pending(0)
// CHECK-NEXT: uop.barrier
// CHECK-COUNT-2: uop.fragment_load
// CHECK: uop.yield
// Few iterations do not fill all tiles, so none is read early.
// CHECK-LABEL: uop.func @few
// CHECK: uop.for {{.*}} -> (!uop.fragment<sum 16x8xf32>, index)
uop.func @early(%in: memref<3072xf16>, %out: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %c640 = arith.constant 640 : index
  %c768 = arith.constant 768 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<768xf16>
  %l = uop.special local dim(0) extent(96)
  %l8 = arith.muli %l, %c8 : index
  %none = uop.fragment_fill %zero : !uop.fragment<sum 16x8xf32>
  %sum = uop.for %k to %n iter(%acc = %none) -> (!uop.fragment<sum 16x8xf32>) {
    %begin = arith.muli %k, %c768 : index
    %at = arith.addi %begin, %l8 : index
    %x = uop.load %in[%at] : memref<3072xf16>, vector<8xf16>
    uop.barrier
    uop.store %x, %t[%l8] : vector<8xf16>, memref<768xf16>
    uop.barrier
    %a = uop.fragment_load %t[%c0] stride(16) : memref<768xf16>, !uop.fragment<left 16x16xf16>
    %b = uop.fragment_load %t[%c512] stride(8) : memref<768xf16>, !uop.fragment<right 16x8xf16>
    %first = uop.mma %a, %b, %acc : !uop.fragment<left 16x16xf16>, !uop.fragment<right 16x8xf16>, !uop.fragment<sum 16x8xf32>
    %c = uop.fragment_load %t[%c256] stride(16) : memref<768xf16>, !uop.fragment<left 16x16xf16>
    %d = uop.fragment_load %t[%c640] stride(8) : memref<768xf16>, !uop.fragment<right 16x8xf16>
    %second = uop.mma %c, %d, %first : !uop.fragment<left 16x16xf16>, !uop.fragment<right 16x8xf16>, !uop.fragment<sum 16x8xf32>
    uop.yield %second : !uop.fragment<sum 16x8xf32>
  }
  uop.fragment_store %sum, %out[%c0] stride(8) : !uop.fragment<sum 16x8xf32>, memref<128xf32>
  uop.return
}

uop.func @few(%in: memref<1536xf16>, %out: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %c640 = arith.constant 640 : index
  %c768 = arith.constant 768 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(3) : memref<768xf16>
  %l = uop.special local dim(0) extent(96)
  %l8 = arith.muli %l, %c8 : index
  %none = uop.fragment_fill %zero : !uop.fragment<sum 16x8xf32>
  %sum = uop.for %k to %n iter(%acc = %none) -> (!uop.fragment<sum 16x8xf32>) {
    %begin = arith.muli %k, %c768 : index
    %at = arith.addi %begin, %l8 : index
    %x = uop.load %in[%at] : memref<1536xf16>, vector<8xf16>
    uop.barrier
    uop.store %x, %t[%l8] : vector<8xf16>, memref<768xf16>
    uop.barrier
    %a = uop.fragment_load %t[%c0] stride(16) : memref<768xf16>, !uop.fragment<left 16x16xf16>
    %b = uop.fragment_load %t[%c512] stride(8) : memref<768xf16>, !uop.fragment<right 16x8xf16>
    %first = uop.mma %a, %b, %acc : !uop.fragment<left 16x16xf16>, !uop.fragment<right 16x8xf16>, !uop.fragment<sum 16x8xf32>
    %c = uop.fragment_load %t[%c256] stride(16) : memref<768xf16>, !uop.fragment<left 16x16xf16>
    %d = uop.fragment_load %t[%c640] stride(8) : memref<768xf16>, !uop.fragment<right 16x8xf16>
    %second = uop.mma %c, %d, %first : !uop.fragment<left 16x16xf16>, !uop.fragment<right 16x8xf16>, !uop.fragment<sum 16x8xf32>
    uop.yield %second : !uop.fragment<sum 16x8xf32>
  }
  uop.fragment_store %sum, %out[%c0] stride(8) : !uop.fragment<sum 16x8xf32>, memref<128xf32>
  uop.return
}

// Tiles that are filled in turn, each between barriers of its own, and one that is filled in front of the loop: the copies
// of both begin at once, and one barrier is left.
// CHECK-LABEL: uop.func @in_turn
// CHECK: %[[FIRST:.*]] = uop.local : memref<256xf32>
// CHECK: %[[SECOND:.*]] = uop.local : memref<256xf32>
// CHECK: uop.for
// CHECK-NEXT: uop.copy_wait pending(0)
// CHECK-NEXT: uop.barrier
// CHECK-NOT: uop.load
// CHECK: uop.copy_async %{{.*}}, %[[FIRST]]
// CHECK-NOT: uop.load
// CHECK: uop.copy_async %{{.*}}, %[[SECOND]]
// CHECK-NEXT: uop.copy_commit
// CHECK-NOT: uop.barrier
// CHECK: uop.load %[[FIRST]]
// CHECK-NOT: uop.barrier
// CHECK: uop.load %[[SECOND]]
// CHECK-NOT: uop.barrier
// CHECK: uop.return
uop.func @in_turn(%in: memref<640xf32>, %weights: memref<640xf32>, %out: memref<32xf32>) {
  %c4 = arith.constant 4 : index
  %c31 = arith.constant 31 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<128xf32>
  %u = uop.local buffers(2) : memref<128xf32>
  %kept = uop.local : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %l4 = arith.muli %l, %c4 : index
  %last = arith.subi %c31, %l : index
  %other = arith.subi %c127, %l : index
  %q = uop.load %in[%l] : memref<640xf32>, f32
  uop.store %q, %kept[%l] : f32, memref<32xf32>
  uop.barrier
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c128 : index
    %at = arith.addi %begin, %l4 : index
    %x = uop.load %in[%at] : memref<640xf32>, vector<4xf32>
    uop.barrier
    uop.store %x, %t[%l4] : vector<4xf32>, memref<128xf32>
    uop.barrier
    %r = uop.load %kept[%last] : memref<32xf32>, f32
    %y = uop.load %t[%other] : memref<128xf32>, f32
    %w = uop.load %weights[%at] : memref<640xf32>, vector<4xf32>
    uop.store %w, %u[%l4] : vector<4xf32>, memref<128xf32>
    uop.barrier
    %z = uop.load %u[%other] : memref<128xf32>, f32
    %p = arith.mulf %y, %r : f32
    %o = arith.mulf %p, %z : f32
    %next = arith.addf %acc, %o : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}
