// RUN: tiny-opt %s -kernel-default-schedule | FileCheck %s

// The axis that one result of the reduce varies along and another does not is a tile of accumulators and no loop; the
// reduction that the tile shares gets lanes, and rows share what they read.
// CHECK-LABEL: kernel.func @attention
kernel.func @attention(%q: memref<256xf32>, %k: memref<512xf32>, %v: memref<1024xf32>, %out: memref<512xf32>) {
  %zero = arith.constant 0.0 : f32
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %i = kernel.range loop id(0) extent(8)
  %d = kernel.range loop id(1) extent(64)
  %j = kernel.range reduce id(2) extent(16)
  %e = kernel.range reduce id(3) extent(32)
  %0 = arith.muli %i, %c32 : index
  %1 = arith.addi %0, %e : index
  %2 = kernel.load %q[%1] : memref<256xf32>
  %3 = arith.muli %j, %c32 : index
  %4 = arith.addi %3, %e : index
  %5 = kernel.load %k[%4] : memref<512xf32>
  %6 = arith.mulf %2, %5 : f32
  %7 = kernel.reduce addf (%6) over (%e) : f32
  %8 = arith.muli %j, %c64 : index
  %9 = arith.addi %8, %d : index
  %10 = kernel.load %v[%9] : memref<1024xf32>
  %r:2 = kernel.reduce (%7, %10) init (%zero, %zero) over (%j) : f32, f32 {
  ^bb0(%m: f32, %s: f32, %x: f32, %w: f32):
    %l = arith.maximumf %m, %x : f32
    %p = arith.mulf %w, %l : f32
    %t = arith.addf %s, %p : f32
    kernel.yield %l, %t : f32, f32
  }
  %11 = arith.muli %i, %c64 : index
  %12 = arith.addi %11, %d : index
  kernel.store %r#1, %out[%12] : memref<512xf32>
}

// More accumulators than registers hold are loops like any other.
// CHECK-LABEL: kernel.func @too_many
kernel.func @too_many(%x: memref<16xf32>, %v: memref<8192xf32>, %out: memref<512xf32>) {
  %zero = arith.constant 0.0 : f32
  %c512 = arith.constant 512 : index
  %d = kernel.range loop id(0) extent(512)
  %j = kernel.range reduce id(1) extent(16)
  %0 = kernel.load %x[%j] : memref<16xf32>
  %1 = arith.muli %j, %c512 : index
  %2 = arith.addi %1, %d : index
  %3 = kernel.load %v[%2] : memref<8192xf32>
  %r:2 = kernel.reduce (%0, %3) init (%zero, %zero) over (%j) : f32, f32 {
  ^bb0(%m: f32, %s: f32, %a: f32, %w: f32):
    %l = arith.maximumf %m, %a : f32
    %p = arith.mulf %w, %l : f32
    %t = arith.addf %s, %p : f32
    kernel.yield %l, %t : f32, f32
  }
  kernel.store %r#1, %out[%d] : memref<512xf32>
}

// CHECK: transform.named_sequence @attention
// CHECK: %[[D:.*]] = transform.tiny.axis %{{.*}}[1]
// CHECK: transform.tiny.split %[[D]] by 64 as upcast
// CHECK: %[[K:.*]] = transform.tiny.axis %{{.*}}[3]
// CHECK: transform.tiny.split %[[K]] by 16 as upcast
// CHECK: %[[I:.*]] = transform.tiny.axis %{{.*}}[0]
// CHECK: transform.tiny.split %[[I]] by 4 as upcast
// CHECK-NOT: by 512
