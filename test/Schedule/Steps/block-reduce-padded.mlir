// RUN: tiny-opt %s -kernel-apply-schedules -canonicalize | FileCheck %s
// RUN: tiny-opt %s -check-passes -kernel-apply-schedules -canonicalize -convert-kernel-to-uop -uop-expand-math -o /dev/null

// Keys behind the end are selected away beside each factor of the third weight: the mask, which varies over rows, is
// multiplied with the block's factors in a tile, and what varies over d is a factor of its own in the sum over the block.
// CHECK-LABEL: kernel.func @causal
// CHECK: kernel.stage %{{.*}} over (%{{.*}}, %{{.*}}) register : memref<8xf32>
// CHECK: kernel.stage %{{.*}} over (%{{.*}}, %{{.*}}) register : memref<8xf32>
// CHECK: %[[SEEN:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: %[[MASK:.*]] = arith.select %{{.*}}, %[[SEEN]], %{{.*}} : f32
// CHECK: %[[MASKED:.*]] = arith.mulf %{{.*}}, %[[MASK]]
// CHECK: %[[TILE:.*]] = kernel.stage %[[MASKED]] over (%{{.*}}, %{{.*}}) register : memref<8xf32>
// CHECK: %[[LEFT:.*]] = kernel.load %[[TILE]][
// CHECK: %[[VALUE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[LEFT]], %[[VALUE]]
// CHECK: kernel.reduce addf (%[[PRODUCT]]) over (%{{.*}})
kernel.func @causal(%q: memref<32xf32>, %k: memref<56xf32>, %v: memref<56xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@causal} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e38 : f32
  %one = arith.constant 1.0 : f32
  %c8 = arith.constant 8 : index
  %i = kernel.range loop id(0) extent(4)
  %d = kernel.range loop id(1) extent(8)
  %j = kernel.range reduce id(2) extent(7)
  %c = kernel.range reduce id(3) extent(8)
  %ri = arith.muli %i, %c8 : index
  %qi = arith.addi %ri, %c : index
  %rj = arith.muli %j, %c8 : index
  %kj = arith.addi %c, %rj : index
  %a = kernel.load %q[%qi] : memref<32xf32>
  %b = kernel.load %k[%kj] : memref<56xf32>
  %ab = arith.mulf %a, %b : f32
  %x = kernel.reduce addf (%ab) over (%c) : f32
  %vj = arith.addi %rj, %d : index
  %w = kernel.load %v[%vj] : memref<56xf32>
  %seen = arith.cmpi sle, %j, %i : index
  %mask = arith.select %seen, %one, %zero : f32
  %mw = arith.mulf %mask, %w : f32
  %mx = arith.select %seen, %x, %low : f32
  %r:3 = kernel.reduce (%mx, %one, %mw) init (%lowest, %zero, %zero) over (%j) : f32, f32, f32 {
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
  transform.named_sequence @causal(%kernel: !transform.any_op {transform.readonly}) {
    %d = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %od, %id = transform.tiny.split %d by 8 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %oi, %ii = transform.tiny.split %i by 2 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %j = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    %pj = transform.tiny.pad_to %j multiple 4 : (!transform.any_op) -> !transform.any_op
    %oj, %ij = transform.tiny.split %pj by 4 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %k = transform.tiny.stage %kernel argument 1 over [2, 3, 5] local : (!transform.any_op) -> !transform.any_op
    transform.tiny.block_reduce %ij : (!transform.any_op) -> ()
    transform.yield
  }
}
