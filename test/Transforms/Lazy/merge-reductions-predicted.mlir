// Whether a softmax and the product behind it are one reduction follows from the record and the extents.
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --lazy-merge-reductions -split-input-file | FileCheck %s --check-prefixes=CHECK,FEW
// RUN: tiny-opt %s --target-attach=processor=x86-64-v4 --lazy-merge-reductions -split-input-file | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --lazy-merge-reductions -split-input-file -o /dev/null \
// RUN:   --remark-format=emitRemark --remarks-filter=lazy-merge-reductions 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s -split-input-file --target-attach=processor=x86-64-v3 --check-passes --lazy-merge-reductions -o /dev/null

// 64 accumulators of a row are eight of 16 registers, and four of 32.
// CHECK-LABEL: func.func @rows(
// FEW: lazy.reduce maximumf
// FEW: lazy.reduce addf
// MANY-NOT: lazy.reduce maximumf
// MANY: lazy.reduce(%{{.*}}) init [0xFF800000 : f32, 0.000000e+00 : f32]
// REMARK: [Missed] merge | {{.*}}Function=rows | Remark="stay apart: two kernels are predicted to take less time", one={{[0-9.]+}}, two={{[0-9.]+}}
func.func @rows(%q: tensor<64x64xf32>, %k: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %qq = lazy.view %q <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %kk = lazy.view %k <(64, 64, 64):(0, 64, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %qk = arith.mulf %qq, %kk : tensor<64x64x64xf32>
  %x = lazy.reduce addf(%qk) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  %m = lazy.reduce maximumf(%x) axes [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %mm = lazy.view %m <(64, 64):(1, 0)> : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %x, %mm : tensor<64x64xf32>
  %p = math.exp %d : tensor<64x64xf32>
  %pp = lazy.view %p <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %vv = lazy.view %v <(64, 64, 64):(0, 1, 64)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %pv = arith.mulf %pp, %vv : tensor<64x64x64xf32>
  %o = lazy.reduce addf(%pv) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  return %o : tensor<64x64xf32>
}

// -----

// One row would pack the keys for itself.
// CHECK-LABEL: func.func @row(
// CHECK-NOT: lazy.reduce maximumf
// CHECK: lazy.reduce(%{{.*}}) init [0xFF800000 : f32, 0.000000e+00 : f32]
// REMARK: [Passed] merge | {{.*}}Function=row |
func.func @row(%q: tensor<1x64xf32>, %k: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<1x64xf32> {
  %qq = lazy.view %q <(1, 64, 64):(0, 0, 1)> : tensor<1x64xf32> -> tensor<1x64x64xf32>
  %kk = lazy.view %k <(1, 64, 64):(0, 64, 1)> : tensor<64x64xf32> -> tensor<1x64x64xf32>
  %qk = arith.mulf %qq, %kk : tensor<1x64x64xf32>
  %x = lazy.reduce addf(%qk) axes [2] : (tensor<1x64x64xf32>) -> tensor<1x64xf32>
  %m = lazy.reduce maximumf(%x) axes [1] : (tensor<1x64xf32>) -> tensor<1xf32>
  %mm = lazy.view %m <(1, 64):(1, 0)> : tensor<1xf32> -> tensor<1x64xf32>
  %d = arith.subf %x, %mm : tensor<1x64xf32>
  %p = math.exp %d : tensor<1x64xf32>
  %pp = lazy.view %p <(1, 64, 64):(64, 0, 1)> : tensor<1x64xf32> -> tensor<1x64x64xf32>
  %vv = lazy.view %v <(1, 64, 64):(0, 1, 64)> : tensor<64x64xf32> -> tensor<1x64x64xf32>
  %pv = arith.mulf %pp, %vv : tensor<1x64x64xf32>
  %o = lazy.reduce addf(%pv) axes [2] : (tensor<1x64x64xf32>) -> tensor<1x64xf32>
  return %o : tensor<1x64xf32>
}

// -----

// Of open sizes the extents are bounds.
// CHECK-LABEL: module attributes {{.*}}tiny.sizes
// CHECK-LABEL: func.func @open(
// FEW: lazy.reduce maximumf
// FEW-NOT: lazy.reduce(
module attributes {tiny.sizes = {}} {
func.func @open(%q: tensor<64x64xf32>, %k: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %qq = lazy.view %q <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %kk = lazy.view %k <(64, 64, 64):(0, 64, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %qk = arith.mulf %qq, %kk : tensor<64x64x64xf32>
  %x = lazy.reduce addf(%qk) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  %m = lazy.reduce maximumf(%x) axes [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %mm = lazy.view %m <(64, 64):(1, 0)> : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %x, %mm : tensor<64x64xf32>
  %p = math.exp %d : tensor<64x64xf32>
  %pp = lazy.view %p <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %vv = lazy.view %v <(64, 64, 64):(0, 1, 64)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %pv = arith.mulf %pp, %vv : tensor<64x64x64xf32>
  %o = lazy.reduce addf(%pv) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  return %o : tensor<64x64xf32>
}
}

// -----

// A mask varies over rows as q does, and is no weight.
// CHECK-LABEL: func.func @masked(
// FEW: lazy.reduce maximumf
// FEW-NOT: lazy.reduce(
func.func @masked(%q: tensor<64x64xf32>, %k: tensor<64x64xf32>, %v: tensor<64x64xf32>, %mask: tensor<64x64xi1>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %qq = lazy.view %q <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %kk = lazy.view %k <(64, 64, 64):(0, 64, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %qk = arith.mulf %qq, %kk : tensor<64x64x64xf32>
  %s = lazy.reduce addf(%qk) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  %x = arith.select %mask, %s, %lowest : tensor<64x64xi1>, tensor<64x64xf32>
  %m = lazy.reduce maximumf(%x) axes [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %mm = lazy.view %m <(64, 64):(1, 0)> : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %x, %mm : tensor<64x64xf32>
  %e = math.exp %d : tensor<64x64xf32>
  %p = arith.select %mask, %e, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  %pp = lazy.view %p <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %vv = lazy.view %v <(64, 64, 64):(0, 1, 64)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %pv = arith.mulf %pp, %vv : tensor<64x64x64xf32>
  %o = lazy.reduce addf(%pv) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  return %o : tensor<64x64xf32>
}
