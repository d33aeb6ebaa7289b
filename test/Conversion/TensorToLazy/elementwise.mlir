// RUN: tiny-opt %s --convert-tensor-to-lazy | FileCheck %s --implicit-check-not="= tiny."
// RUN: tiny-opt %s --check-passes --convert-tensor-to-lazy -o /dev/null

// CHECK-LABEL: func @float_unary(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[NEGF:[a-z0-9_]+]] = arith.negf %[[X]]
// CHECK: %[[ABSF:[a-z0-9_]+]] = math.absf %[[X]]
// CHECK: %[[EXP:[a-z0-9_]+]] = math.exp %[[X]]
// CHECK: %[[EXP2:[a-z0-9_]+]] = math.exp2 %[[X]]
// CHECK: %[[LOG:[a-z0-9_]+]] = math.log %[[X]]
// CHECK: %[[LOG2:[a-z0-9_]+]] = math.log2 %[[X]]
// CHECK: %[[SQRT:[a-z0-9_]+]] = math.sqrt %[[X]]
// CHECK: %[[RSQRT:[a-z0-9_]+]] = math.rsqrt %[[X]]
// CHECK: %[[SIN:[a-z0-9_]+]] = math.sin %[[X]]
// CHECK: %[[COS:[a-z0-9_]+]] = math.cos %[[X]]
// CHECK: %[[TAN:[a-z0-9_]+]] = math.tan %[[X]]
// CHECK: %[[ASIN:[a-z0-9_]+]] = math.asin %[[X]]
// CHECK: %[[ACOS:[a-z0-9_]+]] = math.acos %[[X]]
// CHECK: %[[ATAN:[a-z0-9_]+]] = math.atan %[[X]]
// CHECK: %[[SINH:[a-z0-9_]+]] = math.sinh %[[X]]
// CHECK: %[[COSH:[a-z0-9_]+]] = math.cosh %[[X]]
// CHECK: %[[TANH:[a-z0-9_]+]] = math.tanh %[[X]]
// CHECK: %[[ERF:[a-z0-9_]+]] = math.erf %[[X]]
// CHECK: %[[FLOOR:[a-z0-9_]+]] = math.floor %[[X]]
// CHECK: %[[CEIL:[a-z0-9_]+]] = math.ceil %[[X]]
// CHECK: %[[ROUNDEVEN:[a-z0-9_]+]] = math.roundeven %[[X]]
// CHECK: %[[TRUNC:[a-z0-9_]+]] = math.trunc %[[X]] : tensor<4xf32>
// CHECK: return %[[NEGF]], %[[ABSF]], %[[EXP]], %[[EXP2]], %[[LOG]], %[[LOG2]], %[[SQRT]], %[[RSQRT]], %[[SIN]], %[[COS]], %[[TAN]], %[[ASIN]], %[[ACOS]], %[[ATAN]], %[[SINH]], %[[COSH]], %[[TANH]], %[[ERF]], %[[FLOOR]], %[[CEIL]], %[[ROUNDEVEN]], %[[TRUNC]]
func.func @float_unary(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tiny.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tiny.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = tiny.exp2 %x : (tensor<4xf32>) -> tensor<4xf32>
  %4 = tiny.log %x : (tensor<4xf32>) -> tensor<4xf32>
  %5 = tiny.log2 %x : (tensor<4xf32>) -> tensor<4xf32>
  %6 = tiny.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  %7 = tiny.rsqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  %8 = tiny.sin %x : (tensor<4xf32>) -> tensor<4xf32>
  %9 = tiny.cos %x : (tensor<4xf32>) -> tensor<4xf32>
  %10 = tiny.tan %x : (tensor<4xf32>) -> tensor<4xf32>
  %11 = tiny.asin %x : (tensor<4xf32>) -> tensor<4xf32>
  %12 = tiny.acos %x : (tensor<4xf32>) -> tensor<4xf32>
  %13 = tiny.atan %x : (tensor<4xf32>) -> tensor<4xf32>
  %14 = tiny.sinh %x : (tensor<4xf32>) -> tensor<4xf32>
  %15 = tiny.cosh %x : (tensor<4xf32>) -> tensor<4xf32>
  %16 = tiny.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %17 = tiny.erf %x : (tensor<4xf32>) -> tensor<4xf32>
  %18 = tiny.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  %19 = tiny.ceil %x : (tensor<4xf32>) -> tensor<4xf32>
  %20 = tiny.round %x : (tensor<4xf32>) -> tensor<4xf32>
  %21 = tiny.trunc %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @near_zero(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[EXPM1:[a-z0-9_]+]] = math.expm1 %[[X]]
// CHECK: %[[LOG1P:[a-z0-9_]+]] = math.log1p %[[X]]
// CHECK: return %[[EXPM1]], %[[LOG1P]]
func.func @near_zero(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %0 = tiny.expm1 %x : (tensor<4xf16>) -> tensor<4xf16>
  %1 = tiny.log1p %x : (tensor<4xf16>) -> tensor<4xf16>
  return %0, %1 : tensor<4xf16>, tensor<4xf16>
}

// CHECK-LABEL: func @float_binary(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[ADDF:[a-z0-9_]+]] = arith.addf %[[X]], %[[Y]]
// CHECK: %[[SUBF:[a-z0-9_]+]] = arith.subf %[[X]], %[[Y]]
// CHECK: %[[MULF:[a-z0-9_]+]] = arith.mulf %[[X]], %[[Y]]
// CHECK: %[[DIVF:[a-z0-9_]+]] = arith.divf %[[X]], %[[Y]]
// CHECK: %[[REMF:[a-z0-9_]+]] = arith.remf %[[X]], %[[Y]]
// CHECK: %[[POWF:[a-z0-9_]+]] = math.powf %[[X]], %[[Y]]
// CHECK: %[[MAXIMUMF:[a-z0-9_]+]] = arith.maximumf %[[X]], %[[Y]]
// CHECK: %[[MINIMUMF:[a-z0-9_]+]] = arith.minimumf %[[X]], %[[Y]]
// CHECK: return %[[ADDF]], %[[SUBF]], %[[MULF]], %[[DIVF]], %[[REMF]], %[[POWF]], %[[MAXIMUMF]], %[[MINIMUMF]]
func.func @float_binary(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tiny.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.sub %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = tiny.mul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = tiny.div %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = tiny.fmod %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = tiny.pow %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = tiny.maximum %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = tiny.minimum %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @signed_unary(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[SUBI:[a-z0-9_]+]] = arith.subi %[[CONSTANT]], %[[X]]
// CHECK: %[[ABSI:[a-z0-9_]+]] = math.absi %[[X]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<-1> : tensor<4xi32>
// CHECK: %[[XORI:[a-z0-9_]+]] = arith.xori %[[X]], %[[CONSTANT2]]
// CHECK: return %[[SUBI]], %[[ABSI]], %[[XORI]]
func.func @signed_unary(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = tiny.neg %x : (tensor<4xi32>) -> tensor<4xi32>
  %1 = tiny.abs %x : (tensor<4xi32>) -> tensor<4xi32>
  %2 = tiny.not %x : (tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func @signed_binary(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[ADDI:[a-z0-9_]+]] = arith.addi %[[X]], %[[Y]]
// CHECK: %[[SUBI:[a-z0-9_]+]] = arith.subi %[[X]], %[[Y]]
// CHECK: %[[MULI:[a-z0-9_]+]] = arith.muli %[[X]], %[[Y]]
// CHECK: %[[MAXSI:[a-z0-9_]+]] = arith.maxsi %[[X]], %[[Y]]
// CHECK: %[[MINSI:[a-z0-9_]+]] = arith.minsi %[[X]], %[[Y]]
// CHECK: %[[ANDI:[a-z0-9_]+]] = arith.andi %[[X]], %[[Y]]
// CHECK: %[[ORI:[a-z0-9_]+]] = arith.ori %[[X]], %[[Y]]
// CHECK: %[[XORI:[a-z0-9_]+]] = arith.xori %[[X]], %[[Y]]
// CHECK: return %[[ADDI]], %[[SUBI]], %[[MULI]], %[[MAXSI]], %[[MINSI]], %[[ANDI]], %[[ORI]], %[[XORI]]
func.func @signed_binary(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = tiny.add %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = tiny.sub %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = tiny.mul %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = tiny.maximum %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %4 = tiny.minimum %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %5 = tiny.and %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %6 = tiny.or %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %7 = tiny.xor %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func @unsigned_binary(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[ADDI:[a-z0-9_]+]] = arith.addi %[[X]], %[[Y]]
// CHECK: %[[SUBI:[a-z0-9_]+]] = arith.subi %[[X]], %[[Y]]
// CHECK: %[[MULI:[a-z0-9_]+]] = arith.muli %[[X]], %[[Y]]
// CHECK: %[[MAXUI:[a-z0-9_]+]] = arith.maxui %[[X]], %[[Y]]
// CHECK: %[[MINUI:[a-z0-9_]+]] = arith.minui %[[X]], %[[Y]]
// CHECK: %[[ANDI:[a-z0-9_]+]] = arith.andi %[[X]], %[[Y]]
// CHECK: %[[ORI:[a-z0-9_]+]] = arith.ori %[[X]], %[[Y]]
// CHECK: %[[XORI:[a-z0-9_]+]] = arith.xori %[[X]], %[[Y]]
// CHECK: return %[[ADDI]], %[[SUBI]], %[[MULI]], %[[MAXUI]], %[[MINUI]], %[[ANDI]], %[[ORI]], %[[XORI]]
func.func @unsigned_binary(%x: tensor<4xui8>, %y: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>) {
  %0 = tiny.add %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = tiny.sub %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %2 = tiny.mul %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %3 = tiny.maximum %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %4 = tiny.minimum %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %5 = tiny.and %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %6 = tiny.or %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %7 = tiny.xor %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>
}

// CHECK-LABEL: func @truth_values(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[ORI:[a-z0-9_]+]] = arith.ori %[[X]], %[[Y]]
// CHECK: %[[ANDI:[a-z0-9_]+]] = arith.andi %[[X]], %[[Y]]
// CHECK: %[[ANDI2:[a-z0-9_]+]] = arith.andi %[[X]], %[[Y]]
// CHECK: %[[ORI2:[a-z0-9_]+]] = arith.ori %[[X]], %[[Y]]
// CHECK: %[[XORI:[a-z0-9_]+]] = arith.xori %[[X]], %[[Y]]
// CHECK: return %[[ORI]], %[[ANDI]], %[[ANDI2]], %[[ORI2]], %[[XORI]]
func.func @truth_values(%x: tensor<4xi1>, %y: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = tiny.maximum %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = tiny.minimum %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = tiny.and %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %3 = tiny.or %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %4 = tiny.xor %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @not(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<true> : tensor<4xi1>
// CHECK: %[[XORI:[a-z0-9_]+]] = arith.xori %[[X]], %[[CONSTANT]]
// CHECK: return %[[XORI]]
func.func @not(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = tiny.not %x : (tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func @compare_floats(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CMPF:[a-z0-9_]+]] = arith.cmpf oeq, %[[X]], %[[Y]]
// CHECK: %[[CMPF2:[a-z0-9_]+]] = arith.cmpf une, %[[X]], %[[Y]]
// CHECK: %[[CMPF3:[a-z0-9_]+]] = arith.cmpf olt, %[[X]], %[[Y]]
// CHECK: %[[CMPF4:[a-z0-9_]+]] = arith.cmpf ole, %[[X]], %[[Y]]
// CHECK: %[[CMPF5:[a-z0-9_]+]] = arith.cmpf ogt, %[[X]], %[[Y]]
// CHECK: %[[CMPF6:[a-z0-9_]+]] = arith.cmpf oge, %[[X]], %[[Y]]
// CHECK: return %[[CMPF]], %[[CMPF2]], %[[CMPF3]], %[[CMPF4]], %[[CMPF5]], %[[CMPF6]]
func.func @compare_floats(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = tiny.eq %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = tiny.ne %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = tiny.lt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = tiny.le %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = tiny.gt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %5 = tiny.ge %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @compare_signed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[X]], %[[Y]]
// CHECK: %[[CMPI2:[a-z0-9_]+]] = arith.cmpi ne, %[[X]], %[[Y]]
// CHECK: %[[CMPI3:[a-z0-9_]+]] = arith.cmpi slt, %[[X]], %[[Y]]
// CHECK: %[[CMPI4:[a-z0-9_]+]] = arith.cmpi sle, %[[X]], %[[Y]]
// CHECK: %[[CMPI5:[a-z0-9_]+]] = arith.cmpi sgt, %[[X]], %[[Y]]
// CHECK: %[[CMPI6:[a-z0-9_]+]] = arith.cmpi sge, %[[X]], %[[Y]]
// CHECK: return %[[CMPI]], %[[CMPI2]], %[[CMPI3]], %[[CMPI4]], %[[CMPI5]], %[[CMPI6]]
func.func @compare_signed(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = tiny.eq %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %1 = tiny.ne %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %2 = tiny.lt %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %3 = tiny.le %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %4 = tiny.gt %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %5 = tiny.ge %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @compare_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[X]], %[[Y]]
// CHECK: %[[CMPI2:[a-z0-9_]+]] = arith.cmpi ne, %[[X]], %[[Y]]
// CHECK: %[[CMPI3:[a-z0-9_]+]] = arith.cmpi ult, %[[X]], %[[Y]]
// CHECK: %[[CMPI4:[a-z0-9_]+]] = arith.cmpi ule, %[[X]], %[[Y]]
// CHECK: %[[CMPI5:[a-z0-9_]+]] = arith.cmpi ugt, %[[X]], %[[Y]]
// CHECK: %[[CMPI6:[a-z0-9_]+]] = arith.cmpi uge, %[[X]], %[[Y]]
// CHECK: return %[[CMPI]], %[[CMPI2]], %[[CMPI3]], %[[CMPI4]], %[[CMPI5]], %[[CMPI6]]
func.func @compare_unsigned(%x: tensor<4xui32>, %y: tensor<4xui32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = tiny.eq %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %1 = tiny.ne %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %2 = tiny.lt %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %3 = tiny.le %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %4 = tiny.gt %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %5 = tiny.ge %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @compare_truth_values(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[X]], %[[Y]]
// CHECK: %[[CMPI2:[a-z0-9_]+]] = arith.cmpi ult, %[[X]], %[[Y]]
// CHECK: return %[[CMPI]], %[[CMPI2]]
func.func @compare_truth_values(%x: tensor<4xi1>, %y: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = tiny.eq %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = tiny.lt %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func @where(
// CHECK-SAME: %[[C:[a-z0-9]+]]: {{[^,)]+}}, %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[C]], %[[X]], %[[Y]]
// CHECK: return %[[SELECT]]
func.func @where(%c: tensor<4xi1>, %x: tensor<4xui16>, %y: tensor<4xui16>) -> tensor<4xui16> {
  %0 = tiny.where %c, %x, %y : (tensor<4xi1>, tensor<4xui16>, tensor<4xui16>) -> tensor<4xui16>
  return %0 : tensor<4xui16>
}
