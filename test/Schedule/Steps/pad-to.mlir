// RUN: tiny-opt %s -split-input-file -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -o /dev/null

// A free axis: loads and stores that it indexes are gated.
// CHECK-LABEL: kernel.func @product
// CHECK-DAG: %[[I:.*]] = kernel.range loop id(0) extent(8)
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %c5
// CHECK-DAG: kernel.load %arg0[%{{.*}}] if %[[INSIDE]]
// CHECK-DAG: kernel.load %arg1[%{{[^ ]*}}] :
// CHECK-DAG: kernel.store %{{.*}}, %arg2[%{{.*}}] if %[[INSIDE]]
kernel.func @product(%a: memref<40xf32>, %b: memref<48xf32>, %out: memref<30xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(5)
  %j = kernel.range loop id(1) extent(6)
  %k = kernel.range reduce id(2) extent(8)
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %a[%ik] : memref<40xf32>
  %relu = arith.maximumf %x, %zero : f32
  %k6 = arith.muli %k, %c6 : index
  %kj = arith.addi %k6, %j : index
  %y = kernel.load %b[%kj] : memref<48xf32>
  %p = arith.mulf %relu, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %padded = transform.tiny.pad_to %i multiple 4 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A reduced axis: behind its end the reduction sees its identity.
// CHECK-LABEL: kernel.func @product
// CHECK-DAG: %[[K:.*]] = kernel.range reduce id(2) extent(9)
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi slt, %[[K]], %c8
// CHECK-DAG: %[[ZERO:.*]] = arith.constant -0.000000e+00
// CHECK-DAG: kernel.load %arg0[%{{.*}}] if %[[INSIDE]]
// CHECK-DAG: kernel.load %arg1[%{{.*}}] if %[[INSIDE]]
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: %[[ELEMENT:.*]] = arith.select %[[INSIDE]], %[[P]], %[[ZERO]]
// CHECK: kernel.reduce addf (%[[ELEMENT]])
// CHECK: kernel.store %{{.*}}, %arg2[%{{[^ ]*}}] :
kernel.func @product(%a: memref<40xf32>, %b: memref<48xf32>, %out: memref<30xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(5)
  %j = kernel.range loop id(1) extent(6)
  %k = kernel.range reduce id(2) extent(8)
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %a[%ik] : memref<40xf32>
  %relu = arith.maximumf %x, %zero : f32
  %k6 = arith.muli %k, %c6 : index
  %kj = arith.addi %k6, %j : index
  %y = kernel.load %b[%kj] : memref<48xf32>
  %p = arith.mulf %relu, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %padded = transform.tiny.pad_to %k multiple 3 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// An axis that is long enough stays.
// CHECK-LABEL: kernel.func @product
// CHECK: kernel.range loop id(1) extent(6)
// CHECK-NOT: arith.cmpi
kernel.func @product(%a: memref<40xf32>, %b: memref<48xf32>, %out: memref<30xf32>) attributes {schedule = @schedules::@product} {
  %i = kernel.range loop id(0) extent(5)
  %j = kernel.range loop id(1) extent(6)
  %k = kernel.range reduce id(2) extent(8)
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %i8 = arith.muli %i, %c8 : index
  %ik = arith.addi %i8, %k : index
  %x = kernel.load %a[%ik] : memref<40xf32>
  %relu = arith.maximumf %x, %zero : f32
  %k6 = arith.muli %k, %c6 : index
  %kj = arith.addi %k6, %j : index
  %y = kernel.load %b[%kj] : memref<48xf32>
  %p = arith.mulf %relu, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i6 = arith.muli %i, %c6 : index
  %ij = arith.addi %i6, %j : index
  kernel.store %s, %out[%ij] : memref<30xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %padded = transform.tiny.pad_to %j multiple 3 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Behind the end a divisor is anything, and would trap: there it is 1.
// CHECK-LABEL: kernel.func @remainder
// CHECK: %[[END:.*]] = arith.constant 7 : index
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %[[END]] : index
// CHECK: %[[READ:.*]] = kernel.load %arg1[%{{.*}}] if %[[INSIDE]]
// CHECK: %[[SAFE:.*]] = arith.select %[[INSIDE]], %[[READ]], %c1_i32 : i32
// CHECK: arith.remsi %{{.*}}, %[[SAFE]] : i32
kernel.func @remainder(%a: memref<7xi32>, %b: memref<7xi32>, %out: memref<7xi32>) attributes {schedule = @schedules::@remainder} {
  %i = kernel.range loop id(0) extent(7)
  %x = kernel.load %a[%i] : memref<7xi32>
  %y = kernel.load %b[%i] : memref<7xi32>
  %r = arith.remsi %x, %y : i32
  kernel.store %r, %out[%i] : memref<7xi32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @remainder(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %padded = transform.tiny.pad_to %i multiple 8 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Several sums at once: each sees the identity of its own type.
// CHECK-LABEL: kernel.func @two_sums
// CHECK-DAG: %[[SINGLE:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[DOUBLE:.*]] = arith.constant -0.000000e+00 : f64
// CHECK-DAG: %[[X:.*]] = arith.select %{{.*}}, %{{.*}}, %[[SINGLE]] : f32
// CHECK-DAG: %[[Y:.*]] = arith.select %{{.*}}, %{{.*}}, %[[DOUBLE]] : f64
// CHECK: kernel.reduce addf (%[[X]], %[[Y]])
kernel.func @two_sums(%a: memref<7xf32>, %b: memref<7xf64>, %x: memref<1xf32>, %y: memref<1xf64>) attributes {schedule = @schedules::@two_sums} {
  %k = kernel.range reduce id(0) extent(7)
  %c0 = arith.constant 0 : index
  %u = kernel.load %a[%k] : memref<7xf32>
  %v = kernel.load %b[%k] : memref<7xf64>
  %s:2 = kernel.reduce addf (%u, %v) over (%k) : f32, f64
  kernel.store %s#0, %x[%c0] : memref<1xf32>
  kernel.store %s#1, %y[%c0] : memref<1xf64>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @two_sums(%kernel: !transform.any_op {transform.readonly}) {
    %k = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %padded = transform.tiny.pad_to %k multiple 4 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A sum relative to a running maximum: behind the end an element is -inf, and its weight -0.
// CHECK-LABEL: kernel.func @online
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[NOTHING:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK-DAG: %[[READ:.*]] = kernel.load %arg0[%{{.*}}] if %[[INSIDE]]
// CHECK-DAG: %[[X:.*]] = arith.select %[[INSIDE]], %[[READ]], %[[LOWEST]] : f32
// CHECK-DAG: %[[W:.*]] = arith.select %[[INSIDE]], %{{.*}}, %[[NOTHING]] : f32
// CHECK: kernel.reduce (%[[X]], %[[W]])
kernel.func @online(%in: memref<29xf32>, %out: memref<1xf32>) attributes {schedule = @schedules::@online} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %j = kernel.range reduce id(0) extent(29)
  %x = kernel.load %in[%j] : memref<29xf32>
  %r:2 = kernel.reduce (%x, %one) init (%lowest, %zero) over (%j) : f32, f32 {
  ^bb0(%m1: f32, %s1: f32, %m2: f32, %s2: f32):
    %unit = arith.constant 1.0 : f32
    %m = arith.maximumf %m1, %m2 : f32
    %difference = arith.subf %m1, %m2 : f32
    %distance = math.absf %difference : f32
    %negative = arith.negf %distance : f32
    %e = math.exp %negative : f32
    %first = arith.cmpf oge, %m1, %m2 : f32
    %f = arith.select %first, %unit, %e : f32
    %second = arith.cmpf ole, %m1, %m2 : f32
    %g = arith.select %second, %unit, %e : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %s2, %g : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %s : f32, f32
  }
  kernel.store %r#1, %out[%c0] : memref<1xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @online(%kernel: !transform.any_op {transform.readonly}) {
    %j = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %padded = transform.tiny.pad_to %j multiple 16 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The gate of a window keeps to the rows that there are behind the end, too: the load needs no other. Beside it, where
// only the first row has a gate, what is read behind the end would lie outside the buffer.
// CHECK-LABEL: kernel.func @window
// CHECK-DAG: %[[Y:.*]] = kernel.range loop id(0) extent(6)
// CHECK-DAG: %[[YU:.*]] = arith.addi %[[Y]], %{{.*}}
// CHECK-DAG: %[[TOP:.*]] = arith.cmpi sge, %[[YU]], %c1
// CHECK-DAG: %[[BOTTOM:.*]] = arith.cmpi slt, %[[YU]], %c6
// CHECK-DAG: %[[ROWS:.*]] = arith.andi %[[TOP]], %[[BOTTOM]]
// CHECK-DAG: kernel.load %arg0[%{{.*}}] if %[[ROWS]] :
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi slt, %[[Y]], %c5
// CHECK-DAG: %[[BOTH:.*]] = arith.andi %[[TOP]], %[[INSIDE]]
// CHECK-DAG: kernel.load %arg1[%{{.*}}] if %[[BOTH]] :
kernel.func @window(%in: memref<5xf32>, %other: memref<6xf32>, %out: memref<5xf32>) attributes {schedule = @schedules::@window} {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %y = kernel.range loop id(0) extent(5)
  %u = kernel.range reduce id(1) extent(3)
  %yu = arith.addi %y, %u : index
  %top = arith.cmpi sge, %yu, %c1 : index
  %bottom = arith.cmpi slt, %yu, %c6 : index
  %rows = arith.andi %top, %bottom : i1
  %from = arith.subi %yu, %c1 : index
  %p = kernel.load %in[%from] if %rows : memref<5xf32>
  %q = kernel.load %other[%from] if %top : memref<6xf32>
  %r = arith.select %rows, %p, %zero : f32
  %t = arith.select %top, %q, %zero : f32
  %sum = arith.addf %r, %t : f32
  %s = kernel.reduce addf (%sum) over (%u) : f32
  kernel.store %s, %out[%y] : memref<5xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @window(%kernel: !transform.any_op {transform.readonly}) {
    %y = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %padded = transform.tiny.pad_to %y multiple 3 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
