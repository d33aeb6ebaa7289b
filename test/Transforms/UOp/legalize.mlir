// RUN: tiny-opt %s --uop-legalize --verify-uop=legal | FileCheck %s
// RUN: tiny-opt %s --target-attach=processor=x86-64 --uop-legalize=split-vectors --verify-uop=legal | FileCheck %s --check-prefix=CUT

// A power of two: a shift and a mask, whatever the sign.
// CHECK-LABEL: uop.func @powers
// CHECK: %[[X:.*]] = uop.load
// CHECK: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[Q:.*]] = arith.shrsi %[[X]], %[[C3]] : index
// CHECK: %[[C7:.*]] = arith.constant 7 : index
// CHECK: %[[R:.*]] = arith.andi %[[X]], %[[C7]] : index
// CHECK: uop.store %[[Q]]
// CHECK: uop.store %[[R]]
uop.func @powers(%in: memref<8xindex>, %out: memref<8xindex>) {
  %i = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = uop.load %in[%i] : memref<8xindex>, index
  %q = arith.floordivsi %x, %c8 : index
  %r = sym.mod %x, %c8 : index
  uop.store %q, %out[%i] : index, memref<8xindex>
  uop.store %r, %out[%c8] : index, memref<8xindex>
  uop.return
}

// What a loop's bound proves not negative needs no sign.
// CHECK-LABEL: uop.func @not_negative
// CHECK: uop.for %[[I:.*]] to
// CHECK: arith.divui %[[I]], %{{.*}} : index
// CHECK: arith.remui %[[I]], %{{.*}} : index
uop.func @not_negative(%out: memref<64xindex>) {
  %n = arith.constant 64 : index
  %c5 = arith.constant 5 : index
  uop.for %i to %n {
    %q = arith.floordivsi %i, %c5 : index
    %r = sym.mod %i, %c5 : index
    %s = arith.addi %q, %r : index
    uop.store %s, %out[%i] : index, memref<64xindex>
  }
  uop.return
}

// A stated bound counts, too, and goes.
// CHECK-LABEL: uop.func @stated
// CHECK-NOT: sym.
// CHECK: arith.divui
uop.func @stated(%in: memref<8xindex>, %out: memref<8xindex>) {
  %i = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %x = uop.load %in[%i] : memref<8xindex>, index
  %b = sym.range_of %x [0, 31] : index
  %q = arith.floordivsi %b, %c5 : index
  uop.store %q, %out[%i] : index, memref<8xindex>
  uop.return
}

// A negative dividend: one less where the rest is negative.
// CHECK-LABEL: uop.func @signed
// CHECK: %[[Q:.*]] = arith.divsi %[[X:.*]], %[[Y:.*]] : index
// CHECK: %[[P:.*]] = arith.muli %[[Q]], %[[Y]]
// CHECK: %[[R:.*]] = arith.subi %[[X]], %[[P]]
// CHECK: %[[LOW:.*]] = arith.cmpi slt, %[[R]]
// CHECK: %[[ONE:.*]] = arith.select %[[LOW]]
// CHECK: arith.subi %[[Q]], %[[ONE]]
// CHECK: arith.remsi
uop.func @signed(%in: memref<8xindex>, %out: memref<8xindex>) {
  %i = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %x = uop.load %in[%i] : memref<8xindex>, index
  %q = arith.floordivsi %x, %c5 : index
  %r = sym.mod %x, %c5 : index
  %s = arith.addi %q, %r : index
  uop.store %s, %out[%i] : index, memref<8xindex>
  uop.return
}

// CHECK-LABEL: uop.func @vectors_and_ceilings
// CHECK: arith.shrsi %{{.*}} : vector<4xi32>
// CHECK: arith.divsi %{{.*}} : i32
// CHECK: arith.divui %{{.*}} : i32
uop.func @vectors_and_ceilings(%in: memref<8xi32>, %out: memref<8xi32>) {
  %i = arith.constant 0 : index
  %c4 = arith.constant dense<4> : vector<4xi32>
  %c = arith.constant 5 : i32
  %x = uop.load %in[%i] : memref<8xi32>, vector<4xi32>
  %q = arith.floordivsi %x, %c4 : vector<4xi32>
  uop.store %q, %out[%i] : vector<4xi32>, memref<8xi32>
  %y = uop.load %in[%i] : memref<8xi32>, i32
  %s = arith.ceildivsi %y, %c : i32
  %u = arith.ceildivui %s, %c : i32
  uop.store %u, %out[%i] : i32, memref<8xi32>
  uop.return
}

// CUT-LABEL: uop.func @cut
// CUT: %[[ACC:.*]]:3 = uop.for %{{.*}} to %{{.*}} iter(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) -> (vector<4xf32>, vector<4xf32>, vector<2xf32>) {
// CUT: %[[X0:.*]] = uop.load %{{.*}}[%[[J:.*]]] : memref<80xf32>, vector<4xf32>
// CUT: %[[J4:.*]] = arith.addi %[[J]], %{{.*}} : index
// CUT: uop.load %{{.*}}[%[[J4]]] : memref<80xf32>, vector<4xf32>
// CUT: uop.load {{.*}} : memref<80xf32>, vector<2xf32>
// CUT: %[[M0:.*]] = arith.mulf %[[X0]], %[[X0]] fastmath<contract> : vector<4xf32>
// CUT: arith.addf %{{.*}}, %[[A]] fastmath<contract> : vector<4xf32>
// CUT: uop.yield %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>, vector<4xf32>, vector<2xf32>
// CUT: uop.store %[[ACC]]#0
// CUT: uop.store %[[ACC]]#1
// CUT: uop.store %[[ACC]]#2, {{.*}} : vector<2xf32>, memref<80xf32>
uop.func @cut(%in: memref<80xf32>, %out: memref<80xf32>) {
  %n = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %z = arith.constant dense<0.0> : vector<10xf32>
  %s = uop.for %i to %n iter(%acc = %z) -> (vector<10xf32>) {
    %j = arith.muli %i, %c10 : index
    %x = uop.load %in[%j] : memref<80xf32>, vector<10xf32>
    %t = math.fma %x, %x, %acc fastmath<contract> : vector<10xf32>
    uop.yield %t : vector<10xf32>
  }
  uop.store %s, %out[%n] : vector<10xf32>, memref<80xf32>
  uop.return
}

// Gates, comparisons, broadcasts, reductions of lanes and lists of constants are cut with the rest.
// CUT-LABEL: uop.func @cut_gates
// CUT: arith.constant dense<[0, 1]> : vector<2xindex>
// CUT: arith.constant dense<[2, 3]> : vector<2xindex>
// CUT-COUNT-2: vector.broadcast %{{.*}} : index to vector<2xindex>
// CUT-COUNT-2: arith.cmpi slt, {{.*}} : vector<2xindex>
// CUT-COUNT-2: vector.reduction <or>, {{.*}} : vector<2xi1> into i1
// CUT-COUNT-2: uop.load {{.*}} as vector<2xi1> : memref<80xf32>, vector<2xf32>
// CUT-COUNT-2: uop.store {{.*}} as vector<2xi1> : vector<2xf32>, memref<80xf32>
uop.func @cut_gates(%in: memref<80xf32>, %out: memref<80xf32>) {
  %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %n = arith.constant 8 : index
  %c78 = arith.constant dense<78> : vector<4xindex>
  uop.for %i to %n {
    %b = vector.broadcast %i : index to vector<4xindex>
    %j = arith.addi %b, %steps : vector<4xindex>
    %g = arith.cmpi slt, %j, %c78 : vector<4xindex>
    %any = vector.reduction <or>, %g : vector<4xi1> into i1
    uop.if %any {
      %x = uop.load %in[%i] if %g as vector<4xi1> : memref<80xf32>, vector<4xf32>
      uop.store %x, %out[%i] if %g as vector<4xi1> : vector<4xf32>, memref<80xf32>
    }
  }
  uop.return
}

// A gather is cut with its indices and its gate.
// CUT-LABEL: uop.func @gather
// CUT: uop.gather %arg0[%{{.*}}] if %{{.*}} as vector<2xi1> : memref<64xf32>, vector<2xf32>
// CUT: uop.gather %arg0[%{{.*}}] if %{{.*}} as vector<2xi1> : memref<64xf32>, vector<2xf32>
uop.func @gather(%in: memref<64xf32>, %at: memref<4xindex>, %mask: memref<4xi1>, %out: memref<4xf32>) {
  %i = arith.constant 0 : index
  %indices = uop.load %at[%i] : memref<4xindex>, vector<4xindex>
  %gate = uop.load %mask[%i] : memref<4xi1>, vector<4xi1>
  %x = uop.gather %in[%indices] if %gate as vector<4xi1> : memref<64xf32>, vector<4xf32>
  uop.store %x, %out[%i] : vector<4xf32>, memref<4xf32>
  uop.return
}

// One lane is one of its piece.
// CUT-LABEL: uop.func @lanes
// CUT: %[[LOW:.*]] = uop.load %arg0[%{{.*}}] : memref<8xf32>, vector<4xf32>
// CUT: %[[HIGH:.*]] = uop.load %arg0[%{{.*}}] : memref<8xf32>, vector<4xf32>
// CUT: vector.extract %[[LOW]][3] : f32 from vector<4xf32>
// CUT: vector.extract %[[HIGH]][2] : f32 from vector<4xf32>
uop.func @lanes(%in: memref<8xf32>, %out: memref<2xf32>) {
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  %x = uop.load %in[%i] : memref<8xf32>, vector<8xf32>
  %a = vector.extract %x[3] : f32 from vector<8xf32>
  %b = vector.extract %x[6] : f32 from vector<8xf32>
  uop.store %a, %out[%i] : f32, memref<2xf32>
  uop.store %b, %out[%j] : f32, memref<2xf32>
  uop.return
}

// Lanes are picked from one piece after the other, and a piece that has none of them is left out.
// CUT-LABEL: uop.func @shuffles
// CUT: %[[LOW:.*]] = uop.load %{{.*}}[%{{.*}}] : memref<8xf32>, vector<4xf32>
// CUT: %[[HIGH:.*]] = uop.load %{{.*}}[%{{.*}}] : memref<8xf32>, vector<4xf32>
// CUT: %[[EVEN:.*]] = vector.shuffle %[[LOW]], %[[LOW]] [0, 2, 0, 0] : vector<4xf32>, vector<4xf32>
// CUT: %[[BOTH:.*]] = vector.shuffle %[[EVEN]], %[[HIGH]] [0, 1, 4, 6] : vector<4xf32>, vector<4xf32>
// CUT: %[[FIRST:.*]] = vector.shuffle %[[HIGH]], %[[HIGH]] [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
// CUT: %[[SECOND:.*]] = vector.shuffle %[[LOW]], %[[LOW]] [3, 0, 1, 0] : vector<4xf32>, vector<4xf32>
// CUT: %[[SPREAD:.*]] = vector.shuffle %[[BOTH]], %[[BOTH]] [0, 0, 1, 1] : vector<4xf32>, vector<4xf32>
// CUT: vector.shuffle %[[BOTH]], %[[BOTH]] [2, 2, 3, 3] : vector<4xf32>, vector<4xf32>
uop.func @shuffles(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %x = uop.load %in[%i] : memref<8xf32>, vector<8xf32>
  %even = vector.shuffle %x, %x [0, 2, 12, 14] : vector<8xf32>, vector<8xf32>
  %reversed = vector.shuffle %x, %x [7, 6, 5, 4, 3, -1, 1, 0] : vector<8xf32>, vector<8xf32>
  %spread = vector.shuffle %even, %even [0, 0, 1, 1, 2, 2, 3, 3] : vector<4xf32>, vector<4xf32>
  uop.store %even, %out[%i] : vector<4xf32>, memref<8xf32>
  uop.store %reversed, %out[%i] : vector<8xf32>, memref<8xf32>
  uop.store %spread, %out[%i] : vector<8xf32>, memref<8xf32>
  uop.return
}
