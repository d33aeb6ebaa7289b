// An embedding look-up is a gather, however it is spelled: one kernel that loads the rows it is asked for, none that
// walks the table.
// RUN: tiny-opt %s --tiny-tensor-to-kernel-pipeline=default-schedule=false | FileCheck %s --implicit-check-not=50257)
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline -o /dev/null

// CHECK-LABEL: kernel.func private @take
// CHECK-DAG: kernel.range loop id(0) extent(4)
// CHECK-DAG: kernel.range loop id(1) extent(768)
// CHECK-NOT: kernel.range
// CHECK-COUNT-2: kernel.load
// CHECK-NOT: kernel.load
// CHECK: kernel.store
func.func @take(%table: tensor<50257x768xf32>, %tokens: tensor<4xi64>) -> tensor<4x768xf32> {
  %0 = tiny.take %table, %tokens axis 0 : (tensor<50257x768xf32>, tensor<4xi64>) -> tensor<4x768xf32>
  return %0 : tensor<4x768xf32>
}

// CHECK-LABEL: kernel.func private @
// CHECK-DAG: kernel.range loop id(0) extent(4)
// CHECK-DAG: kernel.range loop id(1) extent(768)
// CHECK-NOT: kernel.range
// CHECK-COUNT-2: kernel.load
// CHECK-NOT: kernel.load
// CHECK: kernel.store
func.func @one_hot(%table: tensor<50257x768xf32>, %tokens: tensor<4x1x1xi64>) -> tensor<4x768xf32> {
  %zero = tiny.constant dense<0.0> : tensor<f32>
  %i = tiny.iota 0 : tensor<50257x1xi64>
  %hot = tiny.eq %tokens, %i : (tensor<4x1x1xi64>, tensor<50257x1xi64>) -> tensor<4x50257x1xi1>
  %rows = tiny.where %hot, %table, %zero : (tensor<4x50257x1xi1>, tensor<50257x768xf32>, tensor<f32>) -> tensor<4x50257x768xf32>
  %sum = tiny.sum %rows axes [1] : (tensor<4x50257x768xf32>) -> tensor<4x768xf32>
  return %sum : tensor<4x768xf32>
}
