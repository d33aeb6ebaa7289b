// RUN: tiny-opt %s -lazy-kernelize -split-input-file | FileCheck %s
// RUN: tiny-opt %s -lazy-kernelize -split-input-file -o /dev/null --remark-format=emitRemark --remarks-filter=lazy-kernelize 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s -split-input-file --check-passes -lazy-kernelize -o /dev/null

// One result of the last reduction varies along d, one does not: what does not is combined once for the tile of d. So
// the reduction that gives x stands inside, and the mask of 128 heads is computed for each of them and never stored. What
// gives v does not vary along the rows, which are no tile: it would run again for each of them, and is stored.
// REMARK: Function=tile | {{.*}}math.exp fused: recomputing it is little beside the accumulators that share it
// CHECK-LABEL: func.func @tile(
// CHECK: %[[V:.*]] = lazy.group {{.*}} -> tensor<8x128xf32>
// CHECK: lazy.reduce addf(%{{.*}}) axes [2] : (tensor<8x128x3xf32>)
// CHECK: %[[O:.*]] = lazy.group {{.*}}%[[V]]
// CHECK: lazy.reduce addf(%{{.*}}) axes [3] : (tensor<128x32x8x3xf32>)
// CHECK: math.exp
// CHECK: lazy.reduce(%{{.*}}) init
// CHECK-NOT: lazy.group
// CHECK: return %[[O]]
func.func @tile(%a: tensor<128x32x8x3xf32>, %b: tensor<8x128x3xf32>, %c: tensor<32x8xf32>) -> tensor<128x32x128xf32> {
  %v = lazy.reduce addf(%b) axes [2] : (tensor<8x128x3xf32>) -> tensor<8x128xf32>
  %x0 = lazy.reduce addf(%a) axes [3] : (tensor<128x32x8x3xf32>) -> tensor<128x32x8xf32>
  %c0 = math.exp %c : tensor<32x8xf32>
  %c1 = math.exp %c0 : tensor<32x8xf32>
  %mask = math.exp %c1 : tensor<32x8xf32>
  %masks = lazy.view %mask <(128, 32, 8):(0, 8, 1)> : tensor<32x8xf32> -> tensor<128x32x8xf32>
  %x = arith.addf %x0, %masks : tensor<128x32x8xf32>
  %xx = lazy.view %x <(128, 32, 128, 8):(256, 8, 0, 1)> : tensor<128x32x8xf32> -> tensor<128x32x128x8xf32>
  %vv = lazy.view %v <(128, 32, 128, 8):(0, 0, 1, 128)> : tensor<8x128xf32> -> tensor<128x32x128x8xf32>
  %r:2 = lazy.reduce(%xx, %vv) init [0.0 : f32, 0.0 : f32] axes [3]
      : (tensor<128x32x128x8xf32>, tensor<128x32x128x8xf32>) -> (tensor<128x32x128xf32>, tensor<128x32x128xf32>) {
  ^bb0(%m: f32, %s: f32, %y: f32, %w: f32):
    %l = arith.maximumf %m, %y : f32
    %p = arith.mulf %w, %l : f32
    %t = arith.addf %s, %p : f32
    lazy.yield %l, %t : f32, f32
  }
  return %r#1 : tensor<128x32x128xf32>
}

// -----

// More accumulators than maxTile: the reduction would run again for each of them.
// REMARK: Function=too_wide | {{.*}}lazy.reduce stored: the reduction would run again for each of its uses
// CHECK-LABEL: func.func @too_wide(
// CHECK: lazy.group {{.*}} -> tensor<4x8xf32>
// CHECK: lazy.group {{.*}} -> tensor<4x512xf32>
func.func @too_wide(%a: tensor<4x8x3xf32>, %v: tensor<8x512xf32>) -> tensor<4x512xf32> {
  %x = lazy.reduce addf(%a) axes [2] : (tensor<4x8x3xf32>) -> tensor<4x8xf32>
  %xx = lazy.view %x <(4, 512, 8):(8, 0, 1)> : tensor<4x8xf32> -> tensor<4x512x8xf32>
  %vv = lazy.view %v <(4, 512, 8):(0, 1, 512)> : tensor<8x512xf32> -> tensor<4x512x8xf32>
  %r:2 = lazy.reduce(%xx, %vv) init [0.0 : f32, 0.0 : f32] axes [2]
      : (tensor<4x512x8xf32>, tensor<4x512x8xf32>) -> (tensor<4x512xf32>, tensor<4x512xf32>) {
  ^bb0(%m: f32, %s: f32, %y: f32, %w: f32):
    %l = arith.maximumf %m, %y : f32
    %p = arith.mulf %w, %l : f32
    %t = arith.addf %s, %p : f32
    lazy.yield %l, %t : f32, f32
  }
  return %r#1 : tensor<4x512xf32>
}

// -----

// What is stored has the tile's axis in other places: joined with another one behind the rows, where it is a digit, and
// one that it is not joined with. Either way it is a loop of its own.
// CHECK-LABEL: func.func @joined(
// CHECK-COUNT-1: lazy.group {{.*}} -> tensor<4x32xf32>
// CHECK-NOT: lazy.group
func.func @joined(%a: tensor<2x4x8x3xf32>, %v: tensor<2x8x16xf32>) -> tensor<4x32xf32> {
  %x = lazy.reduce addf(%a) axes [3] : (tensor<2x4x8x3xf32>) -> tensor<2x4x8xf32>
  %xx = lazy.view %x <(2, 4, 16, 8):(32, 8, 0, 1)> : tensor<2x4x8xf32> -> tensor<2x4x16x8xf32>
  %vv = lazy.view %v <(2, 4, 16, 8):(128, 0, 1, 16)> : tensor<2x8x16xf32> -> tensor<2x4x16x8xf32>
  %r:2 = lazy.reduce(%xx, %vv) init [0.0 : f32, 0.0 : f32] axes [3]
      : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x16xf32>) {
  ^bb0(%m: f32, %s: f32, %y: f32, %w: f32):
    %l = arith.maximumf %m, %y : f32
    %p = arith.mulf %w, %l : f32
    %t = arith.addf %s, %p : f32
    lazy.yield %l, %t : f32, f32
  }
  %q = lazy.permute %r#1 [1, 0, 2] : tensor<2x4x16xf32> -> tensor<4x2x16xf32>
  %o = lazy.reshape %q : tensor<4x2x16xf32> -> tensor<4x32xf32>
  return %o : tensor<4x32xf32>
}

// -----

// CHECK-LABEL: func.func @transposed(
// CHECK-COUNT-1: lazy.group {{.*}} -> tensor<16x4xf32>
// CHECK-NOT: lazy.group
func.func @transposed(%a: tensor<4x8x3xf32>, %v: tensor<8x16xf32>) -> tensor<16x4xf32> {
  %x = lazy.reduce addf(%a) axes [2] : (tensor<4x8x3xf32>) -> tensor<4x8xf32>
  %xx = lazy.view %x <(4, 16, 8):(8, 0, 1)> : tensor<4x8xf32> -> tensor<4x16x8xf32>
  %vv = lazy.view %v <(4, 16, 8):(0, 1, 16)> : tensor<8x16xf32> -> tensor<4x16x8xf32>
  %r:2 = lazy.reduce(%xx, %vv) init [0.0 : f32, 0.0 : f32] axes [2]
      : (tensor<4x16x8xf32>, tensor<4x16x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  ^bb0(%m: f32, %s: f32, %y: f32, %w: f32):
    %l = arith.maximumf %m, %y : f32
    %p = arith.mulf %w, %l : f32
    %t = arith.addf %s, %p : f32
    lazy.yield %l, %t : f32, f32
  }
  %q = lazy.permute %r#1 [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32>
  return %q : tensor<16x4xf32>
}
