// Normalisations in the layouts that people write them in: each function is one kernel. Where statistics are of groups of
// what is stored, the loops over it are split.
// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize | FileCheck %s
// RUN: tiny-opt %s --lazy-fold-views --lazy-kernelize --convert-lazy-to-kernel --check-passes | FileCheck %s --check-prefix=KERNEL

// Channels in groups of four: c is (c // 4) * 4 + c mod 4.
// CHECK-LABEL: func.func @group_norm(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @group_norm(
// KERNEL: kernel.range loop id(0) extent(4)
// KERNEL-NEXT: kernel.range loop id(1) extent(8)
// KERNEL-NEXT: kernel.range loop id(2) extent(4)
// KERNEL-NEXT: kernel.range loop id(3) extent(6)
// KERNEL-NEXT: kernel.range loop id(4) extent(6)
// KERNEL-NEXT: kernel.range reduce
func.func @group_norm(%x: tensor<4x32x6x6xf32>, %w: tensor<32xf32>) -> tensor<4x32x6x6xf32> {
  %g = lazy.reshape %x : tensor<4x32x6x6xf32> -> tensor<4x8x144xf32>
  %n = arith.constant dense<0.006944444444444444> : tensor<4x8xf32>
  %s = lazy.reduce addf (%g) axes [2] : (tensor<4x8x144xf32>) -> tensor<4x8xf32>
  %m = arith.mulf %s, %n : tensor<4x8xf32>
  %me = lazy.view %m <(4, 8, 144):(8, 1, 0)> : tensor<4x8xf32> -> tensor<4x8x144xf32>
  %d = arith.subf %g, %me : tensor<4x8x144xf32>
  %q = arith.mulf %d, %d : tensor<4x8x144xf32>
  %v = lazy.reduce addf (%q) axes [2] : (tensor<4x8x144xf32>) -> tensor<4x8xf32>
  %r = math.rsqrt %v : tensor<4x8xf32>
  %re = lazy.view %r <(4, 8, 144):(8, 1, 0)> : tensor<4x8xf32> -> tensor<4x8x144xf32>
  %y = arith.mulf %d, %re : tensor<4x8x144xf32>
  %z = lazy.reshape %y : tensor<4x8x144xf32> -> tensor<4x32x6x6xf32>
  %we = lazy.view %w <(4, 32, 6, 6):(0, 1, 0, 0)> : tensor<32xf32> -> tensor<4x32x6x6xf32>
  %o = arith.mulf %z, %we : tensor<4x32x6x6xf32>
  return %o : tensor<4x32x6x6xf32>
}

// The same, each axis by itself.
// CHECK-LABEL: func.func @group_norm_of_five_axes(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @group_norm_of_five_axes(
// KERNEL: kernel.range loop id(0) extent(4)
// KERNEL-NEXT: kernel.range loop id(1) extent(8)
// KERNEL-NEXT: kernel.range loop id(2) extent(4)
// KERNEL-NEXT: kernel.range loop id(3) extent(6)
// KERNEL-NEXT: kernel.range loop id(4) extent(6)
// KERNEL-NEXT: kernel.range reduce
func.func @group_norm_of_five_axes(%x: tensor<4x32x6x6xf32>, %w: tensor<32xf32>) -> tensor<4x32x6x6xf32> {
  %g = lazy.reshape %x : tensor<4x32x6x6xf32> -> tensor<4x8x4x6x6xf32>
  %n = arith.constant dense<0.006944444444444444> : tensor<4x8xf32>
  %s = lazy.reduce addf (%g) axes [2, 3, 4] : (tensor<4x8x4x6x6xf32>) -> tensor<4x8xf32>
  %m = arith.mulf %s, %n : tensor<4x8xf32>
  %me = lazy.view %m <(4, 8, 4, 6, 6):(8, 1, 0, 0, 0)> : tensor<4x8xf32> -> tensor<4x8x4x6x6xf32>
  %d = arith.subf %g, %me : tensor<4x8x4x6x6xf32>
  %q = arith.mulf %d, %d : tensor<4x8x4x6x6xf32>
  %v = lazy.reduce addf (%q) axes [2, 3, 4] : (tensor<4x8x4x6x6xf32>) -> tensor<4x8xf32>
  %r = math.rsqrt %v : tensor<4x8xf32>
  %re = lazy.view %r <(4, 8, 4, 6, 6):(8, 1, 0, 0, 0)> : tensor<4x8xf32> -> tensor<4x8x4x6x6xf32>
  %y = arith.mulf %d, %re : tensor<4x8x4x6x6xf32>
  %z = lazy.reshape %y : tensor<4x8x4x6x6xf32> -> tensor<4x32x6x6xf32>
  %we = lazy.view %w <(4, 32, 6, 6):(0, 1, 0, 0)> : tensor<32xf32> -> tensor<4x32x6x6xf32>
  %o = arith.mulf %z, %we : tensor<4x32x6x6xf32>
  return %o : tensor<4x32x6x6xf32>
}

// Channels last: the loops over groups go outside of the picture's.
// CHECK-LABEL: func.func @group_norm_channels_last(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @group_norm_channels_last(
// KERNEL: kernel.range loop id(0) extent(4)
// KERNEL-NEXT: kernel.range loop id(1) extent(6)
// KERNEL-NEXT: kernel.range loop id(2) extent(6)
// KERNEL-NEXT: kernel.range loop id(3) extent(8)
// KERNEL-NEXT: kernel.range loop id(4) extent(4)
// KERNEL-NEXT: kernel.range reduce
func.func @group_norm_channels_last(%x: tensor<4x6x6x32xf32>, %w: tensor<32xf32>) -> tensor<4x6x6x32xf32> {
  %g = lazy.reshape %x : tensor<4x6x6x32xf32> -> tensor<4x36x8x4xf32>
  %n = arith.constant dense<0.006944444444444444> : tensor<4x8xf32>
  %s = lazy.reduce addf (%g) axes [1, 3] : (tensor<4x36x8x4xf32>) -> tensor<4x8xf32>
  %m = arith.mulf %s, %n : tensor<4x8xf32>
  %me = lazy.view %m <(4, 36, 8, 4):(8, 0, 1, 0)> : tensor<4x8xf32> -> tensor<4x36x8x4xf32>
  %d = arith.subf %g, %me : tensor<4x36x8x4xf32>
  %q = arith.mulf %d, %d : tensor<4x36x8x4xf32>
  %v = lazy.reduce addf (%q) axes [1, 3] : (tensor<4x36x8x4xf32>) -> tensor<4x8xf32>
  %r = math.rsqrt %v : tensor<4x8xf32>
  %re = lazy.view %r <(4, 36, 8, 4):(8, 0, 1, 0)> : tensor<4x8xf32> -> tensor<4x36x8x4xf32>
  %y = arith.mulf %d, %re : tensor<4x36x8x4xf32>
  %z = lazy.reshape %y : tensor<4x36x8x4xf32> -> tensor<4x6x6x32xf32>
  %we = lazy.view %w <(4, 6, 6, 32):(0, 0, 0, 1)> : tensor<32xf32> -> tensor<4x6x6x32xf32>
  %o = arith.mulf %z, %we : tensor<4x6x6x32xf32>
  return %o : tensor<4x6x6x32xf32>
}

// All of a picture.
// CHECK-LABEL: func.func @group_norm_of_one_picture(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @group_norm_of_one_picture(
// KERNEL: kernel.range loop id(0) extent(8)
// KERNEL-NEXT: kernel.range loop id(1) extent(4)
// KERNEL-NEXT: kernel.range loop id(2) extent(6)
// KERNEL-NEXT: kernel.range loop id(3) extent(6)
// KERNEL-NEXT: kernel.range reduce
func.func @group_norm_of_one_picture(%x: tensor<1x32x6x6xf32>, %w: tensor<32xf32>) -> tensor<1x32x6x6xf32> {
  %g = lazy.reshape %x : tensor<1x32x6x6xf32> -> tensor<8x144xf32>
  %n = arith.constant dense<0.006944444444444444> : tensor<8xf32>
  %s = lazy.reduce addf (%g) axes [1] : (tensor<8x144xf32>) -> tensor<8xf32>
  %m = arith.mulf %s, %n : tensor<8xf32>
  %me = lazy.view %m <(8, 144):(1, 0)> : tensor<8xf32> -> tensor<8x144xf32>
  %d = arith.subf %g, %me : tensor<8x144xf32>
  %q = arith.mulf %d, %d : tensor<8x144xf32>
  %v = lazy.reduce addf (%q) axes [1] : (tensor<8x144xf32>) -> tensor<8xf32>
  %r = math.rsqrt %v : tensor<8xf32>
  %re = lazy.view %r <(8, 144):(1, 0)> : tensor<8xf32> -> tensor<8x144xf32>
  %y = arith.mulf %d, %re : tensor<8x144xf32>
  %z = lazy.reshape %y : tensor<8x144xf32> -> tensor<1x32x6x6xf32>
  %we = lazy.view %w <(1, 32, 6, 6):(0, 1, 0, 0)> : tensor<32xf32> -> tensor<1x32x6x6xf32>
  %o = arith.mulf %z, %we : tensor<1x32x6x6xf32>
  return %o : tensor<1x32x6x6xf32>
}

// What is stored has one axis for channel and picture.
// CHECK-LABEL: func.func @group_norm_stored_flat(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @group_norm_stored_flat(
// KERNEL: kernel.range loop id(0) extent(4)
// KERNEL-NEXT: kernel.range loop id(1) extent(8)
// KERNEL-NEXT: kernel.range loop id(2) extent(144)
// KERNEL-NEXT: kernel.range reduce
func.func @group_norm_stored_flat(%x: tensor<4x32x6x6xf32>) -> tensor<4x1152xf32> {
  %g = lazy.reshape %x : tensor<4x32x6x6xf32> -> tensor<4x8x144xf32>
  %n = arith.constant dense<0.006944444444444444> : tensor<4x8xf32>
  %s = lazy.reduce addf (%g) axes [2] : (tensor<4x8x144xf32>) -> tensor<4x8xf32>
  %m = arith.mulf %s, %n : tensor<4x8xf32>
  %me = lazy.view %m <(4, 8, 144):(8, 1, 0)> : tensor<4x8xf32> -> tensor<4x8x144xf32>
  %d = arith.subf %g, %me : tensor<4x8x144xf32>
  %q = arith.mulf %d, %d : tensor<4x8x144xf32>
  %v = lazy.reduce addf (%q) axes [2] : (tensor<4x8x144xf32>) -> tensor<4x8xf32>
  %r = math.rsqrt %v : tensor<4x8xf32>
  %re = lazy.view %r <(4, 8, 144):(8, 1, 0)> : tensor<4x8xf32> -> tensor<4x8x144xf32>
  %y = arith.mulf %d, %re : tensor<4x8x144xf32>
  %z = lazy.reshape %y : tensor<4x8x144xf32> -> tensor<4x1152xf32>
  return %z : tensor<4x1152xf32>
}

// A channel of a picture.
// CHECK-LABEL: func.func @instance_norm(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @instance_norm(
// KERNEL: kernel.range loop id(0) extent(4)
// KERNEL-NEXT: kernel.range loop id(1) extent(8)
// KERNEL-NEXT: kernel.range loop id(2) extent(6)
// KERNEL-NEXT: kernel.range loop id(3) extent(6)
// KERNEL-NEXT: kernel.range reduce
func.func @instance_norm(%x: tensor<4x8x6x6xf32>, %w: tensor<8xf32>) -> tensor<4x8x6x6xf32> {
  %g = lazy.reshape %x : tensor<4x8x6x6xf32> -> tensor<4x8x36xf32>
  %n = arith.constant dense<0.027777777777777776> : tensor<4x8xf32>
  %s = lazy.reduce addf (%g) axes [2] : (tensor<4x8x36xf32>) -> tensor<4x8xf32>
  %m = arith.mulf %s, %n : tensor<4x8xf32>
  %me = lazy.view %m <(4, 8, 36):(8, 1, 0)> : tensor<4x8xf32> -> tensor<4x8x36xf32>
  %d = arith.subf %g, %me : tensor<4x8x36xf32>
  %q = arith.mulf %d, %d : tensor<4x8x36xf32>
  %v = lazy.reduce addf (%q) axes [2] : (tensor<4x8x36xf32>) -> tensor<4x8xf32>
  %r = math.rsqrt %v : tensor<4x8xf32>
  %re = lazy.view %r <(4, 8, 36):(8, 1, 0)> : tensor<4x8xf32> -> tensor<4x8x36xf32>
  %y = arith.mulf %d, %re : tensor<4x8x36xf32>
  %z = lazy.reshape %y : tensor<4x8x36xf32> -> tensor<4x8x6x6xf32>
  %we = lazy.view %w <(4, 8, 6, 6):(0, 1, 0, 0)> : tensor<8xf32> -> tensor<4x8x6x6xf32>
  %o = arith.mulf %z, %we : tensor<4x8x6x6xf32>
  return %o : tensor<4x8x6x6xf32>
}

// A row, and no mean.
// CHECK-LABEL: func.func @rms_norm(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @rms_norm(
// KERNEL: kernel.range loop id(0) extent(4)
// KERNEL-NEXT: kernel.range loop id(1) extent(16)
// KERNEL-NEXT: kernel.range loop id(2) extent(32)
// KERNEL-NEXT: kernel.range reduce
func.func @rms_norm(%x: tensor<4x16x32xf32>, %w: tensor<32xf32>) -> tensor<4x16x32xf32> {
  %n = arith.constant dense<0.03125> : tensor<4x16xf32>
  %q = arith.mulf %x, %x : tensor<4x16x32xf32>
  %v = lazy.reduce addf (%q) axes [2] : (tensor<4x16x32xf32>) -> tensor<4x16xf32>
  %r = math.rsqrt %v : tensor<4x16xf32>
  %re = lazy.view %r <(4, 16, 32):(16, 1, 0)> : tensor<4x16xf32> -> tensor<4x16x32xf32>
  %y = arith.mulf %x, %re : tensor<4x16x32xf32>
  %we = lazy.view %w <(4, 16, 32):(0, 0, 1)> : tensor<32xf32> -> tensor<4x16x32xf32>
  %o = arith.mulf %y, %we : tensor<4x16x32xf32>
  return %o : tensor<4x16x32xf32>
}

// Heads are parts of a row.
// CHECK-LABEL: func.func @rms_norm_of_heads(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @rms_norm_of_heads(
// KERNEL: kernel.range loop id(0) extent(4)
// KERNEL-NEXT: kernel.range loop id(1) extent(16)
// KERNEL-NEXT: kernel.range loop id(2) extent(4)
// KERNEL-NEXT: kernel.range loop id(3) extent(8)
// KERNEL-NEXT: kernel.range reduce
func.func @rms_norm_of_heads(%x: tensor<4x16x32xf32>, %w: tensor<32xf32>) -> tensor<4x16x32xf32> {
  %g = lazy.reshape %x : tensor<4x16x32xf32> -> tensor<4x16x4x8xf32>
  %n = arith.constant dense<0.125> : tensor<4x16x4xf32>
  %q = arith.mulf %g, %g : tensor<4x16x4x8xf32>
  %v = lazy.reduce addf (%q) axes [3] : (tensor<4x16x4x8xf32>) -> tensor<4x16x4xf32>
  %r = math.rsqrt %v : tensor<4x16x4xf32>
  %re = lazy.view %r <(4, 16, 4, 8):(64, 4, 1, 0)> : tensor<4x16x4xf32> -> tensor<4x16x4x8xf32>
  %y = arith.mulf %g, %re : tensor<4x16x4x8xf32>
  %z = lazy.reshape %y : tensor<4x16x4x8xf32> -> tensor<4x16x32xf32>
  %we = lazy.view %w <(4, 16, 32):(0, 0, 1)> : tensor<32xf32> -> tensor<4x16x32xf32>
  %o = arith.mulf %z, %we : tensor<4x16x32xf32>
  return %o : tensor<4x16x32xf32>
}

// Channels first: the loop over channels goes inside.
// CHECK-LABEL: func.func @rms_norm_of_channels(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @rms_norm_of_channels(
// KERNEL: kernel.range loop id(0) extent(4)
// KERNEL-NEXT: kernel.range loop id(1) extent(16)
// KERNEL-NEXT: kernel.range loop id(2) extent(6)
// KERNEL-NEXT: kernel.range loop id(3) extent(6)
// KERNEL-NEXT: kernel.range reduce
func.func @rms_norm_of_channels(%x: tensor<4x16x6x6xf32>, %w: tensor<16xf32>) -> tensor<4x16x6x6xf32> {
  %g = lazy.reshape %x : tensor<4x16x6x6xf32> -> tensor<4x16x36xf32>
  %n = arith.constant dense<0.0625> : tensor<4x36xf32>
  %q = arith.mulf %g, %g : tensor<4x16x36xf32>
  %v = lazy.reduce addf (%q) axes [1] : (tensor<4x16x36xf32>) -> tensor<4x36xf32>
  %r = math.rsqrt %v : tensor<4x36xf32>
  %re = lazy.view %r <(4, 16, 36):(36, 0, 1)> : tensor<4x36xf32> -> tensor<4x16x36xf32>
  %y = arith.mulf %g, %re : tensor<4x16x36xf32>
  %z = lazy.reshape %y : tensor<4x16x36xf32> -> tensor<4x16x6x6xf32>
  %we = lazy.view %w <(4, 16, 6, 6):(0, 1, 0, 0)> : tensor<16xf32> -> tensor<4x16x6x6xf32>
  %o = arith.mulf %z, %we : tensor<4x16x6x6xf32>
  return %o : tensor<4x16x6x6xf32>
}

// In training, of batch and picture.
// CHECK-LABEL: func.func @batch_norm(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @batch_norm(
// KERNEL: kernel.range loop id(0) extent(4)
// KERNEL-NEXT: kernel.range loop id(1) extent(16)
// KERNEL-NEXT: kernel.range loop id(2) extent(6)
// KERNEL-NEXT: kernel.range loop id(3) extent(6)
// KERNEL-NEXT: kernel.range reduce
func.func @batch_norm(%x: tensor<4x16x6x6xf32>, %w: tensor<16xf32>) -> tensor<4x16x6x6xf32> {
  %n = arith.constant dense<0.006944444444444444> : tensor<16xf32>
  %s = lazy.reduce addf (%x) axes [0, 2, 3] : (tensor<4x16x6x6xf32>) -> tensor<16xf32>
  %m = arith.mulf %s, %n : tensor<16xf32>
  %me = lazy.view %m <(4, 16, 6, 6):(0, 1, 0, 0)> : tensor<16xf32> -> tensor<4x16x6x6xf32>
  %d = arith.subf %x, %me : tensor<4x16x6x6xf32>
  %q = arith.mulf %d, %d : tensor<4x16x6x6xf32>
  %v = lazy.reduce addf (%q) axes [0, 2, 3] : (tensor<4x16x6x6xf32>) -> tensor<16xf32>
  %r = math.rsqrt %v : tensor<16xf32>
  %re = lazy.view %r <(4, 16, 6, 6):(0, 1, 0, 0)> : tensor<16xf32> -> tensor<4x16x6x6xf32>
  %y = arith.mulf %d, %re : tensor<4x16x6x6xf32>
  %we = lazy.view %w <(4, 16, 6, 6):(0, 1, 0, 0)> : tensor<16xf32> -> tensor<4x16x6x6xf32>
  %o = arith.mulf %y, %we : tensor<4x16x6x6xf32>
  return %o : tensor<4x16x6x6xf32>
}

// Ghost batch norm: the batch falls into two parts.
// CHECK-LABEL: func.func @batch_norm_of_groups(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @batch_norm_of_groups(
// KERNEL: kernel.range loop id(0) extent(2)
// KERNEL-NEXT: kernel.range loop id(1) extent(2)
// KERNEL-NEXT: kernel.range loop id(2) extent(16)
// KERNEL-NEXT: kernel.range loop id(3) extent(6)
// KERNEL-NEXT: kernel.range loop id(4) extent(6)
// KERNEL-NEXT: kernel.range reduce
func.func @batch_norm_of_groups(%x: tensor<4x16x6x6xf32>, %w: tensor<16xf32>) -> tensor<4x16x6x6xf32> {
  %g = lazy.reshape %x : tensor<4x16x6x6xf32> -> tensor<2x2x16x36xf32>
  %n = arith.constant dense<0.013888888888888888> : tensor<2x16xf32>
  %s = lazy.reduce addf (%g) axes [1, 3] : (tensor<2x2x16x36xf32>) -> tensor<2x16xf32>
  %m = arith.mulf %s, %n : tensor<2x16xf32>
  %me = lazy.view %m <(2, 2, 16, 36):(16, 0, 1, 0)> : tensor<2x16xf32> -> tensor<2x2x16x36xf32>
  %d = arith.subf %g, %me : tensor<2x2x16x36xf32>
  %q = arith.mulf %d, %d : tensor<2x2x16x36xf32>
  %v = lazy.reduce addf (%q) axes [1, 3] : (tensor<2x2x16x36xf32>) -> tensor<2x16xf32>
  %r = math.rsqrt %v : tensor<2x16xf32>
  %re = lazy.view %r <(2, 2, 16, 36):(16, 0, 1, 0)> : tensor<2x16xf32> -> tensor<2x2x16x36xf32>
  %y = arith.mulf %d, %re : tensor<2x2x16x36xf32>
  %z = lazy.reshape %y : tensor<2x2x16x36xf32> -> tensor<4x16x6x6xf32>
  %we = lazy.view %w <(4, 16, 6, 6):(0, 1, 0, 0)> : tensor<16xf32> -> tensor<4x16x6x6xf32>
  %o = arith.mulf %z, %we : tensor<4x16x6x6xf32>
  return %o : tensor<4x16x6x6xf32>
}

// One row per picture.
// CHECK-LABEL: func.func @layer_norm_over_all_but_the_batch(
// CHECK: lazy.group
// CHECK-NOT: lazy.group
// KERNEL-LABEL: kernel.program @layer_norm_over_all_but_the_batch(
// KERNEL: kernel.range loop id(0) extent(8)
// KERNEL-NEXT: kernel.range loop id(1) extent(4)
// KERNEL-NEXT: kernel.range loop id(2) extent(6)
// KERNEL-NEXT: kernel.range loop id(3) extent(6)
// KERNEL-NEXT: kernel.range reduce
func.func @layer_norm_over_all_but_the_batch(%x: tensor<8x4x6x6xf32>, %w: tensor<4xf32>) -> tensor<8x4x6x6xf32> {
  %g = lazy.reshape %x : tensor<8x4x6x6xf32> -> tensor<8x144xf32>
  %n = arith.constant dense<0.006944444444444444> : tensor<8xf32>
  %s = lazy.reduce addf (%g) axes [1] : (tensor<8x144xf32>) -> tensor<8xf32>
  %m = arith.mulf %s, %n : tensor<8xf32>
  %me = lazy.view %m <(8, 144):(1, 0)> : tensor<8xf32> -> tensor<8x144xf32>
  %d = arith.subf %g, %me : tensor<8x144xf32>
  %q = arith.mulf %d, %d : tensor<8x144xf32>
  %v = lazy.reduce addf (%q) axes [1] : (tensor<8x144xf32>) -> tensor<8xf32>
  %r = math.rsqrt %v : tensor<8xf32>
  %re = lazy.view %r <(8, 144):(1, 0)> : tensor<8xf32> -> tensor<8x144xf32>
  %y = arith.mulf %d, %re : tensor<8x144xf32>
  %z = lazy.reshape %y : tensor<8x144xf32> -> tensor<8x4x6x6xf32>
  %we = lazy.view %w <(8, 4, 6, 6):(0, 1, 0, 0)> : tensor<4xf32> -> tensor<8x4x6x6xf32>
  %o = arith.mulf %z, %we : tensor<8x4x6x6xf32>
  return %o : tensor<8x4x6x6xf32>
}
