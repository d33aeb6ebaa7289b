// Rows that lanes hold, where what is read and what is stored differ in how many elements a vector has.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --kernel-default-schedule --kernel-apply-schedules --convert-kernel-to-uop --verify-uop --check-passes -o /dev/null

// All passes over a row have vectors of one length: the shortest of them.
// CHECK-LABEL: kernel.func @norm
// CHECK-DAG: kernel.range upcast {{.*}} extent(4)
// CHECK-DAG: kernel.range upcast {{.*}} extent(4)
// CHECK-DAG: kernel.range upcast {{.*}} extent(4)
// CHECK-DAG: kernel.range upcast {{.*}} extent(4)
// CHECK-DAG: kernel.stage {{.*}} register
// CHECK-NOT: extent(8)
kernel.func @norm(%in: memref<24576xf16>, %out: memref<24576xf32>) {
  %length = arith.constant 7.680000e+02 : f32
  %c768 = arith.constant 768 : index
  %i = kernel.range loop id(0) extent(32)
  %j = kernel.range loop id(1) extent(768)
  %k = kernel.range reduce id(2) extent(768)
  %m = kernel.range reduce id(3) extent(768)
  %row = arith.muli %i, %c768 : index
  %atK = arith.addi %row, %k : index
  %x = kernel.load %in[%atK] : memref<24576xf16>
  %wide = arith.extf %x : f16 to f32
  %sum = kernel.reduce addf (%wide) over (%k) : f32
  %mean = arith.divf %sum, %length : f32
  %atM = arith.addi %row, %m : index
  %y = kernel.load %in[%atM] : memref<24576xf16>
  %wideY = arith.extf %y : f16 to f32
  %d = arith.subf %wideY, %mean : f32
  %square = arith.mulf %d, %d : f32
  %variance = kernel.reduce addf (%square) over (%m) : f32
  %atJ = arith.addi %row, %j : index
  %z = kernel.load %in[%atJ] : memref<24576xf16>
  %wideZ = arith.extf %z : f16 to f32
  %dz = arith.subf %wideZ, %mean : f32
  %q = arith.mulf %dz, %variance : f32
  kernel.store %q, %out[%atJ] : memref<24576xf32>
}
