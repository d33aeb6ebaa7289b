// Sums of products along ranges of kind fragment are products of matrices by subgroups.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --convert-kernel-to-uop --verify-uop | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --convert-kernel-to-uop --check-passes -o /dev/null

// One subgroup, straight from buffers. A lane stores what it holds.
// CHECK-LABEL: uop.func @one
// CHECK: uop.special local dim(0) extent(32)
// CHECK-NOT: uop.special
// CHECK: %[[ROWS:.*]], %[[COLUMNS:.*]] = uop.fragment_place !uop.fragment<sum 16x8xf32> : vector<4xindex>
// CHECK: %[[ZERO:.*]] = uop.fragment_fill
// CHECK: %[[X:.*]] = uop.fragment_load %{{.*}}[%{{.*}}] stride(16) : memref<256xf16>, <left 16x16xf16>
// CHECK: %[[Y:.*]] = uop.fragment_load %{{.*}}[%{{.*}}] stride(8) : memref<128xf16>, <right 16x8xf16>
// CHECK: %[[SUM:.*]] = uop.mma %[[X]], %[[Y]], %[[ZERO]]
// CHECK: uop.fragment_elements %[[SUM]] : <sum 16x8xf32>, vector<4xf32>
// CHECK-COUNT-4: uop.store
// CHECK-NOT: uop.store
kernel.func @one(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// A factor whose columns are neighbours in memory, and the other one first.
// CHECK-LABEL: uop.func @turned
// CHECK: uop.fragment_load %{{.*}}[%{{.*}}] stride(16) transposed : memref<256xf16>, <left 16x16xf16>
// CHECK: uop.fragment_load %{{.*}}[%{{.*}}] stride(16) transposed : memref<128xf16>, <right 16x8xf16>
kernel.func @turned(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %k, %c16 : index
  %ik = arith.addi %i16, %i : index
  %k8 = arith.muli %j, %c16 : index
  %kj = arith.addi %k8, %k : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// Subgroups along ranges of kind warp, matrices of one of them as copies, and blocks of the depth as a loop.
// CHECK-LABEL: uop.func @subgroups
// CHECK: uop.special local dim(0) extent(64)
// CHECK: uop.special subgroup dim(0) extent(2)
// CHECK: uop.for
// CHECK-COUNT-3: uop.fragment_load
// CHECK-NOT: uop.fragment_load
// CHECK-COUNT-2: uop.fragment_elements
kernel.func @subgroups(%a: memref<1024xf16>, %b: memref<512xf16>, %c: memref<512xf32>) {
  %w = kernel.range warp id(0) extent(2)
  %f = kernel.range unroll id(1) extent(2)
  %r = kernel.range reduce id(2) extent(2)
  %i = kernel.range fragment id(3) extent(16)
  %j = kernel.range fragment id(4) extent(8)
  %k = kernel.range fragment id(5) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %w16 = arith.muli %w, %c16 : index
  %row = arith.addi %w16, %i : index
  %f8 = arith.muli %f, %c8 : index
  %column = arith.addi %f8, %j : index
  %r16 = arith.muli %r, %c16 : index
  %depth = arith.addi %r16, %k : index
  %i32 = arith.muli %row, %c32 : index
  %ik = arith.addi %i32, %depth : index
  %k16 = arith.muli %depth, %c16 : index
  %kj = arith.addi %k16, %column : index
  %x = kernel.load %a[%ik] : memref<1024xf16>
  %y = kernel.load %b[%kj] : memref<512xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %yw, %xw : f32
  %s = kernel.reduce addf (%p) over (%r, %k) : f32
  %i16 = arith.muli %row, %c16 : index
  %ij = arith.addi %i16, %column : index
  kernel.store %s, %c[%ij] : memref<512xf32>
}

// A scan of sums runs on in each element that a lane holds.
// CHECK-LABEL: uop.func @running_products
// CHECK: %[[SUM:.*]] = uop.mma
// CHECK: %[[HELD:.*]] = uop.fragment_elements %[[SUM]]
// CHECK: uop.for %{{.*}} to %{{.*}} iter(%[[BEFORE:[a-z0-9]*]] = {{.*}}) -> (f32, f32, f32, f32)
// CHECK: arith.addf %[[BEFORE]], %{{.*}} : f32
kernel.func @running_products(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<512xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %q = kernel.range loop id(3) extent(4)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %t = kernel.scan addf (%s) over (%q) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  %q128 = arith.muli %q, %c128 : index
  %at = arith.addi %q128, %ij : index
  kernel.store %t, %c[%at] : memref<512xf32>
}
