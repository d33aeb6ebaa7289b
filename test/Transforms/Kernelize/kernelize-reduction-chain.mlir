// RUN: tiny-opt %s --tiny-tensor-to-lazy-pipeline -lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --tiny-tensor-to-lazy-pipeline -lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --tiny-tensor-to-uop-pipeline -check-passes -o /dev/null

// A chain of reductions over one small row does not become one kernel: each would run all before it again.
// REMARK: Function=chain | Remark="lazy.reduce stored: the kernel has as many reductions as it may have (maxLoops)", limit=16, reductions=17
// CHECK-LABEL: func.func @chain
// CHECK: lazy.group
// CHECK: lazy.group
func.func @chain(%x0: tensor<6xf32>) -> tensor<6xf32> {
  %x1 = tiny.softmax %x0 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x2 = tiny.softmax %x1 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x3 = tiny.softmax %x2 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x4 = tiny.softmax %x3 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x5 = tiny.softmax %x4 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x6 = tiny.softmax %x5 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x7 = tiny.softmax %x6 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x8 = tiny.softmax %x7 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x9 = tiny.softmax %x8 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x10 = tiny.softmax %x9 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x11 = tiny.softmax %x10 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  %x12 = tiny.softmax %x11 axis 0 : (tensor<6xf32>) -> tensor<6xf32>
  return %x12 : tensor<6xf32>
}

// Two chains over rows of one value stay apart.
// REMARK: Function=rows | Remark="arith.divf apart: their kernel would have too many reductions (maxLoops)", limit=16, reductions=18
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: lazy.group
func.func @rows(%x: tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<64x16xf32>) {
  %n = tiny.neg %x : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %a0 = tiny.softmax %x axis 1 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %a1 = tiny.softmax %a0 axis 1 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %a2 = tiny.softmax %a1 axis 1 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %a3 = tiny.softmax %a2 axis 1 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %b0 = tiny.softmax %n axis 1 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %b1 = tiny.softmax %b0 axis 1 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %b2 = tiny.softmax %b1 axis 1 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %b3 = tiny.softmax %b2 axis 1 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %b4 = tiny.softmax %b3 axis 1 : (tensor<64x16xf32>) -> tensor<64x16xf32>
  return %a3, %b4 : tensor<64x16xf32>, tensor<64x16xf32>
}
