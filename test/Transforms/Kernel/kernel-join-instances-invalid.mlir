// RUN: tiny-opt %s --kernel-join-instances --split-input-file --verify-diagnostics

// A law of steps is no polynomial.
module attributes {tiny.sizes = {n = array<i64: 1, 16>}} {
  module @a attributes {tiny.sizes = {n = 16}} {
    // expected-error @+1 {{a buffer's elements are no polynomial of the sizes up to squares: [4, 4, 3, 2]}}
    kernel.func @k(%y: memref<4xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(4)
      kernel.store %c, %y[%i] : memref<4xf32>
    }
  }
  module @b attributes {tiny.sizes = {n = 13}} {
    kernel.func @k(%y: memref<4xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(4)
      kernel.store %c, %y[%i] : memref<4xf32>
    }
  }
  module @c attributes {tiny.sizes = {n = 11}} {
    kernel.func @k(%y: memref<3xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(3)
      kernel.store %c, %y[%i] : memref<3xf32>
    }
  }
  module @d attributes {tiny.sizes = {n = 7}} {
    kernel.func @k(%y: memref<2xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(2)
      kernel.store %c, %y[%i] : memref<2xf32>
    }
  }
}

// -----

// Another operation at another size.
module attributes {tiny.sizes = {n = array<i64: 1, 16>}} {
  module @a attributes {tiny.sizes = {n = 16}} {
    kernel.func @k(%y: memref<16xf32>) {
      %c = arith.constant 1.0 : f32
      // expected-error @+1 {{the program is another one at other sizes: arith.addf is arith.mulf}}
      %d = arith.addf %c, %c : f32
      %i = kernel.range loop id(0) extent(16)
      kernel.store %d, %y[%i] : memref<16xf32>
    }
  }
  module @b attributes {tiny.sizes = {n = 13}} {
    kernel.func @k(%y: memref<13xf32>) {
      %c = arith.constant 1.0 : f32
      %d = arith.addf %c, %c : f32
      %i = kernel.range loop id(0) extent(13)
      kernel.store %d, %y[%i] : memref<13xf32>
    }
  }
  module @c attributes {tiny.sizes = {n = 11}} {
    kernel.func @k(%y: memref<11xf32>) {
      %c = arith.constant 1.0 : f32
      // expected-note @+1 {{at n = 11, in place of n = 16}}
      %d = arith.mulf %c, %c : f32
      %i = kernel.range loop id(0) extent(11)
      kernel.store %d, %y[%i] : memref<11xf32>
    }
  }
  module @d attributes {tiny.sizes = {n = 7}} {
    kernel.func @k(%y: memref<7xf32>) {
      %c = arith.constant 1.0 : f32
      %d = arith.addf %c, %c : f32
      %i = kernel.range loop id(0) extent(7)
      kernel.store %d, %y[%i] : memref<7xf32>
    }
  }
}

// -----

// A number without a law.
module attributes {tiny.sizes = {n = array<i64: 1, 16>}} {
  module @a attributes {tiny.sizes = {n = 16}} {
    kernel.func @k(%y: memref<16xf32>) {
      %c = arith.constant 1.0 : f32
      %d = arith.constant 4.5 : f32
      %i = kernel.range loop id(0) extent(16)
      // expected-error @+1 {{operand #0 follows the sizes by no known law}}
      kernel.store %d, %y[%i] : memref<16xf32>
    }
  }
  module @b attributes {tiny.sizes = {n = 13}} {
    kernel.func @k(%y: memref<13xf32>) {
      %c = arith.constant 1.0 : f32
      %d = arith.constant 1.5 : f32
      %i = kernel.range loop id(0) extent(13)
      kernel.store %d, %y[%i] : memref<13xf32>
    }
  }
  module @c attributes {tiny.sizes = {n = 11}} {
    kernel.func @k(%y: memref<11xf32>) {
      %c = arith.constant 1.0 : f32
      %d = arith.constant 2.5 : f32
      %i = kernel.range loop id(0) extent(11)
      kernel.store %d, %y[%i] : memref<11xf32>
    }
  }
  module @d attributes {tiny.sizes = {n = 7}} {
    kernel.func @k(%y: memref<7xf32>) {
      %c = arith.constant 1.0 : f32
      %d = arith.constant 0.5 : f32
      %i = kernel.range loop id(0) extent(7)
      kernel.store %d, %y[%i] : memref<7xf32>
    }
  }
}

// -----

// Too few instances.
// expected-error @+1 {{has 3 instances, too few to tell how numbers follow 1 sizes}}
module attributes {tiny.sizes = {n = array<i64: 1, 16>}} {
  module @a attributes {tiny.sizes = {n = 16}} {
    kernel.func @k(%y: memref<16xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(16)
      kernel.store %c, %y[%i] : memref<16xf32>
    }
  }
  module @b attributes {tiny.sizes = {n = 13}} {
    kernel.func @k(%y: memref<13xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(13)
      kernel.store %c, %y[%i] : memref<13xf32>
    }
  }
  module @c attributes {tiny.sizes = {n = 11}} {
    kernel.func @k(%y: memref<11xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(11)
      kernel.store %c, %y[%i] : memref<11xf32>
    }
  }
}

// -----

// One that does not say its size.
module attributes {tiny.sizes = {n = array<i64: 1, 16>}} {
  module @a attributes {tiny.sizes = {n = 16}} {
    kernel.func @k(%y: memref<16xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(16)
      kernel.store %c, %y[%i] : memref<16xf32>
    }
  }
  // expected-error @+1 {{an instance must have a value of size 'n'}}
  module @b attributes {tiny.sizes = {m = 13}} {
    kernel.func @k(%y: memref<13xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(13)
      kernel.store %c, %y[%i] : memref<13xf32>
    }
  }
  module @c attributes {tiny.sizes = {n = 11}} {
    kernel.func @k(%y: memref<11xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(11)
      kernel.store %c, %y[%i] : memref<11xf32>
    }
  }
  module @d attributes {tiny.sizes = {n = 7}} {
    kernel.func @k(%y: memref<7xf32>) {
      %c = arith.constant 1.0 : f32
      %i = kernel.range loop id(0) extent(7)
      kernel.store %c, %y[%i] : memref<7xf32>
    }
  }
}

// -----

// expected-error @+1 {{size 'n' must have a least and a greatest value, got array<i64: 5, 4>}}
module attributes {tiny.sizes = {n = array<i64: 5, 4>}} {
}

// -----

// What a program takes has a shape at the tensor level.
module attributes {tiny.sizes = {n = array<i64: 1, 16>}} {
  module @a attributes {tiny.sizes = {n = 16}} {
    // expected-error @below {{an argument or a result has no 'tiny.type', so its sizes are unknown}}
    kernel.program @main(%x: memref<16xf32>) -> memref<16xf32> {
      kernel.return %x : memref<16xf32>
    }
  }
  module @b attributes {tiny.sizes = {n = 13}} {
    kernel.program @main(%x: memref<13xf32>) -> memref<13xf32> {
      kernel.return %x : memref<13xf32>
    }
  }
  module @c attributes {tiny.sizes = {n = 11}} {
    kernel.program @main(%x: memref<11xf32>) -> memref<11xf32> {
      kernel.return %x : memref<11xf32>
    }
  }
  module @d attributes {tiny.sizes = {n = 7}} {
    kernel.program @main(%x: memref<7xf32>) -> memref<7xf32> {
      kernel.return %x : memref<7xf32>
    }
  }
}
