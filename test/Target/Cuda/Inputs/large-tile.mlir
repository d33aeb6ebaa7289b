kernel.program @main(%x: memref<4xf32> {tiny.type = tensor<4xf32>}) -> (memref<4xf32> {tiny.type = tensor<4xf32>}) {
  %y = kernel.alloc : memref<4xf32>
  kernel.launch @turn ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  kernel.return %y : memref<4xf32>
}
uop.func private @turn(%x: memref<4xf32>, %y: memref<4xf32>) {
  %l = uop.special local dim(0) extent(4)
  %t = uop.local : memref<COUNTxf32>
  %v = uop.load %x[%l] : memref<4xf32>, f32
  uop.store %v, %t[%l] : f32, memref<COUNTxf32>
  uop.barrier
  %c3 = arith.constant 3 : index
  %other = arith.subi %c3, %l : index
  %w = uop.load %t[%other] : memref<COUNTxf32>, f32
  uop.store %w, %y[%l] : f32, memref<4xf32>
  uop.return
}
