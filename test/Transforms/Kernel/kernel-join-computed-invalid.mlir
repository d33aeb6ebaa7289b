// RUN: tiny-opt %s --kernel-join-instances --split-input-file --verify-diagnostics

// The family knows no such size.
module attributes {tiny.sizes = {n = array<i64: 0, 8>}} {
  module @instance_0 attributes {tiny.sizes = {n = 8}} {
    // expected-error @+1 {{result #1 says size 'm', which the family does not have, or is no 'memref<1xi64>'}}
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<8xi64> {tiny.type = tensor<8xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "m", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<8xi64>
      %count = kernel.alloc : memref<1xi64>
      kernel.fill %count, 3 : i64 -> memref<1xi64>
      kernel.fill %y, 8 : i64 -> memref<8xi64>
      kernel.return %y, %count : memref<8xi64>, memref<1xi64>
    }
  }
  module @instance_1 attributes {tiny.sizes = {n = 61}} {
    
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<8xi64> {tiny.type = tensor<8xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "m", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<8xi64>
      %count = kernel.alloc : memref<1xi64>
      kernel.fill %count, 3 : i64 -> memref<1xi64>
      kernel.fill %y, 61 : i64 -> memref<8xi64>
      kernel.return %y, %count : memref<8xi64>, memref<1xi64>
    }
  }
  module @instance_2 attributes {tiny.sizes = {n = 67}} {
    
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<8xi64> {tiny.type = tensor<8xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "m", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<8xi64>
      %count = kernel.alloc : memref<1xi64>
      kernel.fill %count, 3 : i64 -> memref<1xi64>
      kernel.fill %y, 67 : i64 -> memref<8xi64>
      kernel.return %y, %count : memref<8xi64>, memref<1xi64>
    }
  }
  module @instance_3 attributes {tiny.sizes = {n = 71}} {
    
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<8xi64> {tiny.type = tensor<8xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "m", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<8xi64>
      %count = kernel.alloc : memref<1xi64>
      kernel.fill %count, 3 : i64 -> memref<1xi64>
      kernel.fill %y, 71 : i64 -> memref<8xi64>
      kernel.return %y, %count : memref<8xi64>, memref<1xi64>
    }
  }
  module @instance_4 attributes {tiny.sizes = {n = 73}} {
    
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<8xi64> {tiny.type = tensor<8xi64>}, memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "m", tiny.bound = 8 : i64}) {
      %y = kernel.alloc : memref<8xi64>
      %count = kernel.alloc : memref<1xi64>
      kernel.fill %count, 3 : i64 -> memref<1xi64>
      kernel.fill %y, 73 : i64 -> memref<8xi64>
      kernel.return %y, %count : memref<8xi64>, memref<1xi64>
    }
  }
}

// -----

// A size that its own count needs.
module attributes {tiny.sizes = {n = array<i64: 0, 8>}} {
  module @instance_0 attributes {tiny.sizes = {n = 8}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %count = kernel.alloc : memref<1xi64>
      // expected-error @+1 {{needs a size that is computed from its result}}
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %count : memref<1xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %c = arith.constant 8 : i64
      kernel.store %c, %count[%c0] : memref<1xi64>
    }
  }
  module @instance_1 attributes {tiny.sizes = {n = 61}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %count = kernel.alloc : memref<1xi64>
      
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %count : memref<1xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %c = arith.constant 61 : i64
      kernel.store %c, %count[%c0] : memref<1xi64>
    }
  }
  module @instance_2 attributes {tiny.sizes = {n = 67}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %count = kernel.alloc : memref<1xi64>
      
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %count : memref<1xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %c = arith.constant 67 : i64
      kernel.store %c, %count[%c0] : memref<1xi64>
    }
  }
  module @instance_3 attributes {tiny.sizes = {n = 71}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %count = kernel.alloc : memref<1xi64>
      
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %count : memref<1xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %c = arith.constant 71 : i64
      kernel.store %c, %count[%c0] : memref<1xi64>
    }
  }
  module @instance_4 attributes {tiny.sizes = {n = 73}} {
    kernel.program @main(%x: memref<8xi64> {tiny.type = tensor<8xi64>})
        -> (memref<1xi64> {tiny.type = tensor<i64>, tiny.size = "n", tiny.bound = 8 : i64}) {
      %count = kernel.alloc : memref<1xi64>
      
      kernel.launch @count ins(%x : memref<8xi64>) outs(%count : memref<1xi64>)
      kernel.return %count : memref<1xi64>
    }
    kernel.func private @count(%x: memref<8xi64>, %count: memref<1xi64>) {
      %c0 = arith.constant 0 : index
      %c = arith.constant 73 : i64
      kernel.store %c, %count[%c0] : memref<1xi64>
    }
  }
}

// -----

// Numbers that follow nothing.
module attributes {tiny.sizes = {n = array<i64: 0, 8>}} {
  module @instance_0 attributes {tiny.sizes = {n = 8}} {
    kernel.program @main() -> (memref<4xi64> {tiny.type = tensor<4xi64>}) {
      %y = kernel.alloc : memref<4xi64>
      // expected-error @+1 {{the value follows the sizes by no known law: [3 : i64, 1 : i64, 4 : i64, 1 : i64, 5 : i64]}}
      kernel.fill %y, 3 : i64 -> memref<4xi64>
      kernel.return %y : memref<4xi64>
    }
  }
  module @instance_1 attributes {tiny.sizes = {n = 61}} {
    kernel.program @main() -> (memref<4xi64> {tiny.type = tensor<4xi64>}) {
      %y = kernel.alloc : memref<4xi64>
      kernel.fill %y, 1 : i64 -> memref<4xi64>
      kernel.return %y : memref<4xi64>
    }
  }
  module @instance_2 attributes {tiny.sizes = {n = 67}} {
    kernel.program @main() -> (memref<4xi64> {tiny.type = tensor<4xi64>}) {
      %y = kernel.alloc : memref<4xi64>
      kernel.fill %y, 4 : i64 -> memref<4xi64>
      kernel.return %y : memref<4xi64>
    }
  }
  module @instance_3 attributes {tiny.sizes = {n = 71}} {
    kernel.program @main() -> (memref<4xi64> {tiny.type = tensor<4xi64>}) {
      %y = kernel.alloc : memref<4xi64>
      kernel.fill %y, 1 : i64 -> memref<4xi64>
      kernel.return %y : memref<4xi64>
    }
  }
  module @instance_4 attributes {tiny.sizes = {n = 73}} {
    kernel.program @main() -> (memref<4xi64> {tiny.type = tensor<4xi64>}) {
      %y = kernel.alloc : memref<4xi64>
      kernel.fill %y, 5 : i64 -> memref<4xi64>
      kernel.return %y : memref<4xi64>
    }
  }
}

// -----

// Nor do these extents.
module attributes {tiny.sizes = {n = array<i64: 0, 8>}} {
  module @instance_0 attributes {tiny.sizes = {n = 8}} {
    kernel.func @k(%y: memref<8xi64>) {
      %c = arith.constant 1 : i64
      // expected-error @+1 {{the extent is no polynomial of the sizes up to squares: [3, 1, 4, 1, 5]}}
      %i = kernel.range loop id(0) extent(3)
      kernel.store %c, %y[%i] : memref<8xi64>
    }
  }
  module @instance_1 attributes {tiny.sizes = {n = 61}} {
    kernel.func @k(%y: memref<8xi64>) {
      %c = arith.constant 1 : i64
      %i = kernel.range loop id(0) extent(1)
      kernel.store %c, %y[%i] : memref<8xi64>
    }
  }
  module @instance_2 attributes {tiny.sizes = {n = 67}} {
    kernel.func @k(%y: memref<8xi64>) {
      %c = arith.constant 1 : i64
      %i = kernel.range loop id(0) extent(4)
      kernel.store %c, %y[%i] : memref<8xi64>
    }
  }
  module @instance_3 attributes {tiny.sizes = {n = 71}} {
    kernel.func @k(%y: memref<8xi64>) {
      %c = arith.constant 1 : i64
      %i = kernel.range loop id(0) extent(1)
      kernel.store %c, %y[%i] : memref<8xi64>
    }
  }
  module @instance_4 attributes {tiny.sizes = {n = 73}} {
    kernel.func @k(%y: memref<8xi64>) {
      %c = arith.constant 1 : i64
      %i = kernel.range loop id(0) extent(5)
      kernel.store %c, %y[%i] : memref<8xi64>
    }
  }
}
