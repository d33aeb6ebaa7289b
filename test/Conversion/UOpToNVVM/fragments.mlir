// Fragments are what a lane holds of them: words of factors, elements of sums.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s --implicit-check-not="uop."

// From a buffer, whose rows may begin anywhere, element by element.
// CHECK-LABEL: llvm.func @buffers(
// CHECK-NOT: ldmatrix
// CHECK-COUNT-12: llvm.load {{.*}} -> i16
// CHECK-NOT: llvm.load
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>{{.*}} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK-COUNT-4: llvm.store {{.*}} : f32
// CHECK-NOT: llvm.store
uop.func @buffers(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(32)
  %x = uop.fragment_load %a[%c0] stride(16) : memref<256xf16>, !uop.fragment<left 16x16xf16>
  %y = uop.fragment_load %b[%c0] stride(8) : memref<128xf16>, !uop.fragment<right 16x8xf16>
  %z = uop.fragment_fill %zero : !uop.fragment<sum 16x8xf32>
  %sum = uop.mma %x, %y, %z : !uop.fragment<left 16x16xf16>, !uop.fragment<right 16x8xf16>, !uop.fragment<sum 16x8xf32>
  uop.fragment_store %sum, %c[%c0] stride(8) : !uop.fragment<sum 16x8xf32>, memref<128xf32>
  uop.return
}

// From a tile, whose rows begin at multiples of 16 bytes, in one instruction each.
// CHECK-LABEL: llvm.func @tiles(
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 2 : i32
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
uop.func @tiles(%a: memref<512xbf16>, %c: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %l = uop.special local dim(0) extent(32)
  %tile = uop.local : memref<512xbf16>
  uop.for %k to %c16 {
    %c32 = arith.constant 32 : index
    %row = arith.muli %k, %c32 : index
    %at = arith.addi %row, %l : index
    %v = uop.load %a[%at] : memref<512xbf16>, bf16
    uop.store %v, %tile[%at] : bf16, memref<512xbf16>
  }
  uop.barrier
  %z = uop.fragment_load %c[%c0] stride(8) : memref<128xf32>, !uop.fragment<sum 16x8xf32>
  %sum = uop.for %k to %c2 iter(%before = %z) -> (!uop.fragment<sum 16x8xf32>) {
    %i = arith.muli %k, %c16 : index
    %x = uop.fragment_load %tile[%i] stride(16) : memref<512xbf16>, !uop.fragment<left 16x16xbf16>
    %j = arith.addi %i, %c256 : index
    %y = uop.fragment_load %tile[%j] stride(8) : memref<512xbf16>, !uop.fragment<right 16x8xbf16>
    %next = uop.mma %x, %y, %before : !uop.fragment<left 16x16xbf16>, !uop.fragment<right 16x8xbf16>, !uop.fragment<sum 16x8xf32>
    uop.yield %next : !uop.fragment<sum 16x8xf32>
  }
  uop.fragment_store %sum, %c[%c0] stride(8) : !uop.fragment<sum 16x8xf32>, memref<128xf32>
  uop.return
}

// Rows that begin elsewhere, or bytes across rows, go one by one.
// CHECK-LABEL: llvm.func @elements(
// CHECK-NOT: ldmatrix
// CHECK: llvm.return
uop.func @elements(%in: memref<1024xi8>, %out: memref<512xi8>) {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(32)
  %tile = uop.local : memref<1024xi8>
  %v = uop.load %in[%l] : memref<1024xi8>, i8
  uop.store %v, %tile[%l] : i8, memref<1024xi8>
  uop.barrier
  %x = uop.fragment_load %tile[%c0] stride(40) : memref<1024xi8>, !uop.fragment<left 16x32xi8>
  uop.fragment_store %x, %out[%c0] stride(32) : !uop.fragment<left 16x32xi8>, memref<512xi8>
  %y = uop.fragment_load %tile[%c0] stride(16) : memref<1024xi8>, !uop.fragment<right 32x8xi8>
  %z = arith.constant 0 : i8
  %w = uop.fragment_fill %z : !uop.fragment<right 32x8xi8>
  %is = arith.constant true
  %one = arith.select %is, %y, %w : !uop.fragment<right 32x8xi8>
  uop.fragment_store %one, %out[%c0] stride(8) : !uop.fragment<right 32x8xi8>, memref<512xi8>
  uop.return
}

// Two right factors that lie a known distance apart come by one instruction, as long as nothing is written in between.
// Left factors of 16x8 elements, too.
// CHECK-LABEL: llvm.func @pairs(
// CHECK-COUNT-2: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-NOT: ldmatrix
// CHECK: llvm.return
uop.func @pairs(%in: memref<1024xbf16>, %out: memref<1024xbf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c512 = arith.constant 512 : index
  %l = uop.special local dim(0) extent(32)
  %tile = uop.local : memref<1024xbf16>
  %v = uop.load %in[%l] : memref<1024xbf16>, bf16
  uop.store %v, %tile[%l] : bf16, memref<1024xbf16>
  uop.barrier
  %a = uop.fragment_load %tile[%c0] stride(32) : memref<1024xbf16>, !uop.fragment<right 16x8xbf16>
  %b = uop.fragment_load %tile[%c8] stride(32) : memref<1024xbf16>, !uop.fragment<right 16x8xbf16>
  %c = uop.fragment_load %tile[%c16] stride(32) : memref<1024xbf16>, !uop.fragment<right 16x8xbf16>
  %d = uop.fragment_load %tile[%c24] stride(32) : memref<1024xbf16>, !uop.fragment<right 16x8xbf16>
  %e = uop.fragment_load %tile[%c0] stride(32) : memref<1024xbf16>, !uop.fragment<left 16x8xbf16>
  %f = uop.fragment_load %tile[%c512] stride(32) : memref<1024xbf16>, !uop.fragment<left 16x8xbf16>
  uop.fragment_store %a, %out[%c0] stride(8) : !uop.fragment<right 16x8xbf16>, memref<1024xbf16>
  uop.fragment_store %b, %out[%c0] stride(8) : !uop.fragment<right 16x8xbf16>, memref<1024xbf16>
  uop.fragment_store %c, %out[%c0] stride(8) : !uop.fragment<right 16x8xbf16>, memref<1024xbf16>
  uop.fragment_store %d, %out[%c0] stride(8) : !uop.fragment<right 16x8xbf16>, memref<1024xbf16>
  uop.fragment_store %e, %out[%c0] stride(8) : !uop.fragment<left 16x8xbf16>, memref<1024xbf16>
  uop.fragment_store %f, %out[%c0] stride(8) : !uop.fragment<left 16x8xbf16>, memref<1024xbf16>
  uop.return
}

// What lies in one tile of several, at other strides, or is written meanwhile is read by itself.
// CHECK-LABEL: llvm.func @alone(
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}}num = 2 : i32
// CHECK-NOT: ldmatrix
// CHECK: llvm.return
uop.func @alone(%in: memref<1024xbf16>, %out: memref<1024xbf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %l = uop.special local dim(0) extent(32)
  %tile = uop.local : memref<1024xbf16>
  %other = uop.local : memref<1024xbf16>
  %v = uop.load %in[%l] : memref<1024xbf16>, bf16
  uop.store %v, %tile[%l] : bf16, memref<1024xbf16>
  uop.store %v, %other[%l] : bf16, memref<1024xbf16>
  uop.barrier
  %a = uop.fragment_load %tile[%c0] stride(32) : memref<1024xbf16>, !uop.fragment<right 16x8xbf16>
  %b = uop.fragment_load %other[%c8] stride(32) : memref<1024xbf16>, !uop.fragment<right 16x8xbf16>
  %c = uop.fragment_load %tile[%c16] stride(16) : memref<1024xbf16>, !uop.fragment<right 16x8xbf16>
  uop.store %v, %tile[%l] : bf16, memref<1024xbf16>
  %d = uop.fragment_load %tile[%c8] stride(32) : memref<1024xbf16>, !uop.fragment<right 16x8xbf16>
  uop.fragment_store %a, %out[%c0] stride(8) : !uop.fragment<right 16x8xbf16>, memref<1024xbf16>
  uop.fragment_store %b, %out[%c0] stride(8) : !uop.fragment<right 16x8xbf16>, memref<1024xbf16>
  uop.fragment_store %c, %out[%c0] stride(8) : !uop.fragment<right 16x8xbf16>, memref<1024xbf16>
  uop.fragment_store %d, %out[%c0] stride(8) : !uop.fragment<right 16x8xbf16>, memref<1024xbf16>
  uop.return
}

// A row of a sum is in four lanes that stand next to each other, which exchange what two of their elements give. Elements
// of a sum are words of a factor as they are, and two products of half a depth one of the whole.
// CHECK-LABEL: llvm.func @held(
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK: llvm.intr.maximum
// CHECK-COUNT-2: nvvm.shfl.sync
// CHECK: llvm.intr.maximum
// CHECK: llvm.intr.maximum
// CHECK-COUNT-2: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// CHECK-COUNT-8: llvm.fptrunc {{.*}} : f32 to bf16
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-NOT: nvvm.mma.sync
uop.func @held(%a: memref<128xf32>, %b: memref<64xf32>, %v: memref<128xbf16>, %c: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(32)
  %x = uop.fragment_load %a[%c0] stride(8) : memref<128xf32>, !uop.fragment<left 16x8xtf32>
  %y = uop.fragment_load %b[%c0] stride(8) : memref<64xf32>, !uop.fragment<right 8x8xtf32>
  %z = uop.fragment_fill %zero : !uop.fragment<sum 16x8xf32>
  %s = uop.mma %x, %y, %z : !uop.fragment<left 16x8xtf32>, !uop.fragment<right 8x8xtf32>, !uop.fragment<sum 16x8xf32>
  %e = uop.fragment_elements %s : !uop.fragment<sum 16x8xf32>, vector<4xf32>
  %m = uop.fragment_reduce maximumf %e of !uop.fragment<sum 16x8xf32> : vector<4xf32>
  %d = arith.subf %e, %m : vector<4xf32>
  %p = uop.fragment_pack %e : vector<4xf32>, !uop.fragment<left 16x8xbf16>
  %q = uop.fragment_pack %d : vector<4xf32>, !uop.fragment<left 16x8xbf16>
  %v0 = uop.fragment_load %v[%c0] stride(8) : memref<128xbf16>, !uop.fragment<right 8x8xbf16>
  %v1 = uop.fragment_load %v[%c64] stride(8) : memref<128xbf16>, !uop.fragment<right 8x8xbf16>
  %r = uop.mma %p, %v0, %z : !uop.fragment<left 16x8xbf16>, !uop.fragment<right 8x8xbf16>, !uop.fragment<sum 16x8xf32>
  %t = uop.mma %q, %v1, %r : !uop.fragment<left 16x8xbf16>, !uop.fragment<right 8x8xbf16>, !uop.fragment<sum 16x8xf32>
  uop.fragment_store %t, %c[%c0] stride(8) : !uop.fragment<sum 16x8xf32>, memref<128xf32>
  uop.return
}
