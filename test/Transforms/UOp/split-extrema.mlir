// RUN: tiny-opt %s -split-input-file --uop-split-extrema --canonicalize | FileCheck %s
// RUN: tiny-opt %s -split-input-file --check-passes --uop-split-extrema -o /dev/null
// RUN: tiny-opt %s -split-input-file --uop-split-extrema='max-carried=191' | FileCheck %s --check-prefix=FEW

// Three values, which the horizontal reduction takes, and which tell a NaN and the sign of a zero at the end.
// CHECK-LABEL: uop.func @maximum(
// CHECK-DAG: %[[INFINITY:.+]] = arith.constant 2139095040 : i32
// CHECK-DAG: %[[SIGN:.+]] = arith.constant -2147483648 : i32
// CHECK-DAG: %[[LEAST:.+]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK-DAG: %[[BITS:.+]] = arith.constant dense<-8388608> : vector<16xi32>
// CHECK: %[[M:.+]]:3 = uop.for %{{.+}} to %{{.+}} iter(%[[A:.+]] = %[[LEAST]], %[[S:.+]] = %[[BITS]], %[[U:.+]] = %[[BITS]])
// CHECK: %[[X:.+]] = uop.load
// CHECK: %[[Y:.+]] = arith.bitcast %[[X]]
// CHECK: %[[C:.+]] = arith.cmpf ogt, %[[X]], %[[A]]
// CHECK: %[[B:.+]] = arith.select %[[C]], %[[X]], %[[A]]
// CHECK: %[[T:.+]] = arith.maxsi %[[S]], %[[Y]]
// CHECK: %[[V:.+]] = arith.maxui %[[U]], %[[Y]]
// CHECK: uop.yield %[[B]], %[[T]], %[[V]]
// CHECK: }
// CHECK: %[[MOST:.+]] = vector.reduction <maximumf>, %[[M]]#0 fastmath<nnan,nsz>
// CHECK: %[[SIGNED:.+]] = vector.reduction <maxsi>, %[[M]]#1
// CHECK: %[[UNSIGNED:.+]] = vector.reduction <maxui>, %[[M]]#2
// CHECK: arith.cmpi sgt, %[[SIGNED]], %[[INFINITY]]
// CHECK: %[[FLIPPED:.+]] = arith.xori %[[UNSIGNED]], %[[SIGN]]
// CHECK: arith.cmpi sgt, %[[FLIPPED]], %[[INFINITY]]
// CHECK: %[[NAN:.+]] = arith.ori
// CHECK: %[[CLEAR:.+]] = arith.cmpi slt, %[[SIGNED]]
// CHECK: %[[ZERO:.+]] = arith.select %[[CLEAR]]
// CHECK: %[[ISZERO:.+]] = arith.cmpf oeq, %[[MOST]]
// CHECK: %[[NUMBER:.+]] = arith.select %[[ISZERO]], %[[ZERO]], %[[MOST]]
// CHECK: %[[RESULT:.+]] = arith.select %[[NAN]], %{{.+}}, %[[NUMBER]]
// CHECK: uop.store %[[RESULT]]
// 16 lanes of three values are 192 bytes.
// FEW-LABEL: uop.func @maximum(
// FEW: arith.maximumf
uop.func @maximum(%in: memref<1024xf32>, %out: memref<1xf32>) {
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %least = arith.constant dense<0xFF800000> : vector<16xf32>
  %m = uop.for %i to %c64 iter(%a = %least) -> (vector<16xf32>) {
    %j = arith.muli %i, %c16 : index
    %x = uop.load %in[%j] : memref<1024xf32>, vector<16xf32>
    %b = arith.maximumf %a, %x : vector<16xf32>
    uop.yield %b : vector<16xf32>
  }
  %r = vector.reduction <maximumf>, %m : vector<16xf32> into f32
  uop.store %r, %out[%c0] : f32, memref<1xf32>
  uop.return
}

// -----

// Columns: no horizontal reduction. Two steps a round, beside a sum that stays as it is; the number of rounds is unknown.
// CHECK-LABEL: uop.func @minimum(
// CHECK: %[[M:.+]]:4 = uop.for %{{.+}} to %{{.+}} iter(%[[SUM:[^ ]+]] = %{{[^,]+}}, %[[A:[^ ]+]] = %{{[^,]+}}, %[[S:[^ ]+]] = %{{[^,]+}}, %[[U:[^ ]+]] = %{{[^)]+}})
// CHECK: %[[X:.+]] = uop.load
// CHECK: arith.addf %[[SUM]], %[[X]]
// CHECK: %[[C:.+]] = arith.cmpf olt, %[[X]], %[[A]]
// CHECK: arith.select %[[C]]
// CHECK: arith.maxui {{.*}} : vector<8xi64>
// CHECK: arith.cmpf olt
// CHECK: arith.maxui {{.*}} : vector<8xi64>
// CHECK: }
// CHECK: %[[ANY:.+]] = arith.cmpi slt, %[[M]]#3
// CHECK: arith.select %[[ANY]]
uop.func @minimum(%count: memref<1xi64>, %in: memref<4096xf64>, %out: memref<16xf64>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %loaded = uop.load %count[%c0] : memref<1xi64>, i64
  %n = arith.index_cast %loaded : i64 to index
  %most = arith.constant dense<0x7FF0000000000000> : vector<8xf64>
  %zero = arith.constant dense<0.0> : vector<8xf64>
  %s, %m = uop.for %i to %n iter(%t = %zero, %a = %most) -> (vector<8xf64>, vector<8xf64>) {
    %j = arith.muli %i, %c8 : index
    %x = uop.load %in[%j] : memref<4096xf64>, vector<8xf64>
    %u = arith.addf %t, %x : vector<8xf64>
    %b = arith.minimumf %x, %a : vector<8xf64>
    %c = arith.minimumf %b, %u : vector<8xf64>
    uop.yield %u, %c : vector<8xf64>, vector<8xf64>
  }
  uop.store %m, %out[%c0] : vector<8xf64>, memref<16xf64>
  uop.store %s, %out[%c8] : vector<8xf64>, memref<16xf64>
  uop.return
}

// -----

// What stays: few steps, flags that make it one instruction, a carried value with another use, scalars, other types,
// what is masked.
// CHECK-LABEL: uop.func @stay(
// CHECK-COUNT-5: arith.maximumf
// CHECK-NOT: arith.maxui
// A horizontal reduction alone is split as well.
// CHECK: vector.reduction <maxui>
// CHECK: vector.mask %{{.+}} { vector.reduction <maximumf>
uop.func @stay(%in: memref<1024xf32>, %halfs: memref<1024xf16>, %out: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %x = uop.load %in[%c0] : memref<1024xf32>, vector<16xf32>
  %one = uop.load %in[%c3] : memref<1024xf32>, f32
  %half = uop.load %halfs[%c3] : memref<1024xf16>, vector<16xf16>
  %few = uop.for %i to %c3 iter(%a = %x) -> (vector<16xf32>) {
    %y = uop.load %in[%i] : memref<1024xf32>, vector<16xf32>
    %b = arith.maximumf %a, %y : vector<16xf32>
    uop.yield %b : vector<16xf32>
  }
  %more:4 = uop.for %i to %c64 iter(%a = %few, %b = %x, %c = %one, %d = %half)
      -> (vector<16xf32>, vector<16xf32>, f32, vector<16xf16>) {
    %y = uop.load %in[%i] : memref<1024xf32>, vector<16xf32>
    %z = uop.load %in[%i] : memref<1024xf32>, f32
    %w = uop.load %halfs[%i] : memref<1024xf16>, vector<16xf16>
    %e = arith.maximumf %a, %y fastmath<nnan,nsz> : vector<16xf32>
    %f = arith.maximumf %b, %y : vector<16xf32>
    uop.store %b, %out[%i] : vector<16xf32>, memref<1024xf32>
    %g = arith.maximumf %c, %z : f32
    %h = arith.maximumf %d, %w : vector<16xf16>
    uop.yield %e, %f, %g, %h : vector<16xf32>, vector<16xf32>, f32, vector<16xf16>
  }
  %r = vector.reduction <maximumf>, %x : vector<16xf32> into f32
  uop.store %r, %out[%c0] : f32, memref<1024xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %mask = arith.cmpf ogt, %x, %zero : vector<16xf32>
  %masked = vector.mask %mask { vector.reduction <maximumf>, %x : vector<16xf32> into f32 } : vector<16xi1> -> f32
  uop.store %masked, %out[%c3] : f32, memref<1024xf32>
  uop.store %more#0, %out[%c0] : vector<16xf32>, memref<1024xf32>
  uop.store %more#1, %out[%c0] : vector<16xf32>, memref<1024xf32>
  uop.store %more#2, %out[%c0] : f32, memref<1024xf32>
  %wide = arith.extf %more#3 : vector<16xf16> to vector<16xf32>
  uop.store %wide, %out[%c0] : vector<16xf32>, memref<1024xf32>
  uop.return
}

// -----

// Carried values that change places, and a loop inside that goes on from one of them.
// CHECK-LABEL: uop.func @beside(
// CHECK: uop.for {{.*}} iter(%[[A:[^ ]+]] = %{{[^,]+}}, %[[X:[^ ]+]] = %{{[^,]+}}, %[[Y:[^ ]+]] = %{{[^,]+}}, %[[S:[^ ]+]] = %{{[^,]+}}, %[[U:[^ ]+]] =
// CHECK: uop.for {{.*}} iter(%{{.+}} = %[[X]], %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
// CHECK: uop.yield %{{.+}}, %[[Y]], %{{.+}}, %{{.+}}, %{{.+}} : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xi32>, vector<4xi32>
uop.func @beside(%in: memref<1024xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %first = uop.load %in[%c0] : memref<1024xf32>, vector<4xf32>
  %m:3 = uop.for %i to %c64 iter(%a = %first, %x = %first, %y = %first) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
    %b = arith.maximumf %a, %y : vector<4xf32>
    %n = uop.for %j to %c4 iter(%c = %x) -> (vector<4xf32>) {
      %k = arith.addi %i, %j : index
      %v = uop.load %in[%k] : memref<1024xf32>, vector<4xf32>
      %w = arith.minimumf %v, %c : vector<4xf32>
      uop.yield %w : vector<4xf32>
    }
    uop.yield %b, %y, %n : vector<4xf32>, vector<4xf32>, vector<4xf32>
  }
  uop.store %m#0, %out[%c0] : vector<4xf32>, memref<16xf32>
  uop.store %m#1, %out[%c4] : vector<4xf32>, memref<16xf32>
  uop.store %m#2, %out[%c0] : vector<4xf32>, memref<16xf32>
  uop.return
}

// -----

// Two steps, whose result is reduced horizontally. Not for a sum, nor for a minimum of maxima.
// CHECK-LABEL: uop.func @few(
// CHECK: %[[M:.+]]:3 = uop.for
// CHECK-NOT: arith.maximumf
// CHECK: vector.reduction <maximumf>, %[[M]]#0
// CHECK-NEXT: vector.reduction <maxsi>, %[[M]]#1
// CHECK-NEXT: vector.reduction <maxui>, %[[M]]#2
uop.func @few(%in: memref<32xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %least = arith.constant dense<0xFF800000> : vector<16xf32>
  %m = uop.for %i to %c2 iter(%a = %least) -> (vector<16xf32>) {
    %j = arith.muli %i, %c16 : index
    %x = uop.load %in[%j] : memref<32xf32>, vector<16xf32>
    %b = arith.maximumf %a, %x : vector<16xf32>
    uop.yield %b : vector<16xf32>
  }
  %r = vector.reduction <maximumf>, %m : vector<16xf32> into f32
  uop.store %r, %out[%c0] : f32, memref<1xf32>
  uop.return
}

// CHECK-LABEL: uop.func @few_summed(
// CHECK: arith.maximumf
// CHECK: vector.reduction <add>
// CHECK: arith.maximumf
// CHECK: vector.reduction <minimumf>
uop.func @few_summed(%in: memref<32xf32>, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %least = arith.constant dense<0xFF800000> : vector<16xf32>
  %m = uop.for %i to %c2 iter(%a = %least) -> (vector<16xf32>) {
    %j = arith.muli %i, %c16 : index
    %x = uop.load %in[%j] : memref<32xf32>, vector<16xf32>
    %b = arith.maximumf %a, %x : vector<16xf32>
    uop.yield %b : vector<16xf32>
  }
  %r = vector.reduction <add>, %m : vector<16xf32> into f32
  uop.store %r, %out[%c0] : f32, memref<2xf32>
  %n = uop.for %i to %c2 iter(%a = %least) -> (vector<16xf32>) {
    %j = arith.muli %i, %c16 : index
    %x = uop.load %in[%j] : memref<32xf32>, vector<16xf32>
    %b = arith.maximumf %a, %x : vector<16xf32>
    uop.yield %b : vector<16xf32>
  }
  %s = vector.reduction <minimumf>, %n : vector<16xf32> into f32
  uop.store %s, %out[%c1] : f32, memref<2xf32>
  uop.return
}
