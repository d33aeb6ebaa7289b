// RUN: tiny-opt %s --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark 2>&1 | FileCheck %s

func.func @f(%x: tensor<262144x2xf32>) -> tensor<262144x2xf32> {
  // CHECK: [Passed] fused {{.*}} Function=f {{.*}}arith.mulf fused: it is computed once, where it is used
  %0 = arith.mulf %x, %x : tensor<262144x2xf32>
  // CHECK: [Missed] stored {{.*}}lazy.reduce stored: too few rows
  %1 = lazy.reduce addf (%0) axes [0] : (tensor<262144x2xf32>) -> tensor<2xf32>
  %2 = lazy.reshape %1 : tensor<2xf32> -> tensor<1x2xf32>
  %3 = lazy.expand %2 : tensor<1x2xf32> -> tensor<262144x2xf32>
  // CHECK: [Analysis] stored {{.*}}arith.divf stored: its buffer is asked for
  %4 = arith.divf %x, %3 : tensor<262144x2xf32>
  return %4 : tensor<262144x2xf32>
}

func.func @g(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  // CHECK: [Passed] fused {{.*}}arith.mulf fused: recomputing it as a product's operand is packed costs less
  %0 = arith.mulf %x, %x : tensor<128x128xf32>
  %1 = lazy.view %0 <(128, 128, 128):(128, 0, 1)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %2 = lazy.view %w <(128, 128, 128):(0, 1, 128)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %3 = arith.mulf %1, %2 : tensor<128x128x128xf32>
  %4 = lazy.reduce addf (%3) axes [2] : (tensor<128x128x128xf32>) -> tensor<128x128xf32>
  return %4 : tensor<128x128xf32>
}

// Row statistics that are returned too are stored in the loop over rows.
// CHECK: arith.mulf merged: it goes on where a kernel stores what it reads
// CHECK: Function=h {{.*}}1 kernels
func.func @h(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64xf32>) {
  %s = lazy.reduce maximumf (%x) axes [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  %w = lazy.view %s <(64, 128):(1, 0)> : tensor<64xf32> -> tensor<64x128xf32>
  %r = arith.mulf %x, %w : tensor<64x128xf32>
  return %r, %s : tensor<64x128xf32>, tensor<64xf32>
}

// Two products of 128x128x128 with one operand in common.
// CHECK: lazy.reduce apart: a product has its loops for itself (launch)
func.func @p(%x: tensor<128x128xf32>, %v: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %a = lazy.view %x <(128, 128, 128):(128, 0, 1)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %b = lazy.view %v <(128, 128, 128):(0, 1, 128)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %c = lazy.view %w <(128, 128, 128):(0, 1, 128)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %ab = arith.mulf %a, %b : tensor<128x128x128xf32>
  %ac = arith.mulf %a, %c : tensor<128x128x128xf32>
  %0 = lazy.reduce addf (%ab) axes [2] : (tensor<128x128x128xf32>) -> tensor<128x128xf32>
  %1 = lazy.reduce addf (%ac) axes [2] : (tensor<128x128x128xf32>) -> tensor<128x128xf32>
  return %0, %1 : tensor<128x128xf32>, tensor<128x128xf32>
}

// A cosine of indices costs more than to load it.
// CHECK: math.cos stored: recomputing it costs more than a buffer
func.func @waves(%x: tensor<64x128x128xf32>) -> tensor<64x128x128xf32> {
  %i = lazy.iota 0 : tensor<128x128xi32>
  %j = lazy.iota 1 : tensor<128x128xi32>
  %ij = arith.muli %i, %j : tensor<128x128xi32>
  %f = arith.sitofp %ij : tensor<128x128xi32> to tensor<128x128xf32>
  %c_0 = math.cos %f : tensor<128x128xf32>
  %c_1 = math.cos %c_0 : tensor<128x128xf32>
  %c = math.cos %c_1 : tensor<128x128xf32>
  %w = lazy.view %c <(64, 128, 128):(0, 128, 1)> : tensor<128x128xf32> -> tensor<64x128x128xf32>
  %0 = arith.addf %x, %w : tensor<64x128x128xf32>
  return %0 : tensor<64x128x128xf32>
}

// What is stored beside the row statistic has loops of its own, which would compute it again.
// CHECK: arith.mulf apart: the kernel that it goes on from stores more than it reads, in other loops
// CHECK: Function=running {{.*}}2 kernels
func.func @running(%x: tensor<64x128xf32>, %old: tensor<64xf32>) -> (tensor<64x128xf32>, tensor<64xf32>, tensor<64xf32>) {
  %s = lazy.reduce maximumf (%x) axes [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  %new = arith.maximumf %old, %s : tensor<64xf32>
  %w = lazy.view %s <(64, 128):(1, 0)> : tensor<64xf32> -> tensor<64x128xf32>
  %r = arith.mulf %x, %w : tensor<64x128xf32>
  return %r, %s, %new : tensor<64x128xf32>, tensor<64xf32>, tensor<64xf32>
}

// Parts of what is stored that reduce one value.
// CHECK: arith.negf stored: it is reduced in one loop with another part, which reads the same
// CHECK: lazy.reduce stored: it is reduced in one loop with another part, which reads the same
// CHECK: merged: a kernel with the same loops reads the same buffer
// CHECK: Function=parts {{.*}}2 kernels
func.func @parts(%x: tensor<64x4096xf32>) -> tensor<2x64xf32> {
  %s = lazy.reduce addf (%x) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %n = arith.negf %s : tensor<64xf32>
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %i = lazy.iota 0 : tensor<2x64xi64>
  %one = arith.constant dense<1> : tensor<2x64xi64>
  %first = arith.cmpi slt, %i, %one : tensor<2x64xi64>
  %p = lazy.view %n <(2, 64):(64, 1) mask [0:1, 0:64]> : tensor<64xf32> -> tensor<2x64xf32>
  %q = lazy.view %m <(2, 64):(64, 1) + -64 mask [1:2, 0:64]> : tensor<64xf32> -> tensor<2x64xf32>
  %c = arith.select %first, %p, %q : tensor<2x64xi1>, tensor<2x64xf32>
  %e = math.exp %c : tensor<2x64xf32>
  return %e : tensor<2x64xf32>
}
