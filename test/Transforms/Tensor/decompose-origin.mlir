// RUN: tiny-opt %s --tensor-decompose --mlir-print-debuginfo | FileCheck %s

// Every new operation knows the outermost operation it comes from, and keeps the importer's name inside.
// CHECK-LABEL: func @origin(
// CHECK: tiny.exp {{.*}} loc(#[[SILU:loc[0-9]*]])
// CHECK: tiny.mul {{.*}} loc(#[[SILU]])
// CHECK: tiny.add {{.*}} loc(#[[ADD:loc[0-9]*]])
// CHECK-DAG: #[[NAME:loc[0-9]*]] = loc("node_7")
// CHECK-DAG: #[[SILU]] = loc(fused<{tiny.origin = "silu"}>[#[[NAME]]])
// CHECK-DAG: #[[ADD]] = loc("node_8")
func.func @origin(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.silu %x : (tensor<4xf32>) -> tensor<4xf32> loc("node_7")
  %1 = tiny.add %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("node_8")
  return %1 : tensor<4xf32>
}
