// Tiles that a launch gives may leave room for so few workgroups that each lane can have many registers. The assembler is
// told how many.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" --uop-describe-entry --convert-uop-to-nvvm | tiny-translate --kernels-to-ptx | FileCheck %s --check-prefix=PTX

// Four workgroups of 64 lanes.
// CHECK: llvm.func @few{{.*}}nvvm.minctasm = 4 : i32
// PTX-LABEL: .entry few(
// PTX: .reqntid 64, 1, 1
// PTX-NEXT: .minnctapersm 4
uop.func @few(%out: memref<64xf32>) {
  %l = uop.special local dim(0) extent(64)
  %x = arith.constant 1.0 : f32
  %t = uop.local : memref<13312xf32>
  uop.store %x, %t[%l] : f32, memref<13312xf32>
  %y = uop.load %t[%l] : memref<13312xf32>, f32
  uop.store %y, %out[%l] : f32, memref<64xf32>
  uop.return
}

// Four of 256 have 64 registers a lane.
// CHECK: llvm.func @many
// CHECK-NOT: minctasm
// PTX-LABEL: .entry many(
// PTX-NOT: .minnctapersm
uop.func @many(%out: memref<256xf32>) {
  %l = uop.special local dim(0) extent(256)
  %x = arith.constant 1.0 : f32
  %t = uop.local : memref<13312xf32>
  uop.store %x, %t[%l] : f32, memref<13312xf32>
  %y = uop.load %t[%l] : memref<13312xf32>, f32
  uop.store %y, %out[%l] : f32, memref<256xf32>
  uop.return
}

// Of tiles of 48 KiB or less the assembler knows.
// CHECK: llvm.func @small
// CHECK-NOT: minctasm
uop.func @small(%out: memref<32xf32>) {
  %l = uop.special local dim(0) extent(32)
  %x = arith.constant 1.0 : f32
  %t = uop.local : memref<12288xf32>
  uop.store %x, %t[%l] : f32, memref<12288xf32>
  %y = uop.load %t[%l] : memref<12288xf32>, f32
  uop.store %y, %out[%l] : f32, memref<32xf32>
  uop.return
}

// Values of 64 bits take two registers each: lanes have all that there are.
// PTX-LABEL: .entry wide(
// PTX: .minnctapersm 4
// CHECK: llvm.func @wide{{.*}}nvvm.minctasm = 4 : i32
// CHECK: llvm.func @partly
// CHECK-NOT: minctasm
uop.func @wide(%in: memref<64xi64>, %out: memref<64xf64>) {
  %l = uop.special local dim(0) extent(64)
  %x = uop.load %in[%l] : memref<64xi64>, i64
  %y = arith.sitofp %x : i64 to f64
  uop.store %y, %out[%l] : f64, memref<64xf64>
  uop.return
}
uop.func @partly(%in: memref<64xi64>, %out: memref<64xf32>) {
  %l = uop.special local dim(0) extent(64)
  %x = uop.load %in[%l] : memref<64xi64>, i64
  %y = arith.sitofp %x : i64 to f32
  uop.store %y, %out[%l] : f32, memref<64xf32>
  uop.return
}

// A multiprocessor takes no more than sixteen workgroups for sure.
// CHECK: llvm.func @one{{.*}}nvvm.minctasm = 16 : i32
uop.func @one(%in: memref<1xf64>, %out: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<1xf64>, f64
  uop.store %x, %out[%c0] : f64, memref<1xf64>
  uop.return
}
