// RUN: tiny-opt %s -split-input-file -verify-diagnostics -o /dev/null

// (func_c1)
// expected-error @below {{'uop.func' op argument 1 must be a rank-1 memref without layout, got 'f32'}}
uop.func @func_c1(%a: memref<4xf32>, %b: f32) {
  uop.return
}

// -----

// (func_c1)
// expected-error @below {{'uop.func' op argument 0 must be a rank-1 memref without layout, got 'memref<4xf32, strided<[2]>>'}}
uop.func @func_c1_layout(%a: memref<4xf32, strided<[2]>>) {
  uop.return
}

// -----

// (func_c2)
// expected-error @below {{'uop.func' op must have no results, got 1}}
uop.func @func_c2() -> f32 {
  uop.return
}

// -----

// (func_c3)
// expected-error @below {{'uop.func' op must end with uop.return}}
uop.func @func_c3() {
  %c = arith.constant 1 : index
}

// -----

uop.func @special_c1() {
  // expected-error @below {{'uop.special' op dim must be 0, 1 or 2, got 3}}
  %g = uop.special global dim(3) extent(4)
  uop.return
}

// -----

uop.func @special_c2() {
  // expected-error @below {{'uop.special' op extent must be in [1, 2^62), got 0}}
  %g = uop.special global dim(0) extent(0)
  uop.return
}

// -----

uop.func @special_axis() {
  // expected-error @below {{expected a hardware axis (global, local, thread, subgroup, lane or team), got 'grid'}}
  %g = uop.special grid dim(0) extent(4)
  uop.return
}

// -----

uop.func @for_types(%a: memref<4xf32>) {
  %n = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  // expected-error @below {{expected as many types as carried values, got 2 types for 1}}
  %s:2 = uop.for %i to %n iter(%acc = %z) -> (f32, f32) {
    uop.yield %acc : f32
  }
  uop.return
}

// -----

uop.func @for_c1() {
  %n = arith.constant 4 : index
  // expected-error @below {{'uop.for' op body must take an index and 0 carried values}}
  "uop.for"(%n) ({
  ^bb0(%i: index, %j: index):
    uop.yield
  }) : (index) -> ()
  uop.return
}

// -----

uop.func @for_c1_types() {
  %n = arith.constant 4 : index
  // expected-error @below {{'uop.for' op results and body arguments must have the types of the initial values}}
  %r = "uop.for"(%n, %n) ({
  ^bb0(%i: index, %j: index):
    uop.yield %j : index
  }) : (index, index) -> (f32)
  uop.return
}

// -----

uop.func @for_c2() {
  %n = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  // expected-error @below {{'uop.for' op body must yield the types of the carried values}}
  %s = uop.for %i to %n iter(%acc = %z) -> (f32) {
    // expected-note @below {{yielded here}}
    uop.yield %i : index
  }
  uop.return
}

// -----

uop.func @if_c1(%b: memref<4xi1>) {
  %n = arith.constant 0 : index
  %c = uop.load %b[%n] : memref<4xi1>, i1
  // expected-error @below {{'uop.if' op body must yield no values}}
  uop.if %c {
    uop.yield %c : i1
  }
  uop.return
}

// -----

func.func @load_c1(%b: memref<4xf32, strided<[2]>>, %i: index) {
  // expected-error @below {{'uop.load' op buffer must have no layout, got 'memref<4xf32, strided<[2]>>'}}
  %x = uop.load %b[%i] : memref<4xf32, strided<[2]>>, f32
  return
}

// -----

uop.func @load_c2_rank(%b: memref<4xf32>) {
  %i = arith.constant 0 : index
  // expected-error @below {{'uop.load' op result must be a scalar or a fixed vector of rank 1, got 'vector<2x2xf32>'}}
  %x = uop.load %b[%i] : memref<4xf32>, vector<2x2xf32>
  uop.return
}

// -----

uop.func @load_c2_element(%b: memref<4xf32>) {
  %i = arith.constant 0 : index
  // expected-error @below {{'uop.load' op result must have the buffer's element type 'f32', got 'vector<2xi32>'}}
  %x = uop.load %b[%i] : memref<4xf32>, vector<2xi32>
  uop.return
}

// -----

uop.func @load_c3(%b: memref<4xf32>, %m: memref<4xi1>) {
  %i = arith.constant 0 : index
  %g = uop.load %m[%i] : memref<4xi1>, vector<4xi1>
  // expected-error @below {{'uop.load' op gate must be one bit, or one bit per lane of 'vector<2xf32>', got 'vector<4xi1>'}}
  %x = uop.load %b[%i] if %g as vector<4xi1> : memref<4xf32>, vector<2xf32>
  uop.return
}

// -----

func.func @gather_c1(%b: memref<4xf32, strided<[2]>>, %i: vector<2xindex>) {
  // expected-error @below {{'uop.gather' op buffer must have no layout, got 'memref<4xf32, strided<[2]>>'}}
  %x = uop.gather %b[%i] : memref<4xf32, strided<[2]>>, vector<2xf32>
  return
}

// -----

uop.func @gather_c2(%b: memref<4xf32>) {
  %i = arith.constant dense<[2, 0]> : vector<2xindex>
  // expected-error @below {{'uop.gather' op result must have the buffer's element type 'f32', got 'vector<2xi32>'}}
  %x = uop.gather %b[%i] : memref<4xf32>, vector<2xi32>
  uop.return
}

// -----

uop.func @gather_c3(%b: memref<4xf32>, %m: memref<4xi1>) {
  %i = arith.constant dense<[2, 0]> : vector<2xindex>
  %c0 = arith.constant 0 : index
  %g = uop.load %m[%c0] : memref<4xi1>, vector<4xi1>
  // expected-error @below {{'uop.gather' op gate must be one bit, or one bit per lane of 'vector<2xf32>', got 'vector<4xi1>'}}
  %x = uop.gather %b[%i] if %g as vector<4xi1> : memref<4xf32>, vector<2xf32>
  uop.return
}

// -----

uop.func @store_c2(%b: memref<4xf32>) {
  %i = arith.constant 0 : index
  // expected-error @below {{'uop.store' op value must have the buffer's element type 'f32', got 'index'}}
  uop.store %i, %b[%i] : index, memref<4xf32>
  uop.return
}

// -----

uop.func @store_c3(%b: memref<4xf32>, %m: memref<4xi1>) {
  %i = arith.constant 0 : index
  %x = arith.constant 0.0 : f32
  %g = uop.load %m[%i] : memref<4xi1>, vector<4xi1>
  // expected-error @below {{'uop.store' op gate must be one bit, or one bit per lane of 'f32', got 'vector<4xi1>'}}
  uop.store %x, %b[%i] if %g as vector<4xi1> : f32, memref<4xf32>
  uop.return
}

// -----

func.func @return_parent() {
  // expected-error @below {{'uop.return' op expects parent op 'uop.func'}}
  uop.return
}

// -----

uop.func @dot_c1(%in: memref<16xi8>) {
  %i = arith.constant 0 : index
  %sum = arith.constant dense<0> : vector<8xi32>
  %x = uop.load %in[%i] : memref<16xi8>, vector<16xi8>
  // (dot_c1)
  // expected-error @below {{'uop.dot' op must multiply 4 bytes for each lane of the sum, got 'vector<16xi8>' and 'vector<8xi32>'}}
  %d = uop.dot %x, %x, %sum : vector<16xi8>, vector<8xi32>
  uop.return
}
