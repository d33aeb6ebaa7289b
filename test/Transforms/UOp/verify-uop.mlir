// RUN: tiny-opt %s --verify-uop=legal -split-input-file -verify-diagnostics -o /dev/null

uop.func @fine(%in: memref<8xf32>, %out: memref<8xf32>) {
  %g = uop.special global dim(0) extent(8)
  %h = uop.special global dim(0) extent(8)
  %x = uop.load %in[%g] : memref<8xf32>, f32
  %y = math.sqrt %x : f32
  uop.store %y, %out[%h] : f32, memref<8xf32>
  uop.return
}

// -----

// expected-error @below {{'kernel.func' is left; convert-kernel-to-uop replaces it}}
kernel.func @left(%out: memref<8xf32>) {
}

// -----

uop.func @foreign(%out: memref<8xf32>) {
  // expected-error @below {{'func.call' cannot stand in a uop.func}}
  func.call @f() : () -> ()
  uop.return
}
func.func private @f()

// -----

uop.func @two_extents(%out: memref<8xindex>) {
  // expected-note @below {{the same axis is here}}
  %g = uop.special global dim(0) extent(8)
  // expected-error @below {{global dim(0) has extent 4, expected 8}}
  %h = uop.special global dim(0) extent(4)
  uop.return
}

// -----

uop.func @gap(%out: memref<8xindex>) {
  %g = uop.special global dim(0) extent(8)
  // expected-error @below {{global dim(2) is used without dim(1)}}
  %h = uop.special global dim(2) extent(4)
  uop.return
}

// -----

uop.func @function(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  // expected-error @below {{'math.exp' is left; uop-expand-math replaces it}}
  %y = math.exp %x : f32
  uop.store %y, %out[%i] : f32, memref<8xf32>
  uop.return
}

// -----

uop.func @remainder(%in: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  // expected-error @below {{'arith.remf' is left; uop-expand-math replaces it}}
  %y = arith.remf %x, %x : f32
  uop.store %y, %in[%i] : f32, memref<8xf32>
  uop.return
}

// -----

uop.func @division(%n: memref<8xindex>) {
  %i = arith.constant 0 : index
  %x = uop.load %n[%i] : memref<8xindex>, index
  // expected-error @below {{'arith.floordivsi' is left; uop-legalize replaces it}}
  %y = arith.floordivsi %x, %x : index
  uop.store %y, %n[%i] : index, memref<8xindex>
  uop.return
}
