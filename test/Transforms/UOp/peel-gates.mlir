// RUN: tiny-opt %s -split-input-file --uop-peel-gates --canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file --check-passes --uop-peel-gates --canonicalize -o /dev/null
// RUN: tiny-opt %s -split-input-file --uop-peel-gates=max-steps=0 | FileCheck %s --check-prefix=OFF
// RUN: tiny-opt %s -split-input-file --uop-peel-gates=max-operations=7 | FileCheck %s --check-prefix=OFF
// RUN: tiny-opt %s -split-input-file --uop-peel-gates='max-operations=8 max-steps=1' | FileCheck %s --check-prefix=ONE

// A sum over 76 elements in 5 vectors of 16, of which the last has 12.
// CHECK-LABEL: uop.func @sum(
// CHECK-DAG: %[[GATE:.+]] = arith.constant dense<[{{(true, )+(false, )+}}false]> : vector<16xi1>
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[C64:.+]] = arith.constant 64 : index
// CHECK: %[[FOUR:.+]] = uop.for %[[I:.+]] to %[[C4]] iter(%[[A:.+]] = %{{.+}}) -> (vector<16xf32>) {
// CHECK: %[[AT:.+]] = arith.muli %[[I]]
// CHECK: %[[X:.+]] = uop.load %arg0[%[[AT]]] : memref<76xf32>, vector<16xf32>
// CHECK: %[[B:.+]] = arith.addf %[[A]], %[[X]]
// CHECK: uop.yield %[[B]]
// CHECK: }
// CHECK: %[[Y:.+]] = uop.load %arg0[%[[C64]]] if %[[GATE]] as vector<16xi1>
// CHECK: %[[Z:.+]] = arith.select %[[GATE]], %[[Y]]
// CHECK: %[[ALL:.+]] = arith.addf %[[FOUR]], %[[Z]]
// CHECK: vector.reduction <add>, %[[ALL]]
// ONE-LABEL: uop.func @sum(
// ONE: uop.for %{{.+}} to %c4
// OFF-LABEL: uop.func @sum(
// OFF: uop.for
// OFF: arith.cmpi slt
// OFF: uop.load {{.*}} if
// OFF: }
// OFF-NEXT: vector.reduction
uop.func @sum(%in: memref<76xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %end = arith.constant dense<76> : vector<16xindex>
  %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xindex>
  %s = uop.for %i to %c5 iter(%a = %zero) -> (vector<16xf32>) {
    %at = arith.muli %i, %c16 : index
    %first = vector.broadcast %at : index to vector<16xindex>
    %places = arith.addi %first, %lanes : vector<16xindex>
    %gate = arith.cmpi slt, %places, %end : vector<16xindex>
    %x = uop.load %in[%at] if %gate as vector<16xi1> : memref<76xf32>, vector<16xf32>
    %y = arith.select %gate, %x, %zero : vector<16xi1>, vector<16xf32>
    %b = arith.addf %a, %y : vector<16xf32>
    uop.yield %b : vector<16xf32>
  }
  %r = vector.reduction <add>, %s : vector<16xf32> into f32
  uop.store %r, %out[%c0] : f32, memref<1xf32>
  uop.return
}

// -----

// The last three steps of 8 store one element, and nothing. In a loop around it only the inner loop changes.
// ONE-LABEL: uop.func @store(
// ONE: uop.for %{{.+}} to %c8
// CHECK-LABEL: uop.func @store(
// CHECK: uop.for %[[ROW:.+]] to
// CHECK: uop.for %{{.+}} to %c5
// CHECK: uop.store %{{.+}}, %arg1[%{{[^]]+}}] : vector<4xf32>
// CHECK: }
// CHECK: uop.store %{{.+}}, %arg1[%{{[^]]+}}] if %{{.+}} as vector<4xi1> : vector<4xf32>
// CHECK-NOT: uop.store
// CHECK: uop.return
uop.func @store(%in: memref<63xf32>, %out: memref<63xf32>) {
  %c4 = arith.constant 4 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c21 = arith.constant 21 : index
  %end = arith.constant dense<21> : vector<4xindex>
  %lanes = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  uop.for %row to %c3 {
    %base = arith.muli %row, %c21 : index
    uop.for %i to %c8 {
      %at = arith.muli %i, %c4 : index
      %first = vector.broadcast %at : index to vector<4xindex>
      %places = arith.addi %first, %lanes : vector<4xindex>
      %gate = arith.cmpi slt, %places, %end : vector<4xindex>
      %place = arith.addi %base, %at : index
      %x = uop.load %in[%place] if %gate as vector<4xi1> : memref<63xf32>, vector<4xf32>
      %y = arith.addf %x, %x : vector<4xf32>
      uop.store %y, %out[%place] if %gate as vector<4xi1> : vector<4xf32>, memref<63xf32>
    }
  }
  uop.return
}

// -----

// What is false in all steps but the last, of a scalar: the last element alone is negated.
// CHECK-LABEL: uop.func @last(
// CHECK: uop.for
// CHECK-NOT: arith.negf
// CHECK: }
// CHECK: arith.negf
// CHECK: uop.store
uop.func @last(%in: memref<10xf32>, %out: memref<10xf32>) {
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  uop.for %i to %c10 {
    %x = uop.load %in[%i] : memref<10xf32>, f32
    %is = arith.cmpi uge, %i, %c9 : index
    %n = arith.negf %x : f32
    %y = arith.select %is, %n, %x : f32
    uop.store %y, %out[%i] : f32, memref<10xf32>
  }
  uop.return
}

// -----

// The gate of a loop inside, which is there twice then.
// CHECK-LABEL: uop.func @rows(
// CHECK: uop.for %{{.+}} to %c9 {
// CHECK: uop.for %{{.+}} to %c10 {
// CHECK: uop.load %arg0[%{{.+}}] : memref<10xi32>
// CHECK: uop.store %{{.+}}, %arg1[%{{.+}}] : i32
// CHECK: }
// CHECK-NEXT: }
// CHECK-NEXT: uop.return
uop.func @rows(%in: memref<10xi32>, %out: memref<10xi32>) {
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  uop.for %i to %c10 {
    %is = arith.cmpi slt, %i, %c9 : index
    uop.for %j to %c10 {
      %x = uop.load %in[%j] if %is as i1 : memref<10xi32>, i32
      uop.store %x, %out[%j] if %is as i1 : i32, memref<10xi32>
    }
  }
  uop.return
}

// -----

// Values that change places, one of them the gate; a loop of two steps, and one of a single step, which has no last one
// apart from the others.
// CHECK-LABEL: uop.func @carried(
// CHECK: %[[LOOP:.+]]:2 = uop.for %[[I:.+]] to %c2 iter(%{{.+}} = %{{[^,]+}}, %[[B:.+]] = %{{[^)]+}})
// CHECK: %[[X:.+]] = uop.load %arg0[%[[I]]] : memref<3xi32>
// CHECK: uop.yield %[[B]], %[[X]] : i32, i32
// CHECK: }
// CHECK: uop.store %[[LOOP]]#1, %arg1[%c0]
// CHECK: uop.store %[[LOOP]]#0, %arg1[%c1]
// CHECK: uop.store %c0_i32, %arg1[%c2]
// CHECK: uop.load %arg0[%c0] : memref<3xi32>
// CHECK: uop.load %arg0[%c0] : memref<3xi32>
// CHECK: uop.return
uop.func @carried(%in: memref<3xi32>, %out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  %r:3 = uop.for %i to %c3 iter(%a = %zero, %b = %zero, %g = %true) -> (i32, i32, i1) {
    %is = arith.cmpi slt, %i, %c2 : index
    %x = uop.load %in[%i] if %is as i1 : memref<3xi32>, i32
    %y = arith.select %is, %x, %a : i32
    uop.yield %b, %y, %is : i32, i32, i1
  }
  uop.store %r#0, %out[%c0] : i32, memref<4xi32>
  uop.store %r#1, %out[%c1] : i32, memref<4xi32>
  %last = arith.extui %r#2 : i1 to i32
  uop.store %last, %out[%c2] : i32, memref<4xi32>
  %two = uop.for %i to %c2 iter(%a = %zero) -> (i32) {
    %is = arith.cmpi slt, %i, %c1 : index
    %x = uop.load %in[%i] if %is as i1 : memref<3xi32>, i32
    %y = arith.select %is, %x, %a : i32
    uop.yield %y : i32
  }
  %one = uop.for %i to %c1 iter(%a = %two) -> (i32) {
    %is = arith.cmpi slt, %i, %c1 : index
    %x = uop.load %in[%i] if %is as i1 : memref<3xi32>, i32
    %y = arith.addi %x, %a : i32
    uop.yield %y : i32
  }
  uop.store %one, %out[%c3] : i32, memref<4xi32>
  uop.return
}

// -----

// Left alone: a gate in the middle, one that an outer loop or a carried value decides, a loop of unknown length, and a
// comparison of data.
// CHECK-LABEL: uop.func @other(
// CHECK: uop.for %{{.+}} to %c10 {
// CHECK: uop.for %{{.+}} to %c10 iter
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi ult
// CHECK: arith.cmpi slt
// CHECK: }
// CHECK: uop.for
// CHECK: arith.cmpi slt
// CHECK: }
// CHECK: }
// CHECK-NEXT: uop.return
uop.func @other(%in: memref<10xi32>, %out: memref<10xi32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %five = arith.constant 5 : i32
  uop.for %row to %c10 {
    %outside = arith.cmpi slt, %row, %c5 : index
    %n = uop.for %i to %c10 iter(%count = %c0) -> (index) {
      %half = arith.cmpi slt, %i, %c5 : index
      %early = arith.cmpi slt, %count, %c9 : index
      %x = uop.load %in[%i] : memref<10xi32>, i32
      %small = arith.cmpi ult, %x, %five : i32
      %both = arith.andi %half, %early : i1
      %three = arith.andi %both, %small : i1
      %all = arith.andi %three, %outside : i1
      uop.store %x, %out[%i] if %all as i1 : i32, memref<10xi32>
      %next = arith.addi %count, %row : index
      %is = arith.cmpi slt, %next, %c9 : index
      %more = arith.select %is, %next, %count : index
      uop.yield %more : index
    }
    uop.for %i to %n {
      %is = arith.cmpi slt, %i, %c9 : index
      %x = uop.load %in[%i] if %is as i1 : memref<10xi32>, i32
      uop.store %x, %out[%i] if %is as i1 : i32, memref<10xi32>
    }
  }
  uop.return
}

// -----

// A window of three over a row of 8 with a zero at each end: the first step reads before the row, the last one behind.
// CHECK-LABEL: uop.func @window(
// CHECK-DAG: %[[C6:.+]] = arith.constant 6 : index
// CHECK-NOT: arith.cmpi
// CHECK: %[[MIDDLE:.+]] = uop.for %[[I:.+]] to %[[C6]] iter(%[[A:.+]] = %{{.+}}) -> (f32) {
// CHECK-NOT: if
// CHECK: uop.yield
// CHECK: }
// CHECK-NOT: arith.cmpi
// CHECK: uop.store %{{.+}}, %arg1
// ONE-LABEL: uop.func @window(
// OFF-LABEL: uop.func @window(
// OFF: uop.for %{{.+}} to %c8
// OFF: arith.cmpi sge
uop.func @window(%in: memref<8xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %sum = uop.for %i to %c8 iter(%s = %zero) -> (f32) {
    %before = arith.subi %i, %c1 : index
    %behind = arith.addi %i, %c1 : index
    %begun = arith.cmpi sge, %before, %c0 : index
    %inside = arith.cmpi slt, %behind, %c8 : index
    %x = uop.load %in[%before] if %begun as i1 : memref<8xf32>, f32
    %y = uop.load %in[%behind] if %inside as i1 : memref<8xf32>, f32
    %a = arith.select %begun, %x, %zero : f32
    %b = arith.select %inside, %y, %zero : f32
    %ab = arith.addf %a, %b : f32
    %next = arith.addf %s, %ab : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%c0] : f32, memref<1xf32>
  uop.return
}

// -----

// Of the two copies in 5 steps one is always inside, and one leaves in the last step.
// CHECK-LABEL: uop.func @copies(
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK: uop.for %{{.+}} to %[[C4]] {
// CHECK-NOT: uop.store {{.*}} if
// CHECK: }
// CHECK: uop.store %{{.+}}, %arg0[%{{.+}}] : f32, memref<9xf32>
// CHECK-NOT: uop.store
// CHECK: uop.return
uop.func @copies(%out: memref<9xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %one = arith.constant 1.0 : f32
  uop.for %i to %c5 {
    %first = arith.muli %i, %c2 : index
    %second = arith.addi %first, %c1 : index
    %isFirst = arith.cmpi slt, %first, %c9 : index
    %isSecond = arith.cmpi slt, %second, %c9 : index
    uop.store %one, %out[%first] if %isFirst as i1 : f32, memref<9xf32>
    uop.store %one, %out[%second] if %isSecond as i1 : f32, memref<9xf32>
    uop.yield
  }
  uop.return
}

// -----

// Of three threads of 16 lanes the last one has 8: it has a body of its own. Memory is both's.
// CHECK-LABEL: uop.func @threads(
// CHECK: %[[TILE:.+]] = uop.local
// CHECK: %[[OTHERS:.+]] = arith.cmpi ne, %[[T:.+]], %c2
// CHECK: uop.if %[[OTHERS]] {
// CHECK: uop.load %arg0[%{{[^]]+}}] : memref<40xf32>, vector<16xf32>
// CHECK: uop.store %{{.+}}, %[[TILE]]
// CHECK: %[[LAST:.+]] = arith.cmpi eq, %[[T]], %c2
// CHECK: uop.if %[[LAST]] {
// CHECK: uop.load %arg0[%c32] if %{{.+}} as vector<16xi1>
// OFF-LABEL: uop.func @threads(
// OFF-NOT: uop.if
// OFF: uop.return
uop.func @threads(%in: memref<40xf32>, %out: memref<40xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %end = arith.constant dense<40> : vector<16xindex>
  %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xindex>
  %t = uop.special thread dim(0) extent(3)
  %tile = uop.local : memref<16xf32>
  %at = arith.muli %t, %c16 : index
  %first = vector.broadcast %at : index to vector<16xindex>
  %places = arith.addi %first, %lanes : vector<16xindex>
  %gate = arith.cmpi slt, %places, %end : vector<16xindex>
  %x = uop.load %in[%at] if %gate as vector<16xi1> : memref<40xf32>, vector<16xf32>
  %y = arith.select %gate, %x, %zero : vector<16xi1>, vector<16xf32>
  uop.store %y, %tile[%c0] : vector<16xf32>, memref<16xf32>
  %z = uop.load %tile[%c0] : memref<16xf32>, vector<16xf32>
  uop.store %z, %out[%at] if %gate as vector<16xi1> : vector<16xf32>, memref<40xf32>
  uop.return
}

// -----

// Of five threads with three copies each the last one lacks its third: the gates of the other copies hold for all
// threads, and go from the body of the first four, too.
// CHECK-LABEL: uop.func @copies_of_threads(
// CHECK: arith.cmpi ne
// CHECK: uop.if
// CHECK-NOT: uop.load {{.*}} if
// CHECK: arith.cmpi eq
// CHECK: uop.if
// CHECK-NEXT: uop.load %arg0[%c192]
// CHECK-NEXT: uop.load %arg0[%c208]
// CHECK-NOT: uop.load
uop.func @copies_of_threads(%in: memref<224xf32>, %out: memref<224xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c14 = arith.constant 14 : index
  %c16 = arith.constant 16 : index
  %t = uop.special thread dim(0) extent(5)
  %n = arith.muli %t, %c3 : index
  %n1 = arith.addi %n, %c1 : index
  %n2 = arith.addi %n1, %c1 : index
  %at = arith.muli %n, %c16 : index
  %at1 = arith.addi %at, %c16 : index
  %at2 = arith.addi %at1, %c16 : index
  %g = arith.cmpi slt, %n, %c14 : index
  %g1 = arith.cmpi slt, %n1, %c14 : index
  %g2 = arith.cmpi slt, %n2, %c14 : index
  %x = uop.load %in[%at] if %g as i1 : memref<224xf32>, vector<16xf32>
  %x1 = uop.load %in[%at1] if %g1 as i1 : memref<224xf32>, vector<16xf32>
  %x2 = uop.load %in[%at2] if %g2 as i1 : memref<224xf32>, vector<16xf32>
  uop.store %x, %out[%at] if %g as i1 : vector<16xf32>, memref<224xf32>
  uop.store %x1, %out[%at1] if %g1 as i1 : vector<16xf32>, memref<224xf32>
  uop.store %x2, %out[%at2] if %g2 as i1 : vector<16xf32>, memref<224xf32>
  uop.return
}
