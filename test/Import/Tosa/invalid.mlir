// RUN: tiny-opt %s --convert-tosa-to-tensor -split-input-file -verify-diagnostics

func.func @counterpart(%x: tensor<1x4x8xf32>) -> (tensor<1x4x5xf32>, tensor<1x4x5xf32>) {
  // expected-error @+1 {{has no counterpart among tensor operations}}
  %0, %1 = tosa.rfft2d %x : (tensor<1x4x8xf32>) -> (tensor<1x4x5xf32>, tensor<1x4x5xf32>)
  return %0, %1 : tensor<1x4x5xf32>, tensor<1x4x5xf32>
}

// -----

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected tensors of static shape, got tensor<?xf32>}}
  %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @width(%x: tensor<2xi48>) -> tensor<2xi48> {
  // expected-error @+1 {{expected 1, 8, 16, 32 or 64 bits, got tensor<2xi48>}}
  %0 = tosa.identity %x : (tensor<2xi48>) -> tensor<2xi48>
  return %0 : tensor<2xi48>
}

// -----

func.func @shift(%x: tensor<2xi32>, %s: tensor<1xi8>) -> tensor<2xi32> {
  // expected-error @+1 {{expected a constant shift}}
  %0 = tosa.mul %x, %x, %s : (tensor<2xi32>, tensor<2xi32>, tensor<1xi8>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @number(%x: tensor<2xi32>, %n: tensor<1xi32>) -> tensor<4xi32> {
  %p = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{expected a constant to pad with}}
  %0 = tosa.pad %x, %p, %n : (tensor<2xi32>, !tosa.shape<2>, tensor<1xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @table(%x: tensor<2xi16>, %t: tensor<513xi16>) -> tensor<2xi32> {
  // expected-error @+1 {{only tables for 8 bits are supported}}
  %0 = tosa.table %x, %t : (tensor<2xi16>, tensor<513xi16>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @zero_point(%a: tensor<1x2x2xi8>, %z: tensor<1xi8>) -> tensor<1x2x2xi32> {
  // expected-error @+1 {{expected constant zero points}}
  %0 = tosa.matmul %a, %a, %z, %z : (tensor<1x2x2xi8>, tensor<1x2x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2xi32>
  return %0 : tensor<1x2x2xi32>
}

// -----

func.func @far(%x: tensor<2xi32>) -> tensor<2xi32> {
  %s = "tosa.const"() {values = dense<-1> : tensor<1xi8>} : () -> tensor<1xi8>
  // expected-error @+1 {{expected a shift from 0 to 62, got -1}}
  %0 = tosa.mul %x, %x, %s : (tensor<2xi32>, tensor<2xi32>, tensor<1xi8>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @channels(%x: tensor<1x2x2x3xf32>, %w: tensor<1x2x2x2xf32>) -> tensor<1x1x1x1xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  // expected-error @+1 {{the weight does not fit the input's channels}}
  %0 = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x3xf32>, tensor<1x2x2x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}

// -----

func.func @operands(%a: tensor<1x2x3xf32>, %b: tensor<1x4x2xf32>) -> tensor<1x2x2xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  // expected-error @+1 {{the operands do not fit each other}}
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x2x3xf32>, tensor<1x4x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}

// -----

func.func @padding(%x: tensor<2xi32>) -> tensor<1xi32> {
  %p = tosa.const_shape {values = dense<[-1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  // expected-error @+1 {{expected padding of 0 or more}}
  %0 = tosa.pad %x, %p, %n : (tensor<2xi32>, !tosa.shape<2>, tensor<1xi32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}

// -----

func.func @slice(%x: tensor<4xi32>) -> tensor<3xi32> {
  %b = tosa.const_shape {values = dense<[2]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %s = tosa.const_shape {values = dense<[3]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{takes 3 elements from 2 of 4}}
  %0 = tosa.slice %x, %b, %s : (tensor<4xi32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

func.func @multiples(%x: tensor<4xi32>) -> tensor<4xi32> {
  %m = tosa.const_shape {values = dense<[-1]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{expected multiples of 1 or more}}
  %0 = tosa.tile %x, %m : (tensor<4xi32>, !tosa.shape<1>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @shape() -> !tosa.shape<1> {
  // expected-error @+1 {{is used by what is not tosa}}
  %m = tosa.const_shape {values = dense<[1]> : tensor<1xindex>} : () -> !tosa.shape<1>
  return %m : !tosa.shape<1>
}
