// Tiles that a launch gives may leave room for so few workgroups that each lane can have all registers. The assembler is
// told so.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" --uop-describe-entry --convert-uop-to-nvvm | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" --uop-describe-entry --convert-uop-to-nvvm | tiny-translate --kernels-to-ptx | FileCheck %s --check-prefix=PTX

// Four workgroups of 64 lanes.
// CHECK: llvm.func @few{{.*}}nvvm.minctasm = 1 : i32
// PTX-LABEL: .entry few(
// PTX: .reqntid 64, 1, 1
// PTX-NEXT: .minnctapersm 1
uop.func @few(%out: memref<64xf32>) {
  %l = uop.special local dim(0) extent(64)
  %x = arith.constant 1.0 : f32
  %t = uop.local : memref<13312xf32>
  uop.store %x, %t[%l] : f32, memref<13312xf32>
  %y = uop.load %t[%l] : memref<13312xf32>, f32
  uop.store %y, %out[%l] : f32, memref<64xf32>
  uop.return
}

// Four of 128 have 128 registers a lane.
// CHECK: llvm.func @many
// CHECK-NOT: minctasm
// PTX-LABEL: .entry many(
// PTX-NOT: .minnctapersm
uop.func @many(%out: memref<128xf32>) {
  %l = uop.special local dim(0) extent(128)
  %x = arith.constant 1.0 : f32
  %t = uop.local : memref<13312xf32>
  uop.store %x, %t[%l] : f32, memref<13312xf32>
  %y = uop.load %t[%l] : memref<13312xf32>, f32
  uop.store %y, %out[%l] : f32, memref<128xf32>
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
