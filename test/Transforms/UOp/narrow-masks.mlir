// RUN: tiny-opt %s -uop-narrow-masks | FileCheck %s
// RUN: tiny-opt %s -check-passes -uop-narrow-masks -o /dev/null

// A window of three around rows and columns of an image of 8: the lanes are compared in 32 bits, and the end of a row is
// the least number where the row lies outside.
// CHECK-LABEL: uop.func @window(
// CHECK-DAG: %[[LANES:.+]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK-DAG: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
// CHECK: %[[ROW:.+]] = arith.cmpi ult
// CHECK: uop.for %[[K:.+]] to
// CHECK: %[[NARROW:.+]] = arith.index_cast %[[K]] : index to i32
// CHECK: %[[ALL:.+]] = vector.broadcast %[[NARROW]] : i32 to vector<8xi32>
// CHECK: %[[PLACES:.+]] = arith.addi %[[ALL]], %[[LANES]] : vector<8xi32>
// CHECK: %[[BEGUN:.+]] = arith.cmpi sge, %[[PLACES]], %[[ONE]] : vector<8xi32>
// CHECK: %[[BOUND:.+]] = arith.select %[[ROW]], %c9_i32, %c-2147483648_i32 : i32
// CHECK: %[[BOUNDS:.+]] = vector.broadcast %[[BOUND]] : i32 to vector<8xi32>
// CHECK: %[[END:.+]] = arith.cmpi slt, %[[PLACES]], %[[BOUNDS]] : vector<8xi32>
// CHECK: %[[MASK:.+]] = arith.andi %[[BEGUN]], %[[END]] : vector<8xi1>
// CHECK: uop.load %{{.+}} if %[[MASK]] as vector<8xi1>
uop.func @window(%in: memref<64xf32>, %out: memref<64xf32>) {
  %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
  %one = arith.constant dense<1> : vector<8xindex>
  %nine = arith.constant dense<9> : vector<8xindex>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  uop.for %i to %c8 {
    %row = arith.subi %i, %c1 : index
    %inside = arith.cmpi ult, %row, %c8 : index
    %rows = vector.broadcast %inside : i1 to vector<8xi1>
    %begin = arith.muli %row, %c8 : index
    %sum = uop.for %k to %c3 iter(%so = %zero) -> (vector<8xf32>) {
      %all = vector.broadcast %k : index to vector<8xindex>
      %places = arith.addi %all, %lanes : vector<8xindex>
      %from = arith.cmpi sge, %places, %one : vector<8xindex>
      %to = arith.cmpi slt, %places, %nine : vector<8xindex>
      %some = arith.andi %rows, %from : vector<8xi1>
      %mask = arith.andi %some, %to : vector<8xi1>
      %next = arith.addi %begin, %k : index
      %at = arith.subi %next, %c1 : index
      %x = uop.load %in[%at] if %mask as vector<8xi1> : memref<64xf32>, vector<8xf32>
      %y = arith.select %mask, %x, %zero : vector<8xi1>, vector<8xf32>
      %more = arith.addf %so, %y : vector<8xf32>
      uop.yield %more : vector<8xf32>
    }
    %result = arith.muli %i, %c8 : index
    uop.store %sum, %out[%result] : vector<8xf32>, memref<64xf32>
  }
  uop.return
}

// What may need more than 32 bits, what is no sum, and a condition whose comparison other masks share, stay.
// CHECK-LABEL: uop.func @stays(
// CHECK: arith.cmpi slt, %{{.+}}, %{{.+}} : vector<4xindex>
// CHECK: arith.cmpi slt, %{{.+}}, %{{.+}} : vector<4xindex>
// CHECK: %[[SHARED:.+]] = arith.cmpi slt, %{{.+}}, %{{.+}} : vector<4xi32>
// CHECK: arith.andi %{{.+}}, %[[SHARED]] : vector<4xi1>
// CHECK: arith.andi %{{.+}}, %[[SHARED]] : vector<4xi1>
uop.func @stays(%in: memref<4xindex>, %out: memref<16xf32>) {
  %lanes = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %three = arith.constant dense<3> : vector<4xindex>
  %ones = arith.constant dense<1.0> : vector<4xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %far = arith.constant 4294967296 : index
  uop.for %i to %c2 {
    %begin = arith.muli %i, %far : index
    %all = vector.broadcast %begin : index to vector<4xindex>
    %places = arith.addi %all, %lanes : vector<4xindex>
    %large = arith.cmpi slt, %places, %three : vector<4xindex>
    uop.store %ones, %out[%c0] if %large as vector<4xi1> : vector<4xf32>, memref<16xf32>
    %loaded = uop.load %in[%c0] : memref<4xindex>, vector<4xindex>
    %data = arith.cmpi slt, %loaded, %three : vector<4xindex>
    uop.store %ones, %out[%c0] if %data as vector<4xi1> : vector<4xf32>, memref<16xf32>
    %some = vector.broadcast %i : index to vector<4xindex>
    %sums = arith.addi %some, %lanes : vector<4xindex>
    %end = arith.cmpi slt, %sums, %three : vector<4xindex>
    %first = arith.cmpi eq, %i, %c0 : index
    %other = arith.cmpi ne, %i, %c0 : index
    %a = vector.broadcast %first : i1 to vector<4xi1>
    %b = vector.broadcast %other : i1 to vector<4xi1>
    %one = arith.andi %a, %end : vector<4xi1>
    %two = arith.andi %b, %end : vector<4xi1>
    uop.store %ones, %out[%c0] if %one as vector<4xi1> : vector<4xf32>, memref<16xf32>
    uop.store %ones, %out[%c2] if %two as vector<4xi1> : vector<4xf32>, memref<16xf32>
  }
  uop.return
}

// Rests of what is not negative are alike in 32 bits; -1 without a sign is another number there.
// CHECK-LABEL: uop.func @rests(
// CHECK: arith.remui %{{.+}}, %{{.+}} : vector<4xi32>
// CHECK: arith.cmpi slt, %{{.+}}, %{{.+}} : vector<4xi32>
// CHECK: arith.cmpi slt, %{{.+}}, %{{.+}} : vector<4xindex>
uop.func @rests(%out: memref<16xf32>) {
  %lanes = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %below = arith.constant dense<[-1, 0, 1, 2]> : vector<4xindex>
  %seven = arith.constant dense<7> : vector<4xindex>
  %three = arith.constant dense<3> : vector<4xindex>
  %ones = arith.constant dense<1.0> : vector<4xf32>
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  uop.for %i to %c9 {
    %all = vector.broadcast %i : index to vector<4xindex>
    %places = arith.addi %all, %lanes : vector<4xindex>
    %rest = arith.remui %places, %seven : vector<4xindex>
    %small = arith.cmpi slt, %rest, %three : vector<4xindex>
    uop.store %ones, %out[%c0] if %small as vector<4xi1> : vector<4xf32>, memref<16xf32>
    %before = arith.addi %all, %below : vector<4xindex>
    %other = arith.remui %before, %seven : vector<4xindex>
    %few = arith.cmpi slt, %other, %three : vector<4xindex>
    uop.store %ones, %out[%c0] if %few as vector<4xi1> : vector<4xf32>, memref<16xf32>
  }
  uop.return
}
