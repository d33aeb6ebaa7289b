// RUN: tiny-opt %s -split-input-file -verify-diagnostics --target-attach="target=cuda processor=sm_90a" -kernel-apply-schedules

// Several subgroups read lines of 128 bytes of each tile.
// expected-error @+1 {{failed on kernel}}
kernel.func @team_pieces(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@team_pieces} {
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
  transform.named_sequence @team_pieces(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{tiles of 32 and 64 columns are not of pieces of 128 bytes, which 4 subgroups read}}
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [64, 64, 32] subgroups [1, 1] shape [64, 64, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

