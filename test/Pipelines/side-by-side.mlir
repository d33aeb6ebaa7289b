// Reductions over one space that do not wait for each other share one loop, and with it what they read.
// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize --convert-lazy-to-kernel --convert-kernel-to-uop | FileCheck %s
// RUN: tiny-opt %s --tiny-lazy-to-uop-pipeline --check-passes | FileCheck %s --check-prefix=SCHEDULED

// CHECK-LABEL: uop.func private @reduce_divf_mulf_subf(
// CHECK: uop.for %{{.*}} to %c64
// CHECK: %[[S:.*]]:2 = uop.for %{{.*}} to %c256 iter({{.*}}) -> (f32, f32)
// CHECK-NEXT: arith.addi
// CHECK-NEXT: %[[X:.*]] = uop.load
// CHECK-NOT: uop.load
// CHECK-DAG: math.fma %[[X]], %[[X]]
// CHECK-DAG: arith.addf %{{.*}}, %[[X]]
// CHECK: uop.yield
// CHECK-NOT: uop.for
// CHECK-LABEL: uop.func private @mulf_reduce(
// CHECK: uop.for %{{.*}} to %c32
// CHECK: uop.for %{{.*}} to %c16
// CHECK: uop.for %{{.*}} to %c48 iter({{.*}}) -> (f32, f32, f32)
// CHECK-COUNT-4: uop.load
// CHECK-NOT: uop.load
// CHECK-NOT: uop.for
// CHECK-LABEL: uop.func private @reduce(
// CHECK: uop.for %{{.*}} to %c6 iter({{.*}}) -> (f32, f32, f32)
// CHECK: uop.for %{{.*}} to %c100 iter({{.*}}) -> (f32, f32, f32)
// CHECK-COUNT-1: uop.load
// CHECK-NOT: uop.load
// CHECK-NOT: uop.for
// What needs a reduction's result runs after its loop.
// CHECK-LABEL: uop.func private @reduce_subf_mulf(
// CHECK: uop.for %{{.*}} to %c64
// CHECK-COUNT-2: uop.for %{{.*}} to %c256 iter({{.*}}) -> (f32)
// CHECK-NOT: uop.for

// SCHEDULED-LABEL: uop.func private @reduce_divf_mulf_subf(
// SCHEDULED-COUNT-2: uop.for
// SCHEDULED-NOT: uop.for
// SCHEDULED-LABEL: uop.func private @mulf_reduce(
// SCHEDULED-COUNT-2: uop.for
// SCHEDULED-NOT: uop.for
// SCHEDULED: uop.return

func.func @mean(%x: tensor<64x256xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %n = arith.constant dense<256.0> : tensor<64xf32>
  %s = lazy.reduce addf (%x) axes [1] : (tensor<64x256xf32>) -> tensor<64xf32>
  %mean = arith.divf %s, %n : tensor<64xf32>
  %xx = arith.mulf %x, %x : tensor<64x256xf32>
  %q = lazy.reduce addf (%xx) axes [1] : (tensor<64x256xf32>) -> tensor<64xf32>
  %qn = arith.divf %q, %n : tensor<64xf32>
  %mm = arith.mulf %mean, %mean : tensor<64xf32>
  %variance = arith.subf %qn, %mm : tensor<64xf32>
  return %mean, %variance : tensor<64xf32>, tensor<64xf32>
}

func.func @products(%x: tensor<32x48xf32>, %a: tensor<48x16xf32>, %b: tensor<48x16xf32>, %c: tensor<48x16xf32>)
    -> (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) {
  %xe = lazy.view %x <(32, 16, 48):(48, 0, 1)> : tensor<32x48xf32> -> tensor<32x16x48xf32>
  %ae = lazy.view %a <(32, 16, 48):(0, 1, 16)> : tensor<48x16xf32> -> tensor<32x16x48xf32>
  %be = lazy.view %b <(32, 16, 48):(0, 1, 16)> : tensor<48x16xf32> -> tensor<32x16x48xf32>
  %ce = lazy.view %c <(32, 16, 48):(0, 1, 16)> : tensor<48x16xf32> -> tensor<32x16x48xf32>
  %xa = arith.mulf %xe, %ae : tensor<32x16x48xf32>
  %xb = arith.mulf %xe, %be : tensor<32x16x48xf32>
  %xc = arith.mulf %xe, %ce : tensor<32x16x48xf32>
  %ra = lazy.reduce addf (%xa) axes [2] : (tensor<32x16x48xf32>) -> tensor<32x16xf32>
  %rb = lazy.reduce addf (%xb) axes [2] : (tensor<32x16x48xf32>) -> tensor<32x16xf32>
  %rc = lazy.reduce addf (%xc) axes [2] : (tensor<32x16x48xf32>) -> tensor<32x16xf32>
  return %ra, %rb, %rc : tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>
}

func.func @ends(%x: tensor<6x100xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = lazy.reduce maximumf (%x) axes [0, 1] : (tensor<6x100xf32>) -> tensor<f32>
  %b = lazy.reduce minimumf (%x) axes [0, 1] : (tensor<6x100xf32>) -> tensor<f32>
  %c = lazy.reduce addf (%x) axes [0, 1] : (tensor<6x100xf32>) -> tensor<f32>
  return %a, %b, %c : tensor<f32>, tensor<f32>, tensor<f32>
}

func.func @centred_variance(%x: tensor<64x256xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %s = lazy.reduce addf (%x) axes [1] : (tensor<64x256xf32>) -> tensor<64xf32>
  %se = lazy.view %s <(64, 256):(1, 0)> : tensor<64xf32> -> tensor<64x256xf32>
  %d = arith.subf %x, %se : tensor<64x256xf32>
  %dd = arith.mulf %d, %d : tensor<64x256xf32>
  %q = lazy.reduce addf (%dd) axes [1] : (tensor<64x256xf32>) -> tensor<64xf32>
  return %s, %q : tensor<64xf32>, tensor<64xf32>
}
