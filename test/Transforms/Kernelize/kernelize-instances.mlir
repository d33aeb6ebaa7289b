// RUN: tiny-opt %s --lazy-kernelize-instances | FileCheck %s
// RUN: not tiny-opt %s --lazy-kernelize-instances=policy=some 2>&1 | FileCheck %s --check-prefix=POLICY

// Each instance gets the groups of one of them, with its own shapes; what differs in structure is decided apart.
// CHECK-LABEL: module @instance_0
// CHECK: lazy.group "addf_reduce"(%{{.*}}) : (tensor<7x64xf32>) -> tensor<7xf32>
// CHECK: lazy.group "sin"(%{{.*}}) : (tensor<7xf32>) -> tensor<7xf32>
// CHECK-LABEL: module @instance_1
// CHECK: lazy.group "addf_reduce"(%{{.*}}) : (tensor<11x64xf32>) -> tensor<11xf32>
// CHECK: lazy.group "exp"(%{{.*}}) : (tensor<11xf32>) -> tensor<11xf32>
// CHECK-LABEL: module @instance_2
// CHECK: lazy.group "addf_reduce"(%{{.*}}) : (tensor<13x64xf32>) -> tensor<13xf32>
// CHECK: lazy.group "exp"(%{{.*}}) : (tensor<13xf32>) -> tensor<13xf32>
// POLICY: Cannot find option named 'some'
module attributes {tiny.sizes = {n = array<i64: 1, 13>}} {
  module @instance_0 {
    func.func @main(%x: tensor<7x64xf32>) -> tensor<7xf32> {
      %0 = arith.addf %x, %x : tensor<7x64xf32>
      %1 = lazy.reduce addf(%0) axes [1] : (tensor<7x64xf32>) -> tensor<7xf32>
      return %1 : tensor<7xf32>
    }
    func.func @other(%x: tensor<7xf32>) -> tensor<7xf32> {
      %0 = math.sin %x : tensor<7xf32>
      return %0 : tensor<7xf32>
    }
  }
  module @instance_1 {
    func.func @main(%x: tensor<11x64xf32>) -> tensor<11xf32> {
      %0 = arith.addf %x, %x : tensor<11x64xf32>
      %1 = lazy.reduce addf(%0) axes [1] : (tensor<11x64xf32>) -> tensor<11xf32>
      return %1 : tensor<11xf32>
    }
    func.func @other(%x: tensor<11xf32>) -> tensor<11xf32> {
      %0 = math.exp %x : tensor<11xf32>
      return %0 : tensor<11xf32>
    }
  }
  module @instance_2 {
    func.func @main(%x: tensor<13x64xf32>) -> tensor<13xf32> {
      %0 = arith.addf %x, %x : tensor<13x64xf32>
      %1 = lazy.reduce addf(%0) axes [1] : (tensor<13x64xf32>) -> tensor<13xf32>
      return %1 : tensor<13xf32>
    }
    func.func @other(%x: tensor<13xf32>) -> tensor<13xf32> {
      %0 = math.exp %x : tensor<13xf32>
      return %0 : tensor<13xf32>
    }
  }
}
