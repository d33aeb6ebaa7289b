// Quotients that may use a reciprocal share it, and correct what they multiply.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --uop-describe-entry --convert-uop-to-nvvm --cse | FileCheck %s

// CHECK-LABEL: llvm.func @row(
// CHECK: %[[SUM:.*]] = llvm.load
// CHECK: %[[X:.*]] = llvm.load {{.*}} -> vector<4xf32>
// CHECK: %[[R:.*]] = llvm.fdiv %{{.*}}, %[[SUM]] : f32
// CHECK-NOT: llvm.fdiv
// CHECK: %[[Q:.*]] = llvm.fmul %[[X]]
// CHECK: %[[REST:.*]] = llvm.intr.fma({{.*}}, %[[X]])
// CHECK: llvm.intr.fma(%[[REST]], %{{.*}}, %[[Q]])
// CHECK: llvm.fmul
// CHECK-COUNT-2: llvm.intr.fma
uop.func @row(%in: memref<512xf32>, %sums: memref<32xf32>, %out: memref<512xf32>) {
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %l = uop.special local dim(0) extent(32)
  %i = arith.muli %l, %c4 : index
  %j = arith.addi %i, %c256 : index
  %sum = uop.load %sums[%l] : memref<32xf32>, f32
  %x = uop.load %in[%i] : memref<512xf32>, vector<4xf32>
  %s = vector.broadcast %sum : f32 to vector<4xf32>
  %q = arith.divf %x, %s fastmath<arcp> : vector<4xf32>
  uop.store %q, %out[%i] : vector<4xf32>, memref<512xf32>
  %y = uop.load %in[%j] : memref<512xf32>, f32
  %r = arith.divf %y, %sum fastmath<arcp> : f32
  uop.store %r, %out[%j] : f32, memref<512xf32>
  uop.return
}

// What no flag allows is divided as it is, and so is a number.
// CHECK-LABEL: llvm.func @exact(
// CHECK: llvm.fdiv
// CHECK: llvm.fdiv
// CHECK-NOT: fma
uop.func @exact(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %l = uop.special local dim(0) extent(32)
  %j = arith.addi %l, %c32 : index
  %x = uop.load %in[%l] : memref<64xf32>, f32
  %y = uop.load %in[%j] : memref<64xf32>, f32
  %q = arith.divf %x, %y : f32
  %r = arith.divf %one, %y fastmath<arcp> : f32
  uop.store %q, %out[%l] : f32, memref<64xf32>
  uop.store %r, %out[%j] : f32, memref<64xf32>
  uop.return
}
