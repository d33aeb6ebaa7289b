// Concatenations: each part has loops of its own, and what it reduces runs for its elements only.
// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize --lazy-plan-state --convert-lazy-to-kernel --check-passes | FileCheck %s --check-prefix=KERNEL

// CHECK-LABEL: func.func @two_sums(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @two_sums(
// KERNEL-NOT: arith.select
// KERNEL: kernel.reduce addf
// KERNEL-NOT: arith.select
// KERNEL: kernel.reduce maximumf
// KERNEL-NOT: arith.select
// KERNEL-COUNT-2: kernel.store
// KERNEL-NOT: kernel.store
func.func @two_sums(%x: tensor<4x6x5xf32>, %y: tensor<4x3x7xf32>) -> tensor<4x9xf32> {
  %a = lazy.reduce addf (%x) axes [2] : (tensor<4x6x5xf32>) -> tensor<4x6xf32>
  %b = lazy.reduce maximumf (%y) axes [2] : (tensor<4x3x7xf32>) -> tensor<4x3xf32>
  %six = arith.constant dense<6> : tensor<4x9xi64>
  %i = lazy.iota 1 : tensor<4x9xi64>
  %first = arith.cmpi slt, %i, %six : tensor<4x9xi64>
  %p = lazy.pad %a low [0, 0] high [0, 3] : tensor<4x6xf32> -> tensor<4x9xf32>
  %q = lazy.pad %b low [0, 6] high [0, 0] : tensor<4x3xf32> -> tensor<4x9xf32>
  %s = arith.select %first, %p, %q : tensor<4x9xi1>, tensor<4x9xf32>
  %n = arith.negf %s : tensor<4x9xf32>
  return %n : tensor<4x9xf32>
}

// Rows of a softmax, and rows of something else below them.
// CHECK-LABEL: func.func @softmax_beside_elements(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @softmax_beside_elements(
// KERNEL: kernel.range loop id(0) extent(16)
// KERNEL: kernel.range loop id(2) extent(8)
// KERNEL-NOT: arith.select
// KERNEL-COUNT-2: kernel.store
// KERNEL-NOT: kernel.store
func.func @softmax_beside_elements(%x: tensor<16x32xf32>, %y: tensor<8x32xf32>) -> tensor<24x32xf32> {
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<16x32xf32>) -> tensor<16xf32>
  %me = lazy.view %m <(16, 32):(1, 0)> : tensor<16xf32> -> tensor<16x32xf32>
  %d = arith.subf %x, %me : tensor<16x32xf32>
  %e = math.exp %d : tensor<16x32xf32>
  %z = lazy.reduce addf (%e) axes [1] : (tensor<16x32xf32>) -> tensor<16xf32>
  %ze = lazy.view %z <(16, 32):(1, 0)> : tensor<16xf32> -> tensor<16x32xf32>
  %sm = arith.divf %e, %ze : tensor<16x32xf32>
  %t = math.tanh %y : tensor<8x32xf32>
  %sixteen = arith.constant dense<16> : tensor<24x32xi64>
  %i = lazy.iota 0 : tensor<24x32xi64>
  %first = arith.cmpi slt, %i, %sixteen : tensor<24x32xi64>
  %p = lazy.pad %sm low [0, 0] high [8, 0] : tensor<16x32xf32> -> tensor<24x32xf32>
  %q = lazy.pad %t low [16, 0] high [0, 0] : tensor<8x32xf32> -> tensor<24x32xf32>
  %s = arith.select %first, %p, %q : tensor<24x32xi1>, tensor<24x32xf32>
  return %s : tensor<24x32xf32>
}

// One reduction for both parts: they stay one nest, in which it runs once for each column.
// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @shared(
func.func @shared(%x: tensor<64x512xf32>) -> tensor<2x64xf32> {
  %r = lazy.reduce addf (%x) axes [1] : (tensor<64x512xf32>) -> tensor<64xf32>
  %n = math.exp %r : tensor<64xf32>
  %one = arith.constant dense<1> : tensor<2x64xi64>
  %i = lazy.iota 0 : tensor<2x64xi64>
  %first = arith.cmpi slt, %i, %one : tensor<2x64xi64>
  %p = lazy.view %r <(2, 64):(0, 1) mask [0:1, 0:64]> : tensor<64xf32> -> tensor<2x64xf32>
  %q = lazy.view %n <(2, 64):(0, 1) mask [1:2, 0:64]> : tensor<64xf32> -> tensor<2x64xf32>
  %s = arith.select %first, %p, %q : tensor<2x64xi1>, tensor<2x64xf32>
  return %s : tensor<2x64xf32>
}

// No index is below zero: what would stand there is not computed.
// CHECK-LABEL: func.func @no_part(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @no_part(
// KERNEL-NOT: kernel.reduce
// KERNEL: kernel.store
func.func @no_part(%x: tensor<64x512xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = lazy.reduce addf (%x) axes [1] : (tensor<64x512xf32>) -> tensor<64xf32>
  %zero = arith.constant dense<0> : tensor<64xi64>
  %i = lazy.iota 0 : tensor<64xi64>
  %never = arith.cmpi slt, %i, %zero : tensor<64xi64>
  %s = arith.select %never, %r, %y : tensor<64xi1>, tensor<64xf32>
  return %s : tensor<64xf32>
}

// Two products and a copy: each product is a kernel that writes where its part belongs; nothing is copied, and what the
// chain begins with is never filled.
// CHECK-LABEL: func.func @products(
// CHECK: %[[FIRST:.*]] = lazy.group
// CHECK: lazy.assign %{{.*}}, %{{.*}} <(64, 64):(160, 1)>
// CHECK: lazy.group {{.*}}%[[FIRST]])
// CHECK: lazy.assign %{{.*}}, %{{.*}} <(64, 96):(160, 1) + 64>
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @products(
// KERNEL-NEXT: %[[ALL:.*]] = kernel.alloc : memref<10240xf32>
// KERNEL-NEXT: kernel.launch {{.*}} outs(%[[ALL]] :
// KERNEL-NEXT: kernel.launch {{.*}} outs(%[[ALL]] :
// KERNEL-NEXT: kernel.return %[[ALL]]
func.func @products(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %y: tensor<64x32xf32>) -> tensor<64x160xf32> {
  %a0 = lazy.view %x <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %b0 = lazy.view %w <(64, 64, 64):(0, 1, 64)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %p0 = arith.mulf %a0, %b0 : tensor<64x64x64xf32>
  %h = lazy.reduce addf (%p0) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  %a1 = lazy.view %w <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %b1 = lazy.view %x <(64, 64, 64):(0, 1, 64)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %p1 = arith.mulf %a1, %b1 : tensor<64x64x64xf32>
  %g = lazy.reduce addf (%p1) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = arith.maximumf %g, %zero : tensor<64x64xf32>
  %i = lazy.iota 1 : tensor<64x160xi64>
  %c0 = arith.constant dense<64> : tensor<64x160xi64>
  %c1 = arith.constant dense<128> : tensor<64x160xi64>
  %f0 = arith.cmpi slt, %i, %c0 : tensor<64x160xi64>
  %f1 = arith.cmpi slt, %i, %c1 : tensor<64x160xi64>
  %q0 = lazy.pad %h low [0, 0] high [0, 96] : tensor<64x64xf32> -> tensor<64x160xf32>
  %q1 = lazy.pad %r low [0, 64] high [0, 32] : tensor<64x64xf32> -> tensor<64x160xf32>
  %q2 = lazy.pad %y low [0, 128] high [0, 0] : tensor<64x32xf32> -> tensor<64x160xf32>
  %s0 = arith.select %f0, %q0, %q1 : tensor<64x160xi1>, tensor<64x160xf32>
  %s1 = arith.select %f1, %s0, %q2 : tensor<64x160xi1>, tensor<64x160xf32>
  return %s1 : tensor<64x160xf32>
}

// A layer norm of a concatenation: both parts need the row's statistics, which are computed once.
// CHECK-LABEL: func.func @norm_of_parts(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @norm_of_parts(
// KERNEL-COUNT-1: kernel.reduce
// KERNEL-NOT: kernel.reduce
// KERNEL-COUNT-2: kernel.store
func.func @norm_of_parts(%x: tensor<16x6xf32>, %y: tensor<16x2xf32>) -> tensor<16x8xf32> {
  %six = arith.constant dense<6> : tensor<16x8xi64>
  %i = lazy.iota 1 : tensor<16x8xi64>
  %first = arith.cmpi slt, %i, %six : tensor<16x8xi64>
  %p = lazy.pad %x low [0, 0] high [0, 2] : tensor<16x6xf32> -> tensor<16x8xf32>
  %q = lazy.pad %y low [0, 6] high [0, 0] : tensor<16x2xf32> -> tensor<16x8xf32>
  %s = arith.select %first, %p, %q : tensor<16x8xi1>, tensor<16x8xf32>
  %v = lazy.reduce addf (%s) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %r = math.rsqrt %v : tensor<16xf32>
  %re = lazy.view %r <(16, 8):(1, 0)> : tensor<16xf32> -> tensor<16x8xf32>
  %n = arith.mulf %s, %re : tensor<16x8xf32>
  return %n : tensor<16x8xf32>
}

// Sums of one value that its rows give together stay together, each with a slice of its own.
// CHECK-LABEL: func.func @sums_together(
// CHECK: lazy.group
// CHECK-COUNT-4: lazy.assign
// CHECK-NOT: lazy.group
// CHECK: return
// KERNEL-LABEL: kernel.func private @exp_ceil_floor_reduce(
// KERNEL: kernel.range loop {{.*}}extent(64)
// KERNEL: %[[I:.*]] = kernel.range reduce {{.*}}extent(4096)
// KERNEL-NOT: kernel.range
// KERNEL-COUNT-1: kernel.load
// KERNEL-NOT: kernel.load
// KERNEL-COUNT-4: kernel.reduce addf ({{.*}}) over (%[[I]])
// KERNEL-COUNT-4: kernel.store
func.func @sums_together(%x: tensor<64x4096xf32>) -> tensor<4x64xf32> {
  %e = math.exp %x : tensor<64x4096xf32>
  %c = math.ceil %x : tensor<64x4096xf32>
  %f = math.floor %x : tensor<64x4096xf32>
  %s0 = lazy.reduce addf (%x) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %s1 = lazy.reduce addf (%e) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %s2 = lazy.reduce addf (%c) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %s3 = lazy.reduce addf (%f) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %i = lazy.iota 0 : tensor<4x64xi64>
  %one = arith.constant dense<1> : tensor<4x64xi64>
  %two = arith.constant dense<2> : tensor<4x64xi64>
  %three = arith.constant dense<3> : tensor<4x64xi64>
  %0 = arith.cmpi slt, %i, %one : tensor<4x64xi64>
  %1 = arith.cmpi slt, %i, %two : tensor<4x64xi64>
  %2 = arith.cmpi slt, %i, %three : tensor<4x64xi64>
  %p0 = lazy.view %s0 <(4, 64):(64, 1) mask [0:1, 0:64]> : tensor<64xf32> -> tensor<4x64xf32>
  %p1 = lazy.view %s1 <(4, 64):(64, 1) + -64 mask [1:2, 0:64]> : tensor<64xf32> -> tensor<4x64xf32>
  %p2 = lazy.view %s2 <(4, 64):(64, 1) + -128 mask [2:3, 0:64]> : tensor<64xf32> -> tensor<4x64xf32>
  %p3 = lazy.view %s3 <(4, 64):(64, 1) + -192 mask [3:4, 0:64]> : tensor<64xf32> -> tensor<4x64xf32>
  %q2 = arith.select %2, %p2, %p3 : tensor<4x64xi1>, tensor<4x64xf32>
  %q1 = arith.select %1, %p1, %q2 : tensor<4x64xi1>, tensor<4x64xf32>
  %q0 = arith.select %0, %p0, %q1 : tensor<4x64xi1>, tensor<4x64xf32>
  return %q0 : tensor<4x64xf32>
}

// A mean and a maximum of one value, side by side: one loop over it gives both.
// CHECK-LABEL: func.func @mean_and_maximum(
// CHECK: lazy.group
// CHECK-COUNT-2: lazy.assign
// CHECK-NOT: lazy.group
// CHECK: return
// KERNEL-LABEL: kernel.program @mean_and_maximum(
// KERNEL-COUNT-1: kernel.launch
// KERNEL-NOT: kernel.launch
func.func @mean_and_maximum(%x: tensor<64x4096xf32>) -> tensor<2x64xf32> {
  %n = arith.constant dense<0.000244140625> : tensor<64xf32>
  %s = lazy.reduce addf (%x) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %mean = arith.mulf %s, %n : tensor<64xf32>
  %max = lazy.reduce maximumf (%x) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %i = lazy.iota 0 : tensor<2x64xi64>
  %one = arith.constant dense<1> : tensor<2x64xi64>
  %first = arith.cmpi slt, %i, %one : tensor<2x64xi64>
  %p = lazy.view %mean <(2, 64):(64, 1) mask [0:1, 0:64]> : tensor<64xf32> -> tensor<2x64xf32>
  %q = lazy.view %max <(2, 64):(64, 1) + -64 mask [1:2, 0:64]> : tensor<64xf32> -> tensor<2x64xf32>
  %r = arith.select %first, %p, %q : tensor<2x64xi1>, tensor<2x64xf32>
  return %r : tensor<2x64xf32>
}

// Parts of other values have loops of their own, and each its kernel.
// KERNEL-LABEL: kernel.program @unlike_maxima(
// CHECK-LABEL: func.func @unlike_maxima(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
// CHECK: return
func.func @unlike_maxima(%x: tensor<64x4096xf32>, %y: tensor<64x4096xf32>) -> tensor<2x64xf32> {
  %a = lazy.reduce maximumf (%x) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %b = lazy.reduce maximumf (%y) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %i = lazy.iota 0 : tensor<2x64xi64>
  %one = arith.constant dense<1> : tensor<2x64xi64>
  %first = arith.cmpi slt, %i, %one : tensor<2x64xi64>
  %p = lazy.view %a <(2, 64):(64, 1) mask [0:1, 0:64]> : tensor<64xf32> -> tensor<2x64xf32>
  %q = lazy.view %b <(2, 64):(64, 1) + -64 mask [1:2, 0:64]> : tensor<64xf32> -> tensor<2x64xf32>
  %r = arith.select %first, %p, %q : tensor<2x64xi1>, tensor<2x64xf32>
  return %r : tensor<2x64xf32>
}

// A product has its loops for itself: with those of other parts around it would get no tile. Small ones may stay.
// CHECK-LABEL: func.func @product_beside_elements(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
func.func @product_beside_elements(%x: tensor<64x512x1xf32>, %y: tensor<1x512x196xf32>, %z: tensor<32x196xf32>) -> tensor<96x196xf32> {
  %xe = lazy.expand %x : tensor<64x512x1xf32> -> tensor<64x512x196xf32>
  %ye = lazy.expand %y : tensor<1x512x196xf32> -> tensor<64x512x196xf32>
  %m = arith.mulf %xe, %ye : tensor<64x512x196xf32>
  %a = lazy.reduce addf (%m) axes [1] : (tensor<64x512x196xf32>) -> tensor<64x196xf32>
  %b = math.exp %z : tensor<32x196xf32>
  %c = arith.constant dense<64> : tensor<96x196xi64>
  %i = lazy.iota 0 : tensor<96x196xi64>
  %first = arith.cmpi slt, %i, %c : tensor<96x196xi64>
  %p = lazy.pad %a low [0, 0] high [32, 0] : tensor<64x196xf32> -> tensor<96x196xf32>
  %q = lazy.pad %b low [64, 0] high [0, 0] : tensor<32x196xf32> -> tensor<96x196xf32>
  %s = arith.select %first, %p, %q : tensor<96x196xi1>, tensor<96x196xf32>
  return %s : tensor<96x196xf32>
}
