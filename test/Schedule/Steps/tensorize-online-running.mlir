// What divides the sums is NaN wherever the maximum is no number, so a block's sums may be relative to the maximum of all
// blocks up to it. Elements are of f32: where they are large their scale is a power of two.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse | tiny-opt -check-passes -convert-kernel-to-uop -uop-expand-math -o /dev/null
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse -convert-kernel-to-uop | FileCheck %s --check-prefix=UOP
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse -convert-kernel-to-uop -canonicalize -cse -uop-describe-entry -uop-legalize -convert-uop-to-nvvm | FileCheck %s --check-prefix=NVVM

// CHECK-LABEL: kernel.func @attention
// CHECK-DAG: %[[BLOCKS:.*]] = kernel.range reduce id(2) extent(3)
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 1.44269502 : f32
// CHECK-DAG: %[[LARGE:.*]] = arith.constant 0x4D000000 : f32
// CHECK: %[[OWN:.*]] = kernel.reduce maximumf
// CHECK: %[[MAXIMUM:.*]] = kernel.scan maximumf (%[[OWN]]) over (%[[BLOCKS]]) : f32
// CHECK: math.fma
// CHECK-NEXT: math.exp2 {{.*}} fastmath<afn> : f32
// CHECK: kernel.reduce (%{{.*}}, %{{.*}}, %{{.*}}) init (%{{.*}}) over (%[[BLOCKS]]) fastmath<contract,afn>
// CHECK-NEXT: ^bb0(%[[M:.*]]: f32, %[[L:.*]]: f32, %[[S:.*]]: f32, %[[N:.*]]: f32, %[[LB:.*]]: f32, %[[SB:.*]]: f32):
// CHECK: %[[FACTOR:.*]] = math.exp2 {{.*}} fastmath<afn> : f32
// CHECK: %[[BEFORE:.*]] = arith.mulf %[[S]], %[[FACTOR]]
// CHECK: %[[AFTER:.*]] = arith.addf %[[BEFORE]], %[[SB]]
// CHECK: kernel.yield %[[N]], %{{.*}}, %[[AFTER]]
// The sum of each row is a product with ones.
// UOP-LABEL: uop.func @attention
// UOP: uop.for
// UOP-COUNT-8: uop.mma {{.*}}<left 16x16xbf16>
// UOP: uop.fragment_reduce maximumf
// UOP-NOT: uop.fragment_reduce addf
// UOP: %[[ONES:.*]] = uop.fragment_fill %{{.*}} : <right 8x8xbf16>
// UOP-COUNT-4: uop.mma %{{.*}}, %[[ONES]], {{.*}}<left 16x8xbf16>
// UOP-COUNT-12: uop.mma {{.*}}<left 16x8xbf16>
// UOP-NOT: uop.mma
// What sums of before are corrected to is where products begin: nothing is added to them.
// NVVM-LABEL: llvm.func @attention
// NVVM: nvvm.mma.sync
// NVVM-NOT: llvm.fadd {{.*}}reassoc
// NVVM: llvm.return
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
    %e = math.exp %negative fastmath<afn> : f32
    %first = arith.cmpf uge, %m1, %m2 : f32
    %f = arith.select %first, %unit, %e : f32
    %second = arith.cmpf ule, %m1, %m2 : f32
    %g = arith.select %second, %unit, %e : f32
    %lf = arith.mulf %l1, %f : f32
    %lg = arith.mulf %l2, %g : f32
    %l = arith.addf %lf, %lg : f32
    %sf = arith.mulf %s1, %f : f32
    %sg = arith.mulf %g, %s2 : f32
    %s = arith.addf %sf, %sg : f32
    kernel.yield %m, %l, %s : f32, f32, f32
  }
  %nothing = arith.subf %r#0, %r#0 : f32
  %sum = arith.addf %r#2, %nothing : f32
  %all = arith.addf %r#1, %nothing : f32
  %o = arith.divf %sum, %all : f32
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
