// RUN: tiny-opt %s --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize --convert-lazy-to-kernel | FileCheck %s --check-prefix=KERNEL
// RUN: tiny-opt %s --check-passes --lazy-kernelize --convert-lazy-to-kernel --canonicalize --cse \
// RUN:   --kernel-default-schedule --kernel-apply-schedules -o /dev/null

// Three passes over a row want the function, and the first one keeps it: one kernel.
// REMARK: rows.mlir:[[# @LINE + 4]]:{{.*}}math.tanh kept: each pass over its row wants it, and the row stays in fast memory
// CHECK-LABEL: func.func @softmax_of_tanh
// CHECK-COUNT-1: lazy.group
func.func @softmax_of_tanh(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %t = math.tanh %x : tensor<64x1024xf32>
  %m = lazy.reduce maximumf (%t) axes [1] : (tensor<64x1024xf32>) -> tensor<64xf32>
  %m1 = lazy.reshape %m : tensor<64xf32> -> tensor<64x1xf32>
  %m2 = lazy.expand %m1 : tensor<64x1xf32> -> tensor<64x1024xf32>
  %d = arith.subf %t, %m2 : tensor<64x1024xf32>
  %e = math.exp %d : tensor<64x1024xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<64x1024xf32>) -> tensor<64xf32>
  %s1 = lazy.reshape %s : tensor<64xf32> -> tensor<64x1xf32>
  %s2 = lazy.expand %s1 : tensor<64x1xf32> -> tensor<64x1024xf32>
  %y = arith.divf %e, %s2 : tensor<64x1024xf32>
  return %y : tensor<64x1024xf32>
}

// What is returned too is stored by the last pass, from what the first one keeps.
// REMARK: Function=returned_too | {{.*}}"1 kernels, 196608 operations; 196608 when nothing is computed twice"
// CHECK-LABEL: func.func @returned_too
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
func.func @returned_too(%x: tensor<64x1024xf32>) -> (tensor<64x1024xf32>, tensor<64x1024xf32>) {
  %t = math.tanh %x : tensor<64x1024xf32>
  %s = lazy.reduce addf (%t) axes [1] : (tensor<64x1024xf32>) -> tensor<64xf32>
  %s1 = lazy.reshape %s : tensor<64xf32> -> tensor<64x1xf32>
  %s2 = lazy.expand %s1 : tensor<64x1xf32> -> tensor<64x1024xf32>
  %y = arith.divf %t, %s2 : tensor<64x1024xf32>
  return %t, %y : tensor<64x1024xf32>, tensor<64x1024xf32>
}

// Columns are kept too, 16 side by side.
// REMARK: rows.mlir:[[# @LINE + 6]]:{{.*}}math.erf kept: each pass over its row wants it, and the row stays in fast memory
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
func.func @columns(%x: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %u = math.tanh %x : tensor<512x64xf32>
  %t = math.erf %u : tensor<512x64xf32>
  %m = lazy.reduce maximumf (%t) axes [0] : (tensor<512x64xf32>) -> tensor<64xf32>
  %m1 = lazy.reshape %m : tensor<64xf32> -> tensor<1x64xf32>
  %m2 = lazy.expand %m1 : tensor<1x64xf32> -> tensor<512x64xf32>
  %d = arith.subf %t, %m2 : tensor<512x64xf32>
  return %d : tensor<512x64xf32>
}

// Columns of 8192 elements would do, not of one more.
// REMARK: rows.mlir:[[# @LINE + 10]]:{{.*}}math.erf stored: recomputing it costs more than a buffer
// CHECK-LABEL: func.func @long_columns
// CHECK-COUNT-2: lazy.group
func.func @long_columns(%x: tensor<8193x32xf32>) -> tensor<8193x32xf32> {
  %u_0 = math.tanh %x : tensor<8193x32xf32>
  %u_1 = math.tanh %u_0 : tensor<8193x32xf32>
  %u_2 = math.tanh %u_1 : tensor<8193x32xf32>
  %u_3 = math.tanh %u_2 : tensor<8193x32xf32>
  %u_4 = math.tanh %u_3 : tensor<8193x32xf32>
  %u = math.tanh %u_4 : tensor<8193x32xf32>
  %t = math.erf %u : tensor<8193x32xf32>
  %m = lazy.reduce maximumf (%t) axes [0] : (tensor<8193x32xf32>) -> tensor<32xf32>
  %m1 = lazy.reshape %m : tensor<32xf32> -> tensor<1x32xf32>
  %m2 = lazy.expand %m1 : tensor<1x32xf32> -> tensor<8193x32xf32>
  %d = arith.subf %t, %m2 : tensor<8193x32xf32>
  return %d : tensor<8193x32xf32>
}

// Few columns would leave vectors empty.
// REMARK: rows.mlir:[[# @LINE + 10]]:{{.*}}math.erf stored: recomputing it costs more than a buffer
// CHECK-LABEL: func.func @narrow_columns
// CHECK-COUNT-2: lazy.group
func.func @narrow_columns(%x: tensor<16x300x8xf32>) -> tensor<16x300x8xf32> {
  %u_0 = math.tanh %x : tensor<16x300x8xf32>
  %u_1 = math.tanh %u_0 : tensor<16x300x8xf32>
  %u_2 = math.tanh %u_1 : tensor<16x300x8xf32>
  %u_3 = math.tanh %u_2 : tensor<16x300x8xf32>
  %u_4 = math.tanh %u_3 : tensor<16x300x8xf32>
  %u = math.tanh %u_4 : tensor<16x300x8xf32>
  %t = math.erf %u : tensor<16x300x8xf32>
  %m = lazy.reduce maximumf (%t) axes [1] : (tensor<16x300x8xf32>) -> tensor<16x8xf32>
  %m1 = lazy.reshape %m : tensor<16x8xf32> -> tensor<16x1x8xf32>
  %m2 = lazy.expand %m1 : tensor<16x1x8xf32> -> tensor<16x300x8xf32>
  %d = arith.subf %t, %m2 : tensor<16x300x8xf32>
  return %d : tensor<16x300x8xf32>
}

// Neither lie side by side in memory: no lanes.
// REMARK: rows.mlir:[[# @LINE + 14]]:{{.*}}math.erf stored: recomputing it costs more than a buffer
// CHECK-LABEL: func.func @permuted_columns
// CHECK-COUNT-2: lazy.group
func.func @permuted_columns(%x: tensor<64x300xf32>) -> tensor<300x64xf32> {
  %p = lazy.permute %x [1, 0] : tensor<64x300xf32> -> tensor<300x64xf32>
  %u_0 = math.tanh %p : tensor<300x64xf32>
  %u_1 = math.tanh %u_0 : tensor<300x64xf32>
  %u_2 = math.tanh %u_1 : tensor<300x64xf32>
  %u_3 = math.tanh %u_2 : tensor<300x64xf32>
  %u_4 = math.tanh %u_3 : tensor<300x64xf32>
  %u_5 = math.tanh %u_4 : tensor<300x64xf32>
  %u_6 = math.tanh %u_5 : tensor<300x64xf32>
  %u_7 = math.tanh %u_6 : tensor<300x64xf32>
  %u = math.tanh %u_7 : tensor<300x64xf32>
  %t = math.erf %u : tensor<300x64xf32>
  %m = lazy.reduce maximumf (%t) axes [0] : (tensor<300x64xf32>) -> tensor<64xf32>
  %m1 = lazy.reshape %m : tensor<64xf32> -> tensor<1x64xf32>
  %m2 = lazy.expand %m1 : tensor<1x64xf32> -> tensor<300x64xf32>
  %d = arith.subf %t, %m2 : tensor<300x64xf32>
  return %d : tensor<300x64xf32>
}

// Channels of each image: neither the first axis nor the last.
// REMARK: rows.mlir:[[# @LINE + 6]]:{{.*}}math.erf kept: each pass over its row wants it, and the row stays in fast memory
// CHECK-LABEL: func.func @channels_of_images
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
func.func @channels_of_images(%x: tensor<2x64x12x12xf32>) -> tensor<2x64x12x12xf32> {
  %u = math.tanh %x : tensor<2x64x12x12xf32>
  %t = math.erf %u : tensor<2x64x12x12xf32>
  %m = lazy.reduce maximumf (%t) axes [1] : (tensor<2x64x12x12xf32>) -> tensor<2x12x12xf32>
  %m1 = lazy.reshape %m : tensor<2x12x12xf32> -> tensor<2x1x12x12xf32>
  %m2 = lazy.expand %m1 : tensor<2x1x12x12xf32> -> tensor<2x64x12x12xf32>
  %d = arith.subf %t, %m2 : tensor<2x64x12x12xf32>
  return %d : tensor<2x64x12x12xf32>
}

// A row may be more than one axis.
// REMARK: rows.mlir:[[# @LINE + 6]]:{{.*}}math.erf kept: each pass over its row wants it, and the row stays in fast memory
// CHECK-LABEL: func.func @rows_of_two_axes
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
func.func @rows_of_two_axes(%x: tensor<16x30x30xf32>) -> tensor<16x30x30xf32> {
  %u = math.tanh %x : tensor<16x30x30xf32>
  %t = math.erf %u : tensor<16x30x30xf32>
  %m = lazy.reduce maximumf (%t) axes [1, 2] : (tensor<16x30x30xf32>) -> tensor<16xf32>
  %m1 = lazy.reshape %m : tensor<16xf32> -> tensor<16x1x1xf32>
  %m2 = lazy.expand %m1 : tensor<16x1x1xf32> -> tensor<16x30x30xf32>
  %d = arith.subf %t, %m2 : tensor<16x30x30xf32>
  return %d : tensor<16x30x30xf32>
}

// A statistic of rows that columns use: another pass wants another row.
// REMARK: rows.mlir:[[# @LINE + 11]]:{{.*}}math.erf stored: recomputing it costs more than a buffer
// CHECK-LABEL: func.func @other_rows
// CHECK-COUNT-2: lazy.group
func.func @other_rows(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %u_0 = math.tanh %x : tensor<128x128xf32>
  %u_1 = math.tanh %u_0 : tensor<128x128xf32>
  %u_2 = math.tanh %u_1 : tensor<128x128xf32>
  %u_3 = math.tanh %u_2 : tensor<128x128xf32>
  %u_4 = math.tanh %u_3 : tensor<128x128xf32>
  %u_5 = math.tanh %u_4 : tensor<128x128xf32>
  %u = math.tanh %u_5 : tensor<128x128xf32>
  %t = math.erf %u : tensor<128x128xf32>
  %m = lazy.reduce maximumf (%t) axes [1] : (tensor<128x128xf32>) -> tensor<128xf32>
  %m1 = lazy.reshape %m : tensor<128xf32> -> tensor<1x128xf32>
  %m2 = lazy.expand %m1 : tensor<1x128xf32> -> tensor<128x128xf32>
  %d = arith.subf %t, %m2 : tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// 512 KiB are kept, no more.
// REMARK: rows.mlir:[[# @LINE + 10]]:{{.*}}math.erf stored: recomputing it costs more than a buffer
// CHECK-LABEL: func.func @long_rows
// CHECK-COUNT-2: lazy.group
func.func @long_rows(%x: tensor<8x131073xf32>) -> tensor<8x131073xf32> {
  %u_0 = math.tanh %x : tensor<8x131073xf32>
  %u_1 = math.tanh %u_0 : tensor<8x131073xf32>
  %u_2 = math.tanh %u_1 : tensor<8x131073xf32>
  %u_3 = math.tanh %u_2 : tensor<8x131073xf32>
  %u_4 = math.tanh %u_3 : tensor<8x131073xf32>
  %u = math.tanh %u_4 : tensor<8x131073xf32>
  %t = math.erf %u : tensor<8x131073xf32>
  %m = lazy.reduce maximumf (%t) axes [1] : (tensor<8x131073xf32>) -> tensor<8xf32>
  %m1 = lazy.reshape %m : tensor<8xf32> -> tensor<8x1xf32>
  %m2 = lazy.expand %m1 : tensor<8x1xf32> -> tensor<8x131073xf32>
  %d = arith.subf %t, %m2 : tensor<8x131073xf32>
  return %d : tensor<8x131073xf32>
}

// Short rows stay in registers.
// REMARK: rows.mlir:[[# @LINE + 6]]:{{.*}}math.erf kept: each pass over its row wants it, and the row stays in fast memory
// CHECK-LABEL: func.func @short_rows
// CHECK-COUNT-1: lazy.group
// CHECK-NOT: lazy.group
func.func @short_rows(%x: tensor<2048x31xf32>) -> tensor<2048x31xf32> {
  %u = math.tanh %x : tensor<2048x31xf32>
  %t = math.erf %u : tensor<2048x31xf32>
  %m = lazy.reduce maximumf (%t) axes [1] : (tensor<2048x31xf32>) -> tensor<2048xf32>
  %m1 = lazy.reshape %m : tensor<2048xf32> -> tensor<2048x1xf32>
  %m2 = lazy.expand %m1 : tensor<2048x1xf32> -> tensor<2048x31xf32>
  %d = arith.subf %t, %m2 : tensor<2048x31xf32>
  return %d : tensor<2048x31xf32>
}

// What goes on from the row's maximum and sum is stored with them, and nothing else reads these.
// CHECK-LABEL: func.func @softmax_and_logsumexp
// CHECK: %{{.+}}:2 = lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @softmax_and_logsumexp
// KERNEL: kernel.func private @{{.*}}(%{{.+}}: memref<65536xf32>, %{{.+}}: memref<65536xf32>, %[[LSE:.+]]: memref<64xf32>)
// KERNEL: %[[ROW:.+]] = kernel.range loop id(0) extent(64)
// KERNEL-COUNT-3: kernel.range {{.+}} extent(1024)
// KERNEL-NOT: kernel.range
// KERNEL: kernel.store %{{.+}}, %[[LSE]][%[[ROW]]]
func.func @softmax_and_logsumexp(%x: tensor<64x1024xf32>) -> (tensor<64x1024xf32>, tensor<64x1xf32>) {
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<64x1024xf32>) -> tensor<64xf32>
  %m1 = lazy.reshape %m : tensor<64xf32> -> tensor<64x1xf32>
  %m2 = lazy.expand %m1 : tensor<64x1xf32> -> tensor<64x1024xf32>
  %d = arith.subf %x, %m2 : tensor<64x1024xf32>
  %e = math.exp %d : tensor<64x1024xf32>
  %s = lazy.reduce addf (%e) axes [1] : (tensor<64x1024xf32>) -> tensor<64xf32>
  %s1 = lazy.reshape %s : tensor<64xf32> -> tensor<64x1xf32>
  %s2 = lazy.expand %s1 : tensor<64x1xf32> -> tensor<64x1024xf32>
  %y = arith.divf %e, %s2 : tensor<64x1024xf32>
  %log = math.log %s1 : tensor<64x1xf32>
  %lse = arith.addf %m1, %log : tensor<64x1xf32>
  return %y, %lse : tensor<64x1024xf32>, tensor<64x1xf32>
}

// The returned mean of a channel, an inner axis, is stored in the loop over channels, outside of the others.
// CHECK-LABEL: func.func @channels
// CHECK: %{{.+}}:2 = lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @channels
// KERNEL: kernel.func private @{{.*}}(%{{.+}}: memref<32768xf32>, %[[MEAN:.+]]: memref<16xf32>, %{{.+}}: memref<32768xf32>)
// KERNEL: kernel.range loop id(0) extent(32) order(1)
// KERNEL: %[[CHANNEL:.+]] = kernel.range loop id(1) extent(16) order(0)
// KERNEL: kernel.store %{{.+}}, %[[MEAN]][%[[CHANNEL]]]
func.func @channels(%x: tensor<32x16x64xf32>) -> (tensor<32x16x64xf32>, tensor<16xf32>) {
  %n = arith.constant dense<2048.0> : tensor<16xf32>
  %s = lazy.reduce addf (%x) axes [0, 2] : (tensor<32x16x64xf32>) -> tensor<16xf32>
  %mean = arith.divf %s, %n : tensor<16xf32>
  %log = math.log %mean : tensor<16xf32>
  %m1 = lazy.reshape %log : tensor<16xf32> -> tensor<1x16x1xf32>
  %m2 = lazy.expand %m1 : tensor<1x16x1xf32> -> tensor<32x16x64xf32>
  %y = arith.subf %x, %m2 : tensor<32x16x64xf32>
  return %y, %mean : tensor<32x16x64xf32>, tensor<16xf32>
}

// A row is combined where it is stored.
// CHECK-LABEL: func.func @rows_and_sums
// CHECK: %{{.+}}:2 = lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @rows_and_sums
// KERNEL: kernel.func private @{{.*}}(%{{.+}}: memref<65536xf32>, %[[ROWS:.+]]: memref<65536xf32>, %[[SUMS:.+]]: memref<64xf32>)
// KERNEL: %[[ROW:.+]] = kernel.range loop id(0) extent(64)
// KERNEL: kernel.range loop id(1) extent(1024)
// KERNEL-NOT: kernel.range loop {{.*}}extent(64)
// KERNEL: kernel.store %{{.+}}, %[[ROWS]]
// KERNEL: kernel.store %{{.+}}, %[[SUMS]][%[[ROW]]]
func.func @rows_and_sums(%x: tensor<64x1024xf32>) -> (tensor<64x1024xf32>, tensor<64xf32>) {
  %t = math.tanh %x : tensor<64x1024xf32>
  %s = lazy.reduce addf (%t) axes [1] : (tensor<64x1024xf32>) -> tensor<64xf32>
  %n = arith.negf %s : tensor<64xf32>
  return %t, %n : tensor<64x1024xf32>, tensor<64xf32>
}
