// RUN: tiny-opt %s --tensor-decompose | FileCheck %s
// RUN: tiny-opt %s --check-passes --tensor-decompose --convert-tensor-to-lazy -o /dev/null

// CHECK-LABEL: func @sign(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[GT:[a-z0-9_]+]] = tiny.gt %[[X]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[GT]], %[[CONSTANT2]], %[[X]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[LT:[a-z0-9_]+]] = tiny.lt %[[X]], %[[CONSTANT3]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = tiny.constant dense<-1.000000e+00> : tensor<4xf32>
// CHECK: %[[WHERE2:[a-z0-9_]+]] = tiny.where %[[LT]], %[[CONSTANT4]], %[[WHERE]]
// CHECK: return %[[WHERE2]]
func.func @sign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.sign %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @square(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[X]]
// CHECK: return %[[MUL]]
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.square %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @reciprocal(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[CONSTANT]], %[[X]]
// CHECK: return %[[DIV]]
func.func @reciprocal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.reciprocal %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @isnan(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[NE:[a-z0-9_]+]] = tiny.ne %[[X]], %[[X]]
// CHECK: return %[[NE]]
func.func @isnan(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = tiny.isnan %x : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func @isinf(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[ABS:[a-z0-9_]+]] = tiny.abs %[[X]]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0x7F800000> : tensor<4xf32>
// CHECK: %[[EQ:[a-z0-9_]+]] = tiny.eq %[[ABS]], %[[CONSTANT]]
// CHECK: return %[[EQ]]
func.func @isinf(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = tiny.isinf %x : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func @isinf_of_integers(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<false> : tensor<4xi1>
// CHECK: return %[[CONSTANT]]
func.func @isinf_of_integers(%x: tensor<4xi32>) -> tensor<4xi1> {
  %0 = tiny.isinf %x : (tensor<4xi32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func @sign_of_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0> : tensor<4xui8>
// CHECK: %[[GT:[a-z0-9_]+]] = tiny.gt %[[X]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<1> : tensor<4xui8>
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[GT]], %[[CONSTANT2]], %[[X]]
// CHECK: return %[[WHERE]]
func.func @sign_of_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = tiny.sign %x : (tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func @abs_of_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @abs_of_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = tiny.abs %x : (tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func @floor_of_integers(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: return %[[X]]
func.func @floor_of_integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tiny.floor %x : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @exp_of_integers(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<4xi32>) -> tensor<4xf32>
// CHECK: %[[EXP:[a-z0-9_]+]] = tiny.exp %[[CAST]]
// CHECK: return %[[EXP]]
func.func @exp_of_integers(%x: tensor<4xi32>) -> tensor<4xf32> {
  %0 = tiny.exp %x : (tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @true_division(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<4xi32>) -> tensor<4xf32>
// CHECK: %[[CAST2:[a-z0-9_]+]] = tiny.cast %[[Y]] : (tensor<4xi32>) -> tensor<4xf32>
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[CAST]], %[[CAST2]]
// CHECK: return %[[DIV]]
func.func @true_division(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xf32> {
  %0 = tiny.div %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @floordiv(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[X]], %[[Y]]
// CHECK: %[[FLOOR:[a-z0-9_]+]] = tiny.floor %[[DIV]]
// CHECK: %[[LESS:[a-z0-9_]+]] = tiny.sub %[[X]], %{{[a-z0-9_]+}}
// CHECK: %[[QUOTIENT:[a-z0-9_]+]] = tiny.div %[[LESS]], %[[Y]]
// CHECK: %[[WHOLE:[a-z0-9_]+]] = tiny.round %[[QUOTIENT]]
// CHECK: %[[SIGNED_ZERO:[a-z0-9_]+]] = tiny.mul %[[DIV]], %[[ZERO:[a-z0-9_]+]]
// CHECK: %[[IS_ZERO:[a-z0-9_]+]] = tiny.eq %[[WHOLE]], %[[ZERO]]
// CHECK: %[[SIGNED:[a-z0-9_]+]] = tiny.where %[[IS_ZERO]], %[[SIGNED_ZERO]], %[[WHOLE]]
// CHECK: %[[SENSELESS:[a-z0-9_]+]] = tiny.ne %[[SIGNED]], %[[SIGNED]]
// CHECK: %[[RESULT:[a-z0-9_]+]] = tiny.where %[[SENSELESS]], %[[FLOOR]], %[[SIGNED]]
// CHECK: return %[[RESULT]]
func.func @floordiv(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.floordiv %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Rounded to a short type the difference would be no multiple of the divisor.
// CHECK-LABEL: func @floordiv_short(
// CHECK: tiny.cast %{{.+}} : (tensor<4xf16>) -> tensor<4xf32>
// CHECK: tiny.cast %{{.+}} : (tensor<4xf16>) -> tensor<4xf32>
// CHECK: tiny.round %{{.+}} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: tiny.cast %{{.+}} : (tensor<4xf32>) -> tensor<4xf16>
func.func @floordiv_short(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %0 = tiny.floordiv %x, %y : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func @truncdiv(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[X]], %[[Y]]
// CHECK: %[[TRUNC:[a-z0-9_]+]] = tiny.trunc %[[DIV]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[LESS:[a-z0-9_]+]] = tiny.sub %[[X]], %{{[a-z0-9_]+}}
// CHECK: %[[QUOTIENT:[a-z0-9_]+]] = tiny.div %[[LESS]], %[[Y]]
// CHECK: %[[WHOLE:[a-z0-9_]+]] = tiny.round %[[QUOTIENT]]
// CHECK: %[[SIGNED_ZERO:[a-z0-9_]+]] = tiny.mul %[[DIV]], %[[ZERO:[a-z0-9_]+]]
// CHECK: %[[IS_ZERO:[a-z0-9_]+]] = tiny.eq %[[WHOLE]], %[[ZERO]]
// CHECK: %[[SIGNED:[a-z0-9_]+]] = tiny.where %[[IS_ZERO]], %[[SIGNED_ZERO]], %[[WHOLE]]
// CHECK: %[[SENSELESS:[a-z0-9_]+]] = tiny.ne %[[SIGNED]], %[[SIGNED]]
// CHECK: %[[RESULT:[a-z0-9_]+]] = tiny.where %[[SENSELESS]], %[[TRUNC]], %[[SIGNED]]
// CHECK: return %[[RESULT]]
func.func @truncdiv(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.truncdiv %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @mod(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[FMOD:[a-z0-9_]+]] = tiny.fmod %[[X]], %[[Y]]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0> : tensor<4xi32>
// CHECK: %[[LT:[a-z0-9_]+]] = tiny.lt %[[FMOD]], %[[CONSTANT]]
// CHECK: %[[LT2:[a-z0-9_]+]] = tiny.lt %[[Y]], %[[CONSTANT]]
// CHECK: %[[NE:[a-z0-9_]+]] = tiny.ne %[[LT]], %[[LT2]]
// CHECK: %[[NE2:[a-z0-9_]+]] = tiny.ne %[[FMOD]], %[[CONSTANT]]
// CHECK: %[[AND:[a-z0-9_]+]] = tiny.and %[[NE2]], %[[NE]]
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[FMOD]], %[[Y]]
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[AND]], %[[ADD]], %[[FMOD]]
// CHECK: return %[[WHERE]]
func.func @mod(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tiny.mod %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @mod_of_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[FMOD:[a-z0-9_]+]] = tiny.fmod %[[X]], %[[Y]]
// CHECK: return %[[FMOD]]
func.func @mod_of_unsigned(%x: tensor<4xui32>, %y: tensor<4xui32>) -> tensor<4xui32> {
  %0 = tiny.mod %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// CHECK-LABEL: func @pow_of_integers(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<1> : tensor<4xi8>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<0> : tensor<4xi8>
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = tiny.constant dense<1> : tensor<4xi8>
// CHECK: %[[AND:[a-z0-9_]+]] = tiny.and %[[Y]], %[[CONSTANT3]]
// CHECK: %[[NE:[a-z0-9_]+]] = tiny.ne %[[AND]], %[[CONSTANT2]]
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[NE]], %[[X]], %[[CONSTANT]]
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[X]]
// CHECK: %[[MUL2:[a-z0-9_]+]] = tiny.mul %[[WHERE]], %[[MUL]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = tiny.constant dense<2> : tensor<4xi8>
// CHECK: %[[AND2:[a-z0-9_]+]] = tiny.and %[[Y]], %[[CONSTANT4]]
// CHECK: %[[NE2:[a-z0-9_]+]] = tiny.ne %[[AND2]], %[[CONSTANT2]]
// CHECK: %[[WHERE2:[a-z0-9_]+]] = tiny.where %[[NE2]], %[[MUL2]], %[[WHERE]]
// CHECK: %[[MUL3:[a-z0-9_]+]] = tiny.mul %[[MUL]], %[[MUL]]
// CHECK: %[[MUL4:[a-z0-9_]+]] = tiny.mul %[[WHERE2]], %[[MUL3]]
// CHECK: %[[CONSTANT5:[a-z0-9_]+]] = tiny.constant dense<4> : tensor<4xi8>
// CHECK: %[[AND3:[a-z0-9_]+]] = tiny.and %[[Y]], %[[CONSTANT5]]
// CHECK: %[[NE3:[a-z0-9_]+]] = tiny.ne %[[AND3]], %[[CONSTANT2]]
// CHECK: %[[WHERE3:[a-z0-9_]+]] = tiny.where %[[NE3]], %[[MUL4]], %[[WHERE2]]
// CHECK: %[[MUL5:[a-z0-9_]+]] = tiny.mul %[[MUL3]], %[[MUL3]]
// CHECK: %[[MUL6:[a-z0-9_]+]] = tiny.mul %[[WHERE3]], %[[MUL5]]
// CHECK: %[[CONSTANT6:[a-z0-9_]+]] = tiny.constant dense<8> : tensor<4xi8>
// CHECK: %[[AND4:[a-z0-9_]+]] = tiny.and %[[Y]], %[[CONSTANT6]]
// CHECK: %[[NE4:[a-z0-9_]+]] = tiny.ne %[[AND4]], %[[CONSTANT2]]
// CHECK: %[[WHERE4:[a-z0-9_]+]] = tiny.where %[[NE4]], %[[MUL6]], %[[WHERE3]]
// CHECK: %[[MUL7:[a-z0-9_]+]] = tiny.mul %[[MUL5]], %[[MUL5]]
// CHECK: %[[MUL8:[a-z0-9_]+]] = tiny.mul %[[WHERE4]], %[[MUL7]]
// CHECK: %[[CONSTANT7:[a-z0-9_]+]] = tiny.constant dense<16> : tensor<4xi8>
// CHECK: %[[AND5:[a-z0-9_]+]] = tiny.and %[[Y]], %[[CONSTANT7]]
// CHECK: %[[NE5:[a-z0-9_]+]] = tiny.ne %[[AND5]], %[[CONSTANT2]]
// CHECK: %[[WHERE5:[a-z0-9_]+]] = tiny.where %[[NE5]], %[[MUL8]], %[[WHERE4]]
// CHECK: %[[MUL9:[a-z0-9_]+]] = tiny.mul %[[MUL7]], %[[MUL7]]
// CHECK: %[[MUL10:[a-z0-9_]+]] = tiny.mul %[[WHERE5]], %[[MUL9]]
// CHECK: %[[CONSTANT8:[a-z0-9_]+]] = tiny.constant dense<32> : tensor<4xi8>
// CHECK: %[[AND6:[a-z0-9_]+]] = tiny.and %[[Y]], %[[CONSTANT8]]
// CHECK: %[[NE6:[a-z0-9_]+]] = tiny.ne %[[AND6]], %[[CONSTANT2]]
// CHECK: %[[WHERE6:[a-z0-9_]+]] = tiny.where %[[NE6]], %[[MUL10]], %[[WHERE5]]
// CHECK: %[[MUL11:[a-z0-9_]+]] = tiny.mul %[[MUL9]], %[[MUL9]]
// CHECK: %[[MUL12:[a-z0-9_]+]] = tiny.mul %[[WHERE6]], %[[MUL11]]
// CHECK: %[[CONSTANT9:[a-z0-9_]+]] = tiny.constant dense<64> : tensor<4xi8>
// CHECK: %[[AND7:[a-z0-9_]+]] = tiny.and %[[Y]], %[[CONSTANT9]]
// CHECK: %[[NE7:[a-z0-9_]+]] = tiny.ne %[[AND7]], %[[CONSTANT2]]
// CHECK: %[[WHERE7:[a-z0-9_]+]] = tiny.where %[[NE7]], %[[MUL12]], %[[WHERE6]]
// CHECK: %[[MUL13:[a-z0-9_]+]] = tiny.mul %[[MUL11]], %[[MUL11]]
// CHECK: %[[MUL14:[a-z0-9_]+]] = tiny.mul %[[WHERE7]], %[[MUL13]]
// CHECK: %[[CONSTANT10:[a-z0-9_]+]] = tiny.constant dense<-128> : tensor<4xi8>
// CHECK: %[[AND8:[a-z0-9_]+]] = tiny.and %[[Y]], %[[CONSTANT10]]
// CHECK: %[[NE8:[a-z0-9_]+]] = tiny.ne %[[AND8]], %[[CONSTANT2]]
// CHECK: %[[WHERE8:[a-z0-9_]+]] = tiny.where %[[NE8]], %[[MUL14]], %[[WHERE7]]
// CHECK: %[[AND9:[a-z0-9_]+]] = tiny.and %[[Y]], %[[CONSTANT]]
// CHECK: %[[NE9:[a-z0-9_]+]] = tiny.ne %[[AND9]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT11:[a-z0-9_]+]] = tiny.constant dense<-1> : tensor<4xi8>
// CHECK: %[[EQ:[a-z0-9_]+]] = tiny.eq %[[X]], %[[CONSTANT11]]
// CHECK: %[[WHERE9:[a-z0-9_]+]] = tiny.where %[[NE9]], %[[X]], %[[CONSTANT]]
// CHECK: %[[WHERE10:[a-z0-9_]+]] = tiny.where %[[EQ]], %[[WHERE9]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT12:[a-z0-9_]+]] = tiny.constant dense<1> : tensor<4xi8>
// CHECK: %[[EQ2:[a-z0-9_]+]] = tiny.eq %[[X]], %[[CONSTANT12]]
// CHECK: %[[WHERE11:[a-z0-9_]+]] = tiny.where %[[EQ2]], %[[CONSTANT]], %[[WHERE10]]
// CHECK: %[[LT:[a-z0-9_]+]] = tiny.lt %[[Y]], %[[CONSTANT2]]
// CHECK: %[[WHERE12:[a-z0-9_]+]] = tiny.where %[[LT]], %[[WHERE11]], %[[WHERE8]]
// CHECK: return %[[WHERE12]]
func.func @pow_of_integers(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %0 = tiny.pow %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func @clamp(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[L:[a-z0-9]+]]: {{[^,)]+}}, %[[H:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[RESHAPE:[a-z0-9_]+]] = tiny.reshape %[[L]] : (tensor<f32>) -> tensor<1xf32>
// CHECK: %[[EXPAND:[a-z0-9_]+]] = tiny.expand %[[RESHAPE]] : (tensor<1xf32>) -> tensor<4xf32>
// CHECK: %[[RESHAPE2:[a-z0-9_]+]] = tiny.reshape %[[H]] : (tensor<f32>) -> tensor<1xf32>
// CHECK: %[[EXPAND2:[a-z0-9_]+]] = tiny.expand %[[RESHAPE2]] : (tensor<1xf32>) -> tensor<4xf32>
// CHECK: %[[MAXIMUM:[a-z0-9_]+]] = tiny.maximum %[[X]], %[[EXPAND]]
// CHECK: %[[MINIMUM:[a-z0-9_]+]] = tiny.minimum %[[MAXIMUM]], %[[EXPAND2]]
// CHECK: return %[[MINIMUM]]
func.func @clamp(%x: tensor<4xf32>, %l: tensor<f32>, %h: tensor<f32>) -> tensor<4xf32> {
  %0 = tiny.clamp %x, %l, %h : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An exponent that is known takes one product for each of its bits.
// CHECK-LABEL: func @pow_of_known_exponent(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[X]]
// CHECK: %[[MUL2:[a-z0-9_]+]] = tiny.mul %[[MUL]], %[[MUL]]
// CHECK: %[[MUL3:[a-z0-9_]+]] = tiny.mul %[[X]], %[[MUL2]]
// CHECK: return %[[MUL3]]
func.func @pow_of_known_exponent(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = tiny.constant dense<5> : tensor<i32>
  %0 = tiny.pow %x, %c : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// arith has no conversion between floats of one width.
// CHECK-LABEL: func @cast_between_half_types(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CAST:[a-z0-9_]+]] = tiny.cast %[[X]] : (tensor<4xf16>) -> tensor<4xf32>
// CHECK: %[[CAST2:[a-z0-9_]+]] = tiny.cast %[[CAST]] : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK: return %[[CAST2]]
func.func @cast_between_half_types(%x: tensor<4xf16>) -> tensor<4xbf16> {
  %0 = tiny.cast %x : (tensor<4xf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
