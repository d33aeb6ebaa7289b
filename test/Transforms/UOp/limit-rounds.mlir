// RUN: split-file %s %t
// RUN: tiny-opt %t/limits.mlir --uop-limit-rounds | FileCheck %s
// RUN: tiny-opt %t/limits.mlir --check-passes --uop-limit-rounds -o /dev/null
// RUN: tiny-opt %t/limits.mlir --uop-limit-rounds --remarks-filter=uop-limit-rounds --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not tiny-opt %t/limits.mlir --uop-limit-rounds=max-operations=8 2>&1 | FileCheck %s --check-prefix=SHORT

// REMARK: a lane ran 37 rounds of loops, more than 20: now it runs 19
// SHORT: error: 'uop.func' op has {{.*}} rounds of loops in a lane, expected at most 20

//--- limits.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "small",
    types = [f32, i32, i64], subgroup = 4, workgroup = 64, cores = 1, loop_rounds = 20>>} {
  // 20 rounds with the end.
  // CHECK-LABEL: uop.func @few
  // CHECK: %[[N:.*]] = arith.constant 19 : index
  // CHECK: uop.for %{{.*}} to %[[N]]
  // CHECK: uop.load
  // CHECK-NOT: uop.load
  uop.func @few(%in: memref<64xf32>, %out: memref<1xf32>) {
    %n = arith.constant 19 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %s = uop.for %i to %n iter(%acc = %zero) -> (f32) {
      %x = uop.load %in[%i] : memref<64xf32>, f32
      %t = arith.addf %acc, %x : f32
      uop.yield %t : f32
    }
    uop.store %s, %out[%c0] : f32, memref<1xf32>
    uop.return
  }
  // Two at a time; none is left over. Sums keep their order.
  // CHECK-LABEL: uop.func @even
  // CHECK: %[[HALF:.*]] = arith.constant 18 : index
  // CHECK: uop.for %[[I:.*]] to %[[HALF]] iter(%[[ACC:.*]] = %{{.*}}) -> (f32) {
  // CHECK: %[[AT:.*]] = arith.muli %[[I]]
  // CHECK: %[[X:.*]] = uop.load %{{.*}}[%[[AT]]]
  // CHECK: %[[S:.*]] = arith.addf %[[ACC]], %[[X]]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[AT]]
  // CHECK: %[[Y:.*]] = uop.load %{{.*}}[%[[NEXT]]]
  // CHECK: %[[T:.*]] = arith.addf %[[S]], %[[Y]]
  // CHECK: uop.yield %[[T]]
  uop.func @even(%in: memref<64xf32>, %out: memref<1xf32>) {
    %n = arith.constant 36 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %s = uop.for %i to %n iter(%acc = %zero) -> (f32) {
      %x = uop.load %in[%i] : memref<64xf32>, f32
      %t = arith.addf %acc, %x : f32
      uop.yield %t : f32
    }
    uop.store %s, %out[%c0] : f32, memref<1xf32>
    uop.return
  }
  // What is left over follows.
  // CHECK-LABEL: uop.func @odd
  // CHECK: uop.for
  // CHECK: }
  // CHECK: uop.load %{{.*}}[%{{.*}}] : memref<64xf32>
  // CHECK: uop.store
  uop.func @odd(%in: memref<64xf32>, %out: memref<1xf32>) {
    %n = arith.constant 25 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %s = uop.for %i to %n iter(%acc = %zero) -> (f32) {
      %x = uop.load %in[%i] : memref<64xf32>, f32
      %t = arith.addf %acc, %x : f32
      uop.yield %t : f32
    }
    uop.store %s, %out[%c0] : f32, memref<1xf32>
    uop.return
  }
  // Short loops inside go first, as a whole.
  // CHECK-LABEL: uop.func @nested
  // CHECK: uop.for
  // CHECK-NOT: uop.for
  // CHECK: uop.return
  uop.func @nested(%in: memref<64xf32>, %out: memref<1xf32>) {
    %n = arith.constant 12 : index
    %three = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %s = uop.for %i to %n iter(%acc = %zero) -> (f32) {
      %row = arith.muli %i, %three : index
      %part = uop.for %j to %three iter(%inner = %acc) -> (f32) {
        %at = arith.addi %row, %j : index
        %x = uop.load %in[%at] : memref<64xf32>, f32
        %t = arith.addf %inner, %x : f32
        uop.yield %t : f32
      }
      uop.yield %part : f32
    }
    uop.store %s, %out[%c0] : f32, memref<1xf32>
    uop.return
  }
  // A loop whose end is not known stays.
  // CHECK-LABEL: uop.func @sized
  // CHECK: uop.for
  // CHECK-NOT: uop.for
  // CHECK: uop.return
  uop.func @sized(%in: memref<64xf32>, %size: memref<1xi64>, %out: memref<1xf32>) {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %c30 = arith.constant 30 : index
    %zero = arith.constant 0.0 : f32
    %number = uop.load %size[%c0] : memref<1xi64>, i64
    %read = arith.index_cast %number : i64 to index
    %positive = arith.maxsi %read, %c7 : index
    %n = arith.minsi %positive, %c30 : index
    %s = uop.for %i to %n iter(%acc = %zero) -> (f32) {
      %x = uop.load %in[%i] : memref<64xf32>, f32
      %t = arith.addf %acc, %x : f32
      uop.yield %t : f32
    }
    uop.store %s, %out[%c0] : f32, memref<1xf32>
    uop.return
  }
}
