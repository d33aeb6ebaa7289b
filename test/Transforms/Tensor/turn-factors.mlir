// RUN: tiny-opt %s --target-attach=processor=x86-64-v4 --tensor-turn-factors | FileCheck %s
// RUN: tiny-opt %s --target-attach=processor=x86-64-v4 --check-passes --tensor-turn-factors -o /dev/null
// RUN: tiny-opt %s --target-attach=target=cuda --tensor-turn-factors | FileCheck %s --check-prefix=GPU --implicit-check-not=contiguous

// The transpose is copied in front of the outermost loop that does not compute it.

// CHECK-LABEL: func.func @turned(
// CHECK-SAME: %{{.*}}: tensor<64x32xf32>, %[[W:.*]]: tensor<32x32xf32>)
// CHECK: %[[T:.*]] = tiny.permute %[[W]] [1, 0]
// CHECK-NEXT: %[[COPY:.*]] = tiny.contiguous %[[T]]
// CHECK: tiny.loop
// CHECK: tiny.loop
// CHECK: tiny.matmul %{{.*}}, %[[COPY]]
// GPU-LABEL: func.func @turned(
func.func @turned(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>) -> tensor<64x32xf32> {
  %y, %n = tiny.loop most(5) carry(%x) : (tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<64x32xf32>):
    %z, %m = tiny.loop most(5) carry(%old) : (tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<i64>) {
    ^bb0(%j: tensor<i64>, %older: tensor<64x32xf32>):
      %t = tiny.transpose %w -1, -2 : (tensor<32x32xf32>) -> tensor<32x32xf32>
      %0 = tiny.matmul %older, %t : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
      tiny.yield %0 : tensor<64x32xf32>
    }
    tiny.yield %z : tensor<64x32xf32>
  }
  return %y : tensor<64x32xf32>
}

// Few rows, a matrix that is turned back, one that the loop computes, a single iteration, and no loop: nothing is copied.

// CHECK-LABEL: func.func @others(
// CHECK-NOT: tiny.contiguous
// CHECK: return
func.func @others(%few: tensor<2x1024xf32>, %large: tensor<1024x1024xf32>, %x: tensor<64x32xf32>, %own: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> (tensor<2x1024xf32>, tensor<64x32xf32>, tensor<32x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) {
  %columns = tiny.permute %large [1, 0] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %t = tiny.permute %w [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %a:4 = tiny.loop most(5) carry(%few, %x, %own) : (tensor<2x1024xf32>, tensor<64x32xf32>, tensor<32x32xf32>) -> (tensor<2x1024xf32>, tensor<64x32xf32>, tensor<32x32xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %row: tensor<2x1024xf32>, %rows: tensor<64x32xf32>, %matrix: tensor<32x32xf32>):
    %0 = tiny.matmul %row, %columns : (tensor<2x1024xf32>, tensor<1024x1024xf32>) -> tensor<2x1024xf32>
    %back = tiny.transpose %t 0, 1 : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %1 = tiny.matmul %rows, %back : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
    %2 = tiny.permute %matrix [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %3 = tiny.matmul %1, %2 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
    tiny.yield %0, %3, %2 : tensor<2x1024xf32>, tensor<64x32xf32>, tensor<32x32xf32>
  }
  %b:2 = tiny.loop most(1) carry(%x) : (tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<64x32xf32>):
    %0 = tiny.matmul %old, %t : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
    tiny.yield %0 : tensor<64x32xf32>
  }
  %c = tiny.matmul %x, %t : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  return %a#0, %a#1, %a#2, %b#0, %c : tensor<2x1024xf32>, tensor<64x32xf32>, tensor<32x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
}
