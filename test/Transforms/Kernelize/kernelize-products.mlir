// Products of one kernel, which run side by side: each function is one kernel, two where it says so.
// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --check-passes --lazy-fold-views --lazy-kernelize --convert-lazy-to-kernel -o /dev/null

// A gate and what it lets through, which one weight gives: the halves of each row are computed once.
// CHECK-LABEL: func.func @fused_gate(
// CHECK: lazy.group "mulf_reduce_negf_exp"
// CHECK-NOT: lazy.group
func.func @fused_gate(%x: tensor<16x128xf32>, %w: tensor<128x256xf32>) -> tensor<16x128xf32> {
  %one = arith.constant dense<1.0> : tensor<16x128xf32>
  %0 = lazy.view %x <(16, 256, 128):(128, 0, 1)> : tensor<16x128xf32> -> tensor<16x256x128xf32>
  %1 = lazy.view %w <(16, 256, 128):(0, 1, 256)> : tensor<128x256xf32> -> tensor<16x256x128xf32>
  %2 = arith.mulf %0, %1 : tensor<16x256x128xf32>
  %y = lazy.reduce addf (%2) axes [2] : (tensor<16x256x128xf32>) -> tensor<16x256xf32>
  %g = lazy.shrink %y begin [0, 0] end [16, 128] : tensor<16x256xf32> -> tensor<16x128xf32>
  %u = lazy.shrink %y begin [0, 128] end [16, 256] : tensor<16x256xf32> -> tensor<16x128xf32>
  %3 = arith.negf %g : tensor<16x128xf32>
  %4 = math.exp %3 : tensor<16x128xf32>
  %5 = arith.addf %4, %one : tensor<16x128xf32>
  %6 = arith.divf %g, %5 : tensor<16x128xf32>
  %7 = arith.mulf %6, %u : tensor<16x128xf32>
  return %7 : tensor<16x128xf32>
}

// Two weights.
// CHECK-LABEL: func.func @gate(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @gate(%x: tensor<16x128xf32>, %v: tensor<128x256xf32>, %w: tensor<128x256xf32>) -> tensor<16x256xf32> {
  %0 = lazy.view %x <(16, 256, 128):(128, 0, 1)> : tensor<16x128xf32> -> tensor<16x256x128xf32>
  %1 = lazy.view %v <(16, 256, 128):(0, 1, 256)> : tensor<128x256xf32> -> tensor<16x256x128xf32>
  %2 = lazy.view %w <(16, 256, 128):(0, 1, 256)> : tensor<128x256xf32> -> tensor<16x256x128xf32>
  %3 = arith.mulf %0, %1 : tensor<16x256x128xf32>
  %4 = arith.mulf %0, %2 : tensor<16x256x128xf32>
  %g = lazy.reduce addf (%3) axes [2] : (tensor<16x256x128xf32>) -> tensor<16x256xf32>
  %u = lazy.reduce addf (%4) axes [2] : (tensor<16x256x128xf32>) -> tensor<16x256xf32>
  %5 = math.exp %g : tensor<16x256xf32>
  %6 = arith.mulf %5, %u : tensor<16x256xf32>
  return %6 : tensor<16x256xf32>
}

// Three results of one weight, with the bias that ends them.
// CHECK-LABEL: func.func @projections(
// CHECK: %{{.*}}:3 = lazy.group
// CHECK-NOT: lazy.group
func.func @projections(%x: tensor<16x64xf32>, %w: tensor<64x192xf32>, %b: tensor<192xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
  %0 = lazy.view %x <(16, 192, 64):(64, 0, 1)> : tensor<16x64xf32> -> tensor<16x192x64xf32>
  %1 = lazy.view %w <(16, 192, 64):(0, 1, 192)> : tensor<64x192xf32> -> tensor<16x192x64xf32>
  %2 = arith.mulf %0, %1 : tensor<16x192x64xf32>
  %3 = lazy.reduce addf (%2) axes [2] : (tensor<16x192x64xf32>) -> tensor<16x192xf32>
  %4 = lazy.view %b <(16, 192):(0, 1)> : tensor<192xf32> -> tensor<16x192xf32>
  %y = arith.addf %3, %4 : tensor<16x192xf32>
  %q = lazy.shrink %y begin [0, 0] end [16, 64] : tensor<16x192xf32> -> tensor<16x64xf32>
  %k = lazy.shrink %y begin [0, 64] end [16, 128] : tensor<16x192xf32> -> tensor<16x64xf32>
  %v = lazy.shrink %y begin [0, 128] end [16, 192] : tensor<16x192xf32> -> tensor<16x64xf32>
  return %q, %k, %v : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
}

// The sum of two products, in four windows: a recurrent cell.
// CHECK-LABEL: func.func @cell(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @cell(%x: tensor<8x32xf32>, %h: tensor<8x32xf32>, %c: tensor<8x32xf32>, %w: tensor<32x128xf32>, %v: tensor<32x128xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %0 = lazy.view %x <(8, 128, 32):(32, 0, 1)> : tensor<8x32xf32> -> tensor<8x128x32xf32>
  %1 = lazy.view %w <(8, 128, 32):(0, 1, 128)> : tensor<32x128xf32> -> tensor<8x128x32xf32>
  %2 = lazy.view %h <(8, 128, 32):(32, 0, 1)> : tensor<8x32xf32> -> tensor<8x128x32xf32>
  %3 = lazy.view %v <(8, 128, 32):(0, 1, 128)> : tensor<32x128xf32> -> tensor<8x128x32xf32>
  %4 = arith.mulf %0, %1 : tensor<8x128x32xf32>
  %5 = arith.mulf %2, %3 : tensor<8x128x32xf32>
  %6 = lazy.reduce addf (%4) axes [2] : (tensor<8x128x32xf32>) -> tensor<8x128xf32>
  %7 = lazy.reduce addf (%5) axes [2] : (tensor<8x128x32xf32>) -> tensor<8x128xf32>
  %y = arith.addf %6, %7 : tensor<8x128xf32>
  %i = lazy.shrink %y begin [0, 0] end [8, 32] : tensor<8x128xf32> -> tensor<8x32xf32>
  %f = lazy.shrink %y begin [0, 32] end [8, 64] : tensor<8x128xf32> -> tensor<8x32xf32>
  %g = lazy.shrink %y begin [0, 64] end [8, 96] : tensor<8x128xf32> -> tensor<8x32xf32>
  %o = lazy.shrink %y begin [0, 96] end [8, 128] : tensor<8x128xf32> -> tensor<8x32xf32>
  %8 = arith.mulf %f, %c : tensor<8x32xf32>
  %9 = arith.mulf %i, %g : tensor<8x32xf32>
  %10 = arith.addf %8, %9 : tensor<8x32xf32>
  %11 = math.tanh %10 : tensor<8x32xf32>
  %12 = arith.mulf %o, %11 : tensor<8x32xf32>
  return %12, %10 : tensor<8x32xf32>, tensor<8x32xf32>
}

// Each second element of a sum with its neighbour.
// CHECK-LABEL: func.func @even_and_odd(
// CHECK: lazy.group "reduce_mulf"
// CHECK-NOT: lazy.group
func.func @even_and_odd(%x: tensor<64x48xf32>) -> tensor<32xf32> {
  %y = lazy.reduce addf (%x) axes [1] : (tensor<64x48xf32>) -> tensor<64xf32>
  %a = lazy.view %y <(32):(2)> : tensor<64xf32> -> tensor<32xf32>
  %b = lazy.view %y <(32):(2) + 1> : tensor<64xf32> -> tensor<32xf32>
  %0 = arith.mulf %a, %b : tensor<32xf32>
  return %0 : tensor<32xf32>
}

// A vector times a matrix has no rows to tile.
// CHECK-LABEL: func.func @vector(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
// REMARK: Function=vector {{.*}}lazy.reduce stored: as a whole it runs faster than in windows, of which only a small product's are tiled together (largestWindowed)
func.func @vector(%x: tensor<1x512xf32>, %w: tensor<512x2048xf32>) -> tensor<1x1024xf32> {
  %0 = lazy.view %x <(1, 2048, 512):(0, 0, 1)> : tensor<1x512xf32> -> tensor<1x2048x512xf32>
  %1 = lazy.view %w <(1, 2048, 512):(0, 1, 2048)> : tensor<512x2048xf32> -> tensor<1x2048x512xf32>
  %2 = arith.mulf %0, %1 : tensor<1x2048x512xf32>
  %y = lazy.reduce addf (%2) axes [2] : (tensor<1x2048x512xf32>) -> tensor<1x2048xf32>
  %g = lazy.shrink %y begin [0, 0] end [1, 1024] : tensor<1x2048xf32> -> tensor<1x1024xf32>
  %u = lazy.shrink %y begin [0, 1024] end [1, 2048] : tensor<1x2048xf32> -> tensor<1x1024xf32>
  %3 = arith.mulf %g, %u : tensor<1x1024xf32>
  return %3 : tensor<1x1024xf32>
}

// Two large products may share the registers; these would be eight, so both are stored with their sum.
// CHECK-LABEL: func.func @large_cell(
// CHECK: lazy.group "mulf_reduce_addf"
// CHECK: lazy.group "mulf_addf"
// CHECK-NOT: lazy.group
// REMARK: Function=large_cell {{.*}}arith.addf stored: it ends a reduction that can't run where it is used
func.func @large_cell(%x: tensor<64x96xf32>, %h: tensor<64x96xf32>, %w: tensor<96x384xf32>, %v: tensor<96x384xf32>) -> tensor<64x96xf32> {
  %0 = lazy.view %x <(64, 384, 96):(96, 0, 1)> : tensor<64x96xf32> -> tensor<64x384x96xf32>
  %1 = lazy.view %w <(64, 384, 96):(0, 1, 384)> : tensor<96x384xf32> -> tensor<64x384x96xf32>
  %2 = lazy.view %h <(64, 384, 96):(96, 0, 1)> : tensor<64x96xf32> -> tensor<64x384x96xf32>
  %3 = lazy.view %v <(64, 384, 96):(0, 1, 384)> : tensor<96x384xf32> -> tensor<64x384x96xf32>
  %4 = arith.mulf %0, %1 : tensor<64x384x96xf32>
  %5 = arith.mulf %2, %3 : tensor<64x384x96xf32>
  %6 = lazy.reduce addf (%4) axes [2] : (tensor<64x384x96xf32>) -> tensor<64x384xf32>
  %7 = lazy.reduce addf (%5) axes [2] : (tensor<64x384x96xf32>) -> tensor<64x384xf32>
  %y = arith.addf %6, %7 : tensor<64x384xf32>
  %i = lazy.shrink %y begin [0, 0] end [64, 96] : tensor<64x384xf32> -> tensor<64x96xf32>
  %f = lazy.shrink %y begin [0, 96] end [64, 192] : tensor<64x384xf32> -> tensor<64x96xf32>
  %g = lazy.shrink %y begin [0, 192] end [64, 288] : tensor<64x384xf32> -> tensor<64x96xf32>
  %o = lazy.shrink %y begin [0, 288] end [64, 384] : tensor<64x384xf32> -> tensor<64x96xf32>
  %8 = arith.mulf %f, %g : tensor<64x96xf32>
  %9 = arith.mulf %i, %o : tensor<64x96xf32>
  %10 = arith.addf %8, %9 : tensor<64x96xf32>
  return %10 : tensor<64x96xf32>
}

// Windows that overlap would compute what they share again, though they have no more elements than the whole.
// CHECK-LABEL: func.func @overlapping(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
// REMARK: Function=overlapping {{.*}}lazy.reduce stored: the reduction would run again for each of its uses
func.func @overlapping(%x: tensor<64x4096xf32>) -> tensor<20xf32> {
  %y = lazy.reduce addf (%x) axes [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %a = lazy.shrink %y begin [0] end [20] : tensor<64xf32> -> tensor<20xf32>
  %b = lazy.shrink %y begin [10] end [30] : tensor<64xf32> -> tensor<20xf32>
  %0 = arith.mulf %a, %b : tensor<20xf32>
  return %0 : tensor<20xf32>
}

// Two products of one value, of which the second is read the other way round: its columns are rows.
// CHECK-LABEL: func.func @turned(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @turned(%x: tensor<96x96xf32>, %v: tensor<96x96xf32>, %w: tensor<96x96xf32>) -> tensor<96x96xf32> {
  %0 = lazy.view %x <(96, 96, 96):(96, 0, 1)> : tensor<96x96xf32> -> tensor<96x96x96xf32>
  %1 = lazy.view %v <(96, 96, 96):(0, 1, 96)> : tensor<96x96xf32> -> tensor<96x96x96xf32>
  %2 = lazy.view %w <(96, 96, 96):(0, 1, 96)> : tensor<96x96xf32> -> tensor<96x96x96xf32>
  %3 = arith.mulf %0, %1 : tensor<96x96x96xf32>
  %4 = arith.mulf %0, %2 : tensor<96x96x96xf32>
  %a = lazy.reduce addf (%3) axes [2] : (tensor<96x96x96xf32>) -> tensor<96x96xf32>
  %b = lazy.reduce addf (%4) axes [2] : (tensor<96x96x96xf32>) -> tensor<96x96xf32>
  %t = lazy.permute %b [1, 0] : tensor<96x96xf32> -> tensor<96x96xf32>
  %5 = arith.addf %a, %t : tensor<96x96xf32>
  return %5 : tensor<96x96xf32>
}

// A large product and a maximum over the same loops.
// CHECK-LABEL: func.func @product_and_maximum(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
// REMARK: Function=product_and_maximum {{.*}}lazy.reduce stored: the kernel reduces in other loops than those of a product (launch)
func.func @product_and_maximum(%x: tensor<96x96xf32>, %v: tensor<96x96xf32>) -> tensor<96x96xf32> {
  %0 = lazy.view %x <(96, 96, 96):(96, 0, 1)> : tensor<96x96xf32> -> tensor<96x96x96xf32>
  %1 = lazy.view %v <(96, 96, 96):(0, 1, 96)> : tensor<96x96xf32> -> tensor<96x96x96xf32>
  %2 = arith.mulf %0, %1 : tensor<96x96x96xf32>
  %3 = arith.addf %0, %1 : tensor<96x96x96xf32>
  %a = lazy.reduce addf (%2) axes [2] : (tensor<96x96x96xf32>) -> tensor<96x96xf32>
  %b = lazy.reduce maximumf (%3) axes [2] : (tensor<96x96x96xf32>) -> tensor<96x96xf32>
  %4 = arith.addf %a, %b : tensor<96x96xf32>
  return %4 : tensor<96x96xf32>
}

// Three large products.
// CHECK-LABEL: func.func @three(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
// REMARK: Function=three {{.*}}lazy.reduce stored: the kernel has as many large products as may share the registers (maxProducts)
func.func @three(%x: tensor<96x96xf32>, %u: tensor<96x96xf32>, %v: tensor<96x96xf32>, %w: tensor<96x96xf32>) -> tensor<96x96xf32> {
  %0 = lazy.view %x <(96, 96, 96):(96, 0, 1)> : tensor<96x96xf32> -> tensor<96x96x96xf32>
  %1 = lazy.view %u <(96, 96, 96):(0, 1, 96)> : tensor<96x96xf32> -> tensor<96x96x96xf32>
  %2 = lazy.view %v <(96, 96, 96):(0, 1, 96)> : tensor<96x96xf32> -> tensor<96x96x96xf32>
  %3 = lazy.view %w <(96, 96, 96):(0, 1, 96)> : tensor<96x96xf32> -> tensor<96x96x96xf32>
  %4 = arith.mulf %0, %1 : tensor<96x96x96xf32>
  %5 = arith.mulf %0, %2 : tensor<96x96x96xf32>
  %6 = arith.mulf %0, %3 : tensor<96x96x96xf32>
  %a = lazy.reduce addf (%4) axes [2] : (tensor<96x96x96xf32>) -> tensor<96x96xf32>
  %b = lazy.reduce addf (%5) axes [2] : (tensor<96x96x96xf32>) -> tensor<96x96xf32>
  %c = lazy.reduce addf (%6) axes [2] : (tensor<96x96x96xf32>) -> tensor<96x96xf32>
  %7 = arith.addf %a, %b : tensor<96x96xf32>
  %8 = arith.mulf %7, %c : tensor<96x96xf32>
  return %8 : tensor<96x96xf32>
}

// What ends a product is stored, since another product reads each of its elements again and again.
// CHECK-LABEL: func.func @product_of_product(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
// REMARK: Function=product_of_product {{.*}}math.absf stored: it ends a reduction, which would run again for each of its uses there
func.func @product_of_product(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>, %v: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %0 = lazy.view %x <(64, 128, 96):(96, 0, 1)> : tensor<64x96xf32> -> tensor<64x128x96xf32>
  %1 = lazy.view %w <(64, 128, 96):(0, 1, 128)> : tensor<96x128xf32> -> tensor<64x128x96xf32>
  %2 = arith.mulf %0, %1 : tensor<64x128x96xf32>
  %3 = lazy.reduce addf (%2) axes [2] : (tensor<64x128x96xf32>) -> tensor<64x128xf32>
  %4 = math.absf %3 : tensor<64x128xf32>
  %5 = lazy.view %4 <(64, 64, 128):(128, 0, 1)> : tensor<64x128xf32> -> tensor<64x64x128xf32>
  %6 = lazy.view %v <(64, 64, 128):(0, 1, 64)> : tensor<128x64xf32> -> tensor<64x64x128xf32>
  %7 = arith.mulf %5, %6 : tensor<64x64x128xf32>
  %8 = lazy.reduce addf (%7) axes [2] : (tensor<64x64x128xf32>) -> tensor<64x64xf32>
  return %8 : tensor<64x64xf32>
}
