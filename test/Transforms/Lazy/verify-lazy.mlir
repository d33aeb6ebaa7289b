// RUN: tiny-opt %s -split-input-file -verify-diagnostics --verify-lazy

// What a lazy program may have.
func.func private @external(tensor<4xf32>)
func.func @accepted(%x: tensor<4x8xf32>, %b: tensor<4x8xi1>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %e = math.exp %x : tensor<4x8xf32>
  %s = arith.select %b, %e, %zero : tensor<4x8xi1>, tensor<4x8xf32>
  %r = lazy.reduce (%s) init [0.0 : f32] axes [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %c: f32):
    %sum = arith.addf %a, %c : f32
    lazy.yield %sum : f32
  }
  return %r : tensor<4xf32>
}
module @schedules {
  func.func @anything(%i: index) -> index {
    return %i : index
  }
}

// -----

func.func @gate_c1_dialect() {
  // expected-error @below {{'memref.alloc' can't stand on the lazy level}}
  %0 = memref.alloc() : memref<4xf32>
  return
}

// -----

// expected-error @below {{function 'gate_c2_control_flow' has control flow: expects one block, got 2}}
func.func @gate_c2_control_flow(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'cf.br' can't stand on the lazy level}}
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{argument #0 of type 'f32' is no statically shaped tensor}}
func.func @gate_c3_scalar(%x: f32) {
  return
}

// -----

// expected-error @below {{argument #0 of type 'tensor<?xf32>' is no statically shaped tensor}}
func.func @gate_c3_dynamic(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error @below {{argument #0 of type 'tensor<4xui8>' has elements that are neither signless integers nor floats}}
func.func @gate_c3_signed(%x: tensor<4xui8>) {
  return
}

// -----

func.func @gate_c3_index() {
  // expected-error @below {{'arith.constant' op result #0 of type 'tensor<4xindex>' has elements that are neither signless integers nor floats}}
  %0 = arith.constant dense<0> : tensor<4xindex>
  return
}

// -----

// expected-error @below {{argument #0 of type 'tensor<2305843009213693952xf32>' is too large: its size in bytes overflows}}
func.func @gate_c3_size(%x: tensor<2305843009213693952xf32>) {
  return
}

// -----

// Every offence is reported.
func.func @several() {
  // expected-error @below {{'arith.constant' op result #0 of type 'f32' is no statically shaped tensor}}
  %0 = arith.constant 0.0 : f32
  // expected-error @below {{'arith.constant' op result #0 of type 'i32' is no statically shaped tensor}}
  %1 = arith.constant 0 : i32
  return
}

// -----

func.func @combiner_dialect(%x: tensor<4xi32>) -> tensor<i32> {
  %r = lazy.reduce (%x) init [0 : i32] axes [0] : (tensor<4xi32>) -> tensor<i32> {
  ^bb0(%a: i32, %c: i32):
    // expected-error @below {{'llvm.add' can't stand in a combiner}}
    %sum = llvm.add %a, %c : i32
    lazy.yield %sum : i32
  }
  return %r : tensor<i32>
}

// -----

func.func @combiner_type(%x: tensor<4xi32>) -> tensor<i32> {
  %r = lazy.reduce (%x) init [0 : i32] axes [0] : (tensor<4xi32>) -> tensor<i32> {
  ^bb0(%a: i32, %c: i32):
    // expected-error @below {{'arith.index_cast' op gives 'index': a combiner computes signless integers and floats}}
    %i = arith.index_cast %a : i32 to index
    lazy.yield %c : i32
  }
  return %r : tensor<i32>
}

// -----

// expected-error @below {{argument #0 has a 'tiny.donated' of 1 : i64, expected a unit attribute}}
func.func @state_c1_donated(%x: tensor<4xf32> {tiny.donated = 1 : i64}) {
  return
}

// -----

// expected-error @below {{result #0 has a 'tiny.aliases' of 1 : i64, which names no argument}}
func.func @state_c1_aliases(%x: tensor<4xf32> {tiny.donated}) -> (tensor<4xf32> {tiny.aliases = 1 : i64}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{result #0 has a 'tiny.aliases' of 0 : i32, expected an i64 attribute}}
func.func @state_c1_type(%x: tensor<4xf32> {tiny.donated}) -> (tensor<4xf32> {tiny.aliases = 0 : i32}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{result #0 aliases argument #0, which is not 'tiny.donated'}}
func.func @state_c2_donated(%x: tensor<4xf32>) -> (tensor<4xf32> {tiny.aliases = 0 : i64}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{result #0 aliases argument #0, which is of another type}}
func.func @state_c2_type(%x: tensor<4xf32> {tiny.donated}) -> (tensor<2x2xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// expected-error @below {{results #0 and #1 alias argument #0 both}}
func.func @state_c3(%x: tensor<4xf32> {tiny.donated})
    -> (tensor<4xf32> {tiny.aliases = 0 : i64}, tensor<4xf32> {tiny.aliases = 0 : i64}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{result #0 has a 'tiny.borrowed' of unit, expected a unit attribute on what a loop names}}
func.func @state_c4(%x: tensor<4xf32>) -> (tensor<4xf32> {tiny.borrowed}) {
  return %x : tensor<4xf32>
}
