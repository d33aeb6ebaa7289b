// RUN: tiny-opt %s -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -uop-expand-math -o /dev/null
// RUN: tiny-opt %s -kernel-apply-schedules -canonicalize -convert-kernel-to-uop | FileCheck %s --check-prefix=UOP

// The elements of two rows and a block of four are a tile, from which the maximum is taken; the factors relative to it
// are another one, for the sums along copies of d. What the reduction combines are the blocks. The second read of the
// maximum is for the rows that fill a tile.
// CHECK-LABEL: kernel.func @attention
// CHECK-DAG: %[[BLOCKS:.*]] = kernel.range reduce id(2) extent(2)
// CHECK-DAG: %[[X:.*]] = kernel.stage %{{.*}} over (%{{.*}}, %{{.*}}) register : memref<8xf32>
// CHECK-DAG: %[[P:.*]] = kernel.stage %{{.*}} over (%{{.*}}, %{{.*}}) register : memref<8xf32>
// CHECK-DAG: kernel.load %[[X]][
// CHECK-DAG: kernel.load %[[P]][
// CHECK-DAG: %[[M:.*]] = kernel.reduce maximumf (%{{.*}}) over (%{{.*}})
// CHECK-DAG: %[[J:.*]] = kernel.range reduce id({{[0-9]+}}) extent(4)
// CHECK-DAG: %[[W:.*]] = kernel.reduce addf (%{{.*}}) over (%[[J]])
// CHECK: kernel.reduce (%[[M]], %{{.*}}, %[[W]]) init (%{{.*}}) over (%[[BLOCKS]])
// Exponentials of a block have lanes; the correction is one for a row and block.
// UOP-LABEL: uop.func @attention
// UOP-COUNT-2: math.exp %{{.*}} : vector<4xf32>
// UOP-NOT: math.exp %{{.*}} : vector<4xf32>
// UOP-COUNT-2: math.exp %{{.*}} : f32
// UOP-NOT: math.exp
kernel.func @attention(%q: memref<32xf32>, %k: memref<64xf32>, %v: memref<64xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@attention} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c8 = arith.constant 8 : index
  %i = kernel.range loop id(0) extent(4)
  %d = kernel.range loop id(1) extent(8)
  %j = kernel.range reduce id(2) extent(8)
  %c = kernel.range reduce id(3) extent(8)
  %ri = arith.muli %i, %c8 : index
  %qi = arith.addi %ri, %c : index
  %rj = arith.muli %j, %c8 : index
  %kj = arith.addi %c, %rj : index
  %a = kernel.load %q[%qi] : memref<32xf32>
  %b = kernel.load %k[%kj] : memref<64xf32>
  %ab = arith.mulf %a, %b : f32
  %x = kernel.reduce addf (%ab) over (%c) : f32
  %vj = arith.addi %rj, %d : index
  %w = kernel.load %v[%vj] : memref<64xf32>
  %r:3 = kernel.reduce (%x, %one, %w) init (%lowest, %zero, %zero) over (%j) : f32, f32, f32 {
  ^bb0(%m1: f32, %l1: f32, %s1: f32, %m2: f32, %l2: f32, %s2: f32):
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
    %lf = arith.mulf %l1, %f : f32
    %lg = arith.mulf %l2, %g : f32
    %l = arith.addf %lf, %lg : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %g, %s2 : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %l, %s : f32, f32, f32
  }
  %o = arith.divf %r#2, %r#1 : f32
  %oi = arith.addi %ri, %d : index
  kernel.store %o, %out[%oi] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @attention(%kernel: !transform.any_op {transform.readonly}) {
    %d = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %od, %id = transform.tiny.split %d by 8 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %oi, %ii = transform.tiny.split %i by 2 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %j = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %oj, %ij = transform.tiny.split %j by 4 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %k = transform.tiny.stage %kernel argument 1 over [2, 3, 5] local : (!transform.any_op) -> !transform.any_op
    transform.tiny.block_reduce %ij : (!transform.any_op) -> ()
    transform.yield
  }
}
