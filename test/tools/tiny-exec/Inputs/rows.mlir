// Rows of four, as many as the size `tokens` says: doubled, summed, in pairs, and counted into a state.
#rows = affine_map<()[tokens] -> (tokens, 4)>
#pairs = affine_map<()[tokens] -> (tokens floordiv 2, 4)>
#each = affine_map<()[tokens] -> (tokens)>
module {
  kernel.program @main(%x: memref<512xf32> {tiny.name = "x", tiny.type = tensor<128x4xf32>, tiny.shape = #rows},
                       %count: memref<128xi32> {tiny.name = "count", tiny.type = tensor<128xi32>, tiny.shape = #each,
                                                tiny.donated},
                       %sizes: memref<1xi64>)
      -> (memref<512xf32> {tiny.name = "doubled", tiny.type = tensor<128x4xf32>, tiny.shape = #rows},
          memref<4xf32> {tiny.name = "sums", tiny.type = tensor<4xf32>},
          memref<256xf32> {tiny.name = "pairs", tiny.type = tensor<64x4xf32>, tiny.shape = #pairs},
          memref<128xi32> {tiny.name = "counted", tiny.type = tensor<128xi32>, tiny.shape = #each,
                           tiny.aliases = 1 : i64},
          memref<512xf32> {tiny.name = "same", tiny.type = tensor<128x4xf32>, tiny.shape = #rows})
      attributes {sizes = [#kernel.size<"tokens", 1, 128>]} {
    %doubled = kernel.alloc : memref<512xf32>
    %sums = kernel.alloc : memref<4xf32>
    %pairs = kernel.alloc : memref<256xf32>
    %same = kernel.alloc : memref<512xf32>
    kernel.fill %same, 0.0 : f32 -> memref<512xf32>
    kernel.launch @double ins(%x, %sizes : memref<512xf32>, memref<1xi64>) outs(%doubled : memref<512xf32>)
    kernel.launch @sum ins(%doubled, %sizes : memref<512xf32>, memref<1xi64>) outs(%sums : memref<4xf32>)
    kernel.launch @pair ins(%x, %sizes : memref<512xf32>, memref<1xi64>) outs(%pairs : memref<256xf32>)
    kernel.launch @count ins(%sizes : memref<1xi64>) outs(%count : memref<128xi32>)
    kernel.copy %x, %same : memref<512xf32>
    kernel.return %doubled, %sums, %pairs, %count, %same
        : memref<512xf32>, memref<4xf32>, memref<256xf32>, memref<128xi32>, memref<512xf32>
  }
  kernel.func private @double(%x: memref<512xf32>, %sizes: memref<1xi64>, %y: memref<512xf32>) {
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %raw = kernel.load %sizes[%zero] : memref<1xi64>
    %any = arith.index_cast %raw : i64 to index
    %n = sym.range_of %any [1, 128] : index
    %i = kernel.range loop id(0) extent(128)
    %j = kernel.range loop id(1) extent(4)
    %live = arith.cmpi slt, %i, %n : index
    %row = arith.muli %i, %four : index
    %at = arith.addi %row, %j : index
    %v = kernel.load %x[%at] if %live : memref<512xf32>
    %w = arith.addf %v, %v : f32
    kernel.store %w, %y[%at] if %live : memref<512xf32>
  }
  kernel.func private @sum(%x: memref<512xf32>, %sizes: memref<1xi64>, %y: memref<4xf32>) {
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %none = arith.constant 0.0 : f32
    %raw = kernel.load %sizes[%zero] : memref<1xi64>
    %any = arith.index_cast %raw : i64 to index
    %n = sym.range_of %any [1, 128] : index
    %j = kernel.range loop id(0) extent(4)
    %i = kernel.range reduce id(1) extent(128)
    %live = arith.cmpi slt, %i, %n : index
    %row = arith.muli %i, %four : index
    %at = arith.addi %row, %j : index
    %v = kernel.load %x[%at] if %live : memref<512xf32>
    %w = arith.select %live, %v, %none : f32
    %s = kernel.reduce addf (%w) over (%i) : f32
    kernel.store %s, %y[%j] : memref<4xf32>
  }
  kernel.func private @pair(%x: memref<512xf32>, %sizes: memref<1xi64>, %y: memref<256xf32>) {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %raw = kernel.load %sizes[%zero] : memref<1xi64>
    %any = arith.index_cast %raw : i64 to index
    %n = sym.range_of %any [1, 128] : index
    %half = arith.floordivsi %n, %two : index
    %i = kernel.range loop id(0) extent(64)
    %j = kernel.range loop id(1) extent(4)
    %live = arith.cmpi slt, %i, %half : index
    %out = arith.muli %i, %four : index
    %to = arith.addi %out, %j : index
    %in = arith.muli %out, %two : index
    %first = arith.addi %in, %j : index
    %second = arith.addi %first, %four : index
    %a = kernel.load %x[%first] if %live : memref<512xf32>
    %b = kernel.load %x[%second] if %live : memref<512xf32>
    %s = arith.addf %a, %b : f32
    kernel.store %s, %y[%to] if %live : memref<256xf32>
  }
  kernel.func private @count(%sizes: memref<1xi64>, %count: memref<128xi32>) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %raw = kernel.load %sizes[%zero] : memref<1xi64>
    %any = arith.index_cast %raw : i64 to index
    %n = sym.range_of %any [1, 128] : index
    %i = kernel.range loop id(0) extent(128)
    %live = arith.cmpi slt, %i, %n : index
    %old = kernel.load %count[%i] if %live : memref<128xi32>
    %new = arith.addi %old, %one : i32
    kernel.store %new, %count[%i] if %live : memref<128xi32>
  }
}
