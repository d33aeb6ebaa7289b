// The kernels of the runtime's tests for GPUs. Kernels.spirv.inc and Kernels.ptx.inc have them as SPIR-V and PTX, which
// test/Runtime/kernels.test compares with what comes of this file.

// out[i] = in[i] + 1
uop.func @add_one(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = uop.special local dim(0) extent(4)
  %one = arith.constant 1.0 : f32
  %x = uop.load %in[%i] : memref<4xf32>, f32
  %y = arith.addf %x, %one : f32
  uop.store %y, %out[%i] : f32, memref<4xf32>
  uop.return
}

// out[i] = a[i] + b[i]
uop.func @add(%a: memref<4xf32>, %b: memref<4xf32>, %out: memref<4xf32>) {
  %i = uop.special local dim(0) extent(4)
  %x = uop.load %a[%i] : memref<4xf32>, f32
  %y = uop.load %b[%i] : memref<4xf32>, f32
  %z = arith.addf %x, %y : f32
  uop.store %z, %out[%i] : f32, memref<4xf32>
  uop.return
}

// out[i] = 2 * in[i]
uop.func @twice(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = uop.special local dim(0) extent(4)
  %x = uop.load %in[%i] : memref<4xf32>, f32
  %y = arith.addf %x, %x : f32
  uop.store %y, %out[%i] : f32, memref<4xf32>
  uop.return
}

// out[i] = a[i] + 2 * b[i]
uop.func @combine(%a: memref<4xf32>, %b: memref<4xf32>, %out: memref<4xf32>) {
  %i = uop.special local dim(0) extent(4)
  %two = arith.constant 2.0 : f32
  %x = uop.load %a[%i] : memref<4xf32>, f32
  %y = uop.load %b[%i] : memref<4xf32>, f32
  %twice = arith.mulf %y, %two : f32
  %z = arith.addf %x, %twice : f32
  uop.store %z, %out[%i] : f32, memref<4xf32>
  uop.return
}

// out[i] = in[3 - i]
uop.func @reverse(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = uop.special local dim(0) extent(4)
  %three = arith.constant 3 : index
  %j = arith.subi %three, %i : index
  %x = uop.load %in[%j] : memref<4xf32>, f32
  uop.store %x, %out[%i] : f32, memref<4xf32>
  uop.return
}

// The place of each workgroup as a number: 100 z + 10 y + x.
uop.func @grid(%out: memref<24xf32>) {
  %x = uop.special global dim(0) extent(2)
  %y = uop.special global dim(1) extent(3)
  %z = uop.special global dim(2) extent(4)
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %ten = arith.constant 10 : index
  %hundred = arith.constant 100 : index
  %planes = arith.muli %z, %three : index
  %rows = arith.addi %planes, %y : index
  %before = arith.muli %rows, %two : index
  %at = arith.addi %before, %x : index
  %a = arith.muli %z, %hundred : index
  %b = arith.muli %y, %ten : index
  %c = arith.addi %a, %b : index
  %d = arith.addi %c, %x : index
  %i = arith.index_cast %d : index to i32
  %f = arith.sitofp %i : i32 to f32
  uop.store %f, %out[%at] : f32, memref<24xf32>
  uop.return
}

// y[k] = 2 * x[k] for the rows of 2 that the size says.
uop.func @twice_rows(%x: memref<8xf32>, %sizes: memref<1xi64>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : index
  %k = uop.special local dim(0) extent(8)
  %n = uop.load %sizes[%c0] : memref<1xi64>, i64
  %rows = arith.index_cast %n : i64 to index
  %end = arith.muli %rows, %two : index
  %gate = arith.cmpi slt, %k, %end : index
  %v = uop.load %x[%k] if %gate as i1 : memref<8xf32>, f32
  %w = arith.addf %v, %v : f32
  uop.store %w, %y[%k] if %gate as i1 : f32, memref<8xf32>
  uop.return
}

// out[k] = in[k] + 1 for as many elements as the size says.
uop.func @some(%in: memref<8xf32>, %sizes: memref<1xi64>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %k = uop.special local dim(0) extent(8)
  %n = uop.load %sizes[%c0] : memref<1xi64>, i64
  %end = arith.index_cast %n : i64 to index
  %gate = arith.cmpi slt, %k, %end : index
  %v = uop.load %in[%k] if %gate as i1 : memref<8xf32>, f32
  %w = arith.addf %v, %one : f32
  uop.store %w, %out[%k] if %gate as i1 : f32, memref<8xf32>
  uop.return
}
