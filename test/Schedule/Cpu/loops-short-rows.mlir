// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// A row of ten elements with one function is a padded vector in each pass.
// CHECK: Function=ten_classes | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast, axis 2 padded to a multiple of 16, axis 2 by 16 as upcast, axis 3 padded to a multiple of 16, axis 3 by 16 as upcast"
kernel.func @ten_classes(%in: memref<60xf32>, %out: memref<60xf32>) {
  %i = kernel.range loop id(0) extent(6)
  %j = kernel.range loop id(1) extent(10)
  %k = kernel.range reduce id(2) extent(10)
  %l = kernel.range reduce id(3) extent(10)
  %c10 = arith.constant 10 : index
  %row = arith.muli %i, %c10 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<60xf32>
  %atl = arith.addi %row, %l : index
  %xl = kernel.load %in[%atl] : memref<60xf32>
  %most = kernel.reduce maximumf (%xl) over (%l) : f32
  %d = arith.subf %x, %most : f32
  %e = math.exp %d : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<60xf32>
  %dk = arith.subf %xk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<60xf32>
}

// A whole vector.
// CHECK: Function=as_long_as_a_vector | {{.*}}"axis 1 by 16 as upcast, axis 2 by 16 as upcast, axis 3 by 16 as upcast"
kernel.func @as_long_as_a_vector(%in: memref<96xf32>, %out: memref<96xf32>) {
  %i = kernel.range loop id(0) extent(6)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(16)
  %l = kernel.range reduce id(3) extent(16)
  %c16 = arith.constant 16 : index
  %row = arith.muli %i, %c16 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<96xf32>
  %atl = arith.addi %row, %l : index
  %xl = kernel.load %in[%atl] : memref<96xf32>
  %most = kernel.reduce maximumf (%xl) over (%l) : f32
  %d = arith.subf %x, %most : f32
  %e = math.exp %d : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<96xf32>
  %dk = arith.subf %xk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<96xf32>
}

// Two functions of it.
// CHECK: Function=two_functions | {{.*}}"axis 1 by 16 as upcast, axis 2 by 16 as upcast, axis 3 by 16 as upcast"
kernel.func @two_functions(%in: memref<96xf32>, %out: memref<96xf32>) {
  %i = kernel.range loop id(0) extent(6)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(16)
  %l = kernel.range reduce id(3) extent(16)
  %c16 = arith.constant 16 : index
  %row = arith.muli %i, %c16 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<96xf32>
  %xt = math.tanh %x : f32
  %atl = arith.addi %row, %l : index
  %xl = kernel.load %in[%atl] : memref<96xf32>
  %xlt = math.tanh %xl : f32
  %most = kernel.reduce maximumf (%xlt) over (%l) : f32
  %d = arith.subf %xt, %most : f32
  %e = math.exp %d : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<96xf32>
  %xkt = math.tanh %xk : f32
  %dk = arith.subf %xkt, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<96xf32>
}

// A bit more than a vector is two, one after the other.
// CHECK: Function=a_bit_longer | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast, axis 2 padded to a multiple of 16, axis 2 by 16 as upcast, axis 3 padded to a multiple of 16, axis 3 by 16 as upcast"
kernel.func @a_bit_longer(%in: memref<102xf32>, %out: memref<102xf32>) {
  %i = kernel.range loop id(0) extent(6)
  %j = kernel.range loop id(1) extent(17)
  %k = kernel.range reduce id(2) extent(17)
  %l = kernel.range reduce id(3) extent(17)
  %c17 = arith.constant 17 : index
  %row = arith.muli %i, %c17 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<102xf32>
  %atl = arith.addi %row, %l : index
  %xl = kernel.load %in[%atl] : memref<102xf32>
  %most = kernel.reduce maximumf (%xl) over (%l) : f32
  %d = arith.subf %x, %most : f32
  %e = math.exp %d : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<102xf32>
  %dk = arith.subf %xk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<102xf32>
}

// So is most of two.
// CHECK: Function=most_of_two_vectors | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast, axis 2 padded to a multiple of 16, axis 2 by 16 as upcast, axis 3 padded to a multiple of 16, axis 3 by 16 as upcast"
kernel.func @most_of_two_vectors(%in: memref<180xf32>, %out: memref<180xf32>) {
  %i = kernel.range loop id(0) extent(6)
  %j = kernel.range loop id(1) extent(30)
  %k = kernel.range reduce id(2) extent(30)
  %l = kernel.range reduce id(3) extent(30)
  %c30 = arith.constant 30 : index
  %row = arith.muli %i, %c30 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<180xf32>
  %atl = arith.addi %row, %l : index
  %xl = kernel.load %in[%atl] : memref<180xf32>
  %most = kernel.reduce maximumf (%xl) over (%l) : f32
  %d = arith.subf %x, %most : f32
  %e = math.exp %d : f32
  %atk = arith.addi %row, %k : index
  %xk = kernel.load %in[%atk] : memref<180xf32>
  %dk = arith.subf %xk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<180xf32>
}

// So are seven.
// CHECK: Function=seven_vectors | {{.*}}"axis 4 padded to a multiple of 16, axis 4 by 16 as upcast, axis 1 padded to a multiple of 16, axis 1 by 16 as upcast, axis 2 padded to a multiple of 16, axis 2 by 16 as upcast, axis 3 padded to a multiple of 16, axis 3 by 16 as upcast"
kernel.func @seven_vectors(%arg0: memref<300xf32>, %arg1: memref<300xf32>) {
  %c100 = arith.constant 100 : index
  %0 = kernel.range loop id(0) extent(3)
  %1 = kernel.range loop id(1) extent(100)
  %2 = kernel.range reduce id(2) extent(100)
  %3 = kernel.range reduce id(3) extent(100)
  %4 = arith.muli %0, %c100 : index
  %5 = arith.addi %4, %1 : index
  %6 = arith.addi %4, %3 : index
  %7 = kernel.load %arg0[%6] : memref<300xf32>
  %8 = kernel.reduce maximumf (%7) over (%3) : f32
  %9 = kernel.range loop id(4) extent(100) order(0)
  %10 = arith.addi %4, %9 : index
  %11 = kernel.load %arg0[%10] : memref<300xf32>
  %12 = arith.subf %11, %8 : f32
  %13 = math.exp %12 : f32
  %14 = kernel.stage %13 over (%9) local : memref<100xf32>
  %15 = kernel.load %14[%2] : memref<100xf32>
  %16 = kernel.reduce addf (%15) over (%2) : f32
  %17 = kernel.load %14[%1] : memref<100xf32>
  %18 = arith.divf %17, %16 : f32
  kernel.store %18, %arg1[%5] : memref<300xf32>
}

// A longer row has them one after the other, too.
// CHECK: Function=longer | {{.*}}"axis 4 padded to a multiple of 16, axis 4 by 16 as upcast, axis 1 padded to a multiple of 16, axis 1 by 16 as upcast, axis 2 padded to a multiple of 16, axis 2 by 16 as upcast, axis 3 padded to a multiple of 16, axis 3 by 16 as upcast"
kernel.func @longer(%arg0: memref<600xf32>, %arg1: memref<600xf32>) {
  %c200 = arith.constant 200 : index
  %0 = kernel.range loop id(0) extent(3)
  %1 = kernel.range loop id(1) extent(200)
  %2 = kernel.range reduce id(2) extent(200)
  %3 = kernel.range reduce id(3) extent(200)
  %4 = arith.muli %0, %c200 : index
  %5 = arith.addi %4, %1 : index
  %6 = arith.addi %4, %3 : index
  %7 = kernel.load %arg0[%6] : memref<600xf32>
  %8 = kernel.reduce maximumf (%7) over (%3) : f32
  %9 = kernel.range loop id(4) extent(200) order(0)
  %10 = arith.addi %4, %9 : index
  %11 = kernel.load %arg0[%10] : memref<600xf32>
  %12 = arith.subf %11, %8 : f32
  %13 = math.exp %12 : f32
  %14 = kernel.stage %13 over (%9) local : memref<200xf32>
  %15 = kernel.load %14[%2] : memref<200xf32>
  %16 = kernel.reduce addf (%15) over (%2) : f32
  %17 = kernel.load %14[%1] : memref<200xf32>
  %18 = arith.divf %17, %16 : f32
  kernel.store %18, %arg1[%5] : memref<600xf32>
}

// A sum of ten elements is a padded vector.
// CHECK: Function=short_sum | {{.*}}"axis 1 padded to a multiple of 16, axis 1 by 16 as upcast"
kernel.func @short_sum(%in: memref<330xf32>, %out: memref<33xf32>) {
  %i = kernel.range loop id(0) extent(33)
  %k = kernel.range reduce id(1) extent(10)
  %c10 = arith.constant 10 : index
  %row = arith.muli %i, %c10 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<330xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %s, %out[%i] : memref<33xf32>
}

// A sum of seven is half of one.
// CHECK: Function=shorter_sum | {{.*}}"axis 1 padded to a multiple of 8, axis 1 by 8 as upcast"
kernel.func @shorter_sum(%in: memref<231xf32>, %out: memref<33xf32>) {
  %i = kernel.range loop id(0) extent(33)
  %k = kernel.range reduce id(1) extent(7)
  %c7 = arith.constant 7 : index
  %row = arith.muli %i, %c7 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<231xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %s, %out[%i] : memref<33xf32>
}

// A sum of seven in f64 is one.
// CHECK: Function=of_doubles | {{.*}}"axis 1 padded to a multiple of 8, axis 1 by 8 as upcast"
kernel.func @of_doubles(%in: memref<231xf64>, %out: memref<33xf64>) {
  %i = kernel.range loop id(0) extent(33)
  %k = kernel.range reduce id(1) extent(7)
  %c7 = arith.constant 7 : index
  %row = arith.muli %i, %c7 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<231xf64>
  %s = kernel.reduce addf (%x) over (%k) : f64
  kernel.store %s, %out[%i] : memref<33xf64>
}

// The order of a sum without flags is kept: it is written out, and LLVM puts rows side by side.
// CHECK: Function=in_order | {{.*}}"axis 1 by 10 as unroll"
kernel.func @in_order(%in: memref<330xf32>, %out: memref<33xf32>) {
  %i = kernel.range loop id(0) extent(33)
  %k = kernel.range reduce id(1) extent(10)
  %c10 = arith.constant 10 : index
  %row = arith.muli %i, %c10 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<330xf32>
  %s = kernel.reduce addf (%x) over (%k) fastmath<none> : f32
  kernel.store %s, %out[%i] : memref<33xf32>
}

// So few maxima wait for each other in loops as they are, ten operations each: a core sees many rows.
// CHECK-NOT: Function=most |
kernel.func @most(%in: memref<330xf32>, %out: memref<33xf32>) {
  %i = kernel.range loop id(0) extent(33)
  %k = kernel.range reduce id(1) extent(10)
  %c10 = arith.constant 10 : index
  %row = arith.muli %i, %c10 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] : memref<330xf32>
  %s = kernel.reduce maximumf (%x) over (%k) : f32
  kernel.store %s, %out[%i] : memref<33xf32>
}

// Down columns the lanes are columns.
// CHECK: Function=down_columns | {{.*}}"axis 0 by 16 as upcast"
kernel.func @down_columns(%in: memref<320xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(32)
  %k = kernel.range reduce id(1) extent(10)
  %c32 = arith.constant 32 : index
  %row = arith.muli %k, %c32 : index
  %at = arith.addi %row, %i : index
  %x = kernel.load %in[%at] : memref<320xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %s, %out[%i] : memref<32xf32>
}
