// RUN: tiny-opt %s -split-input-file -verify-diagnostics --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules

// expected-error @+1 {{failed on kernel}}
kernel.func @free_keys(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@free_keys} {
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
  transform.named_sequence @free_keys(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 1 is no reduced loop}}
    transform.tiny.tensorize %kernel [0, 1, 3, 1] tile [32, 32, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @named_twice(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@named_twice} {
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
  transform.named_sequence @named_twice(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 2 is named twice}}
    transform.tiny.tensorize %kernel [0, 2, 2, 1] tile [32, 32, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @no_maximum(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@no_maximum} {
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
  transform.named_sequence @no_maximum(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 3 is not all of one reduction of a maximum and of sums relative to it, in any order}}
    transform.tiny.tensorize %kernel [0, 3, 2, 1] tile [32, 32, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @not_rounded(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@not_rounded} {
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
  %r:3 = kernel.reduce (%x, %one, %ww) init (%lowest, %zero, %zero) over (%j) : f32, f32, f32 {
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
  transform.named_sequence @not_rounded(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the reduction's flags do not let its elements be rounded}}
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [32, 32, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @no_rows(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@no_rows} {
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
  transform.named_sequence @no_rows(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{one factor has to vary along axes 1 and 3 alone of the three, the other one along 2 and 3}}
    transform.tiny.tensorize %kernel [1, 2, 3, 0] tile [32, 32, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @no_shape(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@no_shape} {
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
  transform.named_sequence @no_shape(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{the device's record has no products of 16x8x32 bf16 and 16x8x8 bf16 to f32}}
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [32, 32, 32] subgroups [2, 1] shape [16, 8, 32] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @odd_tile(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@odd_tile} {
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
  transform.named_sequence @odd_tile(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{a tile of 40x32x32 is not of whole matrices of 16x8x16 for 2 subgroups along its rows, with all of the depth}}
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [40, 32, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @part_of_depth(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@part_of_depth} {
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
  transform.named_sequence @part_of_depth(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{a tile of 32x32x16 is not of whole matrices of 16x8x16 for 2 subgroups along its rows, with all of the depth}}
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [32, 32, 16] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @one_block(%q: memref<1680xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<1400xf32>) attributes {schedule = @schedules::@one_block} {
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
  transform.named_sequence @one_block(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{axis 2 is one block}}
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [32, 96, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @lanes(%q: memref<48000xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<40000xf32>) attributes {schedule = @schedules::@lanes} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c24 = arith.constant 24 : index
  %cd = arith.constant 20 : index
  %i = kernel.range loop id(0) extent(2000)
  %d = kernel.range loop id(1) extent(20)
  %j = kernel.range reduce id(2) extent(90)
  %c = kernel.range reduce id(3) extent(24)
  %ri = arith.muli %i, %c24 : index
  %qi = arith.addi %ri, %c : index
  %rj = arith.muli %j, %c24 : index
  %kj = arith.addi %rj, %c : index
  %a = kernel.load %q[%qi] : memref<48000xbf16>
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
  kernel.store %o, %out[%at] : memref<40000xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @lanes(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{a workgroup would have 2048 lanes, more than 1024}}
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [1024, 32, 32] subgroups [64, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @bytes(%q: memref<216000xbf16>, %k: memref<2160xbf16>, %v: memref<1800xbf16>, %out: memref<180000xf32>) attributes {schedule = @schedules::@bytes} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c24 = arith.constant 24 : index
  %cd = arith.constant 20 : index
  %i = kernel.range loop id(0) extent(9000)
  %d = kernel.range loop id(1) extent(20)
  %j = kernel.range reduce id(2) extent(90)
  %c = kernel.range reduce id(3) extent(24)
  %ri = arith.muli %i, %c24 : index
  %qi = arith.addi %ri, %c : index
  %rj = arith.muli %j, %c24 : index
  %kj = arith.addi %rj, %c : index
  %a = kernel.load %q[%qi] : memref<216000xbf16>
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
  kernel.store %o, %out[%at] : memref<180000xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @bytes(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{tiles would take 265728 bytes, more than a workgroup's 166912}}
    transform.tiny.tensorize %kernel [0, 2, 3, 1] tile [4096, 32, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.yield
  }
}
