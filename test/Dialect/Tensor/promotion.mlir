// RUN: tiny-opt %s | FileCheck %s

// Each pair of element types promotes as in JAX. Types are verified: a wrong one would be an error.

// CHECK-LABEL: func @i1(
// CHECK-COUNT-15: tiny.maximum
func.func @i1(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %i1, %i1 : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %1 = tiny.maximum %i1, %i8 : (tensor<i1>, tensor<i8>) -> tensor<i8>
  %2 = tiny.maximum %i1, %i16 : (tensor<i1>, tensor<i16>) -> tensor<i16>
  %3 = tiny.maximum %i1, %i32 : (tensor<i1>, tensor<i32>) -> tensor<i32>
  %4 = tiny.maximum %i1, %i64 : (tensor<i1>, tensor<i64>) -> tensor<i64>
  %5 = tiny.maximum %i1, %ui8 : (tensor<i1>, tensor<ui8>) -> tensor<ui8>
  %6 = tiny.maximum %i1, %ui16 : (tensor<i1>, tensor<ui16>) -> tensor<ui16>
  %7 = tiny.maximum %i1, %ui32 : (tensor<i1>, tensor<ui32>) -> tensor<ui32>
  %8 = tiny.maximum %i1, %ui64 : (tensor<i1>, tensor<ui64>) -> tensor<ui64>
  %9 = tiny.maximum %i1, %f8E4M3FN : (tensor<i1>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %i1, %f8E5M2 : (tensor<i1>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %i1, %f16 : (tensor<i1>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %i1, %bf16 : (tensor<i1>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %i1, %f32 : (tensor<i1>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %i1, %f64 : (tensor<i1>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @i8(
// CHECK-COUNT-15: tiny.maximum
func.func @i8(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %i8, %i1 : (tensor<i8>, tensor<i1>) -> tensor<i8>
  %1 = tiny.maximum %i8, %i8 : (tensor<i8>, tensor<i8>) -> tensor<i8>
  %2 = tiny.maximum %i8, %i16 : (tensor<i8>, tensor<i16>) -> tensor<i16>
  %3 = tiny.maximum %i8, %i32 : (tensor<i8>, tensor<i32>) -> tensor<i32>
  %4 = tiny.maximum %i8, %i64 : (tensor<i8>, tensor<i64>) -> tensor<i64>
  %5 = tiny.maximum %i8, %ui8 : (tensor<i8>, tensor<ui8>) -> tensor<i16>
  %6 = tiny.maximum %i8, %ui16 : (tensor<i8>, tensor<ui16>) -> tensor<i32>
  %7 = tiny.maximum %i8, %ui32 : (tensor<i8>, tensor<ui32>) -> tensor<i64>
  %8 = tiny.maximum %i8, %ui64 : (tensor<i8>, tensor<ui64>) -> tensor<f32>
  %9 = tiny.maximum %i8, %f8E4M3FN : (tensor<i8>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %i8, %f8E5M2 : (tensor<i8>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %i8, %f16 : (tensor<i8>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %i8, %bf16 : (tensor<i8>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %i8, %f32 : (tensor<i8>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %i8, %f64 : (tensor<i8>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @i16(
// CHECK-COUNT-15: tiny.maximum
func.func @i16(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %i16, %i1 : (tensor<i16>, tensor<i1>) -> tensor<i16>
  %1 = tiny.maximum %i16, %i8 : (tensor<i16>, tensor<i8>) -> tensor<i16>
  %2 = tiny.maximum %i16, %i16 : (tensor<i16>, tensor<i16>) -> tensor<i16>
  %3 = tiny.maximum %i16, %i32 : (tensor<i16>, tensor<i32>) -> tensor<i32>
  %4 = tiny.maximum %i16, %i64 : (tensor<i16>, tensor<i64>) -> tensor<i64>
  %5 = tiny.maximum %i16, %ui8 : (tensor<i16>, tensor<ui8>) -> tensor<i16>
  %6 = tiny.maximum %i16, %ui16 : (tensor<i16>, tensor<ui16>) -> tensor<i32>
  %7 = tiny.maximum %i16, %ui32 : (tensor<i16>, tensor<ui32>) -> tensor<i64>
  %8 = tiny.maximum %i16, %ui64 : (tensor<i16>, tensor<ui64>) -> tensor<f32>
  %9 = tiny.maximum %i16, %f8E4M3FN : (tensor<i16>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %i16, %f8E5M2 : (tensor<i16>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %i16, %f16 : (tensor<i16>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %i16, %bf16 : (tensor<i16>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %i16, %f32 : (tensor<i16>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %i16, %f64 : (tensor<i16>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @i32(
// CHECK-COUNT-15: tiny.maximum
func.func @i32(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %i32, %i1 : (tensor<i32>, tensor<i1>) -> tensor<i32>
  %1 = tiny.maximum %i32, %i8 : (tensor<i32>, tensor<i8>) -> tensor<i32>
  %2 = tiny.maximum %i32, %i16 : (tensor<i32>, tensor<i16>) -> tensor<i32>
  %3 = tiny.maximum %i32, %i32 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = tiny.maximum %i32, %i64 : (tensor<i32>, tensor<i64>) -> tensor<i64>
  %5 = tiny.maximum %i32, %ui8 : (tensor<i32>, tensor<ui8>) -> tensor<i32>
  %6 = tiny.maximum %i32, %ui16 : (tensor<i32>, tensor<ui16>) -> tensor<i32>
  %7 = tiny.maximum %i32, %ui32 : (tensor<i32>, tensor<ui32>) -> tensor<i64>
  %8 = tiny.maximum %i32, %ui64 : (tensor<i32>, tensor<ui64>) -> tensor<f32>
  %9 = tiny.maximum %i32, %f8E4M3FN : (tensor<i32>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %i32, %f8E5M2 : (tensor<i32>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %i32, %f16 : (tensor<i32>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %i32, %bf16 : (tensor<i32>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %i32, %f32 : (tensor<i32>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %i32, %f64 : (tensor<i32>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @i64(
// CHECK-COUNT-15: tiny.maximum
func.func @i64(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %i64, %i1 : (tensor<i64>, tensor<i1>) -> tensor<i64>
  %1 = tiny.maximum %i64, %i8 : (tensor<i64>, tensor<i8>) -> tensor<i64>
  %2 = tiny.maximum %i64, %i16 : (tensor<i64>, tensor<i16>) -> tensor<i64>
  %3 = tiny.maximum %i64, %i32 : (tensor<i64>, tensor<i32>) -> tensor<i64>
  %4 = tiny.maximum %i64, %i64 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %5 = tiny.maximum %i64, %ui8 : (tensor<i64>, tensor<ui8>) -> tensor<i64>
  %6 = tiny.maximum %i64, %ui16 : (tensor<i64>, tensor<ui16>) -> tensor<i64>
  %7 = tiny.maximum %i64, %ui32 : (tensor<i64>, tensor<ui32>) -> tensor<i64>
  %8 = tiny.maximum %i64, %ui64 : (tensor<i64>, tensor<ui64>) -> tensor<f32>
  %9 = tiny.maximum %i64, %f8E4M3FN : (tensor<i64>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %i64, %f8E5M2 : (tensor<i64>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %i64, %f16 : (tensor<i64>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %i64, %bf16 : (tensor<i64>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %i64, %f32 : (tensor<i64>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %i64, %f64 : (tensor<i64>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @ui8(
// CHECK-COUNT-15: tiny.maximum
func.func @ui8(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %ui8, %i1 : (tensor<ui8>, tensor<i1>) -> tensor<ui8>
  %1 = tiny.maximum %ui8, %i8 : (tensor<ui8>, tensor<i8>) -> tensor<i16>
  %2 = tiny.maximum %ui8, %i16 : (tensor<ui8>, tensor<i16>) -> tensor<i16>
  %3 = tiny.maximum %ui8, %i32 : (tensor<ui8>, tensor<i32>) -> tensor<i32>
  %4 = tiny.maximum %ui8, %i64 : (tensor<ui8>, tensor<i64>) -> tensor<i64>
  %5 = tiny.maximum %ui8, %ui8 : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  %6 = tiny.maximum %ui8, %ui16 : (tensor<ui8>, tensor<ui16>) -> tensor<ui16>
  %7 = tiny.maximum %ui8, %ui32 : (tensor<ui8>, tensor<ui32>) -> tensor<ui32>
  %8 = tiny.maximum %ui8, %ui64 : (tensor<ui8>, tensor<ui64>) -> tensor<ui64>
  %9 = tiny.maximum %ui8, %f8E4M3FN : (tensor<ui8>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %ui8, %f8E5M2 : (tensor<ui8>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %ui8, %f16 : (tensor<ui8>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %ui8, %bf16 : (tensor<ui8>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %ui8, %f32 : (tensor<ui8>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %ui8, %f64 : (tensor<ui8>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @ui16(
// CHECK-COUNT-15: tiny.maximum
func.func @ui16(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %ui16, %i1 : (tensor<ui16>, tensor<i1>) -> tensor<ui16>
  %1 = tiny.maximum %ui16, %i8 : (tensor<ui16>, tensor<i8>) -> tensor<i32>
  %2 = tiny.maximum %ui16, %i16 : (tensor<ui16>, tensor<i16>) -> tensor<i32>
  %3 = tiny.maximum %ui16, %i32 : (tensor<ui16>, tensor<i32>) -> tensor<i32>
  %4 = tiny.maximum %ui16, %i64 : (tensor<ui16>, tensor<i64>) -> tensor<i64>
  %5 = tiny.maximum %ui16, %ui8 : (tensor<ui16>, tensor<ui8>) -> tensor<ui16>
  %6 = tiny.maximum %ui16, %ui16 : (tensor<ui16>, tensor<ui16>) -> tensor<ui16>
  %7 = tiny.maximum %ui16, %ui32 : (tensor<ui16>, tensor<ui32>) -> tensor<ui32>
  %8 = tiny.maximum %ui16, %ui64 : (tensor<ui16>, tensor<ui64>) -> tensor<ui64>
  %9 = tiny.maximum %ui16, %f8E4M3FN : (tensor<ui16>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %ui16, %f8E5M2 : (tensor<ui16>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %ui16, %f16 : (tensor<ui16>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %ui16, %bf16 : (tensor<ui16>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %ui16, %f32 : (tensor<ui16>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %ui16, %f64 : (tensor<ui16>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @ui32(
// CHECK-COUNT-15: tiny.maximum
func.func @ui32(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %ui32, %i1 : (tensor<ui32>, tensor<i1>) -> tensor<ui32>
  %1 = tiny.maximum %ui32, %i8 : (tensor<ui32>, tensor<i8>) -> tensor<i64>
  %2 = tiny.maximum %ui32, %i16 : (tensor<ui32>, tensor<i16>) -> tensor<i64>
  %3 = tiny.maximum %ui32, %i32 : (tensor<ui32>, tensor<i32>) -> tensor<i64>
  %4 = tiny.maximum %ui32, %i64 : (tensor<ui32>, tensor<i64>) -> tensor<i64>
  %5 = tiny.maximum %ui32, %ui8 : (tensor<ui32>, tensor<ui8>) -> tensor<ui32>
  %6 = tiny.maximum %ui32, %ui16 : (tensor<ui32>, tensor<ui16>) -> tensor<ui32>
  %7 = tiny.maximum %ui32, %ui32 : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %8 = tiny.maximum %ui32, %ui64 : (tensor<ui32>, tensor<ui64>) -> tensor<ui64>
  %9 = tiny.maximum %ui32, %f8E4M3FN : (tensor<ui32>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %ui32, %f8E5M2 : (tensor<ui32>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %ui32, %f16 : (tensor<ui32>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %ui32, %bf16 : (tensor<ui32>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %ui32, %f32 : (tensor<ui32>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %ui32, %f64 : (tensor<ui32>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @ui64(
// CHECK-COUNT-15: tiny.maximum
func.func @ui64(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %ui64, %i1 : (tensor<ui64>, tensor<i1>) -> tensor<ui64>
  %1 = tiny.maximum %ui64, %i8 : (tensor<ui64>, tensor<i8>) -> tensor<f32>
  %2 = tiny.maximum %ui64, %i16 : (tensor<ui64>, tensor<i16>) -> tensor<f32>
  %3 = tiny.maximum %ui64, %i32 : (tensor<ui64>, tensor<i32>) -> tensor<f32>
  %4 = tiny.maximum %ui64, %i64 : (tensor<ui64>, tensor<i64>) -> tensor<f32>
  %5 = tiny.maximum %ui64, %ui8 : (tensor<ui64>, tensor<ui8>) -> tensor<ui64>
  %6 = tiny.maximum %ui64, %ui16 : (tensor<ui64>, tensor<ui16>) -> tensor<ui64>
  %7 = tiny.maximum %ui64, %ui32 : (tensor<ui64>, tensor<ui32>) -> tensor<ui64>
  %8 = tiny.maximum %ui64, %ui64 : (tensor<ui64>, tensor<ui64>) -> tensor<ui64>
  %9 = tiny.maximum %ui64, %f8E4M3FN : (tensor<ui64>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %ui64, %f8E5M2 : (tensor<ui64>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %ui64, %f16 : (tensor<ui64>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %ui64, %bf16 : (tensor<ui64>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %ui64, %f32 : (tensor<ui64>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %ui64, %f64 : (tensor<ui64>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @f8E4M3FN(
// CHECK-COUNT-15: tiny.maximum
func.func @f8E4M3FN(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %f8E4M3FN, %i1 : (tensor<f8E4M3FN>, tensor<i1>) -> tensor<f8E4M3FN>
  %1 = tiny.maximum %f8E4M3FN, %i8 : (tensor<f8E4M3FN>, tensor<i8>) -> tensor<f8E4M3FN>
  %2 = tiny.maximum %f8E4M3FN, %i16 : (tensor<f8E4M3FN>, tensor<i16>) -> tensor<f8E4M3FN>
  %3 = tiny.maximum %f8E4M3FN, %i32 : (tensor<f8E4M3FN>, tensor<i32>) -> tensor<f8E4M3FN>
  %4 = tiny.maximum %f8E4M3FN, %i64 : (tensor<f8E4M3FN>, tensor<i64>) -> tensor<f8E4M3FN>
  %5 = tiny.maximum %f8E4M3FN, %ui8 : (tensor<f8E4M3FN>, tensor<ui8>) -> tensor<f8E4M3FN>
  %6 = tiny.maximum %f8E4M3FN, %ui16 : (tensor<f8E4M3FN>, tensor<ui16>) -> tensor<f8E4M3FN>
  %7 = tiny.maximum %f8E4M3FN, %ui32 : (tensor<f8E4M3FN>, tensor<ui32>) -> tensor<f8E4M3FN>
  %8 = tiny.maximum %f8E4M3FN, %ui64 : (tensor<f8E4M3FN>, tensor<ui64>) -> tensor<f8E4M3FN>
  %9 = tiny.maximum %f8E4M3FN, %f8E4M3FN : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %10 = tiny.maximum %f8E4M3FN, %f8E5M2 : (tensor<f8E4M3FN>, tensor<f8E5M2>) -> tensor<f16>
  %11 = tiny.maximum %f8E4M3FN, %f16 : (tensor<f8E4M3FN>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %f8E4M3FN, %bf16 : (tensor<f8E4M3FN>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %f8E4M3FN, %f32 : (tensor<f8E4M3FN>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %f8E4M3FN, %f64 : (tensor<f8E4M3FN>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @f8E5M2(
// CHECK-COUNT-15: tiny.maximum
func.func @f8E5M2(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %f8E5M2, %i1 : (tensor<f8E5M2>, tensor<i1>) -> tensor<f8E5M2>
  %1 = tiny.maximum %f8E5M2, %i8 : (tensor<f8E5M2>, tensor<i8>) -> tensor<f8E5M2>
  %2 = tiny.maximum %f8E5M2, %i16 : (tensor<f8E5M2>, tensor<i16>) -> tensor<f8E5M2>
  %3 = tiny.maximum %f8E5M2, %i32 : (tensor<f8E5M2>, tensor<i32>) -> tensor<f8E5M2>
  %4 = tiny.maximum %f8E5M2, %i64 : (tensor<f8E5M2>, tensor<i64>) -> tensor<f8E5M2>
  %5 = tiny.maximum %f8E5M2, %ui8 : (tensor<f8E5M2>, tensor<ui8>) -> tensor<f8E5M2>
  %6 = tiny.maximum %f8E5M2, %ui16 : (tensor<f8E5M2>, tensor<ui16>) -> tensor<f8E5M2>
  %7 = tiny.maximum %f8E5M2, %ui32 : (tensor<f8E5M2>, tensor<ui32>) -> tensor<f8E5M2>
  %8 = tiny.maximum %f8E5M2, %ui64 : (tensor<f8E5M2>, tensor<ui64>) -> tensor<f8E5M2>
  %9 = tiny.maximum %f8E5M2, %f8E4M3FN : (tensor<f8E5M2>, tensor<f8E4M3FN>) -> tensor<f16>
  %10 = tiny.maximum %f8E5M2, %f8E5M2 : (tensor<f8E5M2>, tensor<f8E5M2>) -> tensor<f8E5M2>
  %11 = tiny.maximum %f8E5M2, %f16 : (tensor<f8E5M2>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %f8E5M2, %bf16 : (tensor<f8E5M2>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %f8E5M2, %f32 : (tensor<f8E5M2>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %f8E5M2, %f64 : (tensor<f8E5M2>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @f16(
// CHECK-COUNT-15: tiny.maximum
func.func @f16(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %f16, %i1 : (tensor<f16>, tensor<i1>) -> tensor<f16>
  %1 = tiny.maximum %f16, %i8 : (tensor<f16>, tensor<i8>) -> tensor<f16>
  %2 = tiny.maximum %f16, %i16 : (tensor<f16>, tensor<i16>) -> tensor<f16>
  %3 = tiny.maximum %f16, %i32 : (tensor<f16>, tensor<i32>) -> tensor<f16>
  %4 = tiny.maximum %f16, %i64 : (tensor<f16>, tensor<i64>) -> tensor<f16>
  %5 = tiny.maximum %f16, %ui8 : (tensor<f16>, tensor<ui8>) -> tensor<f16>
  %6 = tiny.maximum %f16, %ui16 : (tensor<f16>, tensor<ui16>) -> tensor<f16>
  %7 = tiny.maximum %f16, %ui32 : (tensor<f16>, tensor<ui32>) -> tensor<f16>
  %8 = tiny.maximum %f16, %ui64 : (tensor<f16>, tensor<ui64>) -> tensor<f16>
  %9 = tiny.maximum %f16, %f8E4M3FN : (tensor<f16>, tensor<f8E4M3FN>) -> tensor<f16>
  %10 = tiny.maximum %f16, %f8E5M2 : (tensor<f16>, tensor<f8E5M2>) -> tensor<f16>
  %11 = tiny.maximum %f16, %f16 : (tensor<f16>, tensor<f16>) -> tensor<f16>
  %12 = tiny.maximum %f16, %bf16 : (tensor<f16>, tensor<bf16>) -> tensor<f32>
  %13 = tiny.maximum %f16, %f32 : (tensor<f16>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %f16, %f64 : (tensor<f16>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @bf16(
// CHECK-COUNT-15: tiny.maximum
func.func @bf16(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %bf16, %i1 : (tensor<bf16>, tensor<i1>) -> tensor<bf16>
  %1 = tiny.maximum %bf16, %i8 : (tensor<bf16>, tensor<i8>) -> tensor<bf16>
  %2 = tiny.maximum %bf16, %i16 : (tensor<bf16>, tensor<i16>) -> tensor<bf16>
  %3 = tiny.maximum %bf16, %i32 : (tensor<bf16>, tensor<i32>) -> tensor<bf16>
  %4 = tiny.maximum %bf16, %i64 : (tensor<bf16>, tensor<i64>) -> tensor<bf16>
  %5 = tiny.maximum %bf16, %ui8 : (tensor<bf16>, tensor<ui8>) -> tensor<bf16>
  %6 = tiny.maximum %bf16, %ui16 : (tensor<bf16>, tensor<ui16>) -> tensor<bf16>
  %7 = tiny.maximum %bf16, %ui32 : (tensor<bf16>, tensor<ui32>) -> tensor<bf16>
  %8 = tiny.maximum %bf16, %ui64 : (tensor<bf16>, tensor<ui64>) -> tensor<bf16>
  %9 = tiny.maximum %bf16, %f8E4M3FN : (tensor<bf16>, tensor<f8E4M3FN>) -> tensor<bf16>
  %10 = tiny.maximum %bf16, %f8E5M2 : (tensor<bf16>, tensor<f8E5M2>) -> tensor<bf16>
  %11 = tiny.maximum %bf16, %f16 : (tensor<bf16>, tensor<f16>) -> tensor<f32>
  %12 = tiny.maximum %bf16, %bf16 : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
  %13 = tiny.maximum %bf16, %f32 : (tensor<bf16>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %bf16, %f64 : (tensor<bf16>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @f32(
// CHECK-COUNT-15: tiny.maximum
func.func @f32(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %f32, %i1 : (tensor<f32>, tensor<i1>) -> tensor<f32>
  %1 = tiny.maximum %f32, %i8 : (tensor<f32>, tensor<i8>) -> tensor<f32>
  %2 = tiny.maximum %f32, %i16 : (tensor<f32>, tensor<i16>) -> tensor<f32>
  %3 = tiny.maximum %f32, %i32 : (tensor<f32>, tensor<i32>) -> tensor<f32>
  %4 = tiny.maximum %f32, %i64 : (tensor<f32>, tensor<i64>) -> tensor<f32>
  %5 = tiny.maximum %f32, %ui8 : (tensor<f32>, tensor<ui8>) -> tensor<f32>
  %6 = tiny.maximum %f32, %ui16 : (tensor<f32>, tensor<ui16>) -> tensor<f32>
  %7 = tiny.maximum %f32, %ui32 : (tensor<f32>, tensor<ui32>) -> tensor<f32>
  %8 = tiny.maximum %f32, %ui64 : (tensor<f32>, tensor<ui64>) -> tensor<f32>
  %9 = tiny.maximum %f32, %f8E4M3FN : (tensor<f32>, tensor<f8E4M3FN>) -> tensor<f32>
  %10 = tiny.maximum %f32, %f8E5M2 : (tensor<f32>, tensor<f8E5M2>) -> tensor<f32>
  %11 = tiny.maximum %f32, %f16 : (tensor<f32>, tensor<f16>) -> tensor<f32>
  %12 = tiny.maximum %f32, %bf16 : (tensor<f32>, tensor<bf16>) -> tensor<f32>
  %13 = tiny.maximum %f32, %f32 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %14 = tiny.maximum %f32, %f64 : (tensor<f32>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @f64(
// CHECK-COUNT-15: tiny.maximum
func.func @f64(%i1: tensor<i1>, %i8: tensor<i8>, %i16: tensor<i16>, %i32: tensor<i32>, %i64: tensor<i64>, %ui8: tensor<ui8>, %ui16: tensor<ui16>, %ui32: tensor<ui32>, %ui64: tensor<ui64>, %f8E4M3FN: tensor<f8E4M3FN>, %f8E5M2: tensor<f8E5M2>, %f16: tensor<f16>, %bf16: tensor<bf16>, %f32: tensor<f32>, %f64: tensor<f64>) {
  %0 = tiny.maximum %f64, %i1 : (tensor<f64>, tensor<i1>) -> tensor<f64>
  %1 = tiny.maximum %f64, %i8 : (tensor<f64>, tensor<i8>) -> tensor<f64>
  %2 = tiny.maximum %f64, %i16 : (tensor<f64>, tensor<i16>) -> tensor<f64>
  %3 = tiny.maximum %f64, %i32 : (tensor<f64>, tensor<i32>) -> tensor<f64>
  %4 = tiny.maximum %f64, %i64 : (tensor<f64>, tensor<i64>) -> tensor<f64>
  %5 = tiny.maximum %f64, %ui8 : (tensor<f64>, tensor<ui8>) -> tensor<f64>
  %6 = tiny.maximum %f64, %ui16 : (tensor<f64>, tensor<ui16>) -> tensor<f64>
  %7 = tiny.maximum %f64, %ui32 : (tensor<f64>, tensor<ui32>) -> tensor<f64>
  %8 = tiny.maximum %f64, %ui64 : (tensor<f64>, tensor<ui64>) -> tensor<f64>
  %9 = tiny.maximum %f64, %f8E4M3FN : (tensor<f64>, tensor<f8E4M3FN>) -> tensor<f64>
  %10 = tiny.maximum %f64, %f8E5M2 : (tensor<f64>, tensor<f8E5M2>) -> tensor<f64>
  %11 = tiny.maximum %f64, %f16 : (tensor<f64>, tensor<f16>) -> tensor<f64>
  %12 = tiny.maximum %f64, %bf16 : (tensor<f64>, tensor<bf16>) -> tensor<f64>
  %13 = tiny.maximum %f64, %f32 : (tensor<f64>, tensor<f32>) -> tensor<f64>
  %14 = tiny.maximum %f64, %f64 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @rules
func.func @rules(%b: tensor<4xi1>, %i: tensor<4xi8>, %h: tensor<4xf16>) {
  // Integers and truth values become f32 where the result is a fraction; floats stay.
  // CHECK: tiny.exp {{.*}} -> tensor<4xf32>
  %0 = tiny.exp %b : (tensor<4xi1>) -> tensor<4xf32>
  // CHECK: tiny.div {{.*}} -> tensor<4xf32>
  %1 = tiny.div %i, %i : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xf32>
  // CHECK: tiny.div {{.*}} -> tensor<4xf16>
  %2 = tiny.div %i, %h : (tensor<4xi8>, tensor<4xf16>) -> tensor<4xf16>
  // Sums of small integers and of truth values have 32 bits; sums of floats keep their type.
  // CHECK: tiny.sum {{.*}} -> tensor<i32>
  %3 = tiny.sum %i axes [0] : (tensor<4xi8>) -> tensor<i32>
  // CHECK: tiny.sum {{.*}} -> tensor<i32>
  %4 = tiny.sum %b axes [0] : (tensor<4xi1>) -> tensor<i32>
  // CHECK: tiny.sum {{.*}} -> tensor<f16>
  %5 = tiny.sum %h axes [0] : (tensor<4xf16>) -> tensor<f16>
  // CHECK: tiny.mean {{.*}} -> tensor<f32>
  %6 = tiny.mean %i axes [0] : (tensor<4xi8>) -> tensor<f32>
  return
}
