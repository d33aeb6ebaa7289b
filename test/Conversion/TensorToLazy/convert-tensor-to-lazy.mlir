// RUN: tiny-opt %s --convert-tensor-to-lazy | FileCheck %s --implicit-check-not="= tiny."
// RUN: tiny-opt %s --convert-tensor-to-lazy --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// Where the sign is lost the tensor type stays beside it.
// CHECK-LABEL: func @signature(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi8> {tiny.type = tensor<4xui8>}, %[[Y:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-SAME: -> (tensor<4xi8> {tiny.type = tensor<4xui8>}, tensor<4xf32>)
// CHECK: return %[[X]], %[[Y]] : tensor<4xi8>, tensor<4xf32>
func.func @signature(%x: tensor<4xui8>, %y: tensor<4xf32>) -> (tensor<4xui8>, tensor<4xf32>) {
  return %x, %y : tensor<4xui8>, tensor<4xf32>
}

// CHECK-LABEL: func @other_attributes(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi8> {tiny.donated, tiny.type = tensor<4xui8>}) -> tensor<4xi8>
// CHECK: return %[[X]]
func.func @other_attributes(%x: tensor<4xui8> {tiny.donated}) -> tensor<4xi8> {
  %0 = tiny.cast %x : (tensor<4xui8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func private @declaration(
// CHECK-SAME: tensor<4xi16> {tiny.type = tensor<4xui16>}) -> (tensor<4xi32> {tiny.type = tensor<4xui32>})
func.func private @declaration(tensor<4xui16>) -> tensor<4xui32>

// CHECK-LABEL: func @call(
// CHECK: call @declaration({{.*}}) : (tensor<4xi16>) -> tensor<4xi32>
func.func @call(%x: tensor<4xui16>) -> tensor<4xui32> {
  %0 = call @declaration(%x) : (tensor<4xui16>) -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// What was primitive from the start is named too; a constant is not.
// LOC-LABEL: func @origin(
// LOC: arith.constant dense<2.000000e+00> : tensor<4xf32> loc(#[[CONSTANT:loc[0-9]*]])
// LOC: arith.mulf {{.*}} loc(#[[MUL:loc[0-9]*]])
// LOC-DAG: #[[CONSTANT]] = loc("two")
// LOC-DAG: #[[NODE:loc[0-9]*]] = loc("node_3")
// LOC-DAG: #[[MUL]] = loc(fused<{tiny.origin = "mul"}>[#[[NODE]]])
func.func @origin(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tiny.constant dense<2.0> : tensor<4xf32> loc("two")
  %0 = tiny.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("node_3")
  return %0 : tensor<4xf32>
}

// Large constants stay in their resource.
// CHECK-LABEL: func @resource(
// CHECK: arith.constant dense_resource<weights> : tensor<4xi8>
func.func @resource() -> tensor<4xui8> {
  %0 = tiny.constant dense_resource<weights> : tensor<4xui8>
  return %0 : tensor<4xui8>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x0100000001020304"
    }
  }
#-}
