// RUN: tiny-opt %s -split-input-file --lazy-split-reduce=parallelism=256 | FileCheck %s
// RUN: tiny-opt %s -split-input-file --lazy-split-reduce=parallelism=4 | FileCheck %s --check-prefix=FOUR
// By default as many as the cores of the record, four.
// RUN: tiny-opt %s -split-input-file --target-attach=processor=x86-64 --lazy-split-reduce | FileCheck %s --check-prefix=FOUR
// RUN: tiny-opt %s -split-input-file --target-attach="target=cuda processor=sm_90" --lazy-split-reduce | FileCheck %s --check-prefix=GPU
// The checker evaluates small ones.
// RUN: sed -e s/65536/64/g -e s/4096/4/g -e s/32767/15/ -e s/65537/17/ %s > %t.mlir
// RUN: tiny-opt %t.mlir -split-input-file -lazy-split-reduce="parallelism=8 min-elements=4 min-parts=2" --check-passes -o %t.out.mlir
// RUN: grep -c lazy.contiguous %t.out.mlir | FileCheck %s --check-prefix=SMALL
// SMALL: {{^8$}}
// RUN: tiny-opt %s -split-input-file --lazy-split-reduce=parallelism=256 -o /dev/null --remarks-filter=lazy-split-reduce \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @sum(
// FOUR-LABEL: func.func @sum(
func.func @sum(%x: tensor<65536xf32>) -> tensor<f32> {
  // CHECK: %[[R:.*]] = lazy.reshape %{{.*}} : tensor<65536xf32> -> tensor<256x256xf32>
  // CHECK: %[[A:.*]] = lazy.reduce addf(%[[R]]) axes [1]
  // CHECK: %[[C:.*]] = lazy.contiguous %[[A]] : tensor<256xf32>
  // CHECK: %[[B:.*]] = lazy.reduce addf(%[[C]]) axes [0]
  // CHECK: return %[[B]]
  // FOUR: lazy.reshape %{{.*}} : tensor<65536xf32> -> tensor<4x16384xf32>
  // REMARK: remark: [Passed] split {{.*}}Function=sum | {{.*}}"axis 0 goes into 256 parts"
  %s = lazy.reduce addf (%x) axes [0] : (tensor<65536xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// The first reduced axis that enough parts divide; a kept axis before and one after it stay where they are.
// CHECK-LABEL: func.func @axes(
func.func @axes(%x: tensor<2x7x65536x3xf32>) -> tensor<2x3xf32> {
  // CHECK: lazy.reshape %{{.*}} : tensor<2x7x65536x3xf32> -> tensor<2x7x64x1024x3xf32>
  // CHECK: lazy.reduce maximumf(%{{.*}}) axes [1, 3] : (tensor<2x7x64x1024x3xf32>) -> tensor<2x64x3xf32>
  // CHECK: lazy.reduce maximumf(%{{.*}}) axes [1] : (tensor<2x64x3xf32>) -> tensor<2x3xf32>
  // REMARK: remark: [Passed] split {{.*}}Function=axes | {{.*}}"axis 2 goes into 64 parts"
  %s = lazy.reduce maximumf (%x) axes [1, 2] : (tensor<2x7x65536x3xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// -----

// An axis that is no longer than the parts vanishes from the first stage.
// CHECK-LABEL: func.func @whole_axis(
func.func @whole_axis(%x: tensor<64x4096xi32>) -> tensor<i32> {
  // CHECK: lazy.reduce addi(%{{.*}}) axes [1, 2] : (tensor<64x1x4096xi32>) -> tensor<64xi32>
  %s = lazy.reduce addi (%x) axes [0, 1] : (tensor<64x4096xi32>) -> tensor<i32>
  return %s : tensor<i32>
}

// -----

// Each of the following guards alone keeps a reduction whole.
// CHECK-LABEL: func.func @stays(
func.func @stays(%a: tensor<65536xf32>, %b: tensor<256x65536xf32>, %c: tensor<32767xf32>, %d: tensor<65537xf32>)
    -> (tensor<f32>, tensor<256xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  // CHECK-NOT: lazy.contiguous
  // It may not be reassociated.
  // REMARK: remark: [Missed] split {{.*}}Function=stays | {{.*}}"stays whole: its combiner may not be regrouped"
  %0 = lazy.reduce addf (%a) axes [0] fastmath<contract> : (tensor<65536xf32>) -> tensor<f32>
  // There are results enough.
  // REMARK: remark: [Missed] split {{.*}}Function=stays | {{.*}}"stays whole: its results fill the device (parallelism)"
  %1 = lazy.reduce addf (%b) axes [1] : (tensor<256x65536xf32>) -> tensor<256xf32>
  // It is short.
  // REMARK: remark: [Missed] split {{.*}}Function=stays | {{.*}}"stays whole: it combines few elements for each result (min-elements)"
  %2 = lazy.reduce addf (%c) axes [0] : (tensor<32767xf32>) -> tensor<f32>
  // Nothing divides its length.
  // REMARK: remark: [Missed] split {{.*}}Function=stays | {{.*}}"stays whole: no fitting number of parts divides an axis (min-parts)"
  %3 = lazy.reduce addf (%d) axes [0] : (tensor<65537xf32>) -> tensor<f32>
  // Its combiner is not one of two accumulators: a sum of squares.
  %4 = lazy.reduce (%a) init [0.0 : f32] axes [0] : (tensor<65536xf32>) -> tensor<f32> {
  ^bb0(%s: f32, %x: f32):
    %q = arith.mulf %x, %x : f32
    %r = arith.addf %s, %q : f32
    lazy.yield %r : f32
  }
  // CHECK: return
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<256xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Sum and maximum in one loop: each accumulator goes with its own element.
// CHECK-LABEL: func.func @separate(
func.func @separate(%x: tensor<65536xi32>) -> (tensor<i32>, tensor<i32>) {
  // CHECK: %[[P:.*]]:2 = lazy.reduce(%{{.*}}, %{{.*}}) init [0 : i32, 5 : i32] axes [1]
  // CHECK: lazy.contiguous %[[P]]#0
  // CHECK: lazy.contiguous %[[P]]#1
  // CHECK: lazy.reduce(%{{.*}}, %{{.*}}) init [0 : i32, 5 : i32] axes [0]
  %0:2 = lazy.reduce (%x, %x) init [0 : i32, 5 : i32] axes [0] : (tensor<65536xi32>, tensor<65536xi32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%s: i32, %m: i32, %x0: i32, %x1: i32):
    %a = arith.addi %x0, %s : i32
    %b = arith.maxsi %m, %x1 : i32
    lazy.yield %a, %b : i32, i32
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}

// A sum that begins with 1 would begin with it once for each part.
// CHECK-LABEL: func.func @no_identity(
func.func @no_identity(%x: tensor<65536xi32>) -> tensor<i32> {
  // CHECK-NOT: lazy.contiguous
  // CHECK: return
  %0 = lazy.reduce (%x) init [1 : i32] axes [0] : (tensor<65536xi32>) -> tensor<i32> {
  ^bb0(%s: i32, %e: i32):
    %a = arith.addi %s, %e : i32
    lazy.yield %a : i32
  }
  return %0 : tensor<i32>
}

// -----

// The first of the largest: parts are runs of neighbours.
// CHECK-LABEL: func.func @argmax(
func.func @argmax(%x: tensor<16x4096xi32>, %i: tensor<16x4096xi32>) -> (tensor<i32>, tensor<i32>) {
  // CHECK: lazy.reduce(%{{.*}}, %{{.*}}) init {{.*}} axes [1, 2] : (tensor<16x1x4096xi32>
  %0:2 = lazy.reduce (%x, %i) init [-2147483648 : i32, 0 : i32] axes [0, 1]
      : (tensor<16x4096xi32>, tensor<16x4096xi32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
    %gt = arith.cmpi sgt, %b, %a : i32
    %v = arith.select %gt, %b, %a : i32
    %k = arith.select %gt, %bi, %ai : i32
    lazy.yield %v, %k : i32, i32
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}

// With NaN there is no first of the largest.
// CHECK-LABEL: func.func @argmax_nan(
func.func @argmax_nan(%x: tensor<65536xf32>) -> tensor<f32> {
  // CHECK-NOT: lazy.contiguous
  // CHECK: return
  %0 = lazy.reduce (%x) init [0xFF800000 : f32] axes [0] : (tensor<65536xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %gt = arith.cmpf ogt, %b, %a : f32
    %v = arith.select %gt, %b, %a : f32
    lazy.yield %v : f32
  }
  return %0 : tensor<f32>
}

// What has too many elements to count is left to the gate and the conversion, which name the operation.
// CHECK-LABEL: func.func @uncountable(
func.func @uncountable(%x: tensor<6000000000x1xf32>) -> tensor<f32> {
  // CHECK-NOT: lazy.contiguous
  // CHECK: lazy.reduce addf(%{{.*}}) axes [0, 1]
  %e = lazy.expand %x : tensor<6000000000x1xf32> -> tensor<6000000000x6000000000xf32>
  // REMARK: remark: [Missed] split {{.*}}Function=uncountable | {{.*}}"stays whole: its elements can't be counted"
  %0 = lazy.reduce addf (%e) axes [0, 1] : (tensor<6000000000x6000000000xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @empty(
func.func @empty(%x: tensor<0x65536xf32>) -> tensor<f32> {
  // CHECK-NOT: lazy.contiguous
  // REMARK: remark: [Missed] split {{.*}}Function=empty | {{.*}}"stays whole: it has no elements"
  %0 = lazy.reduce addf (%x) axes [0, 1] : (tensor<0x65536xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// On a GPU a product of matrices with few results is split where each part combines enough. Parts lie apart, so that
// results next to each other are stored next to each other.
// CHECK-LABEL: func.func @product(
// GPU-LABEL: func.func @product(
func.func @product(%x: tensor<32x4096xf32>, %w: tensor<4096x96xf32>) -> tensor<32x96xf32> {
  // CHECK-NOT: lazy.contiguous
  // GPU: %[[PARTS:.*]] = lazy.reduce addf(%{{.*}}) axes [3] : (tensor<32x96x8x512xf32>) -> tensor<32x96x8xf32>
  // GPU: %[[APART:.*]] = lazy.permute %[[PARTS]] [2, 0, 1]
  // GPU: %[[STORED:.*]] = lazy.contiguous %[[APART]]
  // GPU: lazy.reduce addf(%[[STORED]]) axes [0] : (tensor<8x32x96xf32>) -> tensor<32x96xf32>
  %0 = lazy.view %x <(32, 96, 4096):(4096, 0, 1)> : tensor<32x4096xf32> -> tensor<32x96x4096xf32>
  %1 = lazy.view %w <(32, 96, 4096):(0, 1, 96)> : tensor<4096x96xf32> -> tensor<32x96x4096xf32>
  %2 = arith.mulf %0, %1 : tensor<32x96x4096xf32>
  %3 = lazy.reduce addf (%2) axes [2] : (tensor<32x96x4096xf32>) -> tensor<32x96xf32>
  return %3 : tensor<32x96xf32>
}

// Of a product of two vectors a workgroup's lanes reduce each row.
// CHECK-LABEL: func.func @rows(
// GPU-LABEL: func.func @rows(
func.func @rows(%x: tensor<256x4096xf32>, %w: tensor<256x4096xf32>) -> tensor<256xf32> {
  // CHECK-NOT: lazy.contiguous
  // GPU-NOT: lazy.contiguous
  // GPU: return
  %0 = arith.mulf %x, %w : tensor<256x4096xf32>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<256x4096xf32>) -> tensor<256xf32>
  return %1 : tensor<256xf32>
}
