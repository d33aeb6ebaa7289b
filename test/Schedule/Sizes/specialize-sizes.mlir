// RUN: tiny-opt %s --target-attach="processor=x86-64-v4" --kernel-specialize-sizes --remarks-filter=kernel-specialize-sizes --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK

// One schedule is slow for one row and good for many, or the other way round: the launch stands in branches on the size,
// which is compared once. The kernel of the greatest sizes keeps its name.
// CHECK-LABEL: kernel.program @product(
// CHECK-SAME: %[[SIZES:[a-z0-9]*]]: memref<1xi64>)
// CHECK-DAG: %[[FEW:.*]] = kernel.alloc : memref<1xi1>
// CHECK-DAG: kernel.launch @is_upto_{{[0-9]+}}{{.*}} ins(%[[SIZES]] : memref<1xi64>) outs(%[[FEW]] : memref<1xi1>)
// CHECK: kernel.if %{{.*}} {
// CHECK: kernel.launch @[[$LEAST:matmul_upto_[0-9]+]] ins(
// CHECK: kernel.launch @matmul ins(
// CHECK: kernel.return
// REMARK-DAG: specialized {{.*}}Function=matmul_upto_[[MOST:[0-9]+]] {{.*}}a kernel for sizes [1] to {{\[}}[[MOST]]{{\]}}, predicted to take {{.*}} times as long as schedules of each size at most
// REMARK-DAG: specialized {{.*}}Function=matmul |

// What takes less than its launch is one kernel.
// CHECK-LABEL: kernel.program @small(
// CHECK-NOT: kernel.if
// CHECK: kernel.launch @double ins(

// The bounds of a clone are its own, and ranges have no more points than it needs.
// CHECK: kernel.func private @[[$LEAST]](
// CHECK: sym.range_of %{{.*}}[1, [[$MOST:[0-9]+]]] : index
// CHECK: kernel.range loop id(0) extent([[$MOST]]) size(

// CHECK-LABEL: kernel.func private @matmul(
// CHECK: sym.range_of %{{.*}}[{{[0-9]+}}, 128] : index
// CHECK: kernel.range loop id(0) extent(128) size(

// CHECK-LABEL: kernel.func private @double(
// CHECK: sym.range_of %{{.*}}[1, 128] : index

// A kernel that reads another number than a size is as it was.
// CHECK-LABEL: kernel.func private @data(
// CHECK-NOT: kernel.func private @data_upto

// CHECK-LABEL: kernel.func private @is_upto_{{[0-9]+}}(
// CHECK: arith.cmpi sle, %{{.*}}, %{{.*}} : i64
kernel.program @product(%x: memref<98304xf32> {tiny.type = tensor<128x768xf32>, tiny.shape = affine_map<()[n] -> (n, 768)>}, %w: memref<589824xf32>, %sizes: memref<1xi64>)
    -> (memref<98304xf32> {tiny.type = tensor<128x768xf32>, tiny.shape = affine_map<()[n] -> (n, 768)>}) attributes {sizes = [#kernel.size<"n", 1, 128>]} {
  %y = kernel.alloc : memref<98304xf32>
  kernel.launch @matmul ins(%x, %w, %sizes : memref<98304xf32>, memref<589824xf32>, memref<1xi64>) outs(%y : memref<98304xf32>)
  kernel.return %y : memref<98304xf32>
}
kernel.program @small(%x: memref<128xf32> {tiny.type = tensor<128xf32>, tiny.shape = affine_map<()[n] -> (n)>}, %sizes: memref<1xi64>)
    -> (memref<128xf32> {tiny.type = tensor<128xf32>, tiny.shape = affine_map<()[n] -> (n)>}) attributes {sizes = [#kernel.size<"n", 1, 128>]} {
  %y = kernel.alloc : memref<128xf32>
  kernel.launch @double ins(%x, %sizes : memref<128xf32>, memref<1xi64>) outs(%y : memref<128xf32>)
  kernel.launch @data ins(%y, %sizes : memref<128xf32>, memref<1xi64>) outs(%y : memref<128xf32>)
  kernel.return %y : memref<128xf32>
}
kernel.func private @matmul(%x: memref<98304xf32>, %w: memref<589824xf32>, %sizes: memref<1xi64>, %y: memref<98304xf32>) {
  %zero = arith.constant 0 : index
  %c768 = arith.constant 768 : index
  %loaded = kernel.load %sizes[%zero] : memref<1xi64>
  %index = arith.index_cast %loaded : i64 to index
  %n = sym.range_of %index[1, 128] : index
  %i = kernel.range loop id(0) extent(128) size(%n)
  %j = kernel.range loop id(1) extent(768)
  %k = kernel.range reduce id(2) extent(768)
  %row = arith.muli %i, %c768 : index
  %a = arith.addi %row, %k : index
  %line = arith.muli %k, %c768 : index
  %b = arith.addi %line, %j : index
  %u = kernel.load %x[%a] : memref<98304xf32>
  %v = kernel.load %w[%b] : memref<589824xf32>
  %p = arith.mulf %u, %v : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %at = arith.addi %row, %j : index
  kernel.store %s, %y[%at] : memref<98304xf32>
}
kernel.func private @double(%x: memref<128xf32>, %sizes: memref<1xi64>, %y: memref<128xf32>) {
  %zero = arith.constant 0 : index
  %loaded = kernel.load %sizes[%zero] : memref<1xi64>
  %index = arith.index_cast %loaded : i64 to index
  %n = sym.range_of %index[1, 128] : index
  %i = kernel.range loop id(0) extent(128) size(%n)
  %u = kernel.load %x[%i] : memref<128xf32>
  %v = arith.addf %u, %u : f32
  kernel.store %v, %y[%i] : memref<128xf32>
}
kernel.func private @data(%x: memref<128xf32>, %sizes: memref<1xi64>, %y: memref<128xf32>) {
  %zero = arith.constant 0 : index
  %i = kernel.range loop id(0) extent(128)
  %n = kernel.load %sizes[%zero] : memref<1xi64>
  %m = arith.sitofp %n : i64 to f32
  kernel.store %m, %y[%i] : memref<128xf32>
}
