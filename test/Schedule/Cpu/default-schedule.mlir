// RUN: tiny-opt %s -kernel-default-schedule | FileCheck %s
// RUN: tiny-opt %s -target-attach=processor=x86-64 -kernel-default-schedule=tile=1 | FileCheck %s --check-prefix=LANES
// RUN: tiny-opt %s -kernel-default-schedule -kernel-apply-schedules=keep-scripts | FileCheck %s --check-prefix=APPLIED
// RUN: tiny-opt %s -kernel-default-schedule -remarks-filter=kernel-default-schedule -remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: "axes 0 and 1 merged"
// REMARK: axis 0 padded to a multiple of 8, axis 0 by 8 as upcast

// Two axes that are walked as one become one, which LLVM's vectoriser takes.
// CHECK-LABEL: kernel.func @rows
// CHECK-SAME: schedule = @schedules::@rows
// LANES-LABEL: kernel.func @rows
// APPLIED-LABEL: kernel.func @rows
// APPLIED-NOT: schedule
// APPLIED: kernel.range loop id(0) extent(96)
kernel.func @rows(%in: memref<96xf32>, %out: memref<96xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range loop id(1) extent(24)
  %c24 = arith.constant 24 : index
  %row = arith.muli %i, %c24 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%at] : memref<96xf32>
  kernel.store %x, %out[%at] : memref<96xf32>
}

// A kernel that reads across has no axis that is contiguous for both sides.
// CHECK-LABEL: kernel.func @transpose
// CHECK-NOT: schedule
kernel.func @transpose(%in: memref<96xf32>, %out: memref<96xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range loop id(1) extent(12)
  %c12 = arith.constant 12 : index
  %c8 = arith.constant 8 : index
  %a = arith.muli %i, %c12 : index
  %from = arith.addi %a, %j : index
  %b = arith.muli %j, %c8 : index
  %to = arith.addi %b, %i : index
  %x = kernel.load %in[%from] : memref<96xf32>
  kernel.store %x, %out[%to] : memref<96xf32>
}

// An axis that no vector divides is padded.
// CHECK-LABEL: kernel.func @odd
// CHECK-SAME: schedule
kernel.func @odd(%in: memref<7xf32>, %out: memref<7xf32>) {
  %i = kernel.range loop id(0) extent(7)
  %x = kernel.load %in[%i] : memref<7xf32>
  kernel.store %x, %out[%i] : memref<7xf32>
}

// A kernel that names a schedule keeps it.
// CHECK-LABEL: kernel.func @mine
// CHECK-SAME: schedule = @mine_too::@nothing
kernel.func @mine(%in: memref<8xf32>, %out: memref<8xf32>) attributes {schedule = @mine_too::@nothing} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  kernel.store %x, %out[%i] : memref<8xf32>
}
module @mine_too attributes {transform.with_named_sequence} {
  transform.named_sequence @nothing(%kernel: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// In a matrix product the rows stand still in one operand: six of them share its lanes.
// CHECK-LABEL: kernel.func @product
// CHECK-SAME: schedule = @schedules::@product
kernel.func @product(%a: memref<192xf32>, %b: memref<128xf32>, %out: memref<384xf32>) {
  %i = kernel.range loop id(0) extent(24)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(8)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %0 = arith.muli %i, %c8 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %k, %c16 : index
  %3 = arith.addi %2, %j : index
  %4 = arith.muli %i, %c16 : index
  %5 = arith.addi %4, %j : index
  %x = kernel.load %a[%1] : memref<192xf32>
  %y = kernel.load %b[%3] : memref<128xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %out[%5] : memref<384xf32>
}

// Of a pool with padding the pixels of a row are lanes, whatever their gate says.
// CHECK-LABEL: kernel.func @padded_pool
// CHECK-SAME: schedule = @schedules::@padded_pool
kernel.func @padded_pool(%in: memref<1024xf32>, %out: memref<256xf32>) {
  %i = kernel.range loop id(0) extent(16)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(3)
  %least = arith.constant 0xFF800000 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %row = arith.muli %i, %c64 : index
  %column = arith.muli %j, %c2 : index
  %place = arith.addi %column, %k : index
  %inside = arith.cmpi sge, %place, %c1 : index
  %left = arith.subi %place, %c1 : index
  %from = arith.addi %row, %left : index
  %x = kernel.load %in[%from] if %inside : memref<1024xf32>
  %y = arith.select %inside, %x, %least : f32
  %most = kernel.reduce maximumf (%y) over (%k) : f32
  %to = arith.muli %i, %c16 : index
  %at = arith.addi %to, %j : index
  kernel.store %most, %out[%at] : memref<256xf32>
}

// A gate that depends on the rows does not keep them out of the tile.
// CHECK-LABEL: kernel.func @gated
// CHECK-SAME: schedule = @schedules::@gated
kernel.func @gated(%a: memref<192xf32>, %b: memref<128xf32>, %out: memref<384xf32>) {
  %i = kernel.range loop id(0) extent(24)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(8)
  %zero = arith.constant 0.0 : f32
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %inside = arith.cmpi slt, %i, %c8 : index
  %0 = arith.muli %i, %c8 : index
  %1 = arith.addi %0, %k : index
  %2 = arith.muli %k, %c16 : index
  %3 = arith.addi %2, %j : index
  %4 = arith.muli %i, %c16 : index
  %5 = arith.addi %4, %j : index
  %x = kernel.load %a[%1] if %inside : memref<192xf32>
  %u = arith.select %inside, %x, %zero : f32
  %y = kernel.load %b[%3] : memref<128xf32>
  %p = arith.mulf %u, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %out[%5] : memref<384xf32>
}

// CHECK-LABEL: module @schedules
// CHECK: transform.named_sequence @rows(%[[KERNEL:[a-z0-9]+]]: !transform.any_op {transform.readonly})
// CHECK: transform.tiny.merge
// CHECK-NEXT: transform.yield
// CHECK: transform.named_sequence @product
// CHECK-NEXT: tiny.axis %{{.*}}[0]
// CHECK-NEXT: tiny.split %{{.*}} by 24 as upcast
// CHECK-NEXT: %[[COLUMNS:.*]] = transform.tiny.axis %{{.*}}[1]
// CHECK-NEXT: tiny.split %[[COLUMNS]] by 16 as upcast
// CHECK-NEXT: transform.yield
// CHECK: transform.named_sequence @padded_pool
// CHECK: %[[PIXELS:.*]] = transform.tiny.axis %{{.*}}[1]
// CHECK: transform.tiny.split %[[PIXELS]] by 16 as upcast
// CHECK: transform.yield
// CHECK: transform.named_sequence @gated
// CHECK: tiny.split %{{.*}} by 16 as upcast
// CHECK: tiny.split %{{.*}} by 4 as upcast
// CHECK: transform.yield
// LANES: transform.tiny.split %{{.*}} as upcast
// APPLIED: module @schedules
