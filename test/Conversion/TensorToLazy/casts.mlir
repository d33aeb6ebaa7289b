// RUN: tiny-opt %s --convert-tensor-to-lazy | FileCheck %s --implicit-check-not="= tiny."
// RUN: tiny-opt %s --check-passes --convert-tensor-to-lazy -o /dev/null

// CHECK-LABEL: func @from_f32(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[EXTF:[a-z0-9_]+]] = arith.extf %[[X]] : tensor<4xf32> to tensor<4xf64>
// CHECK: %[[TRUNCF:[a-z0-9_]+]] = arith.truncf %[[X]] : tensor<4xf32> to tensor<4xf16>
// CHECK: %[[FPTOSI:[a-z0-9_]+]] = arith.fptosi %[[X]] : tensor<4xf32> to tensor<4xi32>
// CHECK: %[[FPTOUI:[a-z0-9_]+]] = arith.fptoui %[[X]] : tensor<4xf32> to tensor<4xi8>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[CMPF:[a-z0-9_]+]] = arith.cmpf une, %[[X]], %[[CONSTANT]]
// CHECK: return %[[EXTF]], %[[TRUNCF]], %[[FPTOSI]], %[[FPTOUI]], %[[CMPF]], %[[X]]
func.func @from_f32(%x: tensor<4xf32>) -> (tensor<4xf64>, tensor<4xf16>, tensor<4xi32>, tensor<4xui8>, tensor<4xi1>, tensor<4xf32>) {
  %0 = tiny.cast %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = tiny.cast %x : (tensor<4xf32>) -> tensor<4xf16>
  %2 = tiny.cast %x : (tensor<4xf32>) -> tensor<4xi32>
  %3 = tiny.cast %x : (tensor<4xf32>) -> tensor<4xui8>
  %4 = tiny.cast %x : (tensor<4xf32>) -> tensor<4xi1>
  %5 = tiny.cast %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf64>, tensor<4xf16>, tensor<4xi32>, tensor<4xui8>, tensor<4xi1>, tensor<4xf32>
}

// CHECK-LABEL: func @from_i16(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[EXTSI:[a-z0-9_]+]] = arith.extsi %[[X]] : tensor<4xi16> to tensor<4xi64>
// CHECK: %[[TRUNCI:[a-z0-9_]+]] = arith.trunci %[[X]] : tensor<4xi16> to tensor<4xi8>
// CHECK: %[[EXTSI2:[a-z0-9_]+]] = arith.extsi %[[X]] : tensor<4xi16> to tensor<4xi32>
// CHECK: %[[SITOFP:[a-z0-9_]+]] = arith.sitofp %[[X]] : tensor<4xi16> to tensor<4xf32>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi16>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi ne, %[[X]], %[[CONSTANT]]
// CHECK: return %[[EXTSI]], %[[TRUNCI]], %[[X]], %[[EXTSI2]], %[[SITOFP]], %[[CMPI]]
func.func @from_i16(%x: tensor<4xi16>) -> (tensor<4xi64>, tensor<4xi8>, tensor<4xui16>, tensor<4xui32>, tensor<4xf32>, tensor<4xi1>) {
  %0 = tiny.cast %x : (tensor<4xi16>) -> tensor<4xi64>
  %1 = tiny.cast %x : (tensor<4xi16>) -> tensor<4xi8>
  %2 = tiny.cast %x : (tensor<4xi16>) -> tensor<4xui16>
  %3 = tiny.cast %x : (tensor<4xi16>) -> tensor<4xui32>
  %4 = tiny.cast %x : (tensor<4xi16>) -> tensor<4xf32>
  %5 = tiny.cast %x : (tensor<4xi16>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi64>, tensor<4xi8>, tensor<4xui16>, tensor<4xui32>, tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func @from_ui16(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[EXTUI:[a-z0-9_]+]] = arith.extui %[[X]] : tensor<4xi16> to tensor<4xi64>
// CHECK: %[[TRUNCI:[a-z0-9_]+]] = arith.trunci %[[X]] : tensor<4xi16> to tensor<4xi8>
// CHECK: %[[UITOFP:[a-z0-9_]+]] = arith.uitofp %[[X]] : tensor<4xi16> to tensor<4xf32>
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi16>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi ne, %[[X]], %[[CONSTANT]]
// CHECK: return %[[EXTUI]], %[[TRUNCI]], %[[X]], %[[UITOFP]], %[[CMPI]]
func.func @from_ui16(%x: tensor<4xui16>) -> (tensor<4xi64>, tensor<4xui8>, tensor<4xi16>, tensor<4xf32>, tensor<4xi1>) {
  %0 = tiny.cast %x : (tensor<4xui16>) -> tensor<4xi64>
  %1 = tiny.cast %x : (tensor<4xui16>) -> tensor<4xui8>
  %2 = tiny.cast %x : (tensor<4xui16>) -> tensor<4xi16>
  %3 = tiny.cast %x : (tensor<4xui16>) -> tensor<4xf32>
  %4 = tiny.cast %x : (tensor<4xui16>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi64>, tensor<4xui8>, tensor<4xi16>, tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func @from_i1(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[EXTUI:[a-z0-9_]+]] = arith.extui %[[X]] : tensor<4xi1> to tensor<4xi8>
// CHECK: %[[EXTUI2:[a-z0-9_]+]] = arith.extui %[[X]] : tensor<4xi1> to tensor<4xi8>
// CHECK: %[[UITOFP:[a-z0-9_]+]] = arith.uitofp %[[X]] : tensor<4xi1> to tensor<4xf32>
// CHECK: return %[[EXTUI]], %[[EXTUI2]], %[[UITOFP]]
func.func @from_i1(%x: tensor<4xi1>) -> (tensor<4xi8>, tensor<4xui8>, tensor<4xf32>) {
  %0 = tiny.cast %x : (tensor<4xi1>) -> tensor<4xi8>
  %1 = tiny.cast %x : (tensor<4xi1>) -> tensor<4xui8>
  %2 = tiny.cast %x : (tensor<4xi1>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xui8>, tensor<4xf32>
}

// CHECK-LABEL: func @from_f8(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[EXTF:[a-z0-9_]+]] = arith.extf %[[X]] : tensor<4xf8E4M3FN> to tensor<4xf32>
// CHECK: return %[[EXTF]]
func.func @from_f8(%x: tensor<4xf8E4M3FN>) -> tensor<4xf32> {
  %0 = tiny.cast %x : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @bitcast(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[BITCAST:[a-z0-9_]+]] = arith.bitcast %[[X]] : tensor<4xf32> to tensor<4xi32>
// CHECK: %[[BITCAST2:[a-z0-9_]+]] = arith.bitcast %[[X]] : tensor<4xf32> to tensor<4xi32>
// CHECK: return %[[BITCAST]], %[[BITCAST2]]
func.func @bitcast(%x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xui32>) {
  %0 = tiny.bitcast %x : (tensor<4xf32>) -> tensor<4xi32>
  %1 = tiny.bitcast %0 : (tensor<4xi32>) -> tensor<4xui32>
  return %0, %1 : tensor<4xi32>, tensor<4xui32>
}
