// RUN: tiny-opt %s -allow-unregistered-dialect -split-input-file -sym-check-bounds -verify-diagnostics -o /dev/null

// All of these are inside.
kernel.func @inside(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c8 = arith.constant 8 : index
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(8)
  %0 = arith.muli %i, %c8 : index
  %1 = arith.addi %0, %j : index
  %v = kernel.load %in[%1] : memref<64xf32>
  kernel.store %v, %out[%1] : memref<64xf32>
}

// -----

kernel.func @gate_keeps_inside(%in: memref<4xf32>, %out: memref<6xf32>) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %i = kernel.range loop id(0) extent(6)
  %0 = arith.subi %i, %c1 : index
  %1 = arith.cmpi sge, %i, %c1 : index
  %2 = arith.cmpi slt, %i, %c5 : index
  %3 = arith.andi %1, %2 : i1
  %v = kernel.load %in[%0] if %3 : memref<4xf32>
  %w = arith.select %3, %v, %zero : f32
  kernel.store %w, %out[%i] : memref<6xf32>
}

// -----

// Bounds alone say 0..9; only the exact answer knows that x + x // 2 never is 5.
kernel.func @exact(%in: memref<8xf32>, %out: memref<6xf32>) {
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c100 = arith.constant 100 : index
  %c0 = arith.constant 0 : index
  %i = kernel.range loop id(0) extent(6)
  %0 = arith.floordivsi %i, %c2 : index
  %1 = arith.addi %0, %i : index
  %2 = arith.cmpi eq, %1, %c5 : index
  %v = kernel.load %in[%c100] if %2 : memref<8xf32>
  kernel.store %v, %out[%i] : memref<6xf32>
}

// -----

kernel.func @above(%in: memref<4xf32>, %out: memref<8xf32>) {
  // expected-note @below {{where this is}}
  %i = kernel.range loop id(0) extent(8)
  // expected-error @below {{'kernel.load' op reaches element}}
  %v = kernel.load %in[%i] : memref<4xf32>
  kernel.store %v, %out[%i] : memref<8xf32>
}

// -----

kernel.func @below(%in: memref<4xf32>, %out: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  // expected-note @below {{where this is 0}}
  %i = kernel.range loop id(0) extent(4)
  %0 = arith.subi %i, %c1 : index
  // expected-error @below {{'kernel.load' op reaches element -1 of a buffer of 4}}
  %v = kernel.load %in[%0] : memref<4xf32>
  kernel.store %v, %out[%i] : memref<4xf32>
}

// -----

func.func @vector_covers_its_lanes(%m: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  // expected-note @below {{where this is 2}}
  scf.for %i = %c0 to %c3 step %c1 {
    %0 = arith.muli %i, %c4 : index
    // expected-error @below {{'vector.load' op reaches element 11 of a buffer of 9}}
    %v = vector.load %m[%0] : memref<9xf32>, vector<4xf32>
  }
  return
}

// -----

func.func @unbounded_product(%x: index, %y: index, %m: memref<9xf32>) {
  %0 = arith.muli %x, %y : index
  // expected-error @below {{'memref.load' op may reach outside its buffer of 9 elements: not decided}}
  %v = memref.load %m[%0] : memref<9xf32>
  return
}

// -----

// A gate for each lane says nothing of the index as a whole.
func.func @gated_by_lane(%gate: vector<4xi1>, %m: memref<9xf32>) {
  %c8 = arith.constant 8 : index
  "test.access"(%m, %c8, %gate) : (memref<9xf32>, index, vector<4xi1>) -> ()
  return
}

// -----

// The gate keeps the access inside, but the engine does not see through it: no point is claimed.
func.func @gate_that_is_not_read(%a: index, %m: memref<4xf32>) {
  %x = sym.range_of %a [0, 7] : index
  %c4 = arith.constant 4 : i32
  %t = arith.constant true
  %i = arith.index_cast %x : index to i32
  %h = arith.cmpi sge, %i, %c4 : i32
  %g = arith.xori %h, %t : i1
  // expected-error @below {{'test.access' op may reach outside its buffer of 4 elements: not decided}}
  "test.access"(%m, %x, %g) : (memref<4xf32>, index, i1) -> ()
  return
}
