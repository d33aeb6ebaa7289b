// Sums of products of bytes stay where the record has an instruction that gives the same.
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --uop-legalize | FileCheck %s --check-prefixes=CHECK,SEVEN
// RUN: tiny-opt %s --target-attach=processor=icelake-server --uop-legalize | FileCheck %s --check-prefixes=CHECK,EIGHT
// RUN: tiny-opt %s --target-attach=processor=x86-64 --uop-legalize | FileCheck %s --check-prefixes=CHECK,NONE --implicit-check-not=uop.dot
// RUN: tiny-opt %s --target-attach=processor=x86-64 --check-passes --uop-legalize=split-vectors -o /dev/null
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --check-passes --uop-legalize=split-vectors -o /dev/null

// CHECK-LABEL: uop.func @nibbles
// SEVEN: uop.dot
// EIGHT: uop.dot
// NONE-COUNT-8: vector.shuffle
// NONE-NOT: vector.shuffle
uop.func @nibbles(%a: memref<128xi8>, %b: memref<128xi8>, %out: memref<32xi32>) {
  %i = arith.constant 0 : index
  %four = arith.constant dense<4> : vector<128xi8>
  %zero = arith.constant dense<-7> : vector<32xi32>
  %x = uop.load %a[%i] : memref<128xi8>, vector<128xi8>
  %high = arith.shrui %x, %four : vector<128xi8>
  %y = uop.load %b[%i] : memref<128xi8>, vector<128xi8>
  %d = uop.dot %y, %high, %zero unsigned_right : vector<128xi8>, vector<32xi32>
  uop.store %d, %out[%i] : vector<32xi32>, memref<32xi32>
  uop.return
}

// Sizes of signed bytes are at most 128.
// CHECK-LABEL: uop.func @sizes
// SEVEN: uop.dot
// EIGHT: uop.dot
uop.func @sizes(%a: memref<12xi8>, %b: memref<12xi8>, %out: memref<3xi32>) {
  %i = arith.constant 0 : index
  %zero = arith.constant dense<0> : vector<3xi32>
  %x = uop.load %a[%i] : memref<12xi8>, vector<12xi8>
  %size = math.absi %x : vector<12xi8>
  %y = uop.load %b[%i] : memref<12xi8>, vector<12xi8>
  %d = uop.dot %size, %y, %zero unsigned_left : vector<12xi8>, vector<3xi32>
  uop.store %d, %out[%i] : vector<3xi32>, memref<3xi32>
  uop.return
}

// CHECK-LABEL: uop.func @large
// SEVEN-NOT: uop.dot
// SEVEN: uop.return
// EIGHT: uop.dot
uop.func @large(%a: memref<16xi8>, %b: memref<16xi8>, %out: memref<4xi32>) {
  %i = arith.constant 0 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %x = uop.load %a[%i] : memref<16xi8>, vector<16xi8>
  %y = uop.load %b[%i] : memref<16xi8>, vector<16xi8>
  %d = uop.dot %x, %y, %zero unsigned_left : vector<16xi8>, vector<4xi32>
  uop.store %d, %out[%i] : vector<4xi32>, memref<4xi32>
  uop.return
}

// No instruction multiplies two signed factors, or two unsigned ones.
// CHECK-LABEL: uop.func @signed
// CHECK-NOT: uop.dot
// CHECK: uop.return
uop.func @signed(%a: memref<16xi8>, %out: memref<4xi32>) {
  %i = arith.constant 0 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %x = uop.load %a[%i] : memref<16xi8>, vector<16xi8>
  %d = uop.dot %x, %x, %zero : vector<16xi8>, vector<4xi32>
  %e = uop.dot %x, %x, %d unsigned_left unsigned_right : vector<16xi8>, vector<4xi32>
  uop.store %e, %out[%i] : vector<4xi32>, memref<4xi32>
  uop.return
}

// What is rounded to bytes is as large as they are, and so is what a shuffle takes of them.
// CHECK-LABEL: uop.func @rounded
// SEVEN-NOT: uop.dot
// SEVEN: uop.return
// EIGHT: uop.dot
uop.func @rounded(%a: memref<16xf32>, %b: memref<16xi8>, %out: memref<4xi32>) {
  %i = arith.constant 0 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %x = uop.load %a[%i] : memref<16xf32>, vector<16xf32>
  %byte = arith.fptoui %x : vector<16xf32> to vector<16xi8>
  %turned = vector.shuffle %byte, %byte [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12] : vector<16xi8>, vector<16xi8>
  %y = uop.load %b[%i] : memref<16xi8>, vector<16xi8>
  %d = uop.dot %turned, %y, %zero unsigned_left : vector<16xi8>, vector<4xi32>
  uop.store %d, %out[%i] : vector<4xi32>, memref<4xi32>
  uop.return
}

// A shuffle of what is small is small.
// CHECK-LABEL: uop.func @spread
// SEVEN: uop.dot
// EIGHT: uop.dot
uop.func @spread(%a: memref<4xi8>, %b: memref<16xi8>, %out: memref<4xi32>) {
  %i = arith.constant 0 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %sixteen = arith.constant dense<16> : vector<4xi8>
  %x = uop.load %a[%i] : memref<4xi8>, vector<4xi8>
  %low = arith.remui %x, %sixteen : vector<4xi8>
  %all = vector.shuffle %low, %low [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3] : vector<4xi8>, vector<4xi8>
  %y = uop.load %b[%i] : memref<16xi8>, vector<16xi8>
  %d = uop.dot %all, %y, %zero unsigned_left : vector<16xi8>, vector<4xi32>
  uop.store %d, %out[%i] : vector<4xi32>, memref<4xi32>
  uop.return
}
