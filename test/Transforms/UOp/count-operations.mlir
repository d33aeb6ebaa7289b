// RUN: tiny-opt %s -split-input-file -verify-diagnostics --uop-count-operations | FileCheck %s

// Each loop multiplies what stands in it.
// CHECK-LABEL: uop.func @loops
// CHECK-SAME: uop.operations = 76 : i64
uop.func @loops(%in: memref<24xf32>, %out: memref<4xf32>) {
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  uop.for %i to %c4 {
    %sum = uop.for %k to %c6 iter(%acc = %zero) -> (f32) {
      %row = arith.muli %i, %c6 : index
      %at = arith.addi %row, %k : index
      %x = uop.load %in[%at] : memref<24xf32>, f32
      // 4 * 6 times two, and one: three operations.
      %next = math.fma %x, %x, %acc : f32
      %kept = arith.maximumf %next, %zero : f32
      uop.yield %kept : f32
    }
    // Four times.
    %root = math.sqrt %sum : f32
    uop.store %root, %out[%i] : f32, memref<4xf32>
  }
  uop.return
}

// -----

// Lanes count, and so do the hardware axes, each once.
// CHECK-LABEL: uop.func @lanes_and_axes
// CHECK-SAME: uop.operations = 120 : i64
uop.func @lanes_and_axes(%in: memref<40xf32>, %out: memref<40xf32>) {
  %c8 = arith.constant 8 : index
  %g = uop.special global dim(0) extent(5)
  %again = uop.special global dim(0) extent(5)
  %at = arith.muli %g, %c8 : index
  %same = arith.muli %again, %c8 : index
  %x = uop.load %in[%at] : memref<40xf32>, vector<8xf32>
  %y = arith.addf %x, %x : vector<8xf32>
  %s = vector.reduction <add>, %y : vector<8xf32> into f32
  %b = vector.broadcast %s : f32 to vector<8xf32>
  %z = arith.mulf %b, %y : vector<8xf32>
  uop.store %z, %out[%same] : vector<8xf32>, memref<40xf32>
  uop.return
}

// -----

// Where an element lies is no computation; what is chosen by it is.
// CHECK-LABEL: uop.func @indices
// CHECK-SAME: uop.operations = 8 : i64
uop.func @indices(%in: memref<8xf32>, %out: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  uop.for %i to %c8 {
    %j = arith.subi %i, %c1 : index
    %positive = arith.cmpi sgt, %i, %c1 : index
    %not = arith.xori %positive, %true : i1
    %x = uop.load %in[%j] if %positive as i1 : memref<8xf32>, f32
    %y = arith.select %not, %zero, %x : f32
    uop.store %y, %out[%i] : f32, memref<8xf32>
  }
  uop.return
}

// -----

// CHECK-LABEL: uop.func @moves
// CHECK-SAME: uop.operations = 0 : i64
uop.func @moves(%in: memref<8xf32>, %out: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  uop.for %i to %c8 {
    %j = arith.subi %c7, %i : index
    %x = uop.load %in[%j] : memref<8xf32>, f32
    uop.store %x, %out[%i] : f32, memref<8xf32>
  }
  uop.return
}

// -----

// The index as data, and the body of a condition.
// CHECK-LABEL: uop.func @condition
// CHECK-SAME: uop.operations = 18 : i64
uop.func @condition(%in: memref<6xi32>, %out: memref<6xi32>) {
  %c6 = arith.constant 6 : index
  uop.for %i to %c6 {
    %n = arith.index_cast %i : index to i32
    %x = uop.load %in[%i] : memref<6xi32>, i32
    %less = arith.cmpi slt, %x, %n : i32
    uop.if %less {
      %y = arith.addi %x, %n : i32
      uop.store %y, %out[%i] : i32, memref<6xi32>
    }
  }
  uop.return
}

// -----

// CHECK-LABEL: uop.func @unknown_bound
// CHECK-SAME: uop.operations = 1 : i64
uop.func @unknown_bound(%sizes: memref<1xi64>, %out: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %read = uop.load %sizes[%c0] : memref<1xi64>, i64
  %n = arith.index_cast %read : i64 to index
  // expected-warning @+1 {{the bound is no constant: the body counts once}}
  uop.for %i to %n {
    %x = arith.index_cast %i : index to i32
    uop.store %x, %out[%i] : i32, memref<8xi32>
  }
  uop.return
}

// -----

// A size counts as the greatest that it may be.
// CHECK-LABEL: uop.func @size
// CHECK-SAME: uop.operations = 8 : i64
uop.func @size(%sizes: memref<1xi64>, %out: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %read = uop.load %sizes[%c0] : memref<1xi64>, i64
  %any = arith.index_cast %read : i64 to index
  %n = sym.range_of %any [1, 8] : index
  uop.for %i to %n {
    %x = arith.index_cast %i : index to i32
    uop.store %x, %out[%i] : i32, memref<8xi32>
  }
  uop.return
}

// -----

// Nor do masks of lanes count, nor what stands in place of elements that are not loaded.
// CHECK-LABEL: uop.func @masks
// CHECK-SAME: uop.operations = 8 : i64
uop.func @masks(%in: memref<8xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
  %five = arith.constant dense<5> : vector<8xi32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %g = uop.special global dim(0) extent(1)
  %start = arith.index_cast %g : index to i32
  %starts = vector.broadcast %start : i32 to vector<8xi32>
  %at = arith.addi %lanes, %starts : vector<8xi32>
  %mask = arith.cmpi slt, %at, %five : vector<8xi32>
  %x = uop.load %in[%c0] if %mask as vector<8xi1> : memref<8xf32>, vector<8xf32>
  %y = arith.select %mask, %x, %zero : vector<8xi1>, vector<8xf32>
  %z = arith.addf %y, %y : vector<8xf32>
  uop.store %z, %out[%c0] : vector<8xf32>, memref<8xf32>
  uop.return
}
