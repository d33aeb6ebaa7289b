// Sums of products of bytes are instructions of x86, in registers of 4, 8 or 16 lanes.
// RUN: tiny-opt %s --target-attach=processor=x86-64-v2 --uop-describe-entry --convert-uop-to-llvm | FileCheck %s --check-prefixes=CHECK,V2
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --uop-describe-entry --convert-uop-to-llvm -o %t.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,V3 < %t.mlir
// RUN: tiny-opt %s --target-attach=processor=skylake-avx512 --uop-describe-entry --convert-uop-to-llvm | FileCheck %s --check-prefixes=CHECK,V4
// RUN: tiny-opt %s --target-attach=processor=icelake-server --uop-describe-entry --convert-uop-to-llvm | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: tiny-translate --kernels-to-assembly %t.mlir | FileCheck %s --check-prefix=CODE
// RUN: not tiny-translate --kernels-to-assembly --processor=x86-64 %t.mlir 2>&1 | FileCheck %s --check-prefix=LACKS

// LACKS: error: processor 'x86-64' does not have 'llvm.x86.avx2.pmadd.ub.sw'

// CHECK-LABEL: llvm.func @wide
// V2-COUNT-4: llvm.call_intrinsic "llvm.x86.ssse3.pmadd.ub.sw.128"({{.*}}) : (vector<16xi8>, vector<16xi8>) -> vector<8xi16>
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"({{.*}}) : (vector<32xi8>, vector<32xi8>) -> vector<16xi16>
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"({{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// V4: llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"
// V4: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// VNNI: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// CODE: vpmaddubsw
// CODE: vpmaddwd
uop.func @wide(%a: memref<64xi8>, %b: memref<64xi8>, %out: memref<16xi32>) {
  %i = arith.constant 0 : index
  %mask = arith.constant dense<15> : vector<64xi8>
  %zero = arith.constant dense<1> : vector<16xi32>
  %x = uop.load %a[%i] : memref<64xi8>, vector<64xi8>
  %low = arith.andi %x, %mask : vector<64xi8>
  %y = uop.load %b[%i] : memref<64xi8>, vector<64xi8>
  // The unsigned factor goes first.
  %d = uop.dot %y, %low, %zero unsigned_right : vector<64xi8>, vector<16xi32>
  uop.store %d, %out[%i] : vector<16xi32>, memref<16xi32>
  uop.return
}

// Lanes that fill no register.
// CHECK-LABEL: llvm.func @three
// CHECK: llvm.shufflevector {{.*}} : vector<12xi8>
// V3: llvm.call_intrinsic "llvm.x86.ssse3.pmadd.ub.sw.128"
// CHECK: llvm.shufflevector {{.*}}[0, 1, 2] : vector<4xi32>
uop.func @three(%a: memref<12xi8>, %b: memref<12xi8>, %out: memref<3xi32>) {
  %i = arith.constant 0 : index
  %zero = arith.constant dense<1> : vector<3xi32>
  %x = uop.load %a[%i] : memref<12xi8>, vector<12xi8>
  %size = math.absi %x : vector<12xi8>
  %y = uop.load %b[%i] : memref<12xi8>, vector<12xi8>
  %d = uop.dot %size, %y, %zero unsigned_left : vector<12xi8>, vector<3xi32>
  uop.store %d, %out[%i] : vector<3xi32>, memref<3xi32>
  uop.return
}

// Eight products of nibbles are added up in 16 bits, and the ninth would be too many: 9 * 15 > 128.
// CHECK-LABEL: llvm.func @chain
// V3-COUNT-8: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// V3-NOT: llvm.call_intrinsic
// VNNI-COUNT-9: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// CHECK: llvm.return
uop.func @chain(%a: memref<32xi8>, %b: memref<32xi8>, %out: memref<8xi32>) {
  %i = arith.constant 0 : index
  %mask = arith.constant dense<15> : vector<32xi8>
  %s0 = arith.constant dense<1> : vector<8xi32>
  %x = uop.load %a[%i] : memref<32xi8>, vector<32xi8>
  %low = arith.andi %x, %mask : vector<32xi8>
  %y = uop.load %b[%i] : memref<32xi8>, vector<32xi8>
  %s1 = uop.dot %low, %y, %s0 unsigned_left : vector<32xi8>, vector<8xi32>
  %s2 = uop.dot %y, %low, %s1 unsigned_right : vector<32xi8>, vector<8xi32>
  %s3 = uop.dot %low, %y, %s2 unsigned_left : vector<32xi8>, vector<8xi32>
  %s4 = uop.dot %low, %y, %s3 unsigned_left : vector<32xi8>, vector<8xi32>
  %s5 = uop.dot %low, %y, %s4 unsigned_left : vector<32xi8>, vector<8xi32>
  %s6 = uop.dot %low, %y, %s5 unsigned_left : vector<32xi8>, vector<8xi32>
  %s7 = uop.dot %low, %y, %s6 unsigned_left : vector<32xi8>, vector<8xi32>
  %s8 = uop.dot %low, %y, %s7 unsigned_left : vector<32xi8>, vector<8xi32>
  %s9 = uop.dot %low, %y, %s8 unsigned_left : vector<32xi8>, vector<8xi32>
  uop.store %s9, %out[%i] : vector<8xi32>, memref<8xi32>
  uop.return
}

// A sum that others read is made.
// CHECK-LABEL: llvm.func @read
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// V3: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
uop.func @read(%a: memref<32xi8>, %b: memref<32xi8>, %out: memref<8xi32>) {
  %i = arith.constant 0 : index
  %mask = arith.constant dense<15> : vector<32xi8>
  %s0 = arith.constant dense<1> : vector<8xi32>
  %x = uop.load %a[%i] : memref<32xi8>, vector<32xi8>
  %low = arith.andi %x, %mask : vector<32xi8>
  %y = uop.load %b[%i] : memref<32xi8>, vector<32xi8>
  %s1 = uop.dot %low, %y, %s0 unsigned_left : vector<32xi8>, vector<8xi32>
  uop.store %s1, %out[%i] : vector<8xi32>, memref<8xi32>
  %s2 = uop.dot %low, %y, %s1 unsigned_left : vector<32xi8>, vector<8xi32>
  uop.store %s2, %out[%i] : vector<8xi32>, memref<8xi32>
  uop.return
}
