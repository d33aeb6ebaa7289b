// Three programs as a GPU runs them: lanes of a workgroup in lockstep, what they share, and what they do together.
// RUN: tiny-opt %s --verify-uop -o %t.mlir
// RUN: tiny-interpret %t.mlir --program=row_sum --input='dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<24xf32>' \
// RUN:   --input='dense<0.0> : tensor<2xf32>' | FileCheck %s --check-prefix=SUM
// RUN: tiny-interpret %t.mlir --program=matmul --input='dense<[1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 0.0, 1.0, 2.0, 0.0, 2.0, 0.0, 0.5, 0.5, 0.5, 0.5]> : tensor<16xf32>' \
// RUN:   --input='dense<[1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 3.0, 1.0, 1.0, 1.0, 4.0]> : tensor<16xf32>' \
// RUN:   --input='dense<0.0> : tensor<16xf32>' | FileCheck %s --check-prefix=MATMUL
// RUN: tiny-interpret %t.mlir --program=softmax --input='dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 100.0]> : tensor<16xf32>' \
// RUN:   --input='dense<0.0> : tensor<16xf32>' | FileCheck %s --check-prefix=SOFTMAX
// RUN: tiny-interpret %t.mlir --program=staged --input='dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : tensor<16xf32>' \
// RUN:   --input='dense<0.0> : tensor<16xf32>' | FileCheck %s --check-prefix=STAGED
// RUN: tiny-interpret %t.mlir --program=histogram --input='dense<[0, 1, 1, 2, 1, 0, 3, 1]> : tensor<8xi32>' \
// RUN:   --input='dense<0> : tensor<4xi32>' | FileCheck %s --check-prefix=HISTOGRAM
// RUN: tiny-interpret %t.mlir --program=shuffles --input='dense<[10, 11, 12, 13, 20, 21, 22, 23]> : tensor<8xi32>' \
// RUN:   --input='dense<0> : tensor<32xi32>' | FileCheck %s --check-prefix=SHUFFLES
// RUN: tiny-interpret %t.mlir --program=product --input='dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 1.0]> : tensor<8xf16>' \
// RUN:   --input='dense<[1.0, 0.0, 2.0, 0.0, 1.0, 3.0]> : tensor<6xf16>' \
// RUN:   --input='dense<0.0> : tensor<12xf32>' | FileCheck %s --check-prefix=PRODUCT
// RUN: tiny-interpret %t.mlir --program=rows --input='dense<[1.0, 5.0, 4097.0, 2.0]> : tensor<4xf32>' \
// RUN:   --input='dense<[1.0, 0.0, 0.0, 1.0]> : tensor<4xf16>' \
// RUN:   --input='dense<0.0> : tensor<8xf32>' | FileCheck %s --check-prefix=ROWS
// RUN: tiny-interpret %t.mlir --program=columns --input='dense<[1.0, 0.0, 0.0, 1.0]> : tensor<4xf16>' \
// RUN:   --input='dense<0.0> : tensor<4xf32>' | FileCheck %s --check-prefix=COLUMNS
// RUN: tiny-interpret %t.mlir --program=diverging --input='dense<0> : tensor<4xi32>' | FileCheck %s --check-prefix=DIVERGING
// RUN: tiny-interpret %t.mlir --program=groups --input='dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>' \
// RUN:   --input='dense<0> : tensor<6xi32>' | FileCheck %s --check-prefix=GROUPS

// A row by each workgroup of 8 lanes: each sums up its share, and a tree in shared memory combines them.
// SUM: row_sum result 1: tensor<2xf32> [78, 6]
uop.func @row_sum(%in: memref<24xf32>, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  %tile = uop.local : memref<8xf32>
  %row = uop.special global dim(0) extent(2)
  %lane = uop.special local dim(0) extent(8)
  %begin = arith.muli %row, %c12 : index
  %sum = uop.for %k to %c2 iter(%acc = %zero) -> (f32) {
    %block = arith.muli %k, %c8 : index
    %column = arith.addi %block, %lane : index
    %inside = arith.cmpi slt, %column, %c12 : index
    %at = arith.addi %begin, %column : index
    %x = uop.load %in[%at] if %inside as i1 : memref<24xf32>, f32
    %y = arith.select %inside, %x, %zero : f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %tile[%lane] : f32, memref<8xf32>
  uop.barrier
  uop.for %step to %c3 {
    // 4, 2 and 1 lanes are left.
    %count = arith.shrui %c4, %step : index
    %is = arith.cmpi slt, %lane, %count : index
    uop.if %is {
      %there = arith.addi %lane, %count : index
      %a = uop.load %tile[%lane] : memref<8xf32>, f32
      %b = uop.load %tile[%there] : memref<8xf32>, f32
      %c = arith.addf %a, %b : f32
      uop.store %c, %tile[%lane] : f32, memref<8xf32>
    }
    uop.barrier
  }
  %first = arith.cmpi eq, %lane, %c0 : index
  uop.if %first {
    %total = uop.load %tile[%c0] : memref<8xf32>, f32
    uop.store %total, %out[%row] : f32, memref<2xf32>
  }
  uop.return
}

// A product in tiles of 2x2, which the four lanes of a workgroup fill together.
// MATMUL: matmul result 2: tensor<16xf32> [5, 6, 7, 30, 1, 2, 1, 6, 2, 0, 2, 8, 1, 1, 1, 5]
uop.func @matmul(%a: memref<16xf32>, %b: memref<16xf32>, %c: memref<16xf32>) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %left = uop.local : memref<4xf32>
  %right = uop.local : memref<4xf32>
  %gi = uop.special global dim(0) extent(2)
  %gj = uop.special global dim(1) extent(2)
  %lj = uop.special local dim(0) extent(2)
  %li = uop.special local dim(1) extent(2)
  %gi2 = arith.muli %gi, %c2 : index
  %gj2 = arith.muli %gj, %c2 : index
  %i = arith.addi %gi2, %li : index
  %j = arith.addi %gj2, %lj : index
  %row = arith.muli %i, %c4 : index
  %li2 = arith.muli %li, %c2 : index
  %own = arith.addi %li2, %lj : index
  %sum = uop.for %block to %c2 iter(%acc = %zero) -> (f32) {
    %k = arith.muli %block, %c2 : index
    %ka = arith.addi %k, %lj : index
    %ata = arith.addi %row, %ka : index
    %x = uop.load %a[%ata] : memref<16xf32>, f32
    uop.store %x, %left[%own] : f32, memref<4xf32>
    %kb = arith.addi %k, %li : index
    %kb4 = arith.muli %kb, %c4 : index
    %atb = arith.addi %kb4, %j : index
    %y = uop.load %b[%atb] : memref<16xf32>, f32
    uop.store %y, %right[%own] : f32, memref<4xf32>
    uop.barrier
    %inner = uop.for %s to %c2 iter(%part = %acc) -> (f32) {
      %ls = arith.addi %li2, %s : index
      %u = uop.load %left[%ls] : memref<4xf32>, f32
      %s2 = arith.muli %s, %c2 : index
      %rs = arith.addi %s2, %lj : index
      %v = uop.load %right[%rs] : memref<4xf32>, f32
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %part, %p : f32
      uop.yield %q : f32
    }
    uop.barrier
    uop.yield %inner : f32
  }
  %at = arith.addi %row, %j : index
  uop.store %sum, %c[%at] : f32, memref<16xf32>
  uop.return
}

// A row by each subgroup, without shared memory.
// SOFTMAX: softmax result 1: tensor<16xf32> [0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.5, {{[^]]*}}, 0.5]
uop.func @softmax(%in: memref<16xf32>, %out: memref<16xf32>) {
  %c8 = arith.constant 8 : index
  %row = uop.special subgroup dim(0) extent(2)
  %column = uop.special lane dim(0) extent(8)
  %all = uop.special local dim(0) extent(16)
  %begin = arith.muli %row, %c8 : index
  %at = arith.addi %begin, %column : index
  %x = uop.load %in[%at] : memref<16xf32>, f32
  %max = uop.subgroup_reduce maximumf %x : f32
  %d = arith.subf %x, %max : f32
  %e = math.exp %d : f32
  %sum = uop.subgroup_reduce addf %e : f32
  %y = arith.divf %e, %sum : f32
  uop.store %y, %out[%at] : f32, memref<16xf32>
  uop.return
}

// Two tiles: one is copied while the other is read. Each lane reads what another one copied.
// STAGED: staged result 1: tensor<16xf32> [4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9, 16, 15, 14, 13]
uop.func @staged(%in: memref<16xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %tiles = uop.local : memref<8xf32>
  %lane = uop.special local dim(0) extent(4)
  %mirror = arith.subi %c3, %lane : index
  uop.copy_async %in[%lane], %tiles[%lane] count(1) : memref<16xf32>, memref<8xf32>
  uop.copy_commit
  uop.for %k to %c4 {
    %next = arith.addi %k, %c1 : index
    %more = arith.cmpi slt, %next, %c4 : index
    uop.if %more {
      %from4 = arith.muli %next, %c4 : index
      %from = arith.addi %from4, %lane : index
      %half = arith.remui %next, %c2 : index
      %to4 = arith.muli %half, %c4 : index
      %to = arith.addi %to4, %lane : index
      uop.copy_async %in[%from], %tiles[%to] count(1) : memref<16xf32>, memref<8xf32>
    }
    uop.copy_commit
    uop.copy_wait pending(1)
    uop.barrier
    %this = arith.remui %k, %c2 : index
    %this4 = arith.muli %this, %c4 : index
    %at = arith.addi %this4, %mirror : index
    %x = uop.load %tiles[%at] : memref<8xf32>, f32
    %k4 = arith.muli %k, %c4 : index
    %place = arith.addi %k4, %lane : index
    uop.store %x, %out[%place] : f32, memref<16xf32>
    uop.barrier
  }
  uop.return
}

// Lanes of several workgroups count into one element.
// HISTOGRAM: histogram result 1: tensor<4xi32> [2, 4, 1, 1]
uop.func @histogram(%in: memref<8xi32>, %out: memref<4xi32>) {
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %g = uop.special global dim(0) extent(2)
  %l = uop.special local dim(0) extent(4)
  %g4 = arith.muli %g, %c4 : index
  %at = arith.addi %g4, %l : index
  %x = uop.load %in[%at] : memref<8xi32>, i32
  %bin = arith.index_cast %x : i32 to index
  uop.atomic addi %one, %out[%bin] : i32, memref<4xi32>
  uop.return
}

// Subgroups of 4. What comes from outside of one is junk.
// SHUFFLES: shuffles result 1: tensor<32xi32> [11, 10, 13, 12, 21, 20, 23, 22, {{-?[0-9]+}}, 10, 11, 12, {{-?[0-9]+}}, 20, 21, 22,
// SHUFFLES-SAME: 12, 13, {{-?[0-9]+}}, {{-?[0-9]+}}, 22, 23, {{-?[0-9]+}}, {{-?[0-9]+}}, 13, 12, 11, 10, 23, 22, 21, 20]
uop.func @shuffles(%in: memref<8xi32>, %out: memref<32xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %at = uop.special local dim(0) extent(8)
  %lane = uop.special lane dim(0) extent(4)
  %x = uop.load %in[%at] : memref<8xi32>, i32
  %a = uop.shuffle xor %x, %c1 : i32
  uop.store %a, %out[%at] : i32, memref<32xi32>
  %b = uop.shuffle up %x, %c1 : i32
  %atb = arith.addi %at, %c8 : index
  uop.store %b, %out[%atb] : i32, memref<32xi32>
  %c = uop.shuffle down %x, %c2 : i32
  %atc = arith.addi %at, %c16 : index
  uop.store %c, %out[%atc] : i32, memref<32xi32>
  %from = arith.subi %c3, %lane : index
  %d = uop.shuffle from %x, %from : i32
  %atd = arith.addi %at, %c24 : index
  uop.store %d, %out[%atd] : i32, memref<32xi32>
  uop.return
}

// One product of a subgroup: the factor on the right is read as its transpose's transpose.
// PRODUCT: product result 2: tensor<12xf32> [2, 3, 9, 4, 5, 19, 6, 7, 29, 1, 2, 4]
uop.func @product(%a: memref<8xf16>, %b: memref<6xf16>, %c: memref<12xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %lane = uop.special lane dim(0) extent(4)
  %local = uop.special local dim(0) extent(4)
  %left = uop.fragment_load %a[%c0] stride(2) : memref<8xf16>, !uop.fragment<left 4x2xf16>
  %right = uop.fragment_load %b[%c0] stride(3) : memref<6xf16>, !uop.fragment<right 2x3xf16>
  %zero = uop.fragment_fill %one : !uop.fragment<sum 4x3xf32>
  %sum = uop.mma %left, %right, %zero : !uop.fragment<left 4x2xf16>, !uop.fragment<right 2x3xf16>, !uop.fragment<sum 4x3xf32>
  uop.fragment_store %sum, %c[%c0] stride(3) : !uop.fragment<sum 4x3xf32>, memref<12xf32>
  uop.return
}

// What lanes hold of two rows: the maximum of each row, and a factor of f16, which rounds them.
// ROWS: rows result 2: tensor<8xf32> [5, 5, 4097, 4097, 1, 5, 4096, 2]
uop.func @rows(%a: memref<4xf32>, %unit: memref<4xf16>, %c: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %lane = uop.special lane dim(0) extent(2)
  %local = uop.special local dim(0) extent(2)
  %below = arith.addi %local, %c2 : index
  %x0 = uop.load %a[%local] : memref<4xf32>, f32
  %x1 = uop.load %a[%below] : memref<4xf32>, f32
  %x = vector.from_elements %x0, %x1 : vector<2xf32>
  %m = uop.fragment_reduce maximumf %x of !uop.fragment<sum 2x2xf32> : vector<2xf32>
  %m0 = vector.extract %m[0] : f32 from vector<2xf32>
  %m1 = vector.extract %m[1] : f32 from vector<2xf32>
  uop.store %m0, %c[%local] : f32, memref<8xf32>
  uop.store %m1, %c[%below] : f32, memref<8xf32>
  %left = uop.fragment_pack %x : vector<2xf32>, !uop.fragment<left 2x2xf16>
  %right = uop.fragment_load %unit[%c0] stride(2) : memref<4xf16>, !uop.fragment<right 2x2xf16>
  %start = uop.fragment_fill %zero : !uop.fragment<sum 2x2xf32>
  %sum = uop.mma %left, %right, %start : !uop.fragment<left 2x2xf16>, !uop.fragment<right 2x2xf16>, !uop.fragment<sum 2x2xf32>
  uop.fragment_store %sum, %c[%c4] stride(2) : !uop.fragment<sum 2x2xf32>, memref<8xf32>
  uop.return
}

// Columns from a number on of what lanes hold of a sum: row by row 2 and 3, 12 and 13.
// COLUMNS: columns result 1: tensor<4xf32> [2, 3, 12, 13]
uop.func @columns(%unit: memref<4xf16>, %c: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %ten = arith.constant dense<10> : vector<4xindex>
  %zero = arith.constant 0.0 : f32
  %lane = uop.special lane dim(0) extent(2)
  %local = uop.special local dim(0) extent(2)
  %rows, %columns = uop.fragment_place !uop.fragment<sum 2x4xf32> : vector<4xindex>
  %tens = arith.muli %rows, %ten : vector<4xindex>
  %numbers = arith.addi %tens, %columns : vector<4xindex>
  %words = arith.index_cast %numbers : vector<4xindex> to vector<4xi32>
  %x = arith.sitofp %words : vector<4xi32> to vector<4xf32>
  %left = uop.fragment_pack %x from(2) : vector<4xf32>, !uop.fragment<left 2x2xf16>
  %right = uop.fragment_load %unit[%c0] stride(2) : memref<4xf16>, !uop.fragment<right 2x2xf16>
  %start = uop.fragment_fill %zero : !uop.fragment<sum 2x2xf32>
  %sum = uop.mma %left, %right, %start : !uop.fragment<left 2x2xf16>, !uop.fragment<right 2x2xf16>, !uop.fragment<sum 2x2xf32>
  uop.fragment_store %sum, %c[%c0] stride(2) : !uop.fragment<sum 2x2xf32>, memref<4xf32>
  uop.return
}

// Loops of as many trips as lanes say; what a lane carries ends with its own last trip.
// DIVERGING: diverging result 0: tensor<4xi32> [0, 1, 3, 6]
uop.func @diverging(%out: memref<4xi32>) {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %lane = uop.special local dim(0) extent(4)
  %bound = arith.addi %lane, %c1 : index
  %sum = uop.for %k to %bound iter(%acc = %zero) -> (i32) {
    %x = arith.index_cast %k : index to i32
    %next = arith.addi %acc, %x : i32
    uop.yield %next : i32
  }
  uop.store %sum, %out[%lane] : i32, memref<4xi32>
  uop.return
}

// Over the first axis of a workgroup: two rows of three lanes.
// GROUPS: groups result 1: tensor<6xi32> [6, 6, 6, 15, 15, 15]
uop.func @groups(%in: memref<6xi32>, %out: memref<6xi32>) {
  %c3 = arith.constant 3 : index
  %column = uop.special local dim(0) extent(3)
  %row = uop.special local dim(1) extent(2)
  %begin = arith.muli %row, %c3 : index
  %at = arith.addi %begin, %column : index
  %x = uop.load %in[%at] : memref<6xi32>, i32
  %sum = uop.workgroup_reduce addi %x dims(1) : i32
  uop.store %sum, %out[%at] : i32, memref<6xi32>
  uop.return
}
