// RUN: tiny-opt %s -uop-move-offsets -cse | FileCheck %s
// RUN: tiny-opt %s -check-passes -uop-move-offsets -o /dev/null

// Two rows of four read places that lie three rows apart: one index for both, and one load of what they share.
// CHECK-LABEL: uop.func @rows(
// CHECK-DAG: %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK: uop.for %[[I:.+]] to
// CHECK: uop.for %[[J:.+]] to
// CHECK: %[[BEGIN:.+]] = arith.muli %[[I]], %[[C16]]
// CHECK-NEXT: %[[AT:.+]] = arith.addi %[[J]], %[[BEGIN]]
// CHECK-NEXT: %[[SECOND:.+]] = arith.addi %[[AT]], %[[C16]]
// CHECK-NEXT: %[[LOADED:.+]] = uop.load %{{.+}}[%[[SECOND]]]
// CHECK-NEXT: %[[DOUBLE:.+]] = arith.addf %[[LOADED]], %[[LOADED]]
// CHECK-NEXT: uop.store %[[DOUBLE]], %{{.+}}[%[[SECOND]]]
// CHECK-NEXT: %[[THIRD:.+]] = arith.addi %[[AT]], %[[C32]]
// CHECK-NEXT: uop.store %[[LOADED]], %{{.+}}[%[[THIRD]]]
uop.func @rows(%in: memref<96xf32>, %out: memref<96xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  uop.for %i to %c4 {
    uop.for %j to %c16 {
      %row = arith.addi %i, %c1 : index
      %begin = arith.muli %row, %c16 : index
      %at = arith.addi %j, %begin : index
      %first = arith.muli %i, %c16 : index
      %next = arith.addi %first, %c16 : index
      %same = arith.addi %j, %next : index
      %x = uop.load %in[%at] : memref<96xf32>, f32
      %y = uop.load %in[%same] : memref<96xf32>, f32
      %sum = arith.addf %x, %y : f32
      uop.store %sum, %out[%at] : f32, memref<96xf32>
      %behind = arith.addi %same, %c16 : index
      uop.store %x, %out[%behind] : f32, memref<96xf32>
    }
  }
  uop.return
}

// Other types than indices, and constants alone, stay.
// CHECK-LABEL: uop.func @others(
// CHECK: arith.addi %{{.+}}, %{{.+}} : i32
// CHECK-NEXT: arith.muli %{{.+}}, %{{.+}} : i32
uop.func @others(%out: memref<4xi32>) {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : index
  uop.for %i to %c4 {
    %n = arith.index_cast %i : index to i32
    %sum = arith.addi %n, %c3 : i32
    %product = arith.muli %sum, %c3 : i32
    uop.store %product, %out[%i] : i32, memref<4xi32>
  }
  uop.return
}
