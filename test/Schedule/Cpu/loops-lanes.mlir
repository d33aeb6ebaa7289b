// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// A sum of columns that vectors do not divide is padded.
// CHECK: Function=sum_of_columns | {{.*}}"axis 0 padded to a multiple of 16, axis 0 by 16 as upcast"
kernel.func @sum_of_columns(%in: memref<1212xf32>, %out: memref<101xf32>) {
  %j = kernel.range loop id(0) extent(101)
  %i = kernel.range reduce id(1) extent(12)
  %c101 = arith.constant 101 : index
  %row = arith.muli %i, %c101 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<1212xf32>
  %sum = kernel.reduce addf (%x) over (%i) : f32
  kernel.store %sum, %out[%j] : memref<101xf32>
}

// A function that becomes a loop.
// CHECK: Function=sine | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast"
kernel.func @sine(%in: memref<303xf32>, %bias: memref<101xf32>, %out: memref<303xf32>) {
  %i = kernel.range loop id(0) extent(3)
  %j = kernel.range loop id(1) extent(101)
  %c101 = arith.constant 101 : index
  %row = arith.muli %i, %c101 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<303xf32>
  %b = kernel.load %bias[%j] : memref<101xf32>
  %s = math.sin %x : f32
  %y = arith.addf %s, %b : f32
  kernel.store %y, %out[%at] : memref<303xf32>
}

// One that does not.
// CHECK: Function=long_tanh | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast"
kernel.func @long_tanh(%in: memref<303xf32>, %bias: memref<101xf32>, %out: memref<303xf32>) {
  %i = kernel.range loop id(0) extent(3)
  %j = kernel.range loop id(1) extent(101)
  %c101 = arith.constant 101 : index
  %row = arith.muli %i, %c101 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<303xf32>
  %b = kernel.load %bias[%j] : memref<101xf32>
  %s = math.tanh %x : f32
  %y = arith.addf %s, %b : f32
  kernel.store %y, %out[%at] : memref<303xf32>
}

// Rows shorter than a vector.
// CHECK: Function=short_tanh | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast"
kernel.func @short_tanh(%in: memref<30xf32>, %bias: memref<10xf32>, %out: memref<30xf32>) {
  %i = kernel.range loop id(0) extent(3)
  %j = kernel.range loop id(1) extent(10)
  %c10 = arith.constant 10 : index
  %row = arith.muli %i, %c10 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<30xf32>
  %b = kernel.load %bias[%j] : memref<10xf32>
  %s = math.tanh %x : f32
  %y = arith.addf %s, %b : f32
  kernel.store %y, %out[%at] : memref<30xf32>
}

// An axis that shorter vectors would divide has whole ones.
// CHECK: Function=divided_tanh | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast"
kernel.func @divided_tanh(%in: memref<300xf32>, %bias: memref<100xf32>, %out: memref<300xf32>) {
  %i = kernel.range loop id(0) extent(3)
  %j = kernel.range loop id(1) extent(100)
  %c100 = arith.constant 100 : index
  %row = arith.muli %i, %c100 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<300xf32>
  %b = kernel.load %bias[%j] : memref<100xf32>
  %s = math.tanh %x : f32
  %y = arith.addf %s, %b : f32
  kernel.store %y, %out[%at] : memref<300xf32>
}

// A row of a product with a transposed factor: lanes are loaded one by one, since nothing else has neighbours.
// CHECK: Function=row_of_transposed | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast"
kernel.func @row_of_transposed(%x: memref<300xf32>, %y: memref<300xf32>, %out: memref<3xf32>) {
  %i = kernel.range loop id(0) extent(3)
  %k = kernel.range reduce id(1) extent(100)
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %across = arith.muli %k, %c3 : index
  %from = arith.addi %across, %i : index
  %a = kernel.load %x[%from] : memref<300xf32>
  %f = math.tanh %a : f32
  %row = arith.muli %i, %c100 : index
  %at = arith.addi %row, %k : index
  %b = kernel.load %y[%at] : memref<300xf32>
  %m = arith.mulf %f, %b : f32
  %sum = kernel.reduce addf (%m) over (%k) fastmath<reassoc> : f32
  kernel.store %sum, %out[%i] : memref<3xf32>
}

// Here the free axis has them.
// CHECK: Function=sum_of_transposed | {{.*}}"axis 0 by 32 as upcast"
kernel.func @sum_of_transposed(%x: memref<3200xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(32)
  %k = kernel.range reduce id(1) extent(100)
  %c32 = arith.constant 32 : index
  %across = arith.muli %k, %c32 : index
  %from = arith.addi %across, %i : index
  %a = kernel.load %x[%from] : memref<3200xf32>
  %f = math.tanh %a : f32
  %sum = kernel.reduce addf (%f) over (%k) fastmath<reassoc> : f32
  kernel.store %sum, %out[%i] : memref<32xf32>
}

// A row of 40, and a function of it.
// CHECK: Function=three_vectors | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast, axis 2 padded to a multiple of 16, axis 2 by 16 as upcast"
kernel.func @three_vectors(%in: memref<80xf32>, %out: memref<80xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %j = kernel.range loop id(1) extent(40)
  %k = kernel.range reduce id(2) extent(40)
  %c40 = arith.constant 40 : index
  %row = arith.muli %i, %c40 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<80xf32>
  %s = math.sin %x : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<80xf32>
  %sk = math.sin %xk : f32
  %sum = kernel.reduce addf (%sk) over (%k) fastmath<reassoc> : f32
  %y = arith.divf %s, %sum : f32
  kernel.store %y, %out[%at] : memref<80xf32>
}

// Axis 0 is contiguous where it is loaded, axis 2 where it is stored: fewer elements are stored than loaded.
// CHECK: Function=stored_across | {{.*}}"axis 0 by 16 as upcast"
kernel.func @stored_across(%in: memref<4096xf32>, %out: memref<512xf32>) {
  %i = kernel.range loop id(0) extent(16)
  %j = kernel.range loop id(2) extent(32)
  %k = kernel.range reduce id(1) extent(8)
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %block = arith.muli %k, %c512 : index
  %row = arith.muli %j, %c16 : index
  %part = arith.addi %block, %row : index
  %from = arith.addi %part, %i : index
  %x = kernel.load %in[%from] : memref<4096xf32>
  %least = kernel.reduce minimumf (%x) over (%k) : f32
  %column = arith.muli %i, %c32 : index
  %to = arith.addi %column, %j : index
  kernel.store %least, %out[%to] : memref<512xf32>
}

// Rows of three elements: lanes are rows, whose elements are put together, and stored interleaved.
// CHECK: Function=three_columns | {{.*}}"axis 0 padded to a multiple of 16, axis 0 by 16 as upcast, axis 1 by 3 as unroll"
kernel.func @three_columns(%in: memref<300xf32>, %bias: memref<3xf32>, %out: memref<300xf32>) {
  %i = kernel.range loop id(0) extent(100)
  %j = kernel.range loop id(1) extent(3)
  %c3 = arith.constant 3 : index
  %row = arith.muli %i, %c3 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<300xf32>
  %b = kernel.load %bias[%j] : memref<3xf32>
  %s = math.exp %x : f32
  %y = arith.addf %s, %b : f32
  kernel.store %y, %out[%at] : memref<300xf32>
}

// Rows are read along axis 0 and stored along axis 2, twice.
// CHECK: Function=shares_of_transposed | {{.*}}"axis 2 by 16 as upcast"
kernel.func @shares_of_transposed(%in: memref<640xf32>, %out: memref<640xf32>, %exps: memref<640xf32>) {
  %i = kernel.range loop id(0) extent(20)
  %j = kernel.range loop id(2) extent(32)
  %k = kernel.range reduce id(1) extent(20)
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %row = arith.muli %j, %c20 : index
  %from = arith.addi %row, %i : index
  %x = kernel.load %in[%from] : memref<640xf32>
  %e = math.exp %x : f32
  %fromk = arith.addi %row, %k : index
  %xk = kernel.load %in[%fromk] : memref<640xf32>
  %sum = kernel.reduce addf (%xk) over (%k) fastmath<reassoc> : f32
  %y = arith.divf %e, %sum : f32
  %column = arith.muli %i, %c32 : index
  %to = arith.addi %column, %j : index
  kernel.store %y, %out[%to] : memref<640xf32>
  kernel.store %e, %exps[%to] : memref<640xf32>
}

// Parts that are stored side by side have lanes of their own: none of them is along all stores.
// CHECK: Function=two_parts | {{.*}}"axis 1 by 16 as upcast, axis 2 padded to a multiple of 16, axis 2 by 16 as upcast"
kernel.func @two_parts(%a: memref<96xf32>, %b: memref<120xf32>, %out: memref<216xf32>) {
  %i = kernel.range loop id(0) extent(3)
  %j = kernel.range loop id(1) extent(32)
  %k = kernel.range loop id(2) extent(40)
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %c72 = arith.constant 72 : index
  %ai = arith.muli %i, %c32 : index
  %aj = arith.addi %ai, %j : index
  %x = kernel.load %a[%aj] : memref<96xf32>
  %ex = math.exp %x : f32
  %bi = arith.muli %i, %c40 : index
  %bk = arith.addi %bi, %k : index
  %y = kernel.load %b[%bk] : memref<120xf32>
  %ey = math.exp %y : f32
  %row = arith.muli %i, %c72 : index
  %tox = arith.addi %row, %j : index
  %behind = arith.addi %row, %k : index
  %toy = arith.addi %behind, %c32 : index
  kernel.store %ex, %out[%tox] : memref<216xf32>
  kernel.store %ey, %out[%toy] : memref<216xf32>
}

// A function waits for itself: six vectors of it are side by side.
// CHECK: Function=one_function | {{.*}}"axis 0 padded to a multiple of 96, axis 0 by 96 as upcast, axis 1 by 16 as upcast"
kernel.func @one_function(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %0 = kernel.load %in[%i] : memref<4096xf32>
  %1 = math.exp %0 : f32
  kernel.store %1, %out[%i] : memref<4096xf32>
}

// No number of vectors need divide the axis.
// CHECK: Function=five_vectors | {{.*}}"axis 0 padded to a multiple of 96, axis 0 by 96 as upcast, axis 1 by 16 as upcast"
kernel.func @five_vectors(%in: memref<4000xf32>, %out: memref<4000xf32>) {
  %i = kernel.range loop id(0) extent(4000)
  %0 = kernel.load %in[%i] : memref<4000xf32>
  %1 = math.exp %0 : f32
  kernel.store %1, %out[%i] : memref<4000xf32>
}

// Three vectors of 16 lanes are six of f64.
// CHECK: Function=three_vectors_of_f64 | {{.*}}"axis 0 by 48 as upcast, axis 1 by 16 as upcast"
kernel.func @three_vectors_of_f64(%in: memref<4080xf64>, %out: memref<4080xf64>) {
  %i = kernel.range loop id(0) extent(4080)
  %0 = kernel.load %in[%i] : memref<4080xf64>
  %1 = math.exp %0 : f64
  kernel.store %1, %out[%i] : memref<4080xf64>
}

// A function that becomes a loop has a power of two.
// CHECK: Function=looping_function | {{.*}}"axis 0 padded to a multiple of 64, axis 0 by 64 as upcast"
kernel.func @looping_function(%in: memref<4080xf32>, %out: memref<4080xf32>) {
  %i = kernel.range loop id(0) extent(4080)
  %0 = kernel.load %in[%i] : memref<4080xf32>
  %1 = math.sin %0 : f32
  kernel.store %1, %out[%i] : memref<4080xf32>
}

// Behind the end lanes are masked.
// CHECK: Function=gated | {{.*}}"axis 0 padded to a multiple of 96, axis 0 by 96 as upcast, axis 1 by 16 as upcast"
kernel.func @gated(%in: memref<4112xf32>, %out: memref<4112xf32>) {
  %i = kernel.range loop id(0) extent(4112)
  %0 = kernel.load %in[%i] : memref<4112xf32>
  %1 = math.exp %0 : f32
  kernel.store %1, %out[%i] : memref<4112xf32>
}

// A short axis has fewer.
// CHECK: Function=short | {{.*}}"axis 0 padded to a multiple of 32, axis 0 by 32 as upcast"
kernel.func @short(%in: memref<496xf32>, %out: memref<496xf32>) {
  %i = kernel.range loop id(0) extent(496)
  %0 = kernel.load %in[%i] : memref<496xf32>
  %1 = math.exp %0 : f32
  kernel.store %1, %out[%i] : memref<496xf32>
}

// Additions do not wait long enough to be worth several vectors.
// CHECK: Function=long_chain | {{.*}}"axis 0 by 16 as upcast"
kernel.func @long_chain(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %0 = kernel.load %in[%i] : memref<4096xf32>
  %1 = arith.addf %0, %0 : f32
  %2 = arith.addf %1, %0 : f32
  %3 = arith.addf %2, %0 : f32
  %4 = arith.addf %3, %0 : f32
  %5 = arith.addf %4, %0 : f32
  %6 = arith.addf %5, %0 : f32
  %7 = arith.addf %6, %0 : f32
  %8 = arith.addf %7, %0 : f32
  %9 = arith.addf %8, %0 : f32
  %10 = arith.addf %9, %0 : f32
  %11 = arith.addf %10, %0 : f32
  %12 = arith.addf %11, %0 : f32
  %13 = arith.addf %12, %0 : f32
  %14 = arith.addf %13, %0 : f32
  %15 = arith.addf %14, %0 : f32
  %16 = arith.addf %15, %0 : f32
  kernel.store %16, %out[%i] : memref<4096xf32>
}

// Nor do few of them.
// CHECK: Function=short_chain | {{.*}}"axis 0 by 16 as upcast"
kernel.func @short_chain(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %0 = kernel.load %in[%i] : memref<4096xf32>
  %1 = arith.addf %0, %0 : f32
  %2 = arith.addf %1, %0 : f32
  %3 = arith.addf %2, %0 : f32
  %4 = arith.addf %3, %0 : f32
  %5 = arith.addf %4, %0 : f32
  %6 = arith.addf %5, %0 : f32
  %7 = arith.addf %6, %0 : f32
  %8 = arith.addf %7, %0 : f32
  %9 = arith.addf %8, %0 : f32
  %10 = arith.addf %9, %0 : f32
  %11 = arith.addf %10, %0 : f32
  %12 = arith.addf %11, %0 : f32
  %13 = arith.addf %12, %0 : f32
  %14 = arith.addf %13, %0 : f32
  %15 = arith.addf %14, %0 : f32
  kernel.store %15, %out[%i] : memref<4096xf32>
}

// LLVM's vectoriser takes rows of 98.
// CHECK-NOT: Function=broadcast |
kernel.func @broadcast(%in: memref<686xf32>, %row: memref<98xf32>, %out: memref<686xf32>) {
  %i = kernel.range loop id(0) extent(7)
  %j = kernel.range loop id(1) extent(98)
  %c98 = arith.constant 98 : index
  %from = arith.muli %i, %c98 : index
  %at = arith.addi %from, %j : index
  %x = kernel.load %in[%at] : memref<686xf32>
  %y = kernel.load %row[%j] : memref<98xf32>
  %z = arith.addf %x, %y : f32
  kernel.store %z, %out[%at] : memref<686xf32>
}

// And bytes, in vectors of the widest element.
// CHECK-NOT: Function=bytes |
kernel.func @bytes(%in: memref<693xi8>, %row: memref<99xi8>, %out: memref<693xi8>) {
  %i = kernel.range loop id(0) extent(7)
  %j = kernel.range loop id(1) extent(99)
  %c99 = arith.constant 99 : index
  %from = arith.muli %i, %c99 : index
  %at = arith.addi %from, %j : index
  %x = kernel.load %in[%at] : memref<693xi8>
  %y = kernel.load %row[%j] : memref<99xi8>
  %z = arith.addi %x, %y : i8
  kernel.store %z, %out[%at] : memref<693xi8>
}

// Two functions that do not wait for each other.
// CHECK: Function=two | {{.*}}"axis 0 by 128 as upcast"
kernel.func @two(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %x = kernel.load %in[%i] : memref<4096xf32>
  %0 = math.exp %x : f32
  %1 = math.sin %x : f32
  %y = arith.addf %0, %1 : f32
  kernel.store %y, %out[%i] : memref<4096xf32>
}

// Eight are longer code: fewer vectors side by side.
// CHECK: Function=eight | {{.*}}"axis 0 by 64 as upcast"
kernel.func @eight(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %i = kernel.range loop id(0) extent(4096)
  %x = kernel.load %in[%i] : memref<4096xf32>
  %0 = math.exp %x : f32
  %1 = math.sin %x : f32
  %2 = math.cos %x : f32
  %3 = math.tan %x : f32
  %4 = math.tanh %x : f32
  %5 = math.erf %x : f32
  %6 = math.atan %x : f32
  %7 = math.log %x : f32
  %a = arith.addf %0, %1 : f32
  %b = arith.addf %2, %3 : f32
  %c = arith.addf %4, %5 : f32
  %d = arith.addf %6, %7 : f32
  %e = arith.addf %a, %b : f32
  %f = arith.addf %c, %d : f32
  %y = arith.addf %e, %f : f32
  kernel.store %y, %out[%i] : memref<4096xf32>
}
