// Two products of matrices with a running maximum between them, in blocks of keys. What lies between the products is in
// the registers of lanes: factors alone have tiles that the workgroup shares. No size is a multiple of its tile.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse -convert-kernel-to-uop | FileCheck %s --check-prefix=UOP

// CHECK-LABEL: kernel.func @attention
// CHECK-DAG: %[[BLOCKS:.*]] = kernel.range reduce id(2) extent(3)
// CHECK-DAG: kernel.range warp {{.*}}extent(2)
// CHECK-DAG: kernel.stage {{.*}} local : memref<1024xbf16>
// CHECK-DAG: kernel.stage {{.*}} local : memref<768xbf16>
// CHECK-DAG: kernel.stage {{.*}} register : memref<32xf32>
// CHECK-DAG: kernel.reduce maximumf
// CHECK-DAG: arith.truncf {{.*}} : f32 to bf16
// CHECK: kernel.reduce (%{{.*}}, %{{.*}}, %{{.*}}) init (%{{.*}}) over (%[[BLOCKS]])
// Four matrices of keys, each by a depth of two; then as many by three of columns. Half a depth each: the device puts two
// of them together.
// UOP-LABEL: uop.func @attention
// UOP-NOT: uop.register
// UOP: uop.for
// UOP-COUNT-8: uop.mma {{.*}}<left 16x16xbf16>
// UOP: uop.fragment_reduce maximumf
// UOP-COUNT-12: uop.mma {{.*}}<left 16x8xbf16>
// UOP-NOT: uop.mma
kernel.func @attention(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@attention} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c24 = arith.constant 24 : index
  %cd = arith.constant 20 : index
  %i = kernel.range loop id(0) extent(70)
  %d = kernel.range loop id(1) extent(20)
  %j = kernel.range reduce id(2) extent(90)
  %c = kernel.range reduce id(3) extent(24)
  %ri = arith.muli %i, %c24 : index
  %qi = arith.addi %ri, %c : index
  %rj = arith.muli %j, %c24 : index
  %kj = arith.addi %rj, %c : index
  %a = kernel.load %q[%qi] : memref<1680xbf16>
  %b = kernel.load %k[%kj] : memref<2160xbf16>
  %aw = arith.extf %a : bf16 to f32
  %bw = arith.extf %b : bf16 to f32
  %ab = arith.mulf %aw, %bw : f32
  %x = kernel.reduce addf (%ab) over (%c) : f32
  %jd = arith.muli %j, %cd : index
  %vj = arith.addi %jd, %d : index
  %w = kernel.load %v[%vj] : memref<1800xbf16>
  %ww = arith.extf %w : bf16 to f32
  %r:3 = kernel.reduce (%x, %one, %ww) init (%lowest, %zero, %zero) over (%j) fastmath<reassoc,contract,afn> : f32, f32, f32 {
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
  %id = arith.muli %i, %cd : index
  %at = arith.addi %id, %d : index
  kernel.store %o, %out[%at] : memref<1400xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @attention(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [32, 32, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}
