// RUN: tiny-opt %s --tensor-decompose | FileCheck %s
// RUN: tiny-opt %s --check-passes --tensor-decompose --convert-tensor-to-lazy -o /dev/null

// CHECK-LABEL: func @relu(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[MAXIMUM:[a-z0-9_]+]] = tiny.maximum %[[X]], %[[CONSTANT]]
// CHECK: return %[[MAXIMUM]]
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @relu6(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[MAXIMUM:[a-z0-9_]+]] = tiny.maximum %[[X]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<6.000000e+00> : tensor<4xf32>
// CHECK: %[[MINIMUM:[a-z0-9_]+]] = tiny.minimum %[[MAXIMUM]], %[[CONSTANT2]]
// CHECK: return %[[MINIMUM]]
func.func @relu6(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.relu6 %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @sigmoid(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[NEG:[a-z0-9_]+]] = tiny.neg %[[X]]
// CHECK: %[[EXP:[a-z0-9_]+]] = tiny.exp %[[NEG]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[EXP]], %[[CONSTANT2]]
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[CONSTANT]], %[[ADD]]
// CHECK: return %[[DIV]]
func.func @sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @silu(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[NEG:[a-z0-9_]+]] = tiny.neg %[[X]]
// CHECK: %[[EXP:[a-z0-9_]+]] = tiny.exp %[[NEG]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[EXP]], %[[CONSTANT2]]
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[CONSTANT]], %[[ADD]]
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[DIV]]
// CHECK: return %[[MUL]]
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.silu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @softplus(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[MAXIMUM:[a-z0-9_]+]] = tiny.maximum %[[X]], %[[CONSTANT]]
// CHECK: %[[ABS:[a-z0-9_]+]] = tiny.abs %[[X]]
// CHECK: %[[NEG:[a-z0-9_]+]] = tiny.neg %[[ABS]]
// CHECK: %[[EXP:[a-z0-9_]+]] = tiny.exp %[[NEG]]
// CHECK: %[[LOG1P:[a-z0-9_]+]] = tiny.log1p %[[EXP]]
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[MAXIMUM]], %[[LOG1P]]
// CHECK: return %[[ADD]]
func.func @softplus(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.softplus %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @softsign(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[ABS:[a-z0-9_]+]] = tiny.abs %[[X]]
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[ABS]], %[[CONSTANT]]
// CHECK: %[[DIV:[a-z0-9_]+]] = tiny.div %[[X]], %[[ADD]]
// CHECK: return %[[DIV]]
func.func @softsign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.softsign %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @mish(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[MAXIMUM:[a-z0-9_]+]] = tiny.maximum %[[X]], %[[CONSTANT]]
// CHECK: %[[ABS:[a-z0-9_]+]] = tiny.abs %[[X]]
// CHECK: %[[NEG:[a-z0-9_]+]] = tiny.neg %[[ABS]]
// CHECK: %[[EXP:[a-z0-9_]+]] = tiny.exp %[[NEG]]
// CHECK: %[[LOG1P:[a-z0-9_]+]] = tiny.log1p %[[EXP]]
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[MAXIMUM]], %[[LOG1P]]
// CHECK: %[[TANH:[a-z0-9_]+]] = tiny.tanh %[[ADD]]
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[TANH]]
// CHECK: return %[[MUL]]
func.func @mish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.mish %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @hardswish(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.166666672> : tensor<4xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[MUL]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[MAXIMUM:[a-z0-9_]+]] = tiny.maximum %[[ADD]], %[[CONSTANT3]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[MINIMUM:[a-z0-9_]+]] = tiny.minimum %[[MAXIMUM]], %[[CONSTANT4]]
// CHECK: %[[MUL2:[a-z0-9_]+]] = tiny.mul %[[X]], %[[MINIMUM]]
// CHECK: return %[[MUL2]]
func.func @hardswish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.hardswish %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @hardsigmoid(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<2.500000e-01> : tensor<4xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<7.500000e-01> : tensor<4xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[MUL]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[MAXIMUM:[a-z0-9_]+]] = tiny.maximum %[[ADD]], %[[CONSTANT3]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[MINIMUM:[a-z0-9_]+]] = tiny.minimum %[[MAXIMUM]], %[[CONSTANT4]]
// CHECK: return %[[MINIMUM]]
func.func @hardsigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.hardsigmoid %x alpha 0.25 beta 0.75 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @leaky_relu(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[LT:[a-z0-9_]+]] = tiny.lt %[[X]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<1.250000e-01> : tensor<4xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[CONSTANT2]]
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[LT]], %[[MUL]], %[[X]]
// CHECK: return %[[WHERE]]
func.func @leaky_relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.leaky_relu %x alpha 0.125 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @elu(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[MINIMUM:[a-z0-9_]+]] = tiny.minimum %[[X]], %[[CONSTANT]]
// CHECK: %[[EXPM1:[a-z0-9_]+]] = tiny.expm1 %[[MINIMUM]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[GT:[a-z0-9_]+]] = tiny.gt %[[X]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = tiny.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[EXPM1]], %[[CONSTANT3]]
// CHECK: %[[WHERE:[a-z0-9_]+]] = tiny.where %[[GT]], %[[X]], %[[MUL]]
// CHECK: return %[[WHERE]]
func.func @elu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.elu %x alpha 0.5 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @gelu(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<0.707106769> : tensor<4xf32>
// CHECK: %[[MUL2:[a-z0-9_]+]] = tiny.mul %[[X]], %[[CONSTANT2]]
// CHECK: %[[ERF:[a-z0-9_]+]] = tiny.erf %[[MUL2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[ERF]], %[[CONSTANT3]]
// CHECK: %[[MUL3:[a-z0-9_]+]] = tiny.mul %[[MUL]], %[[ADD]]
// CHECK: return %[[MUL3]]
func.func @gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.gelu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @gelu_by_tanh(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK: %[[MUL:[a-z0-9_]+]] = tiny.mul %[[X]], %[[CONSTANT]]
// CHECK: %[[MUL2:[a-z0-9_]+]] = tiny.mul %[[X]], %[[X]]
// CHECK: %[[MUL3:[a-z0-9_]+]] = tiny.mul %[[MUL2]], %[[X]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = tiny.constant dense<4.471500e-02> : tensor<4xf32>
// CHECK: %[[MUL4:[a-z0-9_]+]] = tiny.mul %[[MUL3]], %[[CONSTANT2]]
// CHECK: %[[ADD:[a-z0-9_]+]] = tiny.add %[[X]], %[[MUL4]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = tiny.constant dense<0.797884583> : tensor<4xf32>
// CHECK: %[[MUL5:[a-z0-9_]+]] = tiny.mul %[[ADD]], %[[CONSTANT3]]
// CHECK: %[[TANH:[a-z0-9_]+]] = tiny.tanh %[[MUL5]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = tiny.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[ADD2:[a-z0-9_]+]] = tiny.add %[[TANH]], %[[CONSTANT4]]
// CHECK: %[[MUL6:[a-z0-9_]+]] = tiny.mul %[[MUL]], %[[ADD2]]
// CHECK: return %[[MUL6]]
func.func @gelu_by_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.gelu %x approximate : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @relu_of_truth_values(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = tiny.constant dense<false> : tensor<4xi1>
// CHECK: %[[MAXIMUM:[a-z0-9_]+]] = tiny.maximum %[[X]], %[[CONSTANT]]
// CHECK: return %[[MAXIMUM]]
func.func @relu_of_truth_values(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = tiny.relu %x : (tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
