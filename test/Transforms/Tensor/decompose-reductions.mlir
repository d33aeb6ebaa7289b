// RUN: tiny-opt %s --tensor-decompose | FileCheck %s
// RUN: tiny-opt %s --check-passes --tensor-decompose --convert-tensor-to-lazy -o /dev/null

// CHECK-LABEL: func @mean(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[X]] axes [1]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[SUM]], %[[CONSTANT]]
// CHECK: return %[[DIV]]
func.func @mean(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = tiny.mean %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func @var(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[X]] axes [1]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[SUM]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<3.000000e+00> : tensor<2x1xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[RESHAPE]], %[[CONSTANT]]
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[DIV]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[SUB:[a-z0-9_]+]] = tiny.sub %[[X]], %[[EXPAND]]
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[SUB]], %[[SUB]]
// CHECK: %[[SUM2:[a-z0-9_]+]] = tiny.sum %[[MUL]] axes [1]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<2.000000e+00> : tensor<2xf32>
// CHECK: %[[DIV2:[a-z0-9_]+]] = tiny.div %[[SUM2]], %[[CONSTANT2]]
// CHECK: return %[[DIV2]]
func.func @var(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = tiny.var %x axes [1] correction 1 : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func @logsumexp(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[X]] axes [1]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[MAX]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[ABS:[a-z0-9_]+]] = tiny.abs %[[RESHAPE]]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0x7F800000> : tensor<2x1xf32>
// CHECK: %[[EQ:[a-z0-9_]+]] = tiny.eq %[[ABS]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<2x1xf32>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[EQ]], %[[CONSTANT2]], %[[RESHAPE]]
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[WHERE]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[SUB:[a-z0-9_]+]] = tiny.sub %[[X]], %[[EXPAND]]
// CHECK: %[[EXP:[a-z0-9_]+]] = tiny.exp %[[SUB]]
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[EXP]] axes [1]
// CHECK: %[[LOG:[a-z0-9_]+]] = tiny.log %[[SUM]]
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[WHERE]] : (tensor<2x1xf32>) -> tensor<2xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[LOG]], %[[RESHAPE2]]
// CHECK: return %[[ADD]]
func.func @logsumexp(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = tiny.logsumexp %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func @any(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<2x3xf32>) -> tensor<2x3xi1>
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[CAST]] axes [0]
// CHECK: return %[[MAX]]
func.func @any(%x: tensor<2x3xf32>) -> tensor<3xi1> {
  %0 = tiny.any %x axes [0] : (tensor<2x3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func @all(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MIN:[a-z0-9_]+]] = tiny.min %[[X]] axes [0]
// CHECK: return %[[MIN]]
func.func @all(%x: tensor<2x3xi1>) -> tensor<3xi1> {
  %0 = tiny.all %x axes [0] : (tensor<2x3xi1>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// CHECK-LABEL: func @argmax(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[X]] axes [1]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[MAX]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[EQ:[a-z0-9_]+]] = tiny.eq %[[X]], %[[EXPAND]]
// CHECK: %[[NE:[a-z0-9_]+]] = tiny.ne %[[X]], %[[X]]
// CHECK: %[[OR:[a-z0-9_]+]] = tiny.or %[[EQ]], %[[NE]]
// CHECK: %[[IOTA:[a-z0-9_]+]] = tiny.iota 1 : tensor<2x3xi32>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<2> : tensor<2x3xi32>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[OR]], %[[IOTA]], %[[CONSTANT]]
// CHECK: %[[MIN:[a-z0-9_]+]] = tiny.min %[[WHERE]] axes [1]
// CHECK: return %[[MIN]]
func.func @argmax(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  %0 = tiny.argmax %x axes [1] : (tensor<2x3xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func @argmin(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MIN:[a-z0-9_]+]] = tiny.min %[[X]] axes [0, 1]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[MIN]] : (tensor<i8>) -> tensor<1x1xi8>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1x1xi8>) -> tensor<2x3xi8>
// CHECK: %[[EQ:[a-z0-9_]+]] = tiny.eq %[[X]], %[[EXPAND]]
// CHECK: %[[IOTA:[a-z0-9_]+]] = tiny.iota 1 : tensor<2x3xi32>
// CHECK: %[[IOTA2:[a-z0-9_]+]] = tiny.iota 0 : tensor<2x3xi32>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<3> : tensor<2x3xi32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[IOTA2]], %[[CONSTANT]]
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[MUL]], %[[IOTA]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<5> : tensor<2x3xi32>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[EQ]], %[[ADD]], %[[CONSTANT2]]
// CHECK: %[[MIN2:[a-z0-9_]+]] = tiny.min %[[WHERE]] axes [0, 1]
// CHECK: return %[[MIN2]]
func.func @argmin(%x: tensor<2x3xi8>) -> tensor<i32> {
  %0 = tiny.argmin %x axes [0, 1] : (tensor<2x3xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}

// CHECK-LABEL: func @keepdims_is_a_reshape(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[X]] axes [1]
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[SUM]] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: return %[[RESHAPE]]
func.func @keepdims_is_a_reshape(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %0 = tiny.sum %x axes [-1] keepdims : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// CHECK-LABEL: func @axes_are_sorted(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[X]] axes [0, 1]
// CHECK: return %[[SUM]]
func.func @axes_are_sorted(%x: tensor<2x3xf32>) -> tensor<f32> {
  %0 = tiny.sum %x axes [-1, 0] : (tensor<2x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func @no_axes(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[X]] : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[RESHAPE]] axes [2]
// CHECK: return %[[MAX]]
func.func @no_axes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tiny.max %x axes [] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @halves_are_summed_in_f32(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<2x3xf16>) -> tensor<2x3xf32>
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[CAST]] axes [1]
// CHECK: %[[CAST2:[a-z0-9_]+]] = tiny.cast %[[SUM]] : (tensor<2xf32>) -> tensor<2xf16>
// CHECK: return %[[CAST2]]
func.func @halves_are_summed_in_f32(%x: tensor<2x3xf16>) -> tensor<2xf16> {
  %0 = tiny.sum %x axes [1] : (tensor<2x3xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// CHECK-LABEL: func @small_integers_multiply_in_32_bits(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<2x3xui8>) -> tensor<2x3xui32>
// CHECK: %[[PROD:[a-z0-9_]+]] = tiny.prod %[[CAST]] axes [1]
// CHECK: return %[[PROD]]
func.func @small_integers_multiply_in_32_bits(%x: tensor<2x3xui8>) -> tensor<2xui32> {
  %0 = tiny.prod %x axes [1] : (tensor<2x3xui8>) -> tensor<2xui32>
  return %0 : tensor<2xui32>
}

// CHECK-LABEL: func @truth_values_are_counted(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<2x3xi1>) -> tensor<2x3xi32>
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[CAST]] axes [1]
// CHECK: return %[[SUM]]
func.func @truth_values_are_counted(%x: tensor<2x3xi1>) -> tensor<2xi32> {
  %0 = tiny.sum %x axes [1] : (tensor<2x3xi1>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func @max_stays_in_its_type(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MAX:[a-z0-9_]+]] = tiny.max %[[X]] axes [1]
// CHECK: return %[[MAX]]
func.func @max_stays_in_its_type(%x: tensor<2x3xf16>) -> tensor<2xf16> {
  %0 = tiny.max %x axes [1] : (tensor<2x3xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// CHECK-LABEL: func @mean_of_halves(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<2x3xbf16>) -> tensor<2x3xf32>
// CHECK: %[[SUM:[a-z0-9_]+]] = tiny.sum %[[CAST]] axes [1]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[SUM]], %[[CONSTANT]]
// CHECK: %[[CAST2:[a-z0-9_]+]] = tiny.cast %[[DIV]] : (tensor<2xf32>) -> tensor<2xbf16>
// CHECK: return %[[CAST2]]
func.func @mean_of_halves(%x: tensor<2x3xbf16>) -> tensor<2xbf16> {
  %0 = tiny.mean %x axes [1] : (tensor<2x3xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
