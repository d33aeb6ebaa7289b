// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter-passed=kernel-default-schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-default-schedule -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// Lanes are across columns, and the first pass keeps its function for the next ones. The exponential waits for the
// first reduction, whose lanes these are, so it is computed twice.
// CHECK: columns.mlir:[[# @LINE + 1]]:{{.*}}"axis 1 by 128 as upcast, what is reduced over axis 3 staged, axis 1 by 2 as thread"
kernel.func @softmax(%in: memref<25600xf32>, %out: memref<25600xf32>) {
  %i = kernel.range loop id(0) extent(100) order(1)
  %j = kernel.range loop id(1) extent(256) order(0)
  %k = kernel.range reduce id(2) extent(100)
  %l = kernel.range reduce id(3) extent(100)
  %columns = arith.constant 256 : index
  %row = arith.muli %i, %columns : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<25600xf32>
  %t = math.tanh %x : f32
  %rowl = arith.muli %l, %columns : index
  %atl = arith.addi %j, %rowl : index
  %xl = kernel.load %in[%atl] : memref<25600xf32>
  %tl = math.tanh %xl : f32
  %most = kernel.reduce maximumf (%tl) over (%l) : f32
  %d = arith.subf %t, %most : f32
  %e = math.exp %d : f32
  %rowk = arith.muli %k, %columns : index
  %atk = arith.addi %j, %rowk : index
  %xk = kernel.load %in[%atk] : memref<25600xf32>
  %tk = math.tanh %xk : f32
  %dk = arith.subf %tk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<25600xf32>
}

// No more columns side by side than stay in fast memory.
// CHECK: columns.mlir:[[# @LINE + 1]]:{{.*}}"axis 1 by 32 as upcast, what is reduced over axis 3 staged, axis 1 by 4 as thread"
kernel.func @long(%in: memref<281600xf32>, %out: memref<281600xf32>) {
  %i = kernel.range loop id(0) extent(1100) order(1)
  %j = kernel.range loop id(1) extent(256) order(0)
  %k = kernel.range reduce id(2) extent(1100)
  %l = kernel.range reduce id(3) extent(1100)
  %columns = arith.constant 256 : index
  %row = arith.muli %i, %columns : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<281600xf32>
  %t = math.tanh %x : f32
  %rowl = arith.muli %l, %columns : index
  %atl = arith.addi %j, %rowl : index
  %xl = kernel.load %in[%atl] : memref<281600xf32>
  %tl = math.tanh %xl : f32
  %most = kernel.reduce maximumf (%tl) over (%l) : f32
  %d = arith.subf %t, %most : f32
  %e = math.exp %d : f32
  %rowk = arith.muli %k, %columns : index
  %atk = arith.addi %j, %rowk : index
  %xk = kernel.load %in[%atk] : memref<281600xf32>
  %tk = math.tanh %xk : f32
  %dk = arith.subf %tk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<281600xf32>
}

// Two vectors, of which a quarter is padding.
// CHECK: columns.mlir:[[# @LINE + 1]]:{{.*}}"axis 1 padded to a multiple of 32, axis 1 by 32 as upcast, what is reduced over axis 3 staged"
kernel.func @padded(%in: memref<2400xf32>, %out: memref<2400xf32>) {
  %i = kernel.range loop id(0) extent(100) order(1)
  %j = kernel.range loop id(1) extent(24) order(0)
  %k = kernel.range reduce id(2) extent(100)
  %l = kernel.range reduce id(3) extent(100)
  %columns = arith.constant 24 : index
  %row = arith.muli %i, %columns : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<2400xf32>
  %t = math.tanh %x : f32
  %rowl = arith.muli %l, %columns : index
  %atl = arith.addi %j, %rowl : index
  %xl = kernel.load %in[%atl] : memref<2400xf32>
  %tl = math.tanh %xl : f32
  %most = kernel.reduce maximumf (%tl) over (%l) : f32
  %d = arith.subf %t, %most : f32
  %e = math.exp %d : f32
  %rowk = arith.muli %k, %columns : index
  %atk = arith.addi %j, %rowk : index
  %xk = kernel.load %in[%atk] : memref<2400xf32>
  %tk = math.tanh %xk : f32
  %dk = arith.subf %tk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<2400xf32>
}

// Not even one vector of columns stays there: each pass computes it again.
// CHECK: columns.mlir:[[# @LINE + 1]]:{{.*}}"axis 1 by 16 as upcast"
kernel.func @longest(%in: memref<80000xf32>, %out: memref<80000xf32>) {
  %i = kernel.range loop id(0) extent(5000) order(1)
  %j = kernel.range loop id(1) extent(16) order(0)
  %k = kernel.range reduce id(2) extent(5000)
  %l = kernel.range reduce id(3) extent(5000)
  %columns = arith.constant 16 : index
  %row = arith.muli %i, %columns : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<80000xf32>
  %t = math.tanh %x : f32
  %rowl = arith.muli %l, %columns : index
  %atl = arith.addi %j, %rowl : index
  %xl = kernel.load %in[%atl] : memref<80000xf32>
  %tl = math.tanh %xl : f32
  %most = kernel.reduce maximumf (%tl) over (%l) : f32
  %d = arith.subf %t, %most : f32
  %e = math.exp %d : f32
  %rowk = arith.muli %k, %columns : index
  %atk = arith.addi %j, %rowk : index
  %xk = kernel.load %in[%atk] : memref<80000xf32>
  %tk = math.tanh %xk : f32
  %dk = arith.subf %tk, %most : f32
  %ek = math.exp %dk : f32
  %sum = kernel.reduce addf (%ek) over (%k) : f32
  %y = arith.divf %e, %sum : f32
  kernel.store %y, %out[%at] : memref<80000xf32>
}
