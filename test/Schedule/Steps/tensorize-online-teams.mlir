// Two products by teams of subgroups with a running maximum between them: what a team holds of scores is four left factors
// of the depth of an instruction for each matrix of keys. No size is a multiple of its tile.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse | tiny-opt -check-passes -convert-kernel-to-uop -uop-expand-math -o /dev/null
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse -convert-kernel-to-uop | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_90a" -kernel-apply-schedules -sym-simplify -canonicalize -topological-sort -cse -convert-kernel-to-uop -canonicalize -cse -uop-swizzle-tiles -uop-describe-entry -uop-legalize -convert-uop-to-nvvm | FileCheck %s --check-prefix=NVVM

// CHECK-LABEL: uop.func @attention
// CHECK: uop.for
// CHECK-COUNT-4: uop.mma {{.*}}<left 64x16xbf16 by 4>
// CHECK: uop.fragment_reduce maximumf {{.*}} of !uop.fragment<sum 64x64xf32 by 4>
// CHECK: %[[P:.*]] = uop.fragment_pack %[[HELD:.*]] from(0) : vector<32xf32>, <left 64x16xbf16 by 4>
// CHECK-NEXT: uop.fragment_pack %[[HELD]] from(16)
// CHECK-NEXT: uop.fragment_pack %[[HELD]] from(32)
// CHECK-NEXT: uop.fragment_pack %[[HELD]] from(48)
// CHECK: %[[ONES:.*]] = uop.fragment_fill %{{.*}} : <right 16x64xbf16 by 4>
// CHECK: uop.mma %[[P]], %[[ONES]]
// CHECK-COUNT-7: uop.mma {{.*}}<left 64x16xbf16 by 4>
// CHECK-NOT: uop.mma
// Warps sum up rows by their own products; all factors are there when a series begins, and no sum of it begins with zeros.
// NVVM-LABEL: llvm.func @attention
// NVVM: wgmma.fence
// NVVM-COUNT-4: wgmma.mma_async{{.*}} 1, 1, 0, 0;
// NVVM: wgmma.wait_group
// NVVM-COUNT-4: nvvm.mma.sync
// NVVM: wgmma.fence
// NVVM-COUNT-4: wgmma.mma_async{{.*}} {$0, {{.*}}, $31}, {$64, $65, $66, $67}, $68, $69, 1, 1, 1;
// NVVM: wgmma.wait_group
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
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [128, 64, 64] subgroups [2, 1] shape [64, 64, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}
