// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --emit-bytecode | tiny-opt | FileCheck %s

// CHECK-LABEL: uop.func @boxes
// CHECK-SAME: maps = [#kernel.tensor_map<buffer = 0, element = bf16, rows = 512, columns = 256, stride = 256, box_rows = 64, box_columns = 64>]
uop.func @boxes(%in: memref<131072xbf16>) attributes {kernel.entry = #kernel.entry<grid = [1, 1, 1], maps = [
    #kernel.tensor_map<buffer = 0, element = bf16, rows = 512, columns = 256, stride = 256, box_rows = 64, box_columns = 64>]>} {
  %c0 = arith.constant 0 : index
  %tile = uop.local : memref<4096xbf16>
  %full = uop.local : memref<4xi64>
  // CHECK: uop.mbarrier_init %[[FULL:.*]] arrivals(1) : memref<4xi64>
  uop.mbarrier_init %full arrivals(1) : memref<4xi64>
  // CHECK: uop.mbarrier_expect %[[FULL]][%{{.*}}] bytes(8192) : memref<4xi64>
  uop.mbarrier_expect %full[%c0] bytes(8192) : memref<4xi64>
  // CHECK: uop.copy_bulk %{{.*}}[%{{.*}}, %{{.*}}] extents(512, 256) stride(256), %{{.*}}[%{{.*}}] box(64, 64), %[[FULL]][%{{.*}}] : memref<131072xbf16>, memref<4096xbf16>, memref<4xi64>
  uop.copy_bulk %in[%c0, %c0] extents(512, 256) stride(256), %tile[%c0] box(64, 64), %full[%c0] : memref<131072xbf16>, memref<4096xbf16>, memref<4xi64>
  // CHECK: uop.mbarrier_wait %[[FULL]][%{{.*}}] phase(%{{.*}}) : memref<4xi64>
  uop.mbarrier_wait %full[%c0] phase(%c0) : memref<4xi64>
  // CHECK: uop.mbarrier_arrive %[[FULL]][%{{.*}}] : memref<4xi64>
  uop.mbarrier_arrive %full[%c0] : memref<4xi64>
  uop.return
}

// CHECK-LABEL: uop.func @series
uop.func @series(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c = uop.fragment_load %in[%c0] stride(64) : memref<4096xf32>, !uop.fragment<sum 64x64xf32 by 4>
  // CHECK: %{{.*}}:2 = uop.mma_wait %{{.*}}, %{{.*}} pending(0) : !uop.fragment<sum 64x64xf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  %d:2 = uop.mma_wait %c, %c pending(0) : !uop.fragment<sum 64x64xf32 by 4>, !uop.fragment<sum 64x64xf32 by 4>
  uop.fragment_store %d#0, %out[%c0] stride(64) : !uop.fragment<sum 64x64xf32 by 4>, memref<4096xf32>
  uop.return
}
