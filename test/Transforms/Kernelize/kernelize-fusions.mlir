// Every fusion that a person would see, one by one: each function is one kernel, two where it says so.
// RUN: tiny-opt %s --lazy-fold-views --lazy-collapse-reduce --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --lazy-fold-views --lazy-collapse-reduce --lazy-kernelize --check-passes -o /dev/null

// CHECK-LABEL: func.func @elementwise_into_elementwise(
// CHECK: lazy.group "addf_exp_negf"
// CHECK-NOT: lazy.group
func.func @elementwise_into_elementwise(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = arith.addf %x, %y : tensor<4x8xf32>
  %1 = math.exp %0 : tensor<4x8xf32>
  %2 = arith.negf %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @elementwise_into_reduction(
// CHECK: lazy.group "exp_reduce"
// CHECK-NOT: lazy.group
func.func @elementwise_into_reduction(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4x8xf32>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @epilogue(
// CHECK: lazy.group "reduce_mulf_sqrt"
// CHECK-NOT: lazy.group
func.func @epilogue(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lazy.reduce addf (%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = arith.mulf %0, %y : tensor<4xf32>
  %2 = math.sqrt %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

//===--- Across movement ------------------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @across_reshape_and_permute(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @across_reshape_and_permute(%x: tensor<4x6xf32>) -> tensor<8x3xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  %1 = lazy.permute %0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %2 = lazy.reshape %1 : tensor<6x4xf32> -> tensor<8x3xf32>
  %3 = arith.negf %2 : tensor<8x3xf32>
  return %3 : tensor<8x3xf32>
}

// CHECK-LABEL: func.func @across_expand(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @across_expand(%x: tensor<4x1xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = arith.negf %x : tensor<4x1xf32>
  %1 = lazy.expand %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = arith.addf %1, %y : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @across_pad(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @across_pad(%x: tensor<4x6xf32>, %y: tensor<6x9xf32>) -> tensor<6x9xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  %1 = lazy.pad %0 low [1, 0] high [1, 3] : tensor<4x6xf32> -> tensor<6x9xf32>
  %2 = arith.addf %1, %y : tensor<6x9xf32>
  return %2 : tensor<6x9xf32>
}

// CHECK-LABEL: func.func @across_shrink_and_flip(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @across_shrink_and_flip(%x: tensor<6x9xf32>) -> tensor<4x6xf32> {
  %0 = math.exp %x : tensor<6x9xf32>
  %1 = lazy.shrink %0 begin [1, 0] end [5, 6] : tensor<6x9xf32> -> tensor<4x6xf32>
  %2 = lazy.flip %1 [1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %3 = arith.negf %2 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// Every second element.
// CHECK-LABEL: func.func @across_stride(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @across_stride(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<8xf32>
  %1 = lazy.view %0 <(4):(2) + 1> : tensor<8xf32> -> tensor<4xf32>
  %2 = arith.negf %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A reduction's result through a pad: masked, not computed again.
// CHECK-LABEL: func.func @reduction_across_pad(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @reduction_across_pad(%x: tensor<4x8xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  %0 = lazy.reduce addf (%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = lazy.pad %0 low [1] high [1] : tensor<4xf32> -> tensor<6xf32>
  %2 = arith.addf %1, %y : tensor<6xf32>
  return %2 : tensor<6xf32>
}

//===--- Several consumers and results ----------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @several_consumers(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @several_consumers(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = math.exp %x : tensor<4x8xf32>
  %1 = arith.negf %0 : tensor<4x8xf32>
  %2 = math.sqrt %0 : tensor<4x8xf32>
  %3 = arith.mulf %1, %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @several_results(
// CHECK: lazy.group {{.*}} -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-NOT: lazy.group
func.func @several_results(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = math.exp %x : tensor<4x8xf32>
  %1 = arith.negf %0 : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @reductions_side_by_side(
// CHECK: lazy.group {{.*}} -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: lazy.group
func.func @reductions_side_by_side(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = lazy.reduce addf (%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = lazy.reduce maximumf (%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %q = arith.mulf %x, %x : tensor<4x8xf32>
  %2 = lazy.reduce addf (%q) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @mean_and_variance(
// CHECK: lazy.group {{.*}} -> (tensor<16xf32>, tensor<16xf32>)
// CHECK-NOT: lazy.group
func.func @mean_and_variance(%x: tensor<16x8xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %n = arith.constant dense<0.125> : tensor<16xf32>
  %s = lazy.reduce addf (%x) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %m = arith.mulf %s, %n : tensor<16xf32>
  %me = lazy.view %m <(16, 8):(1, 0)> : tensor<16xf32> -> tensor<16x8xf32>
  %d = arith.subf %x, %me : tensor<16x8xf32>
  %q = arith.mulf %d, %d : tensor<16x8xf32>
  %v = lazy.reduce addf (%q) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %vn = arith.mulf %v, %n : tensor<16xf32>
  return %m, %vn : tensor<16xf32>, tensor<16xf32>
}

//===--- Reductions in sequence over one row ----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @log_softmax(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @log_softmax(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %me = lazy.view %m <(16, 8):(1, 0)> : tensor<16xf32> -> tensor<16x8xf32>
  %d = arith.subf %x, %me : tensor<16x8xf32>
  %e = math.exp %d : tensor<16x8xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %l = math.log %s : tensor<16xf32>
  %le = lazy.view %l <(16, 8):(1, 0)> : tensor<16xf32> -> tensor<16x8xf32>
  %r = arith.subf %d, %le : tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @log_sum_exp(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @log_sum_exp(%x: tensor<16x8xf32>) -> tensor<16xf32> {
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %me = lazy.view %m <(16, 8):(1, 0)> : tensor<16xf32> -> tensor<16x8xf32>
  %d = arith.subf %x, %me : tensor<16x8xf32>
  %e = math.exp %d : tensor<16x8xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %l = math.log %s : tensor<16xf32>
  %r = arith.addf %l, %m : tensor<16xf32>
  return %r : tensor<16xf32>
}

// The largest index at which the row equals its maximum: two reductions, one after the other.
// CHECK-LABEL: func.func @argmax(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @argmax(%x: tensor<16x8xf32>) -> tensor<16xi32> {
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<16x8xf32>) -> tensor<16xf32>
  %me = lazy.view %m <(16, 8):(1, 0)> : tensor<16xf32> -> tensor<16x8xf32>
  %is = arith.cmpf oeq, %x, %me : tensor<16x8xf32>
  %i = lazy.iota 1 : tensor<16x8xi32>
  %none = arith.constant dense<-1> : tensor<16x8xi32>
  %k = arith.select %is, %i, %none : tensor<16x8xi1>, tensor<16x8xi32>
  %r = lazy.reduce maxs (%k) axes [1] : (tensor<16x8xi32>) -> tensor<16xi32>
  return %r : tensor<16xi32>
}

//===--- What never touches memory --------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @constants_and_indices(
// CHECK: lazy.group {{.*}}(%{{[a-z0-9]*}}) : (tensor<8x8xf32>)
// CHECK-NOT: lazy.group
func.func @constants_and_indices(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %two = arith.constant dense<2.0> : tensor<8x8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %lower = arith.cmpi sge, %i, %j : tensor<8x8xi32>
  %y = arith.mulf %x, %two : tensor<8x8xf32>
  %r = arith.select %lower, %y, %zero : tensor<8x8xi1>, tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// An arange spelled as a sum over a triangle that is padding.
// CHECK-LABEL: func.func @arange_of_a_sum(
// CHECK: lazy.group {{.*}}(%{{[a-z0-9]*}}) : (tensor<3xi32>)
// CHECK: lazy.iota
// CHECK-NOT: lazy.reduce
// CHECK-NOT: lazy.group
func.func @arange_of_a_sum(%x: tensor<3xi32>) -> tensor<3xi32> {
  %ones = arith.constant dense<1> : tensor<3xi32>
  %t = lazy.view %ones <(4, 5):(0, 1) + -2 mask [0:4, 2:5], (3, 3):(6, 1)> : tensor<3xi32> -> tensor<3x3xi32>
  %a = lazy.reduce addi (%t) axes [1] : (tensor<3x3xi32>) -> tensor<3xi32>
  %r = arith.addi %a, %x : tensor<3xi32>
  return %r : tensor<3xi32>
}

// A one-hot is compared, not stored.
// CHECK-LABEL: func.func @one_hot(
// CHECK: lazy.group {{.*}}(%{{[a-z0-9]*}}) : (tensor<4xi32>)
// CHECK-NOT: lazy.group
func.func @one_hot(%x: tensor<4xi32>) -> tensor<4x10xf32> {
  %xe = lazy.view %x <(4, 10):(1, 0)> : tensor<4xi32> -> tensor<4x10xi32>
  %j = lazy.iota 1 : tensor<4x10xi32>
  %is = arith.cmpi eq, %xe, %j : tensor<4x10xi32>
  %r = arith.uitofp %is : tensor<4x10xi1> to tensor<4x10xf32>
  return %r : tensor<4x10xf32>
}

//===--- Along any axes ---------------------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @softmax_of_columns(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @softmax_of_columns(%x: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %m = lazy.reduce maximumf (%x) axes [0] : (tensor<32x16xf32>) -> tensor<16xf32>
  %me = lazy.view %m <(32, 16):(0, 1)> : tensor<16xf32> -> tensor<32x16xf32>
  %d = arith.subf %x, %me : tensor<32x16xf32>
  %e = math.exp %d : tensor<32x16xf32>
  %s = lazy.reduce addf (%e) axes [0] : (tensor<32x16xf32>) -> tensor<16xf32>
  %se = lazy.view %s <(32, 16):(0, 1)> : tensor<16xf32> -> tensor<32x16xf32>
  %r = arith.divf %e, %se : tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}

// The statistics of a channel, over the batch and the picture, with a scale for each row that stays inside.
// CHECK-LABEL: func.func @batch_norm_in_training(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @batch_norm_in_training(%x: tensor<4x16x8xf32>, %w: tensor<4xf32>) -> tensor<4x16x8xf32> {
  %n = arith.constant dense<0.03125> : tensor<16xf32>
  %s = lazy.reduce addf (%x) axes [0, 2] : (tensor<4x16x8xf32>) -> tensor<16xf32>
  %m = arith.mulf %s, %n : tensor<16xf32>
  %me = lazy.view %m <(4, 16, 8):(0, 1, 0)> : tensor<16xf32> -> tensor<4x16x8xf32>
  %d = arith.subf %x, %me : tensor<4x16x8xf32>
  %q = arith.mulf %d, %d : tensor<4x16x8xf32>
  %v = lazy.reduce addf (%q) axes [0, 2] : (tensor<4x16x8xf32>) -> tensor<16xf32>
  %r = math.rsqrt %v : tensor<16xf32>
  %re = lazy.view %r <(4, 16, 8):(0, 1, 0)> : tensor<16xf32> -> tensor<4x16x8xf32>
  %y = arith.mulf %d, %re : tensor<4x16x8xf32>
  %wx = math.exp %w : tensor<4xf32>
  %we = lazy.view %wx <(4, 16, 8):(1, 0, 0)> : tensor<4xf32> -> tensor<4x16x8xf32>
  %z = arith.mulf %y, %we : tensor<4x16x8xf32>
  return %z : tensor<4x16x8xf32>
}

//===--- Layers ---------------------------------------------------------------------------------------------------===//

// A convolution with the normalisation and activation that follow it: what is computed per channel is recomputed.
// CHECK-LABEL: func.func @batch_norm_in_its_convolution(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
func.func @batch_norm_in_its_convolution(%x: tensor<4x3x8x8xf32>, %w: tensor<8x3x3x3xf32>, %mean: tensor<8xf32>,
    %var: tensor<8xf32>, %scale: tensor<8xf32>) -> tensor<4x8x6x6xf32> {
  %xe = lazy.view %x <(4, 8, 6, 6, 3, 3, 3):(192, 0, 8, 1, 64, 8, 1)> : tensor<4x3x8x8xf32> -> tensor<4x8x6x6x3x3x3xf32>
  %we = lazy.view %w <(4, 8, 6, 6, 3, 3, 3):(0, 27, 0, 0, 9, 3, 1)> : tensor<8x3x3x3xf32> -> tensor<4x8x6x6x3x3x3xf32>
  %p = arith.mulf %xe, %we : tensor<4x8x6x6x3x3x3xf32>
  %c = lazy.reduce addf (%p) axes [4, 5, 6] : (tensor<4x8x6x6x3x3x3xf32>) -> tensor<4x8x6x6xf32>
  %me = lazy.view %mean <(4, 8, 6, 6):(0, 1, 0, 0)> : tensor<8xf32> -> tensor<4x8x6x6xf32>
  %d = arith.subf %c, %me : tensor<4x8x6x6xf32>
  %rs = math.rsqrt %var : tensor<8xf32>
  %f = arith.mulf %rs, %scale : tensor<8xf32>
  %fe = lazy.view %f <(4, 8, 6, 6):(0, 1, 0, 0)> : tensor<8xf32> -> tensor<4x8x6x6xf32>
  %n = arith.mulf %d, %fe : tensor<4x8x6x6xf32>
  %zero = arith.constant dense<0.0> : tensor<4x8x6x6xf32>
  %r = arith.maximumf %n, %zero : tensor<4x8x6x6xf32>
  return %r : tensor<4x8x6x6xf32>
}

// The operands of a product are packed, and what is computed of them goes in: once for the rows that share a column, not
// once for each element of the result.
// CHECK-LABEL: func.func @into_product(
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
func.func @into_product(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %relu = arith.maximumf %x, %zero : tensor<128x128xf32>
  %scaled = arith.mulf %w, %w : tensor<128x128xf32>
  %a = lazy.view %relu <(128, 128, 128):(128, 0, 1)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %b = lazy.view %scaled <(128, 128, 128):(0, 1, 128)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %p = arith.mulf %a, %b : tensor<128x128x128xf32>
  %r = lazy.reduce addf (%p) axes [2] : (tensor<128x128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// A distance is no product of operands that could be packed.
// CHECK-LABEL: func.func @distance(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
func.func @distance(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %square = arith.mulf %x, %x : tensor<128x128xf32>
  %a = lazy.view %square <(128, 128, 128):(128, 0, 1)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %b = lazy.view %w <(128, 128, 128):(0, 1, 128)> : tensor<128x128xf32> -> tensor<128x128x128xf32>
  %d = arith.subf %a, %b : tensor<128x128x128xf32>
  %p = arith.mulf %d, %d : tensor<128x128x128xf32>
  %r = lazy.reduce addf (%p) axes [2] : (tensor<128x128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// So is what is padded on the way, as a convolution's picture is: the padding stays nothing, though the function makes
// one of nothing.
// CHECK-LABEL: func.func @into_padded_convolution(
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
func.func @into_padded_convolution(%x: tensor<16x8x8xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<16x8x8xf32> {
  %one = arith.constant dense<1.0> : tensor<16x8x8xf32>
  %f = arith.addf %x, %one : tensor<16x8x8xf32>
  %a = lazy.view %f <(16, 4, 10, 4, 10):(64, 0, 8, 0, 1) + -9 mask [0:16, 0:4, 1:9, 0:4, 1:9], (16, 8, 8, 16, 3, 3):(0, 40, 1, 1600, 440, 11)> : tensor<16x8x8xf32> -> tensor<16x8x8x16x3x3xf32>
  %b = lazy.view %w <(16, 8, 8, 16, 3, 3):(144, 0, 0, 9, 3, 1)> : tensor<16x16x3x3xf32> -> tensor<16x8x8x16x3x3xf32>
  %p = arith.mulf %a, %b : tensor<16x8x8x16x3x3xf32>
  %r = lazy.reduce addf (%p) axes [3, 4, 5] : (tensor<16x8x8x16x3x3xf32>) -> tensor<16x8x8xf32>
  return %r : tensor<16x8x8xf32>
}

// And what a product without its axes of size one sums up: a convolution of single pixels.
// CHECK-LABEL: func.func @into_pixels(
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
func.func @into_pixels(%x: tensor<16x12x12xf32>, %w: tensor<64x16x1x1xf32>) -> tensor<64x12x12xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x12x12xf32>
  %f = arith.maximumf %x, %zero : tensor<16x12x12xf32>
  %a = lazy.view %f <(64, 12, 12, 16, 1, 1):(0, 12, 1, 144, 0, 0)> : tensor<16x12x12xf32> -> tensor<64x12x12x16x1x1xf32>
  %b = lazy.view %w <(64, 12, 12, 16, 1, 1):(16, 0, 0, 1, 0, 0)> : tensor<64x16x1x1xf32> -> tensor<64x12x12x16x1x1xf32>
  %p = arith.mulf %a, %b : tensor<64x12x12x16x1x1xf32>
  %v = lazy.view %p <(64, 12, 12, 16):(2304, 192, 16, 1)> : tensor<64x12x12x16x1x1xf32> -> tensor<64x12x12x16xf32>
  %r = lazy.reduce addf (%v) axes [3] : (tensor<64x12x12x16xf32>) -> tensor<64x12x12xf32>
  return %r : tensor<64x12x12xf32>
}

// What is multiplied along masked axes alone repeats nowhere: it is no operand to pack.
// CHECK-LABEL: func.func @masked_rows(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
func.func @masked_rows(%x: tensor<48x48xf32>, %w: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %square = arith.mulf %x, %x : tensor<48x48xf32>
  %a = lazy.view %square <(48, 48, 48):(48, 0, 1) mask [0:48, 1:48, 0:48]> : tensor<48x48xf32> -> tensor<48x48x48xf32>
  %b = lazy.view %w <(48, 48, 48):(0, 1, 48)> : tensor<48x48xf32> -> tensor<48x48x48xf32>
  %p = arith.mulf %a, %b : tensor<48x48x48xf32>
  %r = lazy.reduce addf (%p) axes [2] : (tensor<48x48x48xf32>) -> tensor<48x48xf32>
  return %r : tensor<48x48xf32>
}

// A softmax of columns after one of rows: what the columns compute again needs the sums of rows, which are no kernel
// between two others.
// CHECK-LABEL: func.func @softmax_of_columns_after_rows(
// CHECK: %[[ROWS:.*]]:2 = lazy.group
// CHECK-COUNT-2: lazy.reduce {{.*}} axes [1]
// CHECK: lazy.group {{.*}}(%{{.*}}, %[[ROWS]]#0, %[[ROWS]]#1)
// CHECK-COUNT-2: lazy.reduce {{.*}} axes [0]
// CHECK-NOT: lazy.group
func.func @softmax_of_columns_after_rows(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %me = lazy.view %m <(64, 64):(1, 0)> : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %x, %me : tensor<64x64xf32>
  %e = math.exp %d : tensor<64x64xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %se = lazy.view %s <(64, 64):(1, 0)> : tensor<64xf32> -> tensor<64x64xf32>
  %p = arith.divf %e, %se : tensor<64x64xf32>
  %m2 = lazy.reduce maximumf (%p) axes [0] : (tensor<64x64xf32>) -> tensor<64xf32>
  %m2e = lazy.view %m2 <(64, 64):(0, 1)> : tensor<64xf32> -> tensor<64x64xf32>
  %d2 = arith.subf %p, %m2e : tensor<64x64xf32>
  %e2 = math.exp %d2 : tensor<64x64xf32>
  %s2 = lazy.reduce addf (%e2) axes [0] : (tensor<64x64xf32>) -> tensor<64xf32>
  %s2e = lazy.view %s2 <(64, 64):(0, 1)> : tensor<64xf32> -> tensor<64x64xf32>
  %q = arith.divf %e2, %s2e : tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// Two kernels, and no fewer: each of the products is needed whole by the second.
// CHECK-LABEL: func.func @two_products(
// CHECK-COUNT-2: lazy.group
// CHECK-NOT: lazy.group
func.func @two_products(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a0 = lazy.view %x <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %b0 = lazy.view %w <(64, 64, 64):(0, 1, 64)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %p0 = arith.mulf %a0, %b0 : tensor<64x64x64xf32>
  %h = lazy.reduce addf (%p0) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  %a1 = lazy.view %h <(64, 64, 64):(64, 0, 1)> : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %p1 = arith.mulf %a1, %b0 : tensor<64x64x64xf32>
  %r = lazy.reduce addf (%p1) axes [2] : (tensor<64x64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// A mask is arithmetic on indices: though it is wanted for every row and by two reductions, it never touches memory.
// CHECK-LABEL: func.func @mask_of_indices
// CHECK-NOT: tensor<256x256xi1>{{.*}}lazy.group
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
// CHECK: return
func.func @mask_of_indices(%x: tensor<16x256x256xf32>) -> (tensor<16x256xf32>, tensor<16x256xf32>) {
  %i = lazy.iota 0 : tensor<256x256xi32>
  %j = lazy.iota 1 : tensor<256x256xi32>
  %lower = arith.cmpi sle, %j, %i : tensor<256x256xi32>
  %zero = arith.constant dense<0.0> : tensor<16x256x256xf32>
  %mask = lazy.view %lower <(16, 256, 256):(0, 256, 1)> : tensor<256x256xi1> -> tensor<16x256x256xi1>
  %kept = arith.select %mask, %x, %zero : tensor<16x256x256xi1>, tensor<16x256x256xf32>
  %sum = lazy.reduce addf (%kept) axes [2] : (tensor<16x256x256xf32>) -> tensor<16x256xf32>
  %largest = lazy.reduce maximumf (%kept) axes [2] : (tensor<16x256x256xf32>) -> tensor<16x256xf32>
  return %sum, %largest : tensor<16x256xf32>, tensor<16x256xf32>
}

// A window for 64 heads: so many operations for one selection are more than the bound allows of others, but no mask is
// stored.
// CHECK-LABEL: func.func @mask_of_heads
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
func.func @mask_of_heads(%x: tensor<64x16x16xf32>) -> tensor<64x16x16xf32> {
  %i = lazy.iota 0 : tensor<16x16xi32>
  %j = lazy.iota 1 : tensor<16x16xi32>
  %four = arith.constant dense<4> : tensor<16x16xi32>
  %begin = arith.subi %i, %four : tensor<16x16xi32>
  %after = arith.cmpi sle, %begin, %j : tensor<16x16xi32>
  %before = arith.cmpi sle, %j, %i : tensor<16x16xi32>
  %window = arith.andi %after, %before : tensor<16x16xi1>
  %zero = arith.constant dense<0.0> : tensor<64x16x16xf32>
  %mask = lazy.view %window <(64, 16, 16):(0, 16, 1)> : tensor<16x16xi1> -> tensor<64x16x16xi1>
  %kept = arith.select %mask, %x, %zero : tensor<64x16x16xi1>, tensor<64x16x16xf32>
  return %kept : tensor<64x16x16xf32>
}
