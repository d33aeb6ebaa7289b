// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --lazy-approximate-exponentials | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --lazy-approximate-exponentials --remarks-filter=lazy-approximate-exponentials --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --lazy-approximate-exponentials --lazy-merge-reductions=max-accumulators=32 | FileCheck %s --check-prefix=MERGED
// A device without the instruction keeps them.
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --lazy-approximate-exponentials | FileCheck %s --check-prefix=CPU
// CPU-NOT: afn

// REMARK: [Passed] approximate {{.*}}Function=softmax | {{.*}}the device may approximate the exponential
// CHECK-LABEL: func.func @softmax(
// CHECK: math.exp %{{.*}} fastmath<afn> : tensor<4x8xf32>
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = lazy.reduce maximumf(%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mm = lazy.view %m <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
  %d = arith.subf %x, %mm : tensor<4x8xf32>
  %e = math.exp %d : tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}

// By the row's sum it is divided by way of a reciprocal; another sum may be anything.
// CHECK-LABEL: func.func @quotient(
// CHECK: %[[E:.*]] = math.exp
// CHECK: arith.divf %[[E]], %{{.*}} fastmath<arcp> : tensor<4x8xf32>
// CHECK: arith.divf %[[E]], %{{.*}} : tensor<4x8xf32>
// CHECK: arith.divf %{{.*}}, %{{.*}} : tensor<4x8xf32>
func.func @quotient(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %m = lazy.reduce maximumf(%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mm = lazy.view %m <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
  %d = arith.subf %x, %mm : tensor<4x8xf32>
  %e = math.exp %d : tensor<4x8xf32>
  %s = lazy.reduce addf(%e) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %ss = lazy.view %s <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
  %q = arith.divf %e, %ss : tensor<4x8xf32>
  %t = lazy.reduce addf(%e) axes [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  %tt = lazy.view %t <(4, 8):(0, 1)> : tensor<8xf32> -> tensor<4x8xf32>
  %r = arith.divf %e, %tt : tensor<4x8xf32>
  %u = arith.divf %y, %ss : tensor<4x8xf32>
  return %q, %r, %u : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Powers of two, scaled by a positive number, relative to at least the maximum. Flags that are there stay.
// CHECK-LABEL: func.func @sink(
// CHECK: math.exp2 %{{.*}} fastmath<nsz,afn> : tensor<4x8xf32>
func.func @sink(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4x8xf32> {
  %m = lazy.reduce maximumf(%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %n = arith.maximumf %m, %s : tensor<4xf32>
  %mm = lazy.view %n <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
  %d = arith.subf %x, %mm : tensor<4x8xf32>
  %half = arith.constant dense<0.5> : tensor<4x8xf32>
  %h = arith.mulf %d, %half : tensor<4x8xf32>
  %e = math.exp2 %h fastmath<nsz> : tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}

// Nothing bounds what is relative to nothing, to the row's least, or to another row's maximum.
// CHECK-LABEL: func.func @unbounded(
// CHECK-NOT: afn
func.func @unbounded(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = math.exp %x : tensor<4x8xf32>
  %m = lazy.reduce minimumf(%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mm = lazy.view %m <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
  %d = arith.subf %x, %mm : tensor<4x8xf32>
  %b = math.exp %d : tensor<4x8xf32>
  %n = lazy.reduce maximumf(%y) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %nn = lazy.view %n <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
  %f = arith.subf %x, %nn : tensor<4x8xf32>
  %c = math.exp %f : tensor<4x8xf32>
  return %a, %b, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// A negative factor turns the row's maximum into its least, and f64 has no such instruction.
// CHECK-LABEL: func.func @turned(
// CHECK-NOT: afn
func.func @turned(%x: tensor<4x8xf32>, %y: tensor<4x8xf64>) -> (tensor<4x8xf32>, tensor<4x8xf64>) {
  %m = lazy.reduce maximumf(%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mm = lazy.view %m <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
  %d = arith.subf %x, %mm : tensor<4x8xf32>
  %factor = arith.constant dense<-0.5> : tensor<4x8xf32>
  %h = arith.mulf %d, %factor : tensor<4x8xf32>
  %a = math.exp %h : tensor<4x8xf32>
  %n = lazy.reduce maximumf(%y) axes [1] : (tensor<4x8xf64>) -> tensor<4xf64>
  %nn = lazy.view %n <(4, 8):(1, 0)> : tensor<4xf64> -> tensor<4x8xf64>
  %f = arith.subf %y, %nn : tensor<4x8xf64>
  %b = math.exp %f : tensor<4x8xf64>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf64>
}

// What a merged reduction corrects its sums by is such a number, too.
// CHECK-LABEL: func.func @attention(
// MERGED-LABEL: func.func @attention(
// MERGED: lazy.reduce(
// MERGED: math.exp %{{.*}} fastmath<afn> : f32
func.func @attention(%q: tensor<16x16xf16>, %k: tensor<32x16xf16>, %v: tensor<32x16xf16>) -> tensor<16x16xf16> {
  %q0 = arith.extf %q : tensor<16x16xf16> to tensor<16x16xf32>
  %k0 = arith.extf %k : tensor<32x16xf16> to tensor<32x16xf32>
  %0 = lazy.view %q0 <(16, 32, 16):(16, 0, 1)> : tensor<16x16xf32> -> tensor<16x32x16xf32>
  %1 = lazy.view %k0 <(16, 32, 16):(0, 16, 1)> : tensor<32x16xf32> -> tensor<16x32x16xf32>
  %2 = arith.mulf %0, %1 : tensor<16x32x16xf32>
  %x = lazy.reduce addf(%2) axes [2] : (tensor<16x32x16xf32>) -> tensor<16x32xf32>
  %m = lazy.reduce maximumf(%x) axes [1] : (tensor<16x32xf32>) -> tensor<16xf32>
  %mm = lazy.view %m <(16, 32):(1, 0)> : tensor<16xf32> -> tensor<16x32xf32>
  %d = arith.subf %x, %mm : tensor<16x32xf32>
  %e = math.exp %d : tensor<16x32xf32>
  %l = lazy.reduce addf(%e) axes [1] : (tensor<16x32xf32>) -> tensor<16xf32>
  %ll = lazy.view %l <(16, 32):(1, 0)> : tensor<16xf32> -> tensor<16x32xf32>
  %p = arith.divf %e, %ll : tensor<16x32xf32>
  %narrow = arith.truncf %p : tensor<16x32xf32> to tensor<16x32xf16>
  %pw = arith.extf %narrow : tensor<16x32xf16> to tensor<16x32xf32>
  %v0 = arith.extf %v : tensor<32x16xf16> to tensor<32x16xf32>
  %pp = lazy.view %pw <(16, 16, 32):(32, 0, 1)> : tensor<16x32xf32> -> tensor<16x16x32xf32>
  %vv = lazy.view %v0 <(16, 16, 32):(0, 1, 16)> : tensor<32x16xf32> -> tensor<16x16x32xf32>
  %pv = arith.mulf %pp, %vv : tensor<16x16x32xf32>
  %o = lazy.reduce addf(%pv) axes [2] : (tensor<16x16x32xf32>) -> tensor<16x16xf32>
  %r = arith.truncf %o : tensor<16x16xf32> to tensor<16x16xf16>
  return %r : tensor<16x16xf16>
}
