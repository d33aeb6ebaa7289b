// Look-ups of every kind compute the same after each step down, for indices inside, outside and from the end.
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline --check-passes -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline=fusion=all --check-passes -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline=fusion=none --check-passes -o /dev/null
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline | FileCheck %s

// The index is computed where it is needed, and so is what is picked: with the maximum, which reads the base, too.
// CHECK-LABEL: kernel.program @neighbours
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
func.func @neighbours(%x: tensor<4x6xf32>, %i: tensor<4x6xi32>) -> tensor<4x6xf32> {
  %five = tiny.constant dense<5> : tensor<i32>
  %e = tiny.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %near = tiny.mod %i, %five : (tensor<4x6xi32>, tensor<i32>) -> tensor<4x6xi32>
  %0 = tiny.take_along %e, %near axis 1 : (tensor<4x6xf32>, tensor<4x6xi32>) -> tensor<4x6xf32>
  %1 = tiny.maximum %0, %e : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// A view of the base is read through, and a sum takes the gather in.
// CHECK-LABEL: kernel.program @transposed
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
func.func @transposed(%x: tensor<4x6xf32>, %k: tensor<3x2xi8>) -> tensor<2x4xf32> {
  %t = tiny.permute %x [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %f = tiny.flip %t [0] : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %0 = tiny.take %f, %k axis 0 : (tensor<6x4xf32>, tensor<3x2xi8>) -> tensor<3x2x4xf32>
  %1 = tiny.sum %0 axes [0] : (tensor<3x2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: kernel.program @coordinates
func.func @coordinates(%x: tensor<3x4x5xi16>, %i: tensor<2x1xui8>, %j: tensor<7xi64>) -> tensor<2x7xi16> {
  %two = tiny.constant dense<-2> : tensor<i16>
  %0 = tiny.gather %x [%i, %j, %two] : (tensor<3x4x5xi16>, tensor<2x1xui8>, tensor<7xi64>, tensor<i16>) -> tensor<2x7xi16>
  return %0 : tensor<2x7xi16>
}

// A look-up of what a look-up found; an argument of one element.
// CHECK-LABEL: kernel.program @chain
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
func.func @chain(%x: tensor<8xf32>, %next: tensor<1xi32>, %start: tensor<1xi32>) -> tensor<1xf32> {
  %at = tiny.take %next, %start axis 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %0 = tiny.take %x, %at axis 0 : (tensor<8xf32>, tensor<1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// A scaled embedding: the rows that are looked up are scaled, no table is stored.
// CHECK-LABEL: kernel.program @scaled
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
func.func @scaled(%table: tensor<40x6xf32>, %tokens: tensor<5xi32>) -> tensor<5x6xf32> {
  %eight = tiny.constant dense<8.0> : tensor<f32>
  %e = tiny.mul %table, %eight : (tensor<40x6xf32>, tensor<f32>) -> tensor<40x6xf32>
  %0 = tiny.take %e, %tokens axis 0 : (tensor<40x6xf32>, tensor<5xi32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// What exporters make of a cross entropy: both statistics, what each row picks and the mean are one kernel.
// CHECK-LABEL: kernel.program @cross_entropy
// CHECK-COUNT-1: kernel.launch
// CHECK-NOT: kernel.launch
func.func @cross_entropy(%x: tensor<16x10xf32>, %labels: tensor<16x1xi32>) -> tensor<f32> {
  %p = tiny.log_softmax %x axis 1 : (tensor<16x10xf32>) -> tensor<16x10xf32>
  %picked = tiny.take_along %p, %labels axis 1 : (tensor<16x10xf32>, tensor<16x1xi32>) -> tensor<16x1xf32>
  %mean = tiny.mean %picked axes [0, 1] : (tensor<16x1xf32>) -> tensor<f32>
  %0 = tiny.neg %mean : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
