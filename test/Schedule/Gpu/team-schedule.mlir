// Products by teams of subgroups, where the record has instructions for them.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" --kernel-default-schedule | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90" --kernel-default-schedule | FileCheck %s --check-prefix=SUBGROUPS

// Half of a lane's registers are sums. Subgroups alone multiply smaller matrices.
// CHECK-LABEL: named_sequence @large
// CHECK: transform.tiny.tensorize {{.*}} tile [128, 256, 64] subgroups [2, 1] shape [64, 256, 16]
// CHECK-COUNT-2: transform.tiny.pipeline {{.*}} by 4
// SUBGROUPS-LABEL: named_sequence @large
// SUBGROUPS: transform.tiny.tensorize {{.*}} shape [16, 8, 16]
kernel.func @large(%a: memref<16777216xf16>, %b: memref<16777216xf16>, %c: memref<16777216xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %j = kernel.range loop id(1) extent(4096)
  %k = kernel.range reduce id(2) extent(4096)
  %depth = arith.constant 4096 : index
  %columns = arith.constant 4096 : index
  %i0 = arith.muli %i, %depth : index
  %ik = arith.addi %i0, %k : index
  %x = kernel.load %a[%ik] : memref<16777216xf16>
  %k0 = arith.muli %k, %columns : index
  %kj = arith.addi %k0, %j : index
  %y = kernel.load %b[%kj] : memref<16777216xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %c0 = arith.muli %i, %columns : index
  %ij = arith.addi %c0, %j : index
  kernel.store %s, %c[%ij] : memref<16777216xf32>
}

// Where columns and depth are padded, masks need registers, too.
// CHECK-LABEL: named_sequence @padded
// CHECK-NOT: shape [64, 256, 16]
// CHECK: transform.tiny.tensorize {{.*}} tile [128, 128, 64] subgroups [2, 1] shape [64, 128, 16]
kernel.func @padded(%a: memref<16200000xf16>, %b: memref<16605000xf16>, %c: memref<16400000xf32>) {
  %i = kernel.range loop id(0) extent(4000)
  %j = kernel.range loop id(1) extent(4100)
  %k = kernel.range reduce id(2) extent(4050)
  %depth = arith.constant 4050 : index
  %columns = arith.constant 4100 : index
  %i0 = arith.muli %i, %depth : index
  %ik = arith.addi %i0, %k : index
  %x = kernel.load %a[%ik] : memref<16200000xf16>
  %k0 = arith.muli %k, %columns : index
  %kj = arith.addi %k0, %j : index
  %y = kernel.load %b[%kj] : memref<16605000xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %c0 = arith.muli %i, %columns : index
  %ij = arith.addi %c0, %j : index
  kernel.store %s, %c[%ij] : memref<16400000xf32>
}

// There are as many workgroups as cores.
// CHECK-LABEL: named_sequence @small
// CHECK: transform.tiny.tensorize {{.*}} tile [64, 64, 64] subgroups [1, 1] shape [64, 64, 16]
kernel.func @small(%a: memref<262144xf16>, %b: memref<262144xf16>, %c: memref<262144xf32>) {
  %i = kernel.range loop id(0) extent(512)
  %j = kernel.range loop id(1) extent(512)
  %k = kernel.range reduce id(2) extent(512)
  %depth = arith.constant 512 : index
  %columns = arith.constant 512 : index
  %i0 = arith.muli %i, %depth : index
  %ik = arith.addi %i0, %k : index
  %x = kernel.load %a[%ik] : memref<262144xf16>
  %k0 = arith.muli %k, %columns : index
  %kj = arith.addi %k0, %j : index
  %y = kernel.load %b[%kj] : memref<262144xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %c0 = arith.muli %i, %columns : index
  %ij = arith.addi %c0, %j : index
  kernel.store %s, %c[%ij] : memref<262144xf32>
}

// Of tf32 a factor that lies across the depth is the left one, whichever axis is stored along.
// CHECK-LABEL: named_sequence @upper_bits
// CHECK: transform.tiny.tensorize {{.*}} [1, 0, 2] tile [128, 256, 32] subgroups [2, 1] shape [64, 256, 8]
// CHECK-COUNT-2: transform.tiny.pipeline {{.*}} by 4
kernel.func @upper_bits(%a: memref<16777216xf32>, %b: memref<16777216xf32>, %c: memref<16777216xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %j = kernel.range loop id(1) extent(4096)
  %k = kernel.range reduce id(2) extent(4096)
  %n = arith.constant 4096 : index
  %a0 = arith.muli %i, %n : index
  %a1 = arith.addi %a0, %k : index
  %x = kernel.load %a[%a1] : memref<16777216xf32>
  %b0 = arith.muli %k, %n : index
  %b1 = arith.addi %b0, %j : index
  %y = kernel.load %b[%b1] : memref<16777216xf32>
  %mask = arith.constant -8192 : i32
  %xb = arith.bitcast %x : f32 to i32
  %xu = arith.andi %xb, %mask : i32
  %xw = arith.bitcast %xu : i32 to f32
  %yb = arith.bitcast %y : f32 to i32
  %yu = arith.andi %yb, %mask : i32
  %yw = arith.bitcast %yu : i32 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %c0 = arith.muli %i, %n : index
  %c1 = arith.addi %c0, %j : index
  kernel.store %s, %c[%c1] : memref<16777216xf32>
}

// Both lie along it here.
// CHECK-LABEL: named_sequence @weights
// CHECK: transform.tiny.tensorize {{.*}} [0, 1, 2] tile [128, 256, 32] subgroups [2, 1] shape [64, 256, 8]
kernel.func @weights(%a: memref<16777216xf32>, %b: memref<16777216xf32>, %c: memref<16777216xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %j = kernel.range loop id(1) extent(4096)
  %k = kernel.range reduce id(2) extent(4096)
  %n = arith.constant 4096 : index
  %a0 = arith.muli %i, %n : index
  %a1 = arith.addi %a0, %k : index
  %x = kernel.load %a[%a1] : memref<16777216xf32>
  %b0 = arith.muli %j, %n : index
  %b1 = arith.addi %b0, %k : index
  %y = kernel.load %b[%b1] : memref<16777216xf32>
  %mask = arith.constant -8192 : i32
  %xb = arith.bitcast %x : f32 to i32
  %xu = arith.andi %xb, %mask : i32
  %xw = arith.bitcast %xu : i32 to f32
  %yb = arith.bitcast %y : f32 to i32
  %yu = arith.andi %yb, %mask : i32
  %yw = arith.bitcast %yu : i32 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %c0 = arith.muli %i, %n : index
  %c1 = arith.addi %c0, %j : index
  kernel.store %s, %c[%c1] : memref<16777216xf32>
}

// CHECK-LABEL: named_sequence @turned
// CHECK: transform.tiny.tensorize {{.*}} [0, 1, 2] tile [128, 256, 32] subgroups [2, 1] shape [64, 256, 8]
kernel.func @turned(%a: memref<16777216xf32>, %b: memref<16777216xf32>, %c: memref<16777216xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %j = kernel.range loop id(1) extent(4096)
  %k = kernel.range reduce id(2) extent(4096)
  %n = arith.constant 4096 : index
  %a0 = arith.muli %k, %n : index
  %a1 = arith.addi %a0, %i : index
  %x = kernel.load %a[%a1] : memref<16777216xf32>
  %b0 = arith.muli %j, %n : index
  %b1 = arith.addi %b0, %k : index
  %y = kernel.load %b[%b1] : memref<16777216xf32>
  %mask = arith.constant -8192 : i32
  %xb = arith.bitcast %x : f32 to i32
  %xu = arith.andi %xb, %mask : i32
  %xw = arith.bitcast %xu : i32 to f32
  %yb = arith.bitcast %y : f32 to i32
  %yu = arith.andi %yb, %mask : i32
  %yw = arith.bitcast %yu : i32 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %c0 = arith.muli %i, %n : index
  %c1 = arith.addi %c0, %j : index
  kernel.store %s, %c[%c1] : memref<16777216xf32>
}

// Where both lie across it lanes turn the right one.
// CHECK-LABEL: named_sequence @both_across
// CHECK: transform.tiny.tensorize {{.*}} [0, 1, 2] tile [128, 256, 32] subgroups [2, 1] shape [64, 256, 8]
kernel.func @both_across(%a: memref<16777216xf32>, %b: memref<16777216xf32>, %c: memref<16777216xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %j = kernel.range loop id(1) extent(4096)
  %k = kernel.range reduce id(2) extent(4096)
  %n = arith.constant 4096 : index
  %a0 = arith.muli %k, %n : index
  %a1 = arith.addi %a0, %i : index
  %x = kernel.load %a[%a1] : memref<16777216xf32>
  %b0 = arith.muli %k, %n : index
  %b1 = arith.addi %b0, %j : index
  %y = kernel.load %b[%b1] : memref<16777216xf32>
  %mask = arith.constant -8192 : i32
  %xb = arith.bitcast %x : f32 to i32
  %xu = arith.andi %xb, %mask : i32
  %xw = arith.bitcast %xu : i32 to f32
  %yb = arith.bitcast %y : f32 to i32
  %yu = arith.andi %yb, %mask : i32
  %yw = arith.bitcast %yu : i32 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %c0 = arith.muli %i, %n : index
  %c1 = arith.addi %c0, %j : index
  kernel.store %s, %c[%c1] : memref<16777216xf32>
}
