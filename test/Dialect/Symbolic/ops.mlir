// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s -emit-bytecode | tiny-opt | FileCheck %s
// RUN: tiny-opt %s -mlir-print-op-generic | tiny-opt | FileCheck %s

// CHECK-LABEL: func.func @mod_of_index
func.func @mod_of_index(%x: index, %y: index) -> index {
  // CHECK: sym.mod %{{.*}}, %{{.*}} : index
  %0 = sym.mod %x, %y : index
  return %0 : index
}

// CHECK-LABEL: func.func @mod_of_vectors
func.func @mod_of_vectors(%x: vector<4xi32>, %y: vector<4xi32>) -> vector<4xi32> {
  // CHECK: sym.mod %{{.*}}, %{{.*}} : vector<4xi32>
  %0 = sym.mod %x, %y : vector<4xi32>
  return %0 : vector<4xi32>
}

// CHECK-LABEL: func.func @range_of_float
func.func @range_of_float(%x: f32) -> f32 {
  // CHECK: sym.range_of %{{.*}}[-4.500000e+00, 4.500000e+00] : f32
  %0 = sym.range_of %x [-4.5, 4.5] : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @range_of(
func.func @range_of(%x: index, %y: i32) -> (index, i32) {
  // CHECK: sym.range_of %{{.*}}[-3, 31] : index
  %0 = sym.range_of %x [-3, 31] : index
  // CHECK: sym.range_of %{{.*}}[0, 2147483647] : i32
  %1 = sym.range_of %y [0, 2147483647] : i32
  return %0, %1 : index, i32
}
