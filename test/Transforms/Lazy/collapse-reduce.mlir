// RUN: tiny-opt %s -lazy-collapse-reduce | FileCheck %s
// RUN: tiny-opt %s -lazy-collapse-reduce -check-passes -o /dev/null

// An arange spelled as a triangle of ones, summed.
// CHECK-LABEL: func.func @arange
// CHECK-NOT: lazy.reduce
// CHECK-DAG: %[[IOTA:.*]] = lazy.iota 0 : tensor<3xi32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : tensor<3xi32>
// CHECK: arith.addi %[[IOTA]], %[[ONE]]
func.func @arange() -> tensor<3xi32> {
  %ones = arith.constant dense<1> : tensor<3xi32>
  %0 = lazy.view %ones <(4, 5):(0, 1) + -2 mask [0:4, 2:5], (3, 3):(6, 1)> : tensor<3xi32> -> tensor<3x3xi32>
  %1 = lazy.reduce addi (%0) axes [1] : (tensor<3x3xi32>) -> tensor<3xi32>
  return %1 : tensor<3xi32>
}

// A sum of floats becomes a product where it may be reassociated.
// CHECK-LABEL: func.func @floats
// CHECK-NOT: lazy.reduce
// CHECK: arith.sitofp
// CHECK: arith.mulf
func.func @floats() -> tensor<3xf32> {
  %c = arith.constant dense<0.5> : tensor<3xf32>
  %0 = lazy.view %c <(4, 5):(0, 1) + -2 mask [0:4, 2:5], (3, 3):(6, 1)> : tensor<3xf32> -> tensor<3x3xf32>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<3x3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// CHECK-LABEL: func.func @in_order
// CHECK: lazy.reduce
func.func @in_order() -> tensor<6xf32> {
  %c = arith.constant dense<0.5> : tensor<1xf32>
  %0 = lazy.view %c <(6, 9):(0, 0) mask [0:6, 2:7]> : tensor<1xf32> -> tensor<6x9xf32>
  %1 = lazy.reduce addf (%0) axes [1] fastmath<contract> : (tensor<6x9xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// Nothing times a negative number is minus zero, the sum of nothing is not; without signs of zeros they are the same.
// CHECK-LABEL: func.func @negative(
// CHECK-NOT: lazy.reduce
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: arith.addf %[[P]]
// CHECK: arith.mulf
// CHECK-NOT: arith.addf
// CHECK: return
func.func @negative(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %c = arith.constant dense<-1.0> : tensor<3xf32>
  %0 = lazy.view %c <(3, 3):(0, 1) + -1 mask [1:3, 1:3]> : tensor<3xf32> -> tensor<3x3xf32>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<3x3xf32>) -> tensor<3xf32>
  %2 = arith.divf %x, %1 : tensor<3xf32>
  %3 = lazy.reduce addf (%0) axes [1] fastmath<reassoc,nsz> : (tensor<3x3xf32>) -> tensor<3xf32>
  return %2, %3 : tensor<3xf32>, tensor<3xf32>
}

// The sum of negative zeros is plus zero, too.
// CHECK-LABEL: func.func @negative_zeros
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: arith.divf %{{.*}}, %[[ZERO]]
func.func @negative_zeros(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = arith.constant dense<-0.0> : tensor<3xf32>
  %0 = lazy.view %c <(3, 3):(0, 1)> : tensor<3xf32> -> tensor<3x3xf32>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<3x3xf32>) -> tensor<3xf32>
  %2 = arith.divf %x, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// Two sums in one reduction stay.
// CHECK-LABEL: func.func @two_sums
// CHECK: lazy.reduce addi
func.func @two_sums(%b: tensor<3x3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %c = arith.constant dense<1> : tensor<3xi32>
  %0 = lazy.view %c <(3, 3):(0, 1) + -1 mask [0:3, 1:3]> : tensor<3xi32> -> tensor<3x3xi32>
  %1:2 = lazy.reduce addi (%0, %b) axes [1] : (tensor<3x3xi32>, tensor<3x3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
  return %1#0, %1#1 : tensor<3xi32>, tensor<3xi32>
}

// Where a short type rounds the count, or makes infinity of it, the sum stays: 2048 fits f16.
// CHECK-LABEL: func.func @short_count
// CHECK: lazy.reduce addf
// CHECK: arith.mulf
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @short_count() -> (tensor<2xf16>, tensor<2xf16>) {
  %c = arith.constant dense<5.9604644775390625E-8> : tensor<2xf16>
  %0 = lazy.view %c <(2, 80000):(1, 0) mask [0:2, 0:70000]> : tensor<2xf16> -> tensor<2x80000xf16>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<2x80000xf16>) -> tensor<2xf16>
  %2 = lazy.view %c <(2, 80000):(1, 0) mask [0:1, 0:2048]> : tensor<2xf16> -> tensor<2x80000xf16>
  %3 = lazy.reduce addf (%2) axes [1] : (tensor<2x80000xf16>) -> tensor<2xf16>
  return %1, %3 : tensor<2xf16>, tensor<2xf16>
}

// Nothing is infinity times nothing: the product would not be a number.
// CHECK-LABEL: func.func @infinite
// CHECK: lazy.reduce
func.func @infinite() -> tensor<6xf32> {
  %c = arith.constant dense<0x7F800000> : tensor<1xf32>
  %0 = lazy.view %c <(6, 9):(0, 0) mask [1:6, 2:7]> : tensor<1xf32> -> tensor<6x9xf32>
  %1 = lazy.reduce addf (%0) axes [1] : (tensor<6x9xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// A mask on a kept axis selects, a mask on two reduced axes counts their product, a narrow type wraps.
// CHECK-LABEL: func.func @two_axes
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @two_axes() -> tensor<4xi8> {
  %c = arith.constant dense<7> : tensor<1xi8>
  %0 = lazy.view %c <(4, 30, 20):(0, 0, 0) mask [1:3, 2:29, 1:19]> : tensor<1xi8> -> tensor<4x30x20xi8>
  %1 = lazy.reduce addi (%0) axes [1, 2] : (tensor<4x30x20xi8>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// Only sums count.
// CHECK-LABEL: func.func @maximum
// CHECK: lazy.reduce maxs
func.func @maximum() -> tensor<6xi32> {
  %c = arith.constant dense<5> : tensor<1xi32>
  %0 = lazy.view %c <(6, 9):(0, 0) mask [0:6, 2:7]> : tensor<1xi32> -> tensor<6x9xi32>
  %1 = lazy.reduce maxs (%0) axes [1] : (tensor<6x9xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// A value that is no constant is no count.
// CHECK-LABEL: func.func @values
// CHECK: lazy.reduce
func.func @values(%x: tensor<9xi32>) -> tensor<6xi32> {
  %0 = lazy.view %x <(6, 9):(0, 1) mask [0:6, 2:7]> : tensor<9xi32> -> tensor<6x9xi32>
  %1 = lazy.reduce addi (%0) axes [1] : (tensor<6x9xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32>
}

// A look-up that is spelled as a one-hot mask and a sum reads the element.
// CHECK-LABEL: func.func @one_hot
// CHECK-SAME: (%[[X:.*]]: tensor<5x3xi32>)
// CHECK-NEXT: %[[V:.*]] = lazy.view %[[X]] <(3):(1) + 6> : tensor<5x3xi32> -> tensor<3xi32>
// CHECK-NEXT: return %[[V]]
func.func @one_hot(%x: tensor<5x3xi32>) -> tensor<3xi32> {
  %zero = arith.constant dense<0> : tensor<5x3xi32>
  %two = arith.constant dense<2> : tensor<5x3xi32>
  %i = lazy.iota 0 : tensor<5x3xi32>
  %c = arith.cmpi eq, %i, %two : tensor<5x3xi32>
  %s = arith.select %c, %x, %zero : tensor<5x3xi1>, tensor<5x3xi32>
  %r = lazy.reduce addi (%s) axes [0] : (tensor<5x3xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// The index may depend on the others, and miss; -0.0 becomes 0.0 as it does in the sum.
// CHECK-LABEL: func.func @diagonal
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>)
// CHECK: %[[V:.*]] = lazy.view %[[X]] <(6):(7) + -12 mask [2:6]> : tensor<4x6xf32> -> tensor<6xf32>
// CHECK: arith.addf %[[V]]
// CHECK-NOT: lazy.reduce
func.func @diagonal(%x: tensor<4x6xf32>) -> tensor<6xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x6xf32>
  %two = arith.constant dense<2> : tensor<4xi32>
  %i = lazy.iota 0 : tensor<4xi32>
  %i2 = arith.addi %i, %two : tensor<4xi32>
  %iv = lazy.view %i2 <(4, 6):(1, 0)> : tensor<4xi32> -> tensor<4x6xi32>
  %j = lazy.iota 1 : tensor<4x6xi32>
  %c = arith.cmpi ne, %iv, %j : tensor<4x6xi32>
  %s = arith.select %c, %zero, %x : tensor<4x6xi1>, tensor<4x6xf32>
  %r = lazy.reduce addf (%s) axes [0] : (tensor<4x6xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// One axis is pinned, the other one is summed.
// CHECK-LABEL: func.func @trace
// CHECK: lazy.view %{{.*}} <(4):(5)> : tensor<4x4xi32> -> tensor<4xi32>
// CHECK: lazy.reduce addi(%{{.*}}) axes [0] : (tensor<4xi32>) -> tensor<i32>
func.func @trace(%x: tensor<4x4xi32>) -> tensor<i32> {
  %zero = arith.constant dense<0> : tensor<4x4xi32>
  %i = lazy.iota 0 : tensor<4x4xi32>
  %j = lazy.iota 1 : tensor<4x4xi32>
  %c = arith.cmpi eq, %i, %j : tensor<4x4xi32>
  %s = arith.select %c, %x, %zero : tensor<4x4xi1>, tensor<4x4xi32>
  %r = lazy.reduce addi (%s) axes [0, 1] : (tensor<4x4xi32>) -> tensor<i32>
  return %r : tensor<i32>
}

// Nothing matches: all is masked, and stays zero.
// CHECK-LABEL: func.func @out_of_range
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @out_of_range(%x: tensor<4x2xi32>) -> tensor<2xi32> {
  %zero = arith.constant dense<0> : tensor<4x2xi32>
  %four = arith.constant dense<3> : tensor<4x2xi32>
  %i = lazy.iota 0 : tensor<4x2xi32>
  %j = lazy.iota 1 : tensor<4x2xi32>
  %k = arith.addi %i, %j : tensor<4x2xi32>
  %l = arith.subi %k, %four : tensor<4x2xi32>
  %c = arith.cmpi eq, %l, %four : tensor<4x2xi32>
  %s = arith.select %c, %x, %zero : tensor<4x2xi1>, tensor<4x2xi32>
  %r = lazy.reduce addi (%s) axes [0] : (tensor<4x2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}

// Several indices match; a condition on data; what is not selected counts; a product.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-4: lazy.reduce
func.func @kept(%x: tensor<4xi32>, %d: tensor<4xi1>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<4xi32>
  %two = arith.constant dense<2> : tensor<4xi32>
  %i = lazy.iota 0 : tensor<4xi32>
  %lt = arith.cmpi slt, %i, %two : tensor<4xi32>
  %eq = arith.cmpi eq, %i, %two : tensor<4xi32>
  %s0 = arith.select %lt, %x, %zero : tensor<4xi1>, tensor<4xi32>
  %r0 = lazy.reduce addi (%s0) axes [0] : (tensor<4xi32>) -> tensor<i32>
  %s1 = arith.select %d, %x, %zero : tensor<4xi1>, tensor<4xi32>
  %r1 = lazy.reduce addi (%s1) axes [0] : (tensor<4xi32>) -> tensor<i32>
  %s2 = arith.select %eq, %x, %two : tensor<4xi1>, tensor<4xi32>
  %r2 = lazy.reduce addi (%s2) axes [0] : (tensor<4xi32>) -> tensor<i32>
  %s3 = arith.select %eq, %x, %zero : tensor<4xi1>, tensor<4xi32>
  %r3 = lazy.reduce muli (%s3) axes [0] : (tensor<4xi32>) -> tensor<i32>
  return %r0, %r1, %r2, %r3 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}

//===--- Conditions on indices ------------------------------------------------------------------------------------===//

// How many indices are less than this one: the index itself.
// CHECK-LABEL: func.func @iota_less(
// CHECK-NOT: lazy.reduce
// CHECK: %[[I:.*]] = lazy.iota 0 : tensor<8xi32>
// CHECK: return %[[I]] :
func.func @iota_less(%x: tensor<8xi32>) -> tensor<8xi32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x8xi32>
  %e = arith.extui %c : tensor<8x8xi1> to tensor<8x8xi32>
  %r = lazy.reduce addi (%e) axes [1] : (tensor<8x8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// Three for each that is not greater.
// CHECK-LABEL: func.func @iota_select(
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @iota_select(%x: tensor<8xi32>) -> tensor<8xi32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi sge, %i, %j : tensor<8x8xi32>
  %one = arith.constant dense<3> : tensor<8x8xi32>
  %zero = arith.constant dense<0> : tensor<8x8xi32>
  %e = arith.select %c, %one, %zero : tensor<8x8xi1>, tensor<8x8xi32>
  %r = lazy.reduce addi (%e) axes [1] : (tensor<8x8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// Of a condition as a float.
// CHECK-LABEL: func.func @iota_float(
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @iota_float() -> tensor<8xf32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x8xi32>
  %e = arith.uitofp %c : tensor<8x8xi1> to tensor<8x8xf32>
  %r = lazy.reduce addf (%e) axes [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Of floats that a condition selects, against zero.
// CHECK-LABEL: func.func @iota_float_select(
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @iota_float_select() -> tensor<8xf32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x8xi32>
  %one = arith.constant dense<0.5> : tensor<8x8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %e = arith.select %c, %one, %zero : tensor<8x8xi1>, tensor<8x8xf32>
  %r = lazy.reduce addf (%e) axes [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Of one arange that is seen along both axes.
// CHECK-LABEL: func.func @iota_expanded(
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @iota_expanded() -> tensor<8xi32> {
  %k = lazy.iota 0 : tensor<8xi32>
  %i = lazy.view %k <(8, 8):(1, 0)> : tensor<8xi32> -> tensor<8x8xi32>
  %j = lazy.view %k <(8, 8):(0, 1)> : tensor<8xi32> -> tensor<8x8xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x8xi32>
  %e = arith.extui %c : tensor<8x8xi1> to tensor<8x8xi32>
  %r = lazy.reduce addi (%e) axes [1] : (tensor<8x8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// Seen from the other side.
// CHECK-LABEL: func.func @permuted(
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @permuted() -> tensor<8xi32> {
  %i = lazy.iota 1 : tensor<8x8xi32>
  %j = lazy.iota 0 : tensor<8x8xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x8xi32>
  %e = arith.extui %c : tensor<8x8xi1> to tensor<8x8xi32>
  %p = lazy.view %e <(8, 8):(1, 8)> : tensor<8x8xi32> -> tensor<8x8xi32>
  %r = lazy.reduce addi (%p) axes [1] : (tensor<8x8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// Times a constant.
// CHECK-LABEL: func.func @masked_ones_product(
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @masked_ones_product() -> tensor<8xi32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi sle, %j, %i : tensor<8x8xi32>
  %e = arith.extui %c : tensor<8x8xi1> to tensor<8x8xi32>
  %two = arith.constant dense<2> : tensor<8x8xi32>
  %m = arith.muli %e, %two : tensor<8x8xi32>
  %r = lazy.reduce addi (%m) axes [1] : (tensor<8x8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// Of a condition that is negated.
// CHECK-LABEL: func.func @not_equal(
// CHECK-NOT: lazy.reduce
// CHECK: return
func.func @not_equal() -> tensor<8xi32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi ult, %i, %j : tensor<8x8xi32>
  %true = arith.constant dense<true> : tensor<8x8xi1>
  %n = arith.xori %c, %true : tensor<8x8xi1>
  %e = arith.extui %n : tensor<8x8xi1> to tensor<8x8xi64>
  %r = lazy.reduce addi (%e) axes [1] : (tensor<8x8xi64>) -> tensor<8xi64>
  %t = arith.trunci %r : tensor<8xi64> to tensor<8xi32>
  return %t : tensor<8xi32>
}

// The same, of a condition that holds too often, and of elements that the type rounds.
// CHECK-LABEL: func.func @short_condition
// CHECK-COUNT-2: lazy.reduce
func.func @short_condition() -> (tensor<1xbf16>, tensor<1xf16>) {
  %j = lazy.iota 1 : tensor<1x300xi32>
  %last = arith.constant dense<257> : tensor<1x300xi32>
  %c = arith.cmpi slt, %j, %last : tensor<1x300xi32>
  %e = arith.uitofp %c : tensor<1x300xi1> to tensor<1x300xbf16>
  %r = lazy.reduce addf (%e) axes [1] : (tensor<1x300xbf16>) -> tensor<1xbf16>
  %zero = arith.constant dense<0> : tensor<1x300xi32>
  %large = arith.constant dense<4095> : tensor<1x300xi32>
  %s = arith.select %c, %large, %zero : tensor<1x300xi1>, tensor<1x300xi32>
  %f = arith.sitofp %s : tensor<1x300xi32> to tensor<1x300xf16>
  %q = lazy.reduce addf (%f) axes [1] : (tensor<1x300xf16>) -> tensor<1xf16>
  return %r, %q : tensor<1xbf16>, tensor<1xf16>
}

// The sum of floats keeps its order.
// CHECK-LABEL: func.func @condition_in_order
// CHECK: lazy.reduce
func.func @condition_in_order() -> tensor<8xf32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x8xi32>
  %e = arith.uitofp %c : tensor<8x8xi1> to tensor<8x8xf32>
  %r = lazy.reduce addf (%e) axes [1] fastmath<contract> : (tensor<8x8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// The sum of nothing is plus zero, and nothing times a negative number is not.
// CHECK-LABEL: func.func @negative_factor
// CHECK-NOT: lazy.reduce
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: arith.addf %[[P]]
func.func @negative_factor(%x: tensor<8xf32>) -> tensor<8xf32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x8xi32>
  %one = arith.constant dense<-0.5> : tensor<8x8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %e = arith.select %c, %one, %zero : tensor<8x8xi1>, tensor<8x8xf32>
  %r = lazy.reduce addf (%e) axes [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %d = arith.divf %x, %r : tensor<8xf32>
  return %d : tensor<8xf32>
}

// Nothing times infinity is no number.
// CHECK-LABEL: func.func @infinite_factor
// CHECK: lazy.reduce
func.func @infinite_factor() -> tensor<8xf32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x8xi32>
  %one = arith.constant dense<0x7F800000> : tensor<8x8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %e = arith.select %c, %one, %zero : tensor<8x8xi1>, tensor<8x8xf32>
  %r = lazy.reduce addf (%e) axes [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Four times one index and the other: no interval of either axis alone.
// CHECK-LABEL: func.func @no_interval
// CHECK: lazy.reduce
func.func @no_interval() -> tensor<8xi32> {
  %i = lazy.iota 0 : tensor<8x2x4xi32>
  %a = lazy.iota 1 : tensor<8x2x4xi32>
  %b = lazy.iota 2 : tensor<8x2x4xi32>
  %four = arith.constant dense<4> : tensor<8x2x4xi32>
  %a4 = arith.muli %a, %four : tensor<8x2x4xi32>
  %j = arith.addi %a4, %b : tensor<8x2x4xi32>
  %c = arith.cmpi slt, %j, %i : tensor<8x2x4xi32>
  %e = arith.extui %c : tensor<8x2x4xi1> to tensor<8x2x4xi32>
  %r = lazy.reduce addi (%e) axes [1, 2] : (tensor<8x2x4xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// What is summed varies besides.
// CHECK-LABEL: func.func @varying
// CHECK: lazy.reduce
func.func @varying(%x: tensor<8xi32>) -> tensor<8xi32> {
  %i = lazy.iota 0 : tensor<8x8xi32>
  %j = lazy.iota 1 : tensor<8x8xi32>
  %c = arith.cmpi sge, %i, %j : tensor<8x8xi32>
  %one = arith.addi %i, %j : tensor<8x8xi32>
  %zero = arith.constant dense<0> : tensor<8x8xi32>
  %e = arith.select %c, %one, %zero : tensor<8x8xi1>, tensor<8x8xi32>
  %r = lazy.reduce addi (%e) axes [1] : (tensor<8x8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}
