// What each cap of the cost model refuses, and that the remark names it. The graphs are small: a person sees that the cap
// and nothing else is what they meet.
// RUN: tiny-opt %s --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize --check-passes -o /dev/null

// A chain on 16 elements for each of 64 rows: cheaper than a launch, but far more than the graph has.
// CHECK: math.absf stored: too much would be computed again (maxEvaluations)
// CHECK: Function=max_operations {{.*}}2 kernels, 1152 operations; 1152 when nothing is computed twice
func.func @max_operations(%x: tensor<16xf32>, %y: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %0 = math.ceil %x : tensor<16xf32>
  %1 = math.floor %0 : tensor<16xf32>
  %2 = math.ceil %1 : tensor<16xf32>
  %3 = math.floor %2 : tensor<16xf32>
  %4 = math.ceil %3 : tensor<16xf32>
  %5 = math.floor %4 : tensor<16xf32>
  %6 = math.ceil %5 : tensor<16xf32>
  %7 = math.absf %6 : tensor<16xf32>
  %e = lazy.view %7 <(64, 16):(0, 1)> : tensor<16xf32> -> tensor<64x16xf32>
  %r = arith.addf %e, %y : tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// Five windows of one value.
// CHECK: math.exp stored: it is wanted at more places than it may be computed at (maxEvaluations)
func.func @max_copies(%x: tensor<12xf32>) -> tensor<8xf32> {
  %v = math.exp %x : tensor<12xf32>
  %w0 = lazy.shrink %v begin [0] end [8] : tensor<12xf32> -> tensor<8xf32>
  %w1 = lazy.shrink %v begin [1] end [9] : tensor<12xf32> -> tensor<8xf32>
  %w2 = lazy.shrink %v begin [2] end [10] : tensor<12xf32> -> tensor<8xf32>
  %w3 = lazy.shrink %v begin [3] end [11] : tensor<12xf32> -> tensor<8xf32>
  %w4 = lazy.shrink %v begin [4] end [12] : tensor<12xf32> -> tensor<8xf32>
  %1 = arith.mulf %w0, %w1 : tensor<8xf32>
  %2 = arith.mulf %1, %w2 : tensor<8xf32>
  %3 = arith.mulf %2, %w3 : tensor<8xf32>
  %4 = arith.mulf %3, %w4 : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// Nine sums of one row at once: as many accumulators as one loop likes.
// CHECK: Function=many_sums {{.*}}1 kernels
func.func @many_sums(%x: tensor<16x8xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<2.0> : tensor<16x8xf32>
  %p0 = arith.mulf %x, %c0 : tensor<16x8xf32>
  %s0 = lazy.reduce addf (%p0) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %c1 = arith.constant dense<3.0> : tensor<16x8xf32>
  %p1 = arith.mulf %x, %c1 : tensor<16x8xf32>
  %s1 = lazy.reduce addf (%p1) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %c2 = arith.constant dense<4.0> : tensor<16x8xf32>
  %p2 = arith.mulf %x, %c2 : tensor<16x8xf32>
  %s2 = lazy.reduce addf (%p2) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %c3 = arith.constant dense<5.0> : tensor<16x8xf32>
  %p3 = arith.mulf %x, %c3 : tensor<16x8xf32>
  %s3 = lazy.reduce addf (%p3) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %c4 = arith.constant dense<6.0> : tensor<16x8xf32>
  %p4 = arith.mulf %x, %c4 : tensor<16x8xf32>
  %s4 = lazy.reduce addf (%p4) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %c5 = arith.constant dense<7.0> : tensor<16x8xf32>
  %p5 = arith.mulf %x, %c5 : tensor<16x8xf32>
  %s5 = lazy.reduce addf (%p5) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %c6 = arith.constant dense<8.0> : tensor<16x8xf32>
  %p6 = arith.mulf %x, %c6 : tensor<16x8xf32>
  %s6 = lazy.reduce addf (%p6) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %c7 = arith.constant dense<9.0> : tensor<16x8xf32>
  %p7 = arith.mulf %x, %c7 : tensor<16x8xf32>
  %s7 = lazy.reduce addf (%p7) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %c8 = arith.constant dense<10.0> : tensor<16x8xf32>
  %p8 = arith.mulf %x, %c8 : tensor<16x8xf32>
  %s8 = lazy.reduce addf (%p8) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %1 = arith.mulf %s0, %s1 : tensor<16xf32>
  %2 = arith.mulf %1, %s2 : tensor<16xf32>
  %3 = arith.mulf %2, %s3 : tensor<16xf32>
  %4 = arith.mulf %3, %s4 : tensor<16xf32>
  %5 = arith.mulf %4, %s5 : tensor<16xf32>
  %6 = arith.mulf %5, %s6 : tensor<16xf32>
  %7 = arith.mulf %6, %s7 : tensor<16xf32>
  %8 = arith.mulf %7, %s8 : tensor<16xf32>
  return %8 : tensor<16xf32>
}

// Nine results of one shape from one input.
// CHECK: apart: their kernel would have too many results (maxResults)
// CHECK: Function=max_results {{.*}}2 kernels
func.func @max_results(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant dense<2.0> : tensor<8xf32>
  %0 = arith.mulf %x, %c0 : tensor<8xf32>
  %c1 = arith.constant dense<3.0> : tensor<8xf32>
  %1 = arith.mulf %x, %c1 : tensor<8xf32>
  %c2 = arith.constant dense<4.0> : tensor<8xf32>
  %2 = arith.mulf %x, %c2 : tensor<8xf32>
  %c3 = arith.constant dense<5.0> : tensor<8xf32>
  %3 = arith.mulf %x, %c3 : tensor<8xf32>
  %c4 = arith.constant dense<6.0> : tensor<8xf32>
  %4 = arith.mulf %x, %c4 : tensor<8xf32>
  %c5 = arith.constant dense<7.0> : tensor<8xf32>
  %5 = arith.mulf %x, %c5 : tensor<8xf32>
  %c6 = arith.constant dense<8.0> : tensor<8xf32>
  %6 = arith.mulf %x, %c6 : tensor<8xf32>
  %c7 = arith.constant dense<9.0> : tensor<8xf32>
  %7 = arith.mulf %x, %c7 : tensor<8xf32>
  %c8 = arith.constant dense<10.0> : tensor<8xf32>
  %8 = arith.mulf %x, %c8 : tensor<8xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Seven loops inside of seven.
// CHECK: Function=loops_in_loops {{.*}}1 kernels
func.func @loops_in_loops(%x: tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) -> tensor<f32> {
  %0 = lazy.reduce addf (%x) axes [7, 8, 9, 10, 11, 12, 13] : (tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2xf32>
  %1 = arith.negf %0 : tensor<2x2x2x2x2x2x2xf32>
  %2 = lazy.reduce maximumf (%1) axes [0, 1, 2, 3, 4, 5, 6] : (tensor<2x2x2x2x2x2x2xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// A long reduction inside a reduction.
// CHECK: lazy.reduce stored: the reduction would run inside another reduction (launch)
func.func @nested_reduction(%x: tensor<256x512xf32>) -> tensor<f32> {
  %0 = lazy.reduce addf (%x) axes [1] : (tensor<256x512xf32>) -> tensor<256xf32>
  %1 = lazy.reduce maximumf (%0) axes [0] : (tensor<256xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// Two rows of much work each.
// CHECK: lazy.reduce stored: too few rows would be left to run side by side (maxThreads)
func.func @max_threads(%x: tensor<2x262144xf32>) -> tensor<2x262144xf32> {
  %0 = lazy.reduce maximumf (%x) axes [1] : (tensor<2x262144xf32>) -> tensor<2xf32>
  %1 = lazy.view %0 <(2, 262144):(1, 0)> : tensor<2xf32> -> tensor<2x262144xf32>
  %2 = arith.subf %x, %1 : tensor<2x262144xf32>
  return %2 : tensor<2x262144xf32>
}

// Two reductions over different spaces, neither of them small.
// CHECK: lazy.reduce stored: the kernel reduces over another space already (launch)
func.func @small_reduction(%x: tensor<64x2048xf32>, %y: tensor<64x1500xf32>) -> tensor<64xf32> {
  %0 = lazy.reduce addf (%x) axes [1] : (tensor<64x2048xf32>) -> tensor<64xf32>
  %1 = lazy.reduce addf (%y) axes [1] : (tensor<64x1500xf32>) -> tensor<64xf32>
  %2 = arith.addf %0, %1 : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// A padded sum is computed in the padding too, but not where that costs more than a buffer.
// CHECK: Function=repeat {{.*}}lazy.reduce fused: the reduction runs once where it is used
// CHECK: Function=repeat {{.*}}lazy.reduce stored: the reduction would run again for each of its uses
func.func @repeat(%x: tensor<4x8xf32>, %w: tensor<4x16384xf32>, %y: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %0 = lazy.reduce addf (%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = lazy.pad %0 low [8] high [0] : tensor<4xf32> -> tensor<12xf32>
  %2 = arith.addf %1, %y : tensor<12xf32>
  %3 = lazy.reduce maximumf (%w) axes [1] : (tensor<4x16384xf32>) -> tensor<4xf32>
  %4 = lazy.pad %3 low [8] high [0] : tensor<4xf32> -> tensor<12xf32>
  %5 = arith.subf %4, %y : tensor<12xf32>
  return %2, %5 : tensor<12xf32>, tensor<12xf32>
}

// Two scans of one tensor, each in the other's loops.
// CHECK: lazy.scan {{.*}}scans along different axes have no common loops
func.func @scans(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %0 = lazy.scan addf %x axis 1 : tensor<3x2xf32>
  %1 = lazy.scan addf %x axis 0 : tensor<3x2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
}
