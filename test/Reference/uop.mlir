// RUN: tiny-interpret %s --program=swap --input='dense<0> : tensor<4xi32>' | FileCheck %s --check-prefix=SWAP
// RUN: tiny-interpret %s --program=grid --input='dense<0> : tensor<6xi32>' | FileCheck %s --check-prefix=GRID
// RUN: tiny-interpret %s --program=vectors --input='dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>' \
// RUN:   --input='dense<0.0> : tensor<8xf32>' | FileCheck %s --check-prefix=VECTORS
// RUN: tiny-interpret %s --program=words --input='dense<[4294967298, -3]> : tensor<2xi64>' --input='dense<0> : tensor<8xi16>' \
// RUN:   | FileCheck %s --check-prefix=WORDS
// RUN: tiny-interpret %s --program=nest --input='dense<0> : tensor<4xi32>' | FileCheck %s --check-prefix=NEST

// Carried values are replaced together; a loop that does not run gives its initial values.
// SWAP: swap result 0: tensor<4xi32> [2, 1, 1, 2]
uop.func @swap(%out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %r:2 = uop.for %i to %c3 iter(%a = %one, %b = %two) -> (i32, i32) {
    uop.yield %b, %a : i32, i32
  }
  %n:2 = uop.for %i to %c0 iter(%a = %one, %b = %two) -> (i32, i32) {
    uop.yield %b, %a : i32, i32
  }
  uop.store %r#0, %out[%c0] : i32, memref<4xi32>
  uop.store %r#1, %out[%c1] : i32, memref<4xi32>
  uop.store %n#0, %out[%c2] : i32, memref<4xi32>
  uop.store %n#1, %out[%c3] : i32, memref<4xi32>
  uop.return
}

// Every point of the hardware axes runs once.
// GRID: grid result 0: tensor<6xi32> [0, 1, 2, 10, 11, 12]
uop.func @grid(%out: memref<6xi32>) {
  %x = uop.special global dim(0) extent(2)
  %y = uop.special local dim(0) extent(3)
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %r = arith.muli %x, %c3 : index
  %l = arith.addi %r, %y : index
  %s = arith.muli %x, %c10 : index
  %v = arith.addi %s, %y : index
  %w = arith.index_cast %v : index to i32
  uop.store %w, %out[%l] : i32, memref<6xi32>
  uop.return
}

// VECTORS: vectors result 1: tensor<8xf32> [2, 4, 6, 8, 10, 0, 2, 2]
uop.func @vectors(%in: memref<4xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %v = uop.load %in[%c0] : memref<4xf32>, vector<4xf32>
  %d = arith.addf %v, %v : vector<4xf32>
  uop.store %d, %out[%c0] : vector<4xf32>, memref<8xf32>
  %s = vector.reduction <add>, %v : vector<4xf32> into f32
  uop.store %s, %out[%c4] : f32, memref<8xf32>
  // A store writes the lanes whose gate is on.
  %m = arith.constant dense<[true, true, false]> : vector<3xi1>
  %e = vector.extract %v[1] : f32 from vector<4xf32>
  %b = vector.broadcast %e : f32 to vector<3xf32>
  uop.store %b, %out[%c6] if %m as vector<3xi1> : vector<3xf32>, memref<8xf32>
  uop.return
}

// NEST: nest result 0: tensor<4xi32> [0, 0, 2, 0]
uop.func @nest(%out: memref<4xi32>) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  uop.for %i to %c4 {
    %is = arith.cmpi eq, %i, %c2 : index
    uop.if %is {
      %s = uop.for %j to %c2 iter(%a = %zero) -> (i32) {
        %t = arith.addi %a, %one : i32
        uop.yield %t : i32
      }
      uop.store %s, %out[%i] : i32, memref<4xi32>
    }
  }
  uop.return
}

// Integers are cut into others of their bits, and put together again; the lower ones come first.
// WORDS: words result 0: tensor<2xi64> [12884901890, -4294967299]
// WORDS: words result 1: tensor<8xi16> [2, 0, 1, 0, -3, -1, -1, -1]
uop.func @words(%a: memref<2xi64>, %b: memref<8xi16>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %a[%c0] : memref<2xi64>, vector<2xi64>
  %short = vector.bitcast %x : vector<2xi64> to vector<8xi16>
  uop.store %short, %b[%c0] : vector<8xi16>, memref<8xi16>
  %words = vector.bitcast %x : vector<2xi64> to vector<4xi32>
  %step = arith.constant dense<[0, 2, 0, -1]> : vector<4xi32>
  %other = arith.addi %words, %step : vector<4xi32>
  %y = vector.bitcast %other : vector<4xi32> to vector<2xi64>
  uop.store %y, %a[%c0] : vector<2xi64>, memref<2xi64>
  uop.return
}
