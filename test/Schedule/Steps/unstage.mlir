// RUN: tiny-opt %s -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// Each pass computes its exponentials: the tile goes, and the axis that filled it.
// CHECK-LABEL: kernel.func @softmax
// CHECK-NOT: id(4)
// CHECK-NOT: kernel.stage
// CHECK-COUNT-2: math.exp
// CHECK-NOT: math.exp
// CHECK: kernel.store
kernel.func @softmax(%in: memref<8192xf32>, %out: memref<8192xf32>) attributes {schedule = @schedules::@softmax} {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(1024)
  %k = kernel.range reduce id(2) extent(1024)
  %l = kernel.range reduce id(3) extent(1024)
  %f = kernel.range loop id(4) extent(1024)
  %c1024 = arith.constant 1024 : index
  %row = arith.muli %i, %c1024 : index
  %at = arith.addi %row, %j : index
  %atl = arith.addi %row, %l : index
  %xl = kernel.load %in[%atl] : memref<8192xf32>
  %most = kernel.reduce maximumf (%xl) over (%l) : f32
  %atf = arith.addi %row, %f : index
  %x = kernel.load %in[%atf] : memref<8192xf32>
  %d = arith.subf %x, %most : f32
  %e = math.exp %d : f32
  %t = kernel.stage %e over (%f) local : memref<1024xf32>
  %ek = kernel.load %t[%k] : memref<1024xf32>
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %ej = kernel.load %t[%j] : memref<1024xf32>
  %y = arith.divf %ej, %sum : f32
  kernel.store %y, %out[%at] : memref<8192xf32>
}

// Of a tile over two axes the index is taken apart: as it is written, or by division.
// CHECK-LABEL: kernel.func @transposed
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(0) extent(4)
// CHECK-DAG: %[[J:.*]] = kernel.range loop id(1) extent(6)
// CHECK-DAG: %[[K:.*]] = kernel.range loop id(2) extent(24)
// CHECK-NOT: kernel.stage
// CHECK-DAG: arith.floordivsi %[[K]], %{{.*}} : index
// CHECK-DAG: sym.mod %[[K]], %{{.*}}
kernel.func @transposed(%in: memref<24xf32>, %out: memref<24xf32>, %other: memref<24xf32>) attributes {schedule = @schedules::@transposed} {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range loop id(1) extent(6)
  %k = kernel.range loop id(2) extent(24)
  %f = kernel.range loop id(3) extent(4)
  %g = kernel.range loop id(4) extent(6)
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %col = arith.muli %g, %c4 : index
  %from = arith.addi %col, %f : index
  %x = kernel.load %in[%from] : memref<24xf32>
  %e = math.exp %x : f32
  %t = kernel.stage %e over (%f, %g) local : memref<24xf32>
  %row = arith.muli %i, %c6 : index
  %at = arith.addi %row, %j : index
  %a = kernel.load %t[%at] : memref<24xf32>
  kernel.store %a, %out[%at] : memref<24xf32>
  %b = kernel.load %t[%k] : memref<24xf32>
  kernel.store %b, %other[%k] : memref<24xf32>
}

module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @softmax(%kernel: !transform.any_op {transform.readonly}) {
    %f = transform.tiny.axis %kernel [4] : (!transform.any_op) -> !transform.any_op
    transform.tiny.unstage %f : (!transform.any_op) -> ()
    transform.yield
  }
  transform.named_sequence @transposed(%kernel: !transform.any_op {transform.readonly}) {
    %f = transform.tiny.axis %kernel [3] : (!transform.any_op) -> !transform.any_op
    transform.tiny.unstage %f : (!transform.any_op) -> ()
    transform.yield
  }
}
