// Exponentials that the flag `afn` lets a device approximate.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --uop-expand-math --verify-uop=legal | FileCheck %s
// A device without the instruction computes polynomials.
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --uop-expand-math --verify-uop=legal | FileCheck %s --check-prefix=CPU --implicit-check-not=math.exp
// CPU: uop.func @exponentials
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --check-passes --uop-expand-math -o /dev/null

// e^x = 2^(x log2(e)); a narrow one is computed in f32; f64 and what has no flag are polynomials.
// CHECK-LABEL: uop.func @exponentials
// CHECK-DAG: %[[FACTOR:.*]] = arith.constant 1.44269502 : f32
// CHECK-DAG: %[[FACTORS:.*]] = arith.constant dense<1.44269502> : vector<4xf32>
// CHECK: %[[X:.*]] = uop.load %{{.*}} : memref<8xf32>, f32
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[FACTOR]] : f32
// CHECK: %[[E:.*]] = math.exp2 %[[PRODUCT]] fastmath<afn> : f32
// CHECK: uop.store %[[E]]
// CHECK: math.exp2 %[[X]] fastmath<afn> : f32
// CHECK: %[[V:.*]] = uop.load %{{.*}} : memref<8xf32>, vector<4xf32>
// CHECK: %[[PRODUCTS:.*]] = arith.mulf %[[V]], %[[FACTORS]] : vector<4xf32>
// CHECK: math.exp2 %[[PRODUCTS]] fastmath<afn> : vector<4xf32>
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[H:.*]] = math.exp2 %[[WIDE]] fastmath<afn> : f32
// CHECK: arith.truncf %[[H]] : f32 to f16
// CHECK-NOT: math.exp
uop.func @exponentials(%in: memref<8xf32>, %half: memref<8xf16>, %wide: memref<8xf64>, %out: memref<24xf32>, %halfOut: memref<8xf16>, %wideOut: memref<8xf64>) {
  %i = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %x = uop.load %in[%i] : memref<8xf32>, f32
  %a = math.exp %x fastmath<afn> : f32
  uop.store %a, %out[%i] : f32, memref<24xf32>
  %b = math.exp2 %x fastmath<afn> : f32
  uop.store %b, %out[%c1] : f32, memref<24xf32>
  %v = uop.load %in[%c4] : memref<8xf32>, vector<4xf32>
  %c = math.exp %v fastmath<afn> : vector<4xf32>
  uop.store %c, %out[%c4] : vector<4xf32>, memref<24xf32>
  %h = uop.load %half[%i] : memref<8xf16>, f16
  %d = math.exp2 %h fastmath<afn> : f16
  uop.store %d, %halfOut[%i] : f16, memref<8xf16>
  %w = uop.load %wide[%i] : memref<8xf64>, f64
  %e = math.exp %w fastmath<afn> : f64
  uop.store %e, %wideOut[%i] : f64, memref<8xf64>
  %f = math.exp2 %x : f32
  uop.store %f, %out[%c2] : f32, memref<24xf32>
  uop.return
}
