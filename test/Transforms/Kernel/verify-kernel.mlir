// RUN: tiny-opt %s --verify-kernel -split-input-file -verify-diagnostics

kernel.program @accepted(%x: memref<8xf32>) -> memref<8xf32> {
  %y = kernel.alloc : memref<8xf32>
  kernel.launch @reverse ins (%x : memref<8xf32>) outs (%y : memref<8xf32>)
  kernel.return %y : memref<8xf32>
}
kernel.func @reverse(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %j = arith.subi %c7, %i : index
  %far = arith.addi %i, %c9 : index
  %false = arith.constant false
  %x = kernel.load %in[%j] : memref<8xf32>
  // A gate may forbid what the index alone does not.
  %y = kernel.load %in[%far] if %false : memref<8xf32>
  // Only the ranges' product is bounded here: nothing is certain.
  %square = arith.muli %i, %i : index
  %z = kernel.load %in[%square] : memref<8xf32>
  %s = math.sqrt %x : f32
  %m = sym.mod %i, %c7 : index
  kernel.store %s, %out[%i] : memref<8xf32>
}
module @schedules {
  func.func private @anything()
}

// -----

// gate_c1
// expected-error @+1 {{'func.func' cannot stand on the kernel level}}
func.func @left(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// gate_c2
kernel.program @compute_in_program() {
  // expected-error @+1 {{'arith.constant' is no item of a program}}
  %c = arith.constant dense<0.0> : tensor<4xf32>
  kernel.return
}

// -----

// gate_c2
kernel.func @other_dialect() {
  // expected-error @+1 {{'memref.alloc' cannot stand in a kernel}}
  %0 = memref.alloc() : memref<4xf32>
}

// -----

// gate_c2
kernel.func @lazy_op() {
  // expected-error @+1 {{'lazy.iota' cannot stand in a kernel}}
  %0 = lazy.iota 0 : tensor<4xi32>
}

// -----

// gate_c3
kernel.func @tensor_value() {
  // expected-error @+1 {{result #0 of type 'tensor<4xf32>' is neither a signless integer, nor a float, nor an index}}
  %0 = arith.constant dense<0.0> : tensor<4xf32>
}

// -----

// gate_c3
kernel.func @vector_value() {
  // expected-error @+1 {{result #0 of type 'vector<4xf32>' is neither a signless integer, nor a float, nor an index}}
  %0 = arith.constant dense<0.0> : vector<4xf32>
}

// -----

// gate_c4
kernel.func @load_beyond_end(%in: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %c1 = arith.constant 1 : index
  %next = arith.addi %i, %c1 : index
  // expected-error @+1 {{without a gate goes from 1 to 8 in a buffer of 8 elements}}
  %x = kernel.load %in[%next] : memref<8xf32>
}

// -----

// gate_c4
kernel.func @store_before_begin(%out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %previous = arith.subi %i, %c1 : index
  // expected-error @+1 {{without a gate goes from -1 to 6 in a buffer of 8 elements}}
  kernel.store %zero, %out[%previous] : memref<8xf32>
}

// -----

// gate_c4
kernel.func @nonlinear_and_outside(%out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.floordivsi %i, %c2 : index
  %outside = arith.addi %half, %c4 : index
  // expected-error @+1 {{without a gate goes from 4 to 7 in a buffer of 4 elements}}
  kernel.store %zero, %out[%outside] : memref<4xf32>
}

// -----

// gate_c5
kernel.program @nobody_waits(%x: memref<8xf32>) -> memref<8xf32> attributes {tiny.grid = array<i64: 2>} {
  %y = kernel.alloc : memref<8xf32>
  // expected-error @+1 {{is async, and no 'kernel.wait' of its list is for it}}
  kernel.collective "all_reduce" %x, %y grid [2] axes [0] by "sum" async : memref<8xf32>, memref<8xf32>
  kernel.return %y : memref<8xf32>
}

// -----

// gate_c5
kernel.program @waits_for_nothing(%x: memref<8xf32>) -> memref<8xf32> attributes {tiny.grid = array<i64: 2>} {
  %y = kernel.alloc : memref<8xf32>
  kernel.collective "all_reduce" %x, %y grid [2] axes [0] by "sum" : memref<8xf32>, memref<8xf32>
  // expected-error @+1 {{waits for no async collective of its list with these buffers}}
  kernel.wait %x, %y : memref<8xf32>, memref<8xf32>
  kernel.return %y : memref<8xf32>
}

// -----

// gate_c5
kernel.program @reads_too_early(%x: memref<8xf32>) -> memref<8xf32> attributes {tiny.grid = array<i64: 2>} {
  %y = kernel.alloc : memref<8xf32>
  %z = kernel.alloc : memref<8xf32>
  // expected-note @+1 {{the collective is here}}
  kernel.collective "all_reduce" %x, %y grid [2] axes [0] by "sum" async : memref<8xf32>, memref<8xf32>
  // expected-error @+1 {{uses a buffer of an async collective before a 'kernel.wait'}}
  kernel.copy %y, %z : memref<8xf32>
  kernel.wait %x, %y : memref<8xf32>, memref<8xf32>
  kernel.return %z : memref<8xf32>
}

// -----

// gate_c5
kernel.program @writes_the_source(%x: memref<8xf32>) -> memref<8xf32> attributes {tiny.grid = array<i64: 2>} {
  %y = kernel.alloc : memref<8xf32>
  %z = kernel.alloc : memref<8xf32>
  kernel.copy %x, %z : memref<8xf32>
  // expected-note @+1 {{the collective is here}}
  kernel.collective "all_reduce" %z, %y grid [2] axes [0] by "sum" async : memref<8xf32>, memref<8xf32>
  kernel.copy %z, %x : memref<8xf32>
  // expected-error @+1 {{uses a buffer of an async collective before a 'kernel.wait'}}
  kernel.fill %z, 1.0 : f32 -> memref<8xf32>
  kernel.wait %z, %y : memref<8xf32>, memref<8xf32>
  kernel.return %y : memref<8xf32>
}
