// RUN: tiny-opt %s --convert-tensor-to-lazy | FileCheck %s --implicit-check-not="= tiny."
// RUN: tiny-opt %s --check-passes --convert-tensor-to-lazy -o /dev/null

// 0 for a divisor of 0; the least integer by -1 is itself.
// CHECK-LABEL: func @divide_signed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[Y]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<-2147483648> : tensor<4xi32>
// CHECK: %[[CMPI2:[a-z0-9_]+]] = arith.cmpi eq, %[[X]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<-1> : tensor<4xi32>
// CHECK: %[[CMPI3:[a-z0-9_]+]] = arith.cmpi eq, %[[Y]], %[[CONSTANT3]]
// CHECK: %[[ANDI:[a-z0-9_]+]] = arith.andi %[[CMPI2]], %[[CMPI3]]
// CHECK: %[[ORI:[a-z0-9_]+]] = arith.ori %[[CMPI]], %[[ANDI]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = arith.constant dense<1> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[ORI]], %[[CONSTANT4]], %[[Y]]
// CHECK: %[[DIVSI:[a-z0-9_]+]] = arith.divsi %[[X]], %[[SELECT]]
// CHECK: %[[CONSTANT5:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[SELECT2:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[CONSTANT5]], %[[DIVSI]]
// CHECK: return %[[SELECT2]]
func.func @divide_signed(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tiny.truncdiv %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @divide_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[Y]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<1> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[CONSTANT2]], %[[Y]]
// CHECK: %[[DIVUI:[a-z0-9_]+]] = arith.divui %[[X]], %[[SELECT]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[SELECT2:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[CONSTANT3]], %[[DIVUI]]
// CHECK: return %[[SELECT2]]
func.func @divide_unsigned(%x: tensor<4xui32>, %y: tensor<4xui32>) -> tensor<4xui32> {
  %0 = tiny.truncdiv %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// CHECK-LABEL: func @floor_divide_signed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[Y]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<-2147483648> : tensor<4xi32>
// CHECK: %[[CMPI2:[a-z0-9_]+]] = arith.cmpi eq, %[[X]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<-1> : tensor<4xi32>
// CHECK: %[[CMPI3:[a-z0-9_]+]] = arith.cmpi eq, %[[Y]], %[[CONSTANT3]]
// CHECK: %[[ANDI:[a-z0-9_]+]] = arith.andi %[[CMPI2]], %[[CMPI3]]
// CHECK: %[[ORI:[a-z0-9_]+]] = arith.ori %[[CMPI]], %[[ANDI]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = arith.constant dense<1> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[ORI]], %[[CONSTANT4]], %[[Y]]
// CHECK: %[[FLOORDIVSI:[a-z0-9_]+]] = arith.floordivsi %[[X]], %[[SELECT]]
// CHECK: %[[CONSTANT5:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[SELECT2:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[CONSTANT5]], %[[FLOORDIVSI]]
// CHECK: return %[[SELECT2]]
func.func @floor_divide_signed(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tiny.floordiv %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @floor_divide_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[Y]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<1> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[CONSTANT2]], %[[Y]]
// CHECK: %[[DIVUI:[a-z0-9_]+]] = arith.divui %[[X]], %[[SELECT]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[SELECT2:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[CONSTANT3]], %[[DIVUI]]
// CHECK: return %[[SELECT2]]
func.func @floor_divide_unsigned(%x: tensor<4xui32>, %y: tensor<4xui32>) -> tensor<4xui32> {
  %0 = tiny.floordiv %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// CHECK-LABEL: func @remainder_signed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[Y]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<-2147483648> : tensor<4xi32>
// CHECK: %[[CMPI2:[a-z0-9_]+]] = arith.cmpi eq, %[[X]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<-1> : tensor<4xi32>
// CHECK: %[[CMPI3:[a-z0-9_]+]] = arith.cmpi eq, %[[Y]], %[[CONSTANT3]]
// CHECK: %[[ANDI:[a-z0-9_]+]] = arith.andi %[[CMPI2]], %[[CMPI3]]
// CHECK: %[[ORI:[a-z0-9_]+]] = arith.ori %[[CMPI]], %[[ANDI]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = arith.constant dense<1> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[ORI]], %[[CONSTANT4]], %[[Y]]
// CHECK: %[[REMSI:[a-z0-9_]+]] = arith.remsi %[[X]], %[[SELECT]]
// CHECK: return %[[REMSI]]
func.func @remainder_signed(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tiny.fmod %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @remainder_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[Y]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<1> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[CONSTANT2]], %[[Y]]
// CHECK: %[[REMUI:[a-z0-9_]+]] = arith.remui %[[X]], %[[SELECT]]
// CHECK: return %[[REMUI]]
func.func @remainder_unsigned(%x: tensor<4xui32>, %y: tensor<4xui32>) -> tensor<4xui32> {
  %0 = tiny.fmod %x, %y : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// A divisor that is known to be safe needs no guard.
// CHECK-LABEL: func @divide_by_constant(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<7> : tensor<4xi32>
// CHECK: %[[FLOORDIVSI:[a-z0-9_]+]] = arith.floordivsi %[[X]], %[[CONSTANT]]
// CHECK: return %[[FLOORDIVSI]]
func.func @divide_by_constant(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = tiny.constant dense<7> : tensor<4xi32>
  %0 = tiny.floordiv %x, %c : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Not with -1, unless it is unsigned.
// CHECK-LABEL: func @divide_by_minus_one(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<-1> : tensor<4xi8>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi8>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[CONSTANT]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<-128> : tensor<4xi8>
// CHECK: %[[CMPI2:[a-z0-9_]+]] = arith.cmpi eq, %[[X]], %[[CONSTANT3]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = arith.constant dense<-1> : tensor<4xi8>
// CHECK: %[[CMPI3:[a-z0-9_]+]] = arith.cmpi eq, %[[CONSTANT]], %[[CONSTANT4]]
// CHECK: %[[ANDI:[a-z0-9_]+]] = arith.andi %[[CMPI2]], %[[CMPI3]]
// CHECK: %[[ORI:[a-z0-9_]+]] = arith.ori %[[CMPI]], %[[ANDI]]
// CHECK: %[[CONSTANT5:[a-z0-9_]+]] = arith.constant dense<1> : tensor<4xi8>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[ORI]], %[[CONSTANT5]], %[[CONSTANT]]
// CHECK: %[[DIVSI:[a-z0-9_]+]] = arith.divsi %[[X]], %[[SELECT]]
// CHECK: %[[CONSTANT6:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi8>
// CHECK: %[[SELECT2:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[CONSTANT6]], %[[DIVSI]]
// CHECK: return %[[SELECT2]]
func.func @divide_by_minus_one(%x: tensor<4xi8>) -> tensor<4xi8> {
  %c = tiny.constant dense<-1> : tensor<4xi8>
  %0 = tiny.truncdiv %x, %c : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func @divide_unsigned_by_largest(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<-1> : tensor<4xi8>
// CHECK: %[[DIVUI:[a-z0-9_]+]] = arith.divui %[[X]], %[[CONSTANT]]
// CHECK: return %[[DIVUI]]
func.func @divide_unsigned_by_largest(%x: tensor<4xui8>) -> tensor<4xui8> {
  %c = tiny.constant dense<255> : tensor<4xui8>
  %0 = tiny.truncdiv %x, %c : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func @remainder_by_some_zero(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<[1, 2, 0, 3]> : tensor<4xi32>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi eq, %[[CONSTANT]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<-2147483648> : tensor<4xi32>
// CHECK: %[[CMPI2:[a-z0-9_]+]] = arith.cmpi eq, %[[X]], %[[CONSTANT3]]
// CHECK: %[[CONSTANT4:[a-z0-9_]+]] = arith.constant dense<-1> : tensor<4xi32>
// CHECK: %[[CMPI3:[a-z0-9_]+]] = arith.cmpi eq, %[[CONSTANT]], %[[CONSTANT4]]
// CHECK: %[[ANDI:[a-z0-9_]+]] = arith.andi %[[CMPI2]], %[[CMPI3]]
// CHECK: %[[ORI:[a-z0-9_]+]] = arith.ori %[[CMPI]], %[[ANDI]]
// CHECK: %[[CONSTANT5:[a-z0-9_]+]] = arith.constant dense<1> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[ORI]], %[[CONSTANT5]], %[[CONSTANT]]
// CHECK: %[[REMSI:[a-z0-9_]+]] = arith.remsi %[[X]], %[[SELECT]]
// CHECK: return %[[REMSI]]
func.func @remainder_by_some_zero(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = tiny.constant dense<[1, 2, 0, 3]> : tensor<4xi32>
  %0 = tiny.fmod %x, %c : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Amounts below 0 are unsigned and large.
// CHECK-LABEL: func @shift_left(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<32> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi ult, %[[Y]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[Y]], %[[CONSTANT2]]
// CHECK: %[[SHLI:[a-z0-9_]+]] = arith.shli %[[X]], %[[SELECT]]
// CHECK: %[[SELECT2:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[SHLI]], %[[CONSTANT2]]
// CHECK: return %[[SELECT2]]
func.func @shift_left(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tiny.shl %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @shift_right_signed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<32> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi ult, %[[Y]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<31> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[Y]], %[[CONSTANT2]]
// CHECK: %[[SHRSI:[a-z0-9_]+]] = arith.shrsi %[[X]], %[[SELECT]]
// CHECK: return %[[SHRSI]]
func.func @shift_right_signed(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tiny.shr %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @shift_right_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}, %[[Y:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<8> : tensor<4xi8>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi ult, %[[Y]], %[[CONSTANT]]
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<7> : tensor<4xi8>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[Y]], %[[CONSTANT2]]
// CHECK: %[[SHRUI:[a-z0-9_]+]] = arith.shrui %[[X]], %[[SELECT]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi8>
// CHECK: %[[SELECT2:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[SHRUI]], %[[CONSTANT3]]
// CHECK: return %[[SELECT2]]
func.func @shift_right_unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
  %0 = tiny.shr %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func @shift_by_constant(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<31> : tensor<4xi32>
// CHECK: %[[SHLI:[a-z0-9_]+]] = arith.shli %[[X]], %[[CONSTANT]]
// CHECK: return %[[SHLI]]
func.func @shift_by_constant(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = tiny.constant dense<31> : tensor<4xi32>
  %0 = tiny.shl %x, %c : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func @shift_right_by_constant(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<7> : tensor<4xi8>
// CHECK: %[[SHRUI:[a-z0-9_]+]] = arith.shrui %[[X]], %[[CONSTANT]]
// CHECK: return %[[SHRUI]]
func.func @shift_right_by_constant(%x: tensor<4xui8>) -> tensor<4xui8> {
  %c = tiny.constant dense<7> : tensor<4xui8>
  %0 = tiny.shr %x, %c : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func @shift_by_the_width(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,)]+}}
// CHECK: %[[CONSTANT:[a-z0-9_]+]] = arith.constant dense<32> : tensor<4xi32>
// CHECK: %[[CONSTANT2:[a-z0-9_]+]] = arith.constant dense<32> : tensor<4xi32>
// CHECK: %[[CMPI:[a-z0-9_]+]] = arith.cmpi ult, %[[CONSTANT]], %[[CONSTANT2]]
// CHECK: %[[CONSTANT3:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[SELECT:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[CONSTANT]], %[[CONSTANT3]]
// CHECK: %[[SHLI:[a-z0-9_]+]] = arith.shli %[[X]], %[[SELECT]]
// CHECK: %[[SELECT2:[a-z0-9_]+]] = arith.select %[[CMPI]], %[[SHLI]], %[[CONSTANT3]]
// CHECK: return %[[SELECT2]]
func.func @shift_by_the_width(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = tiny.constant dense<32> : tensor<4xi32>
  %0 = tiny.shl %x, %c : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
