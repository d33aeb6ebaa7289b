// Integers of 64 bits on a target that has none: two words each. Floats of 64 bits are not there either.
// RUN: tiny-opt %s --uop-legalize --verify-uop=legal | FileCheck %s --implicit-check-not=': i64' --implicit-check-not=f64
// RUN: tiny-opt %s --uop-legalize --check-passes --check-passes-tolerance=0 -o /dev/null
// RUN: tiny-opt %s --uop-legalize --check-passes --check-passes-tolerance=0 --check-passes-seed=2 --check-passes-wide-floats -o /dev/null

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "words",
    types = [f32, i32, i16, i8], converts = [f16], instructions = [round], subgroup = 4, workgroup = 64, cores = 1>>} {

// What is in memory stays; the lower word comes first.
// CHECK-LABEL: uop.func @sum
// CHECK: %[[A:.*]] = uop.load %{{.*}} : memref<8xi64>, vector<1xi64>
// CHECK: %[[AW:.*]] = vector.bitcast %[[A]] : vector<1xi64> to vector<2xi32>
// CHECK: %[[AL:.*]] = vector.extract %[[AW]][0]
// CHECK: %[[AH:.*]] = vector.extract %[[AW]][1]
// CHECK: %[[L:.*]] = arith.addi %[[AL]], %{{.*}} : i32
// CHECK: %[[CARRY:.*]] = arith.cmpi ult, %[[L]], %[[AL]] : i32
// CHECK: %[[W:.*]] = vector.from_elements %[[L]], %{{.*}} : vector<2xi32>
// CHECK: %[[S:.*]] = vector.bitcast %[[W]] : vector<2xi32> to vector<1xi64>
// CHECK: uop.store %[[S]], %{{.*}} : vector<1xi64>, memref<8xi64>
uop.func @sum(%a: memref<8xi64>, %b: memref<8xi64>, %c: memref<8xi64>) {
  %i = uop.special global dim(0) extent(8)
  %c5 = arith.constant 5 : index
  %gate = arith.cmpi slt, %i, %c5 : index
  %x = uop.load %a[%i] : memref<8xi64>, i64
  %y = uop.load %b[%i] : memref<8xi64>, i64
  %s = arith.addi %x, %y : i64
  uop.store %s, %c[%i] if %gate as i1 : i64, memref<8xi64>
  uop.return
}

// CHECK-LABEL: uop.func @arithmetic
// CHECK: arith.mului_extended
uop.func @arithmetic(%a: memref<8xi64>, %b: memref<8xi64>, %c: memref<48xi64>) {
  %i = uop.special global dim(0) extent(8)
  %c6 = arith.constant 6 : index
  %at0 = arith.muli %i, %c6 : index
  %c1 = arith.constant 1 : index
  %at1 = arith.addi %at0, %c1 : index
  %at2 = arith.addi %at1, %c1 : index
  %at3 = arith.addi %at2, %c1 : index
  %at4 = arith.addi %at3, %c1 : index
  %at5 = arith.addi %at4, %c1 : index
  %large = arith.constant 0x123456789ABCDEF0 : i64
  %x = uop.load %a[%i] : memref<8xi64>, i64
  %y = uop.load %b[%i] : memref<8xi64>, i64
  %mixed = arith.xori %y, %large : i64
  %0 = arith.subi %x, %y : i64
  uop.store %0, %c[%at0] : i64, memref<48xi64>
  %1 = arith.muli %x, %mixed : i64
  uop.store %1, %c[%at1] : i64, memref<48xi64>
  %2 = arith.andi %1, %mixed : i64
  %3 = arith.ori %2, %x : i64
  uop.store %3, %c[%at2] : i64, memref<48xi64>
  %4 = arith.maxsi %1, %y : i64
  %5 = arith.minui %4, %mixed : i64
  uop.store %5, %c[%at3] : i64, memref<48xi64>
  %6 = arith.minsi %1, %y : i64
  %7 = arith.maxui %6, %mixed : i64
  uop.store %7, %c[%at4] : i64, memref<48xi64>
  %8 = math.absi %1 : i64
  uop.store %8, %c[%at5] : i64, memref<48xi64>
  uop.return
}

// By all amounts.
// CHECK-LABEL: uop.func @shifts
uop.func @shifts(%a: memref<8xi64>, %c: memref<1536xi64>) {
  %i = uop.special global dim(0) extent(8)
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %x = uop.load %a[%i] : memref<8xi64>, i64
  %large = arith.constant 0x123456789ABCDEF1 : i64
  %mixed = arith.muli %x, %large : i64
  %base = arith.muli %i, %c64 : index
  uop.for %k to %c64 {
    %at = arith.addi %base, %k : index
    %amount = arith.index_cast %k : index to i64
    %0 = arith.shli %mixed, %amount : i64
    uop.store %0, %c[%at] : i64, memref<1536xi64>
    %at1 = arith.addi %at, %c512 : index
    %1 = arith.shrui %mixed, %amount : i64
    uop.store %1, %c[%at1] : i64, memref<1536xi64>
    %at2 = arith.addi %at1, %c512 : index
    %2 = arith.shrsi %mixed, %amount : i64
    uop.store %2, %c[%at2] : i64, memref<1536xi64>
  }
  uop.return
}

// Bit by bit.
// CHECK-LABEL: uop.func @divisions
// CHECK: uop.for %{{.*}} -> (i32, i32, i32, i32)
uop.func @divisions(%a: memref<8xi64>, %b: memref<8xi64>, %c: memref<32xi64>) {
  %i = uop.special global dim(0) extent(8)
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %at0 = arith.muli %i, %c4 : index
  %at1 = arith.addi %at0, %c1 : index
  %at2 = arith.addi %at1, %c1 : index
  %at3 = arith.addi %at2, %c1 : index
  %one = arith.constant 1 : i64
  %large = arith.constant 0x1234567890ABCDEF : i64
  %x = uop.load %a[%i] : memref<8xi64>, i64
  %y = uop.load %b[%i] : memref<8xi64>, i64
  %mixed = arith.muli %x, %large : i64
  %divisor = arith.ori %y, %one : i64
  %0 = arith.divsi %mixed, %divisor : i64
  uop.store %0, %c[%at0] : i64, memref<32xi64>
  %1 = arith.remsi %mixed, %divisor : i64
  uop.store %1, %c[%at1] : i64, memref<32xi64>
  %2 = arith.divui %mixed, %divisor : i64
  uop.store %2, %c[%at2] : i64, memref<32xi64>
  %3 = arith.remui %mixed, %divisor : i64
  uop.store %3, %c[%at3] : i64, memref<32xi64>
  uop.return
}

// CHECK-LABEL: uop.func @comparisons
uop.func @comparisons(%a: memref<8xi64>, %b: memref<8xi64>, %c: memref<8xi32>) {
  %i = uop.special global dim(0) extent(8)
  %x = uop.load %a[%i] : memref<8xi64>, i64
  %y = uop.load %b[%i] : memref<8xi64>, i64
  %c33 = arith.constant 33 : i64
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i32
  // Some are equal above, and some as a whole.
  %upper = arith.shli %x, %c33 : i64
  %even = arith.cmpi slt, %y, %zero : i64
  %other = arith.select %even, %upper, %y : i64
  %0 = arith.cmpi eq, %upper, %other : i64
  %1 = arith.cmpi ne, %upper, %x : i64
  %2 = arith.cmpi slt, %x, %y : i64
  %3 = arith.cmpi sle, %upper, %other : i64
  %4 = arith.cmpi sgt, %x, %y : i64
  %5 = arith.cmpi sge, %upper, %other : i64
  %6 = arith.cmpi ult, %x, %y : i64
  %7 = arith.cmpi ule, %upper, %other : i64
  %8 = arith.cmpi ugt, %x, %y : i64
  %9 = arith.cmpi uge, %upper, %other : i64
  %e0 = arith.extui %0 : i1 to i32
  %e1 = arith.extui %1 : i1 to i32
  %e2 = arith.extui %2 : i1 to i32
  %e3 = arith.extui %3 : i1 to i32
  %e4 = arith.extui %4 : i1 to i32
  %e5 = arith.extui %5 : i1 to i32
  %e6 = arith.extui %6 : i1 to i32
  %e7 = arith.extui %7 : i1 to i32
  %e8 = arith.extui %8 : i1 to i32
  %e9 = arith.extui %9 : i1 to i32
  %s0 = arith.muli %e0, %two : i32
  %t0 = arith.addi %s0, %e1 : i32
  %s1 = arith.muli %t0, %two : i32
  %t1 = arith.addi %s1, %e2 : i32
  %s2 = arith.muli %t1, %two : i32
  %t2 = arith.addi %s2, %e3 : i32
  %s3 = arith.muli %t2, %two : i32
  %t3 = arith.addi %s3, %e4 : i32
  %s4 = arith.muli %t3, %two : i32
  %t4 = arith.addi %s4, %e5 : i32
  %s5 = arith.muli %t4, %two : i32
  %t5 = arith.addi %s5, %e6 : i32
  %s6 = arith.muli %t5, %two : i32
  %t6 = arith.addi %s6, %e7 : i32
  %s7 = arith.muli %t6, %two : i32
  %t7 = arith.addi %s7, %e8 : i32
  %s8 = arith.muli %t7, %two : i32
  %t8 = arith.addi %s8, %e9 : i32
  uop.store %t8, %c[%i] : i32, memref<8xi32>
  uop.return
}

// CHECK-LABEL: uop.func @widths
uop.func @widths(%a: memref<8xi8>, %b: memref<8xi32>, %c: memref<8xi64>, %d: memref<8xi16>) {
  %i = uop.special global dim(0) extent(8)
  %x = uop.load %a[%i] : memref<8xi8>, i8
  %y = uop.load %b[%i] : memref<8xi32>, i32
  %0 = arith.extsi %x : i8 to i64
  %1 = arith.extui %y : i32 to i64
  %2 = arith.muli %0, %1 : i64
  uop.store %2, %c[%i] : i64, memref<8xi64>
  %3 = arith.trunci %2 : i64 to i16
  uop.store %3, %d[%i] : i16, memref<8xi16>
  uop.return
}

// Of a place that does not fit an index, the nearest one is taken: the gate is off for either.
// CHECK-LABEL: uop.func @gather
uop.func @gather(%a: memref<8xf32>, %b: memref<8xi64>, %c: memref<8xf32>) {
  %i = uop.special global dim(0) extent(8)
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %none = arith.constant -1.0 : f32
  %p = uop.load %b[%i] : memref<8xi64>, i64
  %at = arith.index_cast %p : i64 to index
  %low = arith.cmpi sge, %at, %c0 : index
  %high = arith.cmpi slt, %at, %c8 : index
  %in = arith.andi %low, %high : i1
  %x = uop.load %a[%at] if %in as i1 : memref<8xf32>, f32
  %y = arith.select %in, %x, %none : f32
  uop.store %y, %c[%i] : f32, memref<8xf32>
  uop.return
}

// Numbers with many bits and with few, rounded once.
// CHECK-LABEL: uop.func @floats
uop.func @floats(%a: memref<8xi64>, %b: memref<8xi32>, %c: memref<512xf32>, %d: memref<512xf32>, %e: memref<512xf16>, %f: memref<512xbf16>,
    %g: memref<512xbf16>) {
  %i = uop.special global dim(0) extent(8)
  %c64 = arith.constant 64 : index
  %large = arith.constant 0x8000008000000001 : i64
  %x = uop.load %a[%i] : memref<8xi64>, i64
  %y = uop.load %b[%i] : memref<8xi32>, i32
  %base = arith.muli %i, %c64 : index
  uop.for %k to %c64 {
    %at = arith.addi %base, %k : index
    %amount = arith.index_cast %k : index to i64
    %more = arith.addi %x, %large : i64
    %z = arith.shrsi %more, %amount : i64
    %0 = arith.sitofp %z : i64 to f32
    uop.store %0, %c[%at] : f32, memref<512xf32>
    %1 = arith.uitofp %z : i64 to f32
    uop.store %1, %d[%at] : f32, memref<512xf32>
    %2 = arith.sitofp %z : i64 to f16
    uop.store %2, %e[%at] : f16, memref<512xf16>
    %3 = arith.uitofp %z : i64 to bf16
    uop.store %3, %f[%at] : bf16, memref<512xbf16>
    %4 = arith.sitofp %y : i32 to bf16
    uop.store %4, %g[%at] : bf16, memref<512xbf16>
  }
  uop.return
}

// CHECK-LABEL: uop.func @integers
uop.func @integers(%a: memref<8xf32>, %b: memref<512xi64>, %c: memref<512xi64>) {
  %i = uop.special global dim(0) extent(8)
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %four = arith.constant 4.0 : f32
  %x = uop.load %a[%i] : memref<8xf32>, f32
  %base = arith.muli %i, %c64 : index
  %r = uop.for %k to %c64 iter(%factor = %one) -> (f32) {
    %at = arith.addi %base, %k : index
    %y = arith.mulf %x, %factor : f32
    %0 = arith.fptosi %y : f32 to i64
    uop.store %0, %b[%at] : i64, memref<512xi64>
    %1 = arith.fptoui %y : f32 to i64
    uop.store %1, %c[%at] : i64, memref<512xi64>
    %next = arith.mulf %factor, %four : f32
    uop.yield %next : f32
  }
  uop.return
}

// CHECK-LABEL: uop.func @carried
// CHECK: uop.for %{{.*}} iter(%{{.*}}, %{{.*}}, %{{.*}}) -> (i32, i32, f32)
uop.func @carried(%a: memref<8xi64>, %b: memref<1xi64>, %c: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1.0 : f32
  %s:2 = uop.for %k to %c8 iter(%sum = %zero, %count = %one) -> (i64, f32) {
    %x = uop.load %a[%k] : memref<8xi64>, i64
    %next = arith.addi %sum, %x : i64
    %more = arith.addf %count, %one : f32
    uop.yield %next, %more : i64, f32
  }
  uop.store %s#0, %b[%c0] : i64, memref<1xi64>
  uop.store %s#1, %c[%c0] : f32, memref<1xf32>
  uop.return
}
}
