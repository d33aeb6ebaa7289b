// RUN: tiny-opt %s -split-input-file --uop-split-live-loops --canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file --check-passes --uop-split-live-loops --canonicalize -o /dev/null
// RUN: tiny-opt %s -split-input-file --uop-split-live-loops=max-operations=3 | FileCheck %s --check-prefix=OFF

// Vectors of 4 up to a size: whole ones have no gate.
// CHECK-LABEL: uop.func @store(
// CHECK: %[[BOUND:.+]] = arith.ceildivsi
// CHECK: %[[WHOLE:.+]] = arith.floordivsi
// CHECK: %[[LESS:.+]] = arith.minsi %[[BOUND]], %[[WHOLE]]
// CHECK: %[[STEPS:.+]] = arith.maxsi %[[LESS]]
// CHECK: %[[LEFT:.+]] = arith.subi %[[BOUND]], %[[STEPS]]
// CHECK: uop.for %[[I:.+]] to %[[STEPS]] {
// CHECK: uop.store %{{.+}}, %arg1[%{{[^]]+}}] : vector<4xf32>
// CHECK: }
// CHECK: uop.for %[[J:.+]] to %[[LEFT]] {
// CHECK: arith.addi %[[J]], %[[STEPS]]
// CHECK: uop.store %{{.+}}, %arg1[%{{.+}}] if
// OFF-LABEL: uop.func @store(
// OFF-COUNT-1: uop.for
// OFF-NOT: uop.for
uop.func @store(%sizes: memref<1xi64>, %out: memref<24xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c25 = arith.constant 25 : index
  %x = arith.constant dense<1.0> : vector<4xf32>
  %lanes = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %read = uop.load %sizes[%c0] : memref<1xi64>, i64
  %any = arith.index_cast %read : i64 to index
  %n = sym.mod %any, %c25 : index
  %bound = arith.ceildivsi %n, %c4 : index
  %end = vector.broadcast %n : index to vector<4xindex>
  uop.for %i to %bound {
    %at = arith.muli %i, %c4 : index
    %first = vector.broadcast %at : index to vector<4xindex>
    %places = arith.addi %first, %lanes : vector<4xindex>
    %gate = arith.cmpi slt, %places, %end : vector<4xindex>
    uop.store %x, %out[%at] if %gate as vector<4xi1> : vector<4xf32>, memref<24xf32>
  }
  uop.return
}

// -----

// A sum is handed on; a gate in a loop inside counts for all steps of that loop.
// OFF-LABEL: uop.func @sum(
// CHECK-LABEL: uop.func @sum(
// CHECK: %[[FIRST:.+]] = uop.for {{.*}} iter
// CHECK: uop.for
// CHECK-NOT: arith.select
// CHECK: uop.yield
// CHECK: uop.yield
// CHECK: %[[ALL:.+]] = uop.for {{.*}} iter(%{{.+}} = %[[FIRST]])
// CHECK: uop.store %[[ALL]]
uop.func @sum(%in: memref<24xf32>, %sizes: memref<1xi64>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c25 = arith.constant 25 : index
  %zero = arith.constant 0.0 : f32
  %read = uop.load %sizes[%c0] : memref<1xi64>, i64
  %any = arith.index_cast %read : i64 to index
  %n = sym.mod %any, %c25 : index
  %bound = arith.ceildivsi %n, %c4 : index
  %s = uop.for %i to %bound iter(%a = %zero) -> (f32) {
    %at = arith.muli %i, %c4 : index
    %t = uop.for %j to %c4 iter(%b = %a) -> (f32) {
      %place = arith.addi %at, %j : index
      %gate = arith.cmpi slt, %place, %n : index
      %x = uop.load %in[%place] if %gate as i1 : memref<24xf32>, f32
      %y = arith.select %gate, %x, %zero : f32
      %c = arith.addf %b, %y : f32
      uop.yield %c : f32
    }
    uop.yield %t : f32
  }
  uop.store %s, %out[%c0] : f32, memref<1xf32>
  uop.return
}

// -----

// Loops of known lengths stay as they are.
// OFF-LABEL: uop.func @known(
// CHECK-LABEL: uop.func @known(
// CHECK-COUNT-1: uop.for
// CHECK-NOT: uop.for
uop.func @known(%out: memref<24xf32>) {
  %c7 = arith.constant 7 : index
  %c4 = arith.constant 4 : index
  %x = arith.constant 1.0 : f32
  uop.for %i to %c7 {
    %gate = arith.cmpi slt, %i, %c4 : index
    uop.store %x, %out[%i] if %gate as i1 : f32, memref<24xf32>
  }
  uop.return
}

// -----

// Ends of lanes are found where a loop outside or a thread decides too: whole vectors have no mask.
// OFF-LABEL: uop.func @lanes(
// CHECK-LABEL: uop.func @lanes(
// CHECK: %[[T:.*]] = uop.special thread
// CHECK: uop.for %{{.*}} to %[[WHOLE:[a-z0-9]+]] {
// CHECK-NOT: if
// CHECK: uop.store %{{[a-z0-9_]+}}, %{{.*}}[%{{[a-z0-9]+}}] : vector<4xf32>
// CHECK: uop.for
// CHECK: uop.store {{.*}} if %{{.*}} as vector<4xi1>
uop.func @lanes(%out: memref<42xf32>) {
  %c6 = arith.constant 6 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %end = arith.constant dense<42> : vector<4xindex>
  %x = arith.constant dense<1.0> : vector<4xf32>
  %t = uop.special thread dim(0) extent(2)
  %begin = arith.muli %t, %c24 : index
  uop.for %i to %c6 {
    %mine = arith.muli %i, %c4 : index
    %at = arith.addi %begin, %mine : index
    %first = vector.broadcast %at : index to vector<4xindex>
    %lanes = arith.addi %first, %steps : vector<4xindex>
    %gate = arith.cmpi slt, %lanes, %end : vector<4xindex>
    uop.store %x, %out[%at] if %gate as vector<4xi1> : vector<4xf32>, memref<42xf32>
  }
  uop.return
}

// -----

// Lanes of a workgroup would leave the loop apart.
// OFF-LABEL: uop.func @workgroup(
// CHECK-LABEL: uop.func @workgroup(
// CHECK-COUNT-1: uop.for
// CHECK-NOT: uop.for
uop.func @workgroup(%out: memref<42xf32>) {
  %c6 = arith.constant 6 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %end = arith.constant dense<42> : vector<4xindex>
  %x = arith.constant dense<1.0> : vector<4xf32>
  %t = uop.special local dim(0) extent(2)
  %begin = arith.muli %t, %c24 : index
  uop.for %i to %c6 {
    %mine = arith.muli %i, %c4 : index
    %at = arith.addi %begin, %mine : index
    %first = vector.broadcast %at : index to vector<4xindex>
    %lanes = arith.addi %first, %steps : vector<4xindex>
    %gate = arith.cmpi slt, %lanes, %end : vector<4xindex>
    uop.store %x, %out[%at] if %gate as vector<4xi1> : vector<4xf32>, memref<42xf32>
  }
  uop.return
}

// -----

// A gate that is one for all lanes is tested by each access of a vector.
// OFF-LABEL: uop.func @whole_vectors(
// OFF-COUNT-1: uop.for
// OFF-NOT: uop.for
// CHECK-LABEL: uop.func @whole_vectors(
// CHECK: uop.for %{{.*}} to %{{.*}} {
// CHECK-NOT: if
// CHECK: uop.for %{{.*}} to %{{.*}} {
uop.func @whole_vectors(%out: memref<40xf32>) {
  %c6 = arith.constant 6 : index
  %c4 = arith.constant 4 : index
  %end = arith.constant 10 : index
  %x = arith.constant dense<1.0> : vector<4xf32>
  %t = uop.special thread dim(0) extent(2)
  %begin = arith.muli %t, %c6 : index
  uop.for %i to %c6 {
    %vector = arith.addi %begin, %i : index
    %gate = arith.cmpi slt, %vector, %end : index
    %at = arith.muli %vector, %c4 : index
    uop.store %x, %out[%at] if %gate as i1 : vector<4xf32>, memref<40xf32>
  }
  uop.return
}
