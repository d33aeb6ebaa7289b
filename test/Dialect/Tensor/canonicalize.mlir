// RUN: tiny-opt %s --canonicalize="test-convergence" | FileCheck %s
// RUN: tiny-opt %s --check-passes --canonicalize -o /dev/null

// CHECK-LABEL: func @reshape_of_reshape(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<4x6xf32>) -> tensor<2x12xf32>
// CHECK: return %[[RESHAPE]]
func.func @reshape_of_reshape(%x: tensor<4x6xf32>) -> tensor<2x12xf32> {
  %0 = tiny.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  %1 = tiny.reshape %0 : (tensor<24xf32>) -> tensor<2x12xf32>
  return %1 : tensor<2x12xf32>
}

// CHECK-LABEL: func @reshape_there_and_back(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @reshape_there_and_back(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tiny.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  %1 = tiny.reshape %0 : (tensor<24xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: func @expand_of_expand(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[X]] : (tensor<1x1xf32>) -> tensor<2x4x6xf32>
// CHECK: return %[[EXPAND]]
func.func @expand_of_expand(%x: tensor<1x1xf32>) -> tensor<2x4x6xf32> {
  %0 = tiny.expand %x : (tensor<1x1xf32>) -> tensor<4x1xf32>
  %1 = tiny.expand %0 : (tensor<4x1xf32>) -> tensor<2x4x6xf32>
  return %1 : tensor<2x4x6xf32>
}

// CHECK-LABEL: func @expand_to_the_same(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @expand_to_the_same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.expand %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @permute_of_permute(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PERMUTE:[a-z0-9_]+]] = tiny.permute %[[X]] [2, 0, 1]
// CHECK: return %[[PERMUTE]]
func.func @permute_of_permute(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = tiny.permute %x [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = tiny.permute %0 [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @permute_there_and_back(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @permute_there_and_back(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = tiny.permute %x [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = tiny.permute %0 [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @pad_of_pad(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[X]] low [2] high [3] : (tensor<4xf32>) -> tensor<9xf32>
// CHECK: return %[[PAD]]
func.func @pad_of_pad(%x: tensor<4xf32>) -> tensor<9xf32> {
  %0 = tiny.pad %x low [1] high [0] : (tensor<4xf32>) -> tensor<5xf32>
  %1 = tiny.pad %0 low [1] high [3] : (tensor<5xf32>) -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// Another number is another padding.
// CHECK-LABEL: func @pad_of_pad_with_other_number(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[PAD:[a-z0-9_]+]] = tiny.pad %[[X]] low [1] high [0] value 1.000000e+00 : f32 : (tensor<4xf32>) -> tensor<5xf32>
// CHECK: %[[PAD2:[a-z0-9_]+]] = tiny.pad %[[PAD]] low [1] high [0] : (tensor<5xf32>) -> tensor<6xf32>
// CHECK: return %[[PAD2]]
func.func @pad_of_pad_with_other_number(%x: tensor<4xf32>) -> tensor<6xf32> {
  %0 = tiny.pad %x low [1] high [0] value 1.0 : f32 : (tensor<4xf32>) -> tensor<5xf32>
  %1 = tiny.pad %0 low [1] high [0] : (tensor<5xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// CHECK-LABEL: func @pad_by_nothing(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @pad_by_nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.pad %x low [0] high [0] value 1.0 : f32 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @shrink_of_shrink(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SHRINK:[a-z0-9_]+]] = tiny.shrink %[[X]] begin [3] end [6]
// CHECK: return %[[SHRINK]]
func.func @shrink_of_shrink(%x: tensor<9xf32>) -> tensor<3xf32> {
  %0 = tiny.shrink %x begin [2] end [8] : (tensor<9xf32>) -> tensor<6xf32>
  %1 = tiny.shrink %0 begin [1] end [4] : (tensor<6xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// CHECK-LABEL: func @shrink_to_the_same(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @shrink_to_the_same(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = tiny.shrink %x begin [0] end [9] : (tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// CHECK-LABEL: func @contiguous_of_contiguous(
// CHECK: %[[ONE:[a-z0-9_]+]] = tiny.contiguous
// CHECK-NEXT: return %[[ONE]]
func.func @contiguous_of_contiguous(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tiny.contiguous %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tiny.contiguous %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func @flip_of_flip(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[FLIP:[a-z0-9_]+]] = tiny.flip %[[X]] [0, 2]
// CHECK: return %[[FLIP]]
func.func @flip_of_flip(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = tiny.flip %x [0, 1] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = tiny.flip %0 [-2, 2] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @flip_there_and_back(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @flip_there_and_back(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.flip %x [0] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.flip %0 [-1] : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @movement_of_a_splat(
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<2.000000e+00> : tensor<4x3xf32>
// CHECK: return %[[CONSTANT]]
func.func @movement_of_a_splat() -> tensor<4x3xf32> {
  %c = tiny.constant dense<2.0> : tensor<2x3xf32>
  %0 = tiny.permute %c [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = tiny.shrink %0 begin [0, 0] end [3, 1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %2 = tiny.flip %1 [0] : (tensor<3x1xf32>) -> tensor<3x1xf32>
  %3 = tiny.reshape %2 : (tensor<3x1xf32>) -> tensor<1x3xf32>
  %4 = tiny.expand %3 : (tensor<1x3xf32>) -> tensor<4x3xf32>
  return %4 : tensor<4x3xf32>
}

// CHECK-LABEL: func @full_is_a_constant(
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<7> : tensor<4xui8>
// CHECK: return %[[CONSTANT]]
func.func @full_is_a_constant() -> tensor<4xui8> {
  %0 = tiny.full 7 : ui8 -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func @double_negation(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]], %[[B]]
func.func @double_negation(%x: tensor<4xf32>, %b: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %0 = tiny.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tiny.not %b : (tensor<4xi1>) -> tensor<4xi1>
  %3 = tiny.not %2 : (tensor<4xi1>) -> tensor<4xi1>
  return %1, %3 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func @abs_of_abs(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[ABS:[a-z0-9_]+]] = tiny.abs %[[X]]
// CHECK: return %[[ABS]]
func.func @abs_of_abs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @rounding_twice(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[FLOOR:[a-z0-9_]+]] = tiny.floor %[[X]]
// CHECK: return %[[FLOOR]]
func.func @rounding_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.floor %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @rounding_integers(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @rounding_integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tiny.ceil %x : (tensor<4xi32>) -> tensor<4xi32>
  %1 = tiny.round %0 : (tensor<4xi32>) -> tensor<4xi32>
  %2 = tiny.trunc %1 : (tensor<4xi32>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}

// CHECK-LABEL: func @integer_identities(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @integer_identities(%x: tensor<4xi32>) -> tensor<4xi32> {
  %zero = tiny.constant dense<0> : tensor<i32>
  %one = tiny.constant dense<1> : tensor<i32>
  %ones = tiny.constant dense<-1> : tensor<i32>
  %0 = tiny.add %zero, %x : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = tiny.sub %0, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = tiny.mul %one, %1 : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = tiny.or %2, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %4 = tiny.and %3, %ones : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %5 = tiny.and %4, %4 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %6 = tiny.or %5, %5 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %6 : tensor<4xi32>
}

// CHECK-LABEL: func @integer_times_zero(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0> : tensor<4xi32>
// CHECK: return %[[CONSTANT]]
func.func @integer_times_zero(%x: tensor<4xi32>) -> tensor<4xi32> {
  %zero = tiny.constant dense<0> : tensor<i32>
  %0 = tiny.mul %x, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @float_identities(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @float_identities(%x: tensor<4xf32>) -> tensor<4xf32> {
  %negzero = tiny.constant dense<-0.0> : tensor<f32>
  %zero = tiny.constant dense<0.0> : tensor<f32>
  %one = tiny.constant dense<1.0> : tensor<f32>
  %0 = tiny.add %x, %negzero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = tiny.sub %0, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = tiny.mul %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = tiny.div %2, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = tiny.maximum %3, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = tiny.minimum %4, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -0.0 + 0.0 is 0.0.
// CHECK-LABEL: func @float_plus_zero(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[X]], %[[CONSTANT]]
// CHECK: return %[[ADD]]
func.func @float_plus_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = tiny.constant dense<0.0> : tensor<4xf32>
  %0 = tiny.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -0.0 - -0.0 is 0.0.
// CHECK-LABEL: func @float_minus_minus_zero(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<-0.000000e+00> : tensor<4xf32>
// CHECK: %[[SUB:[a-z0-9_]+]] = tiny.sub %[[X]], %[[CONSTANT]]
// CHECK: return %[[SUB]]
func.func @float_minus_minus_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = tiny.constant dense<-0.0> : tensor<4xf32>
  %0 = tiny.sub %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// NaN times 0 is NaN.
// CHECK-LABEL: func @float_times_zero(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[CONSTANT]]
// CHECK: return %[[MUL]]
func.func @float_times_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = tiny.constant dense<0.0> : tensor<4xf32>
  %0 = tiny.mul %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What broadcasts or promotes by the identity stays.
// CHECK-LABEL: func @identity_that_broadcasts(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0> : tensor<4xi32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[X]], %[[CONSTANT]]
// CHECK: return %[[ADD]]
func.func @identity_that_broadcasts(%x: tensor<i32>) -> tensor<4xi32> {
  %zero = tiny.constant dense<0> : tensor<4xi32>
  %0 = tiny.add %x, %zero : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @where(
// CHECK-SAME: %[[C:[a-z0-9]+]]: {{[^,)]+}}, %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]], %[[Y]], %[[X]]
func.func @where(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = tiny.constant dense<true> : tensor<i1>
  %false = tiny.constant dense<false> : tensor<i1>
  %0 = tiny.where %true, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.where %false, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = tiny.where %c, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @pow(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<3.000000e+00> : tensor<f32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[X]]
// CHECK: %[[POW:[a-z0-9_]+]] = tiny.pow %[[X]], %[[CONSTANT]]
// CHECK: return %[[X]], %[[MUL]], %[[POW]]
func.func @pow(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = tiny.constant dense<1.0> : tensor<f32>
  %two = tiny.constant dense<2.0> : tensor<f32>
  %three = tiny.constant dense<3.0> : tensor<f32>
  %0 = tiny.pow %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = tiny.pow %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = tiny.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @cast_there_and_back(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}, %[[B:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]], %[[Y]], %[[B]]
func.func @cast_there_and_back(%x: tensor<4xi8>, %y: tensor<4xf32>, %b: tensor<4xi1>) -> (tensor<4xi8>, tensor<4xf32>, tensor<4xi1>) {
  %0 = tiny.cast %x : (tensor<4xi8>) -> tensor<4xui16>
  %1 = tiny.cast %0 : (tensor<4xui16>) -> tensor<4xi8>
  %2 = tiny.cast %y : (tensor<4xf32>) -> tensor<4xf64>
  %3 = tiny.cast %2 : (tensor<4xf64>) -> tensor<4xf32>
  %4 = tiny.cast %b : (tensor<4xi1>) -> tensor<4xf16>
  %5 = tiny.cast %4 : (tensor<4xf16>) -> tensor<4xi1>
  return %1, %3, %5 : tensor<4xi8>, tensor<4xf32>, tensor<4xi1>
}

// Both ways lose something.
// CHECK-LABEL: func @cast_with_loss(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[I:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<4xf32>) -> tensor<4xf16>
// CHECK: %[[CAST2:[a-z0-9_]+]] = tiny.cast %[[CAST]] : (tensor<4xf16>) -> tensor<4xf32>
// CHECK: %[[CAST3:[a-z0-9_]+]] = tiny.cast %[[I]] : (tensor<4xi32>) -> tensor<4xf32>
// CHECK: %[[CAST4:[a-z0-9_]+]] = tiny.cast %[[CAST3]] : (tensor<4xf32>) -> tensor<4xi32>
// CHECK: return %[[CAST2]], %[[CAST4]]
func.func @cast_with_loss(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = tiny.cast %x : (tensor<4xf32>) -> tensor<4xf16>
  %1 = tiny.cast %0 : (tensor<4xf16>) -> tensor<4xf32>
  %2 = tiny.cast %i : (tensor<4xi32>) -> tensor<4xf32>
  %3 = tiny.cast %2 : (tensor<4xf32>) -> tensor<4xi32>
  return %1, %3 : tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: func @cast_of_a_splat(
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<255> : tensor<4xui8>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<-1.000000e+00> : tensor<4xf16>
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = tiny.constant dense<true> : tensor<4xi1>
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = tiny.constant dense<-1> : tensor<4xi32>
// CHECK: %[[CONSTANT5:[a-z0-9_]+]] = tiny.constant dense<255> : tensor<4xi64>
// CHECK: return %[[CONSTANT]], %[[CONSTANT2]], %[[CONSTANT3]], %[[CONSTANT4]], %[[CONSTANT5]]
func.func @cast_of_a_splat() -> (tensor<4xui8>, tensor<4xf16>, tensor<4xi1>, tensor<4xi32>, tensor<4xi64>) {
  %minus = tiny.constant dense<-1> : tensor<4xi32>
  %half = tiny.constant dense<-1.75> : tensor<4xf32>
  %large = tiny.constant dense<1.0e10> : tensor<4xf32>
  %u = tiny.constant dense<255> : tensor<4xui8>
  %0 = tiny.cast %minus : (tensor<4xi32>) -> tensor<4xui8>
  %1 = tiny.cast %minus : (tensor<4xi32>) -> tensor<4xf16>
  %2 = tiny.cast %half : (tensor<4xf32>) -> tensor<4xi1>
  %3 = tiny.cast %half : (tensor<4xf32>) -> tensor<4xi32>
  %4 = tiny.cast %u : (tensor<4xui8>) -> tensor<4xi64>
  return %0, %1, %2, %3, %4 : tensor<4xui8>, tensor<4xf16>, tensor<4xi1>, tensor<4xi32>, tensor<4xi64>
}

// No integer of 32 bits holds it.
// CHECK-LABEL: func @cast_of_a_splat_out_of_range(
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<1.000000e+10> : tensor<4xf32>
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[CONSTANT]] : (tensor<4xf32>) -> tensor<4xi32>
// CHECK: return %[[CAST]]
func.func @cast_of_a_splat_out_of_range() -> tensor<4xi32> {
  %large = tiny.constant dense<1.0e10> : tensor<4xf32>
  %0 = tiny.cast %large : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @bitcast_of_bitcast(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[BITCAST:[a-z0-9_]+]] = tiny.bitcast %[[X]] : (tensor<4xf32>) -> tensor<4xui32>
// CHECK: return %[[BITCAST]]
func.func @bitcast_of_bitcast(%x: tensor<4xf32>) -> tensor<4xui32> {
  %0 = tiny.bitcast %x : (tensor<4xf32>) -> tensor<4xi32>
  %1 = tiny.bitcast %0 : (tensor<4xi32>) -> tensor<4xui32>
  return %1 : tensor<4xui32>
}
