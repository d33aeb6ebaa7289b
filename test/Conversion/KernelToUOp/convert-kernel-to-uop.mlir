// RUN: tiny-opt %s --convert-kernel-to-uop | FileCheck %s --implicit-check-not=kernel.load \
// RUN:   --implicit-check-not=kernel.store --implicit-check-not=kernel.range --implicit-check-not=kernel.reduce
// RUN: tiny-opt %s --check-passes --convert-kernel-to-uop --verify-uop --canonicalize -o /dev/null
// RUN: tiny-opt %s --convert-kernel-to-uop="vectorize=false contract=false" | FileCheck %s --check-prefix=SCALAR

// CHECK-LABEL: uop.func @double(
// CHECK-SAME: %[[IN:.*]]: memref<128xf32>, %[[OUT:.*]]: memref<128xf32>)
// CHECK: %[[N:.*]] = arith.constant 128 : index
// CHECK: uop.for %[[I:.*]] to %[[N]] {
// CHECK: %[[X:.*]] = uop.load %[[IN]][%[[I]]] : memref<128xf32>, f32
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK: uop.store %[[Y]], %[[OUT]][%[[I]]] : f32, memref<128xf32>
// CHECK: uop.return
kernel.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
  kernel.store %y, %out[%i] : memref<128xf32>
  %y = arith.addf %x, %x : f32
  %x = kernel.load %in[%i] : memref<128xf32>
  %i = kernel.range loop id(0) extent(128)
}

// CHECK-LABEL: uop.func @hardware_axes
// CHECK-DAG: %[[G0:.*]] = uop.special global dim(0) extent(8)
// CHECK-DAG: %[[G1:.*]] = uop.special global dim(1) extent(4)
// CHECK-DAG: %[[L0:.*]] = uop.special local dim(0) extent(2)
// CHECK-NOT: uop.for
// CHECK: uop.store
kernel.func @hardware_axes(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = kernel.range global id(3) extent(8)
  %b = kernel.range global id(5) extent(4)
  %c = kernel.range local id(4) extent(2)
  %c8 = arith.constant 8 : index
  %c2 = arith.constant 2 : index
  %0 = arith.muli %a, %c8 : index
  %1 = arith.muli %b, %c2 : index
  %2 = arith.addi %0, %1 : index
  %3 = arith.addi %2, %c : index
  %x = kernel.load %in[%3] : memref<64xf32>
  kernel.store %x, %out[%3] : memref<64xf32>
}

// What does not depend on the inner loop stands outside it.
// CHECK-LABEL: uop.func @hoists
// CHECK: uop.for %[[I:.*]] to %{{.*}} {
// CHECK: %[[A:.*]] = uop.load %{{.*}}[%[[I]]]
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: uop.for %[[J:.*]] to %{{.*}} {
// CHECK-NOT: math.exp
// CHECK: uop.store
kernel.func @hoists(%in: memref<4xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range loop id(1) extent(8)
  %c8 = arith.constant 8 : index
  %row = arith.muli %i, %c8 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %in[%i] : memref<4xf32>
  %e = math.exp %x : f32
  kernel.store %e, %out[%at] : memref<32xf32>
}

// Sums of products fuse where flags allow contraction.
// CHECK-LABEL: uop.func @dot
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[S:.*]] = uop.for %[[K:.*]] to %{{.*}} iter(%[[ACC:.*]] = %[[Z]]) -> (f32) {
// CHECK: %[[X:.*]] = uop.load
// CHECK: %[[Y:.*]] = uop.load
// CHECK: %[[F:.*]] = math.fma %[[X]], %[[Y]], %[[ACC]] fastmath<reassoc,contract> : f32
// CHECK: uop.yield %[[F]] : f32
// CHECK: uop.store %[[S]]
// SCALAR-LABEL: uop.func @dot
// SCALAR: %[[P:.*]] = arith.mulf
// SCALAR: arith.addf %{{.*}}, %[[P]] fastmath<reassoc,contract> : f32
kernel.func @dot(%a: memref<16xf32>, %b: memref<16xf32>, %out: memref<1xf32>) {
  %k = kernel.range reduce id(0) extent(16)
  %c0 = arith.constant 0 : index
  %x = kernel.load %a[%k] : memref<16xf32>
  %y = kernel.load %b[%k] : memref<16xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// CHECK-LABEL: uop.func @strict_dot
// CHECK-NOT: math.fma
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
kernel.func @strict_dot(%a: memref<16xf32>, %b: memref<16xf32>, %out: memref<1xf32>) {
  %k = kernel.range reduce id(0) extent(16)
  %c0 = arith.constant 0 : index
  %x = kernel.load %a[%k] : memref<16xf32>
  %y = kernel.load %b[%k] : memref<16xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) fastmath<none> : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// Two reduces over one range share its loop.
// CHECK-LABEL: uop.func @shared_loop
// CHECK: %[[R:.*]]:2 = uop.for %{{.*}} to %{{.*}} iter(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32) {
// CHECK: %[[X:.*]] = uop.load
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[X]]
// CHECK: %[[M:.*]] = arith.maximumf %[[B]], %[[X]]
// CHECK: uop.yield %[[S]], %[[M]] : f32, f32
// CHECK-NOT: uop.for
// CHECK: arith.subf %[[R]]#1, %[[R]]#0
kernel.func @shared_loop(%a: memref<16xf32>, %out: memref<1xf32>) {
  %k = kernel.range reduce id(0) extent(16)
  %c0 = arith.constant 0 : index
  %x = kernel.load %a[%k] : memref<16xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  %m = kernel.reduce maximumf (%x) over (%k) : f32
  %d = arith.subf %m, %s : f32
  kernel.store %d, %out[%c0] : memref<1xf32>
}

// A reduce over a reduce: the inner loop lies inside, whatever its id.
// CHECK-LABEL: uop.func @reduce_of_reduce
// CHECK: uop.for %[[OUTER:.*]] to %{{.*}} iter
// CHECK: uop.for %[[INNER:.*]] to %{{.*}} iter
// CHECK: arith.maximumf
// CHECK: uop.yield
// CHECK: arith.addf
// CHECK: uop.yield
kernel.func @reduce_of_reduce(%a: memref<32xf32>, %out: memref<1xf32>) {
  %inner = kernel.range reduce id(0) extent(8)
  %outer = kernel.range reduce id(1) extent(4)
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %row = arith.muli %outer, %c8 : index
  %at = arith.addi %row, %inner : index
  %x = kernel.load %a[%at] : memref<32xf32>
  %m = kernel.reduce maximumf (%x) over (%inner) : f32
  %s = kernel.reduce addf (%m) over (%outer) : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// CHECK-LABEL: uop.func @two_ranges
// CHECK: uop.for %{{.*}} to %{{.*}} iter(%[[A:.*]] = %{{.*}}) -> (i32) {
// CHECK: %[[IN:.*]] = uop.for %{{.*}} to %{{.*}} iter(%[[B:.*]] = %[[A]]) -> (i32) {
// CHECK: arith.addi %[[B]]
// CHECK: uop.yield %[[IN]] : i32
kernel.func @two_ranges(%a: memref<32xi32>, %out: memref<1xi32>) {
  %k = kernel.range reduce id(0) extent(4)
  %l = kernel.range reduce id(1) extent(8)
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %row = arith.muli %k, %c8 : index
  %at = arith.addi %row, %l : index
  %x = kernel.load %a[%at] : memref<32xi32>
  %s = kernel.reduce addi (%x) over (%k, %l) : i32
  kernel.store %s, %out[%c0] : memref<1xi32>
}

// CHECK-LABEL: uop.func @argmax
// CHECK: uop.for %[[K:.*]] to %{{.*}} iter(%[[V:.*]] = %{{.*}}, %[[J:.*]] = %{{.*}}) -> (f32, i32) {
// CHECK: %[[GT:.*]] = arith.cmpf ogt, %[[X:.*]], %[[V]]
// CHECK: arith.select %[[GT]], %[[X]], %[[V]]
// CHECK: arith.select %[[GT]]
kernel.func @argmax(%a: memref<16xf32>, %out: memref<1xi32>) {
  %k = kernel.range reduce id(0) extent(16)
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %x = kernel.load %a[%k] : memref<16xf32>
  %ki = arith.index_cast %k : index to i32
  %m:2 = kernel.reduce (%x, %ki) init (%lowest, %zero) over (%k) : f32, i32 {
  ^bb0(%v: f32, %j: i32, %w: f32, %l: i32):
    %gt = arith.cmpf ogt, %w, %v : f32
    %nv = arith.select %gt, %w, %v : f32
    %nj = arith.select %gt, %l, %j : i32
    kernel.yield %nv, %nj : f32, i32
  }
  kernel.store %m#1, %out[%c0] : memref<1xi32>
}

// CHECK-LABEL: uop.func @lanes
// CHECK: uop.for %[[I:.*]] to
// CHECK: %[[J:.*]] = arith.muli %[[I]]
// CHECK: %[[X:.*]] = uop.load %{{.*}}[%[[J]]] : memref<128xf32>, vector<4xf32>
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : vector<4xf32>
// CHECK: uop.store %[[Y]], %{{.*}}[%[[J]]] : vector<4xf32>, memref<128xf32>
// SCALAR-LABEL: uop.func @lanes
// SCALAR-COUNT-4: uop.load {{.*}}, f32
// SCALAR-COUNT-4: uop.store {{.*}}: f32
kernel.func @lanes(%in: memref<128xf32>, %out: memref<128xf32>) {
  %i = kernel.range loop id(0) extent(32)
  %v = kernel.range upcast id(1) extent(4)
  %c4 = arith.constant 4 : index
  %m = arith.muli %i, %c4 : index
  %j = arith.addi %m, %v : index
  %x = kernel.load %in[%j] : memref<128xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%j] : memref<128xf32>
}

// A stride other than one leaves scalars.
// CHECK-LABEL: uop.func @strided
// CHECK-NOT: vector<
// CHECK-COUNT-4: uop.store {{.*}} : f32, memref<128xf32>
kernel.func @strided(%in: memref<128xf32>, %out: memref<128xf32>) {
  %i = kernel.range loop id(0) extent(32)
  %v = kernel.range upcast id(1) extent(4)
  %c32 = arith.constant 32 : index
  %m = arith.muli %v, %c32 : index
  %j = arith.addi %m, %i : index
  %x = kernel.load %in[%j] : memref<128xf32>
  kernel.store %x, %out[%j] : memref<128xf32>
}

// An index that mentions the axis and does not move with it leaves scalars.
// CHECK-LABEL: uop.func @stays
// CHECK-NOT: vector<
// CHECK-COUNT-4: uop.store {{.*}} : f32, memref<4xf32>
kernel.func @stays(%in: memref<4xf32>, %out: memref<4xf32>) {
  %v = kernel.range upcast id(1) extent(4)
  %zero = arith.subi %v, %v : index
  %x = kernel.load %in[%zero] : memref<4xf32>
  kernel.store %x, %out[%v] : memref<4xf32>
}

// A load that every lane shares is a scalar; where only its gate depends on the lanes, it is read if one of them asks.
// CHECK-LABEL: uop.func @shared_loads
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[G:.*]] : vector<4xi1> into i1
// CHECK: %[[X:.*]] = uop.load %{{.*}}[%{{.*}}] if %[[ANY]] as i1 : memref<1xf32>, f32
// CHECK: %[[XV:.*]] = vector.broadcast %[[X]] : f32 to vector<4xf32>
// CHECK: arith.select %[[G]], %[[XV]]
kernel.func @shared_loads(%in: memref<1xf32>, %out: memref<4xf32>) {
  %v = kernel.range upcast id(1) extent(4)
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %g = arith.cmpi slt, %v, %c2 : index
  %x = kernel.load %in[%c0] if %g : memref<1xf32>
  %s = arith.select %g, %x, %zero : f32
  kernel.store %s, %out[%v] : memref<4xf32>
}

// A gate that depends on the lanes is a gate per lane, and an index used as a value is a vector of indices.
// CHECK-LABEL: uop.func @lane_gates
// CHECK: %[[STEP:.*]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK: %[[J:.*]] = arith.muli %[[I:.*]], %{{.*}} : index
// CHECK: %[[JV:.*]] = arith.addi %{{.*}}, %[[STEP]] : vector<4xindex>
// CHECK: %[[G:.*]] = arith.cmpi slt, %[[JV]], %{{.*}} : vector<4xindex>
// CHECK: %[[X:.*]] = uop.load %{{.*}}[%[[J]]] if %[[G]] as vector<4xi1> : memref<126xf32>, vector<4xf32>
// CHECK: %[[S:.*]] = arith.select %[[G]], %[[X]], %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK: uop.store %[[S]]
kernel.func @lane_gates(%in: memref<126xf32>, %out: memref<128xf32>) {
  %i = kernel.range loop id(0) extent(32)
  %v = kernel.range upcast id(1) extent(4)
  %c4 = arith.constant 4 : index
  %c126 = arith.constant 126 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %i, %c4 : index
  %j = arith.addi %m, %v : index
  %g = arith.cmpi slt, %j, %c126 : index
  %x = kernel.load %in[%j] if %g : memref<126xf32>
  %s = arith.select %g, %x, %zero : f32
  kernel.store %s, %out[%j] : memref<128xf32>
}

// A matrix product with a tile of 2 x 4: two vector accumulators, one load of a row of the right operand.
// CHECK-LABEL: uop.func @tile
// CHECK: %[[ACC:.*]]:2 = uop.for %[[K:.*]] to %{{.*}} iter(%[[A0:.*]] = %[[Z:.*]], %[[A1:.*]] = %[[Z]]) -> (vector<4xf32>, vector<4xf32>) {
// CHECK-COUNT-2: uop.load {{.*}}, f32
// CHECK: uop.load {{.*}}, vector<4xf32>
// CHECK-COUNT-2: math.fma {{.*}} : vector<4xf32>
// CHECK: uop.yield
// CHECK: uop.store %[[ACC]]#0
// CHECK: uop.store %[[ACC]]#1
kernel.func @tile(%a: memref<64xf32>, %b: memref<128xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %j = kernel.range loop id(1) extent(2)
  %k = kernel.range reduce id(2) extent(16)
  %u = kernel.range upcast id(3) extent(2)
  %v = kernel.range upcast id(4) extent(4)
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i2 = arith.muli %i, %c2 : index
  %row = arith.addi %i2, %u : index
  %j4 = arith.muli %j, %c4 : index
  %col = arith.addi %j4, %v : index
  %row16 = arith.muli %row, %c16 : index
  %ai = arith.addi %row16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %bi = arith.addi %k8, %col : index
  %row8 = arith.muli %row, %c8 : index
  %oi = arith.addi %row8, %col : index
  %x = kernel.load %a[%ai] : memref<64xf32>
  %y = kernel.load %b[%bi] : memref<128xf32>
  %p = arith.mulf %x, %y : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  kernel.store %s, %out[%oi] : memref<32xf32>
}

// A reduce over an unrolled range combines its points in order.
// CHECK-LABEL: uop.func @unrolled_reduce
// CHECK: uop.for %{{.*}} to %{{.*}} iter(%[[A:.*]] = %{{.*}}) -> (f32) {
// CHECK: %[[X0:.*]] = uop.load
// CHECK: %[[X1:.*]] = uop.load
// CHECK: %[[S0:.*]] = arith.addf %[[A]], %[[X0]]
// CHECK: %[[S1:.*]] = arith.addf %[[S0]], %[[X1]]
// CHECK: uop.yield %[[S1]]
kernel.func @unrolled_reduce(%a: memref<32xf32>, %out: memref<1xf32>) {
  %k = kernel.range reduce id(0) extent(16)
  %u = kernel.range unroll id(1) extent(2)
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %k2 = arith.muli %k, %c2 : index
  %at = arith.addi %k2, %u : index
  %x = kernel.load %a[%at] : memref<32xf32>
  %s = kernel.reduce addf (%x) over (%k, %u) : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// Attributes of arguments and of the kernel stay; a dead load goes.
// CHECK-LABEL: uop.func @attributes
// CHECK-SAME: memref<4xf32> {tiny.note = 1 : i64}
// CHECK-SAME: attributes {tiny.cost = 7 : i64}
// CHECK-NOT: uop.load
// CHECK: uop.return
kernel.func @attributes(%a: memref<4xf32> {tiny.note = 1 : i64}) attributes {tiny.cost = 7 : i64} {
  %i = kernel.range loop id(0) extent(4)
  %x = kernel.load %a[%i] : memref<4xf32>
}

// The host side stays.
// CHECK-LABEL: kernel.program @main
// CHECK: kernel.launch @double
kernel.program @main(%x: memref<128xf32> {tiny.type = tensor<128xf32>}) -> (memref<128xf32> {tiny.type = tensor<128xf32>}) {
  %y = kernel.alloc : memref<128xf32>
  kernel.launch @double ins(%x : memref<128xf32>) outs(%y : memref<128xf32>)
  kernel.return %y : memref<128xf32>
}

// A reduced axis as lanes: an accumulator for each lane, combined behind the loop.
// CHECK-LABEL: uop.func @reduced_lanes
// CHECK: %[[SUM:.*]] = uop.for {{.*}} -> (vector<16xf32>) {
// CHECK: %[[X:.*]] = uop.load {{.*}} : memref<64xf32>, vector<16xf32>
// CHECK-NEXT: %[[ADD:.*]] = arith.addf %{{.*}}, %[[X]] fastmath<reassoc,contract> : vector<16xf32>
// CHECK-NEXT: uop.yield %[[ADD]]
// CHECK: %[[ALL:.*]] = vector.reduction <add>, %[[SUM]] fastmath<reassoc,contract> : vector<16xf32> into f32
// CHECK: uop.store %[[ALL]]
kernel.func @reduced_lanes(%a: memref<64xf32>, %out: memref<1xf32>) {
  %k = kernel.range reduce id(0) extent(4)
  %l = kernel.range upcast id(1) extent(16)
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %k16 = arith.muli %k, %c16 : index
  %at = arith.addi %k16, %l : index
  %x = kernel.load %a[%at] : memref<64xf32>
  %s = kernel.reduce addf (%x) over (%k, %l) : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// Where the order of a sum is fixed, its elements come one after the other.
// CHECK-LABEL: uop.func @ordered_sum
// CHECK-NOT: vector<
// CHECK: uop.return
kernel.func @ordered_sum(%a: memref<4xf32>, %out: memref<1xf32>) {
  %l = kernel.range upcast id(1) extent(4)
  %c0 = arith.constant 0 : index
  %x = kernel.load %a[%l] : memref<4xf32>
  %s = kernel.reduce addf (%x) over (%l) fastmath<none> : f32
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// A tile is filled by loops of its own, in front of what reads it, once for each iteration of what it is not over; two
// axes that never meet are lanes each.
// CHECK-LABEL: uop.func @staged_tile
// CHECK: %[[TILE:.*]] = uop.local : memref<64xf32>
// CHECK: uop.for %[[O:.*]] to %c3 {
// CHECK:   uop.for %[[I:.*]] to %c8 {
// CHECK:     %[[V:.*]] = uop.load %arg0[{{.*}}] : memref<192xf32>, vector<8xf32>
// CHECK:     %[[ROW:.*]] = arith.muli %[[I]], %c8
// CHECK:     uop.store %[[V]], %[[TILE]][%[[ROW]]] : vector<8xf32>, memref<64xf32>
// CHECK:   }
// CHECK:   uop.for {{.*}} to %c4 {
// CHECK:     uop.load %[[TILE]][{{.*}}] : memref<64xf32>, vector<16xf32>
kernel.func @staged_tile(%a: memref<192xf32>, %out: memref<192xf32>) {
  %o = kernel.range loop id(0) extent(3)
  %i = kernel.range loop id(1) extent(8)
  %j = kernel.range upcast id(2) extent(8)
  %p = kernel.range loop id(3) extent(4)
  %q = kernel.range upcast id(4) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %o64 = arith.muli %o, %c64 : index
  %i8 = arith.muli %i, %c8 : index
  %0 = arith.addi %o64, %i8 : index
  %1 = arith.addi %0, %j : index
  %x = kernel.load %a[%1] : memref<192xf32>
  %t = kernel.stage %x over (%i, %j) local : memref<64xf32>
  %p16 = arith.muli %p, %c16 : index
  %2 = arith.addi %p16, %q : index
  %y = kernel.load %t[%2] : memref<64xf32>
  %3 = arith.addi %o64, %2 : index
  kernel.store %y, %out[%3] : memref<192xf32>
}

// Only the gate depends on %j, and only the index on %i: the reduction stands in both loops, so they nest.
// CHECK-LABEL: uop.func @loops_around_a_reduction
// CHECK: uop.for %[[I:.*]] to %c2 {
// CHECK:   uop.for %[[J:.*]] to %c3 {
// CHECK:     uop.for %[[K:.*]] to %c8
kernel.func @loops_around_a_reduction(%in: memref<16xf32>, %out: memref<2xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %j = kernel.range loop id(1) extent(3)
  %k = kernel.range reduce id(2) extent(8)
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %inside = arith.cmpi slt, %j, %c1 : index
  %row = arith.muli %i, %c8 : index
  %at = arith.addi %row, %k : index
  %x = kernel.load %in[%at] if %inside : memref<16xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  kernel.store %s, %out[%i] if %inside : memref<2xf32>
}

// What fills a tile with lanes that lie far apart gathers them, and asks the gate for each.
// CHECK-LABEL: uop.func @gathered_tile
// CHECK: uop.for %[[I:.*]] to %c2 {
// CHECK:   %[[V:.*]] = uop.gather %arg0[%{{.*}}] if %{{.*}} as vector<16xi1> : memref<160xf32>, vector<16xf32>
// CHECK:   uop.store %{{.*}} : vector<16xf32>, memref<32xf32>
// CHECK: uop.for
kernel.func @gathered_tile(%a: memref<160xf32>, %out: memref<32xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %j = kernel.range upcast id(1) extent(16)
  %p = kernel.range loop id(2) extent(32)
  %zero = arith.constant 0.0 : f32
  %c5 = arith.constant 5 : index
  %c80 = arith.constant 80 : index
  %c150 = arith.constant 150 : index
  %i80 = arith.muli %i, %c80 : index
  %j5 = arith.muli %j, %c5 : index
  %0 = arith.addi %i80, %j5 : index
  %inside = arith.cmpi slt, %0, %c150 : index
  %x = kernel.load %a[%0] if %inside : memref<160xf32>
  %m = arith.select %inside, %x, %zero : f32
  %t = kernel.stage %m over (%i, %j) local : memref<32xf32>
  %y = kernel.load %t[%p] : memref<32xf32>
  kernel.store %y, %out[%p] : memref<32xf32>
}

// Lanes a few elements apart: all up to the last lane is read, and what lies between is dropped.
// CHECK-LABEL: uop.func @strided_lanes
// CHECK: %[[ALL:.*]] = uop.load %arg0[%{{.*}}] if %{{.*}} as vector<8xi1> : memref<31xf32>, vector<8xf32>
// CHECK: %[[PICKED:.*]] = vector.shuffle %[[ALL]], %[[ALL]] [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
// CHECK: uop.store %[[PICKED]], %arg1[%{{.*}}] : vector<4xf32>, memref<16xf32>
kernel.func @strided_lanes(%a: memref<31xf32>, %out: memref<16xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range upcast id(1) extent(4)
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %i4 = arith.muli %i, %c4 : index
  %to = arith.addi %i4, %j : index
  %from = arith.muli %to, %c2 : index
  %x = kernel.load %a[%from] : memref<31xf32>
  kernel.store %x, %out[%to] : memref<16xf32>
}

// Where each of them has a gate, nothing else is read: what lies between has none.
// CHECK-LABEL: uop.func @strided_gated_lanes
// CHECK: %[[NONE:.*]] = arith.constant dense<false> : vector<4xi1>
// CHECK: %[[GATE:.*]] = arith.cmpi sge, %{{.*}} : vector<4xindex>
// CHECK: %[[SPREAD:.*]] = vector.shuffle %[[GATE]], %[[NONE]] [0, 4, 4, 1, 4, 4, 2, 4, 4, 3, 4, 4] : vector<4xi1>, vector<4xi1>
// CHECK: %[[ALL:.*]] = uop.load %arg0[%{{.*}}] if %[[SPREAD]] as vector<12xi1> : memref<45xf32>, vector<12xf32>
// CHECK: %[[PICKED:.*]] = vector.shuffle %[[ALL]], %[[ALL]] [0, 3, 6, 9] : vector<12xf32>, vector<12xf32>
// CHECK: arith.select %[[GATE]], %[[PICKED]], %{{.*}} : vector<4xi1>, vector<4xf32>
kernel.func @strided_gated_lanes(%a: memref<45xf32>, %out: memref<16xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %j = kernel.range upcast id(1) extent(4)
  %zero = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i4 = arith.muli %i, %c4 : index
  %to = arith.addi %i4, %j : index
  %from = arith.muli %to, %c3 : index
  %inside = arith.cmpi sge, %from, %c3 : index
  %behind = arith.subi %from, %c3 : index
  %x = kernel.load %a[%behind] if %inside : memref<45xf32>
  %y = arith.select %inside, %x, %zero : f32
  kernel.store %y, %out[%to] : memref<16xf32>
}
