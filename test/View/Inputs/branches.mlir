// A loop with a branch in it: launches in lists of their own.
kernel.program @main(%x: memref<8xf32>, %go: memref<1xi1>) -> memref<8xf32> {
  %h = kernel.alloc : memref<8xf32>
  %t = kernel.alloc : memref<8xf32>
  %y = kernel.alloc : memref<8xf32>
  kernel.loop most(3) {
    kernel.launch @twice ins(%x : memref<8xf32>) outs(%t : memref<8xf32>)
    kernel.if %go {
      kernel.launch @less ins(%t : memref<8xf32>) outs(%h : memref<8xf32>)
    } else {
      kernel.launch @twice ins(%t : memref<8xf32>) outs(%h : memref<8xf32>)
    }
  }
  kernel.launch @twice ins(%h : memref<8xf32>) outs(%y : memref<8xf32>)
  kernel.return %y : memref<8xf32>
}
kernel.func private @twice(%a: memref<8xf32>, %b: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %v = kernel.load %a[%i] : memref<8xf32>
  %w = arith.addf %v, %v : f32
  kernel.store %w, %b[%i] : memref<8xf32>
}
kernel.func private @less(%a: memref<8xf32>, %b: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %c = arith.constant 1.0 : f32
  %v = kernel.load %a[%i] : memref<8xf32>
  %w = arith.subf %v, %c : f32
  kernel.store %w, %b[%i] : memref<8xf32>
}
