// Products followed by passes over their rows: one kernel, which keeps a block of rows, or two.
// RUN: tiny-opt %s --tiny-tensor-to-lazy-pipeline --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --tiny-tensor-to-lazy-pipeline --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @softmax
// CHECK: lazy.group
// CHECK: %[[SUM:.*]] = lazy.reduce addf
// CHECK: %[[Y:.*]] = arith.addf %[[SUM]]
// CHECK: lazy.keep %[[Y]] over [1]
// CHECK: lazy.reduce maximumf
// CHECK-NOT: lazy.group
// CHECK: return
// REMARK: arith.addf kept: a block of its rows stays in fast memory for the passes over them
// REMARK: arith.divf merged: it passes over rows of a product, of which a block stays in fast memory
func.func @softmax(%x: tensor<64x256xf32>, %w: tensor<256x32xf32>, %b: tensor<32xf32>) -> tensor<64x32xf32> {
  %0 = tiny.matmul %x, %w : (tensor<64x256xf32>, tensor<256x32xf32>) -> tensor<64x32xf32>
  %1 = tiny.add %0, %b : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
  %2 = tiny.softmax %1 axis -1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %2 : tensor<64x32xf32>
}

// What is returned is stored besides; a mean and a maximum of the same rows are in the kernel too.
// CHECK-LABEL: func.func @statistics
// CHECK: %[[G:.*]]:3 = lazy.group
// CHECK: lazy.keep %{{.*}} over [{{.*}}]
// CHECK-NOT: lazy.group
// CHECK: return %[[G]]
func.func @statistics(%x: tensor<40x64xf32>, %w: tensor<64x48xf32>) -> (tensor<40x48xf32>, tensor<40xf32>, tensor<40xf32>) {
  %0 = tiny.matmul %x, %w : (tensor<40x64xf32>, tensor<64x48xf32>) -> tensor<40x48xf32>
  %1 = tiny.mean %0 axes [1] : (tensor<40x48xf32>) -> tensor<40xf32>
  %2 = tiny.max %0 axes [1] : (tensor<40x48xf32>) -> tensor<40xf32>
  return %0, %1, %2 : tensor<40x48xf32>, tensor<40xf32>, tensor<40xf32>
}

// Each block would pack the weight again, which the second kernel's traffic does not repay.
// CHECK-LABEL: func.func @deep
// CHECK-COUNT-2: lazy.group
// REMARK: arith.divf apart: packing the product's other factor for each block of rows costs more than a buffer (packedElement)
func.func @deep(%x: tensor<512x768xf32>, %w: tensor<768x768xf32>) -> tensor<512x768xf32> {
  %0 = tiny.matmul %x, %w : (tensor<512x768xf32>, tensor<768x768xf32>) -> tensor<512x768xf32>
  %1 = tiny.softmax %0 axis -1 : (tensor<512x768xf32>) -> tensor<512x768xf32>
  return %1 : tensor<512x768xf32>
}

// CHECK-LABEL: func.func @wide
// CHECK-COUNT-2: lazy.group
// REMARK: arith.divf apart: a block of the product's rows is too large for fast memory (largestBlock)
func.func @wide(%x: tensor<8x16xf32>, %w: tensor<16x65536xf32>) -> tensor<8x65536xf32> {
  %0 = tiny.matmul %x, %w : (tensor<8x16xf32>, tensor<16x65536xf32>) -> tensor<8x65536xf32>
  %1 = tiny.softmax %0 axis -1 : (tensor<8x65536xf32>) -> tensor<8x65536xf32>
  return %1 : tensor<8x65536xf32>
}

// CHECK-LABEL: func.func @few
// CHECK-COUNT-2: lazy.group
// REMARK: arith.divf apart: the product's rows are too few for a tile of registers (minBlockRows)
func.func @few(%x: tensor<2x512xf32>, %w: tensor<512x1000xf32>) -> tensor<2x1000xf32> {
  %0 = tiny.matmul %x, %w : (tensor<2x512xf32>, tensor<512x1000xf32>) -> tensor<2x1000xf32>
  %1 = tiny.softmax %0 axis -1 : (tensor<2x1000xf32>) -> tensor<2x1000xf32>
  return %1 : tensor<2x1000xf32>
}

// CHECK-LABEL: func.func @narrow
// CHECK-COUNT-2: lazy.group
// REMARK: arith.divf apart: the product's rows are too short: a kernel of their own runs them side by side (minBlockLanes)
func.func @narrow(%x: tensor<64x256xf32>, %w: tensor<256x10xf32>) -> tensor<64x10xf32> {
  %0 = tiny.matmul %x, %w : (tensor<64x256xf32>, tensor<256x10xf32>) -> tensor<64x10xf32>
  %1 = tiny.softmax %0 axis -1 : (tensor<64x10xf32>) -> tensor<64x10xf32>
  return %1 : tensor<64x10xf32>
}

// Columns are no rows.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-2: lazy.group
func.func @columns(%x: tensor<64x256xf32>, %w: tensor<256x32xf32>) -> tensor<64x32xf32> {
  %0 = tiny.matmul %x, %w : (tensor<64x256xf32>, tensor<256x32xf32>) -> tensor<64x32xf32>
  %1 = tiny.softmax %0 axis 0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %1 : tensor<64x32xf32>
}
