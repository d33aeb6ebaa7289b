// RUN: tiny-opt %s --split-input-file --tensor-choose-shardings=ranks=4 | FileCheck %s
// RUN: tiny-opt %s --split-input-file --tensor-choose-shardings=ranks=4 --remarks-filter=tensor-choose-shardings \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --split-input-file --tensor-choose-shardings=ranks=4 --tensor-partition --check-passes --check-passes-verbose \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// Many rows and a small weight: rows are cut, and one gradient is summed.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1000, 10000)]>>} {
  // REMARK: remark: [Passed] chosen {{.*}}runs on a grid of 4 ranks
  // REMARK: remark: [Passed] cut {{.*}}argument 0: axis 0 in 4 parts
  // CHECK: shard.grid @ranks(shape = 4)
  // CHECK-LABEL: func.func @rows
  // CHECK: shard.shard %arg0
  // CHECK-NOT: shard.shard %arg1
  func.func @rows(%x: tensor<4096x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = tiny.matmul %x, %w : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
    %1 = tiny.relu %0 : (tensor<4096x64xf32>) -> tensor<4096x64xf32>
    %2 = tiny.permute %x [1, 0] : (tensor<4096x64xf32>) -> tensor<64x4096xf32>
    %3 = tiny.matmul %2, %1 : (tensor<64x4096xf32>, tensor<4096x64xf32>) -> tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }
}

// -----

// One row and large weights: these are cut, the first by columns and so the second by rows.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1000, 10000)]>>} {
  // REMARK: remark: [Passed] chosen {{.*}}runs on a grid of 4 ranks
  // CHECK-LABEL: func.func @weights
  // CHECK-NEXT: %[[S:.*]] = shard.sharding @ranks split_axes = {{\[\[\], \[0\]\]}}
  // CHECK-NEXT: shard.shard %arg1 to %[[S]]
  func.func @weights(%x: tensor<1x512xf32>, %w: tensor<512x1024xf32>, %v: tensor<1024x512xf32>) -> tensor<1x512xf32> {
    %0 = tiny.matmul %x, %w : (tensor<1x512xf32>, tensor<512x1024xf32>) -> tensor<1x1024xf32>
    %1 = tiny.relu %0 : (tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %2 = tiny.matmul %1, %v : (tensor<1x1024xf32>, tensor<1024x512xf32>) -> tensor<1x512xf32>
    return %2 : tensor<1x512xf32>
  }
}

// -----

// A network so slow that cutting does not pay: nothing is annotated.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 100000000, 1)]>>} {
  // REMARK: remark: [Passed] whole {{.*}}stays whole, no cut pays
  // CHECK-LABEL: func.func @slow
  // CHECK-NOT: shard.shard
  // CHECK: return
  func.func @slow(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<f32> {
    %0 = tiny.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = tiny.sum %0 axes [0, 1] : (tensor<64x64xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}

// -----

// The same where one rank has too little memory for all of it: it is cut all the same.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 100000000, 1)],
    memory_bytes = 40000>>} {
  // REMARK: remark: [Passed] chosen
  // CHECK-LABEL: func.func @small
  // CHECK: shard.shard
  func.func @small(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<f32> {
    %0 = tiny.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = tiny.sum %0 axes [0, 1] : (tensor<64x64xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}

// -----

// What a person annotated stays, and the grid.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1000, 10000)]>>} {
  // REMARK: remark: [Passed] chosen {{.*}}runs on a grid of 2x2 ranks
  // CHECK: shard.grid @mine(shape = 2x2)
  // CHECK-NOT: shard.grid
  // CHECK-LABEL: func.func @kept
  // CHECK: %[[S:.*]] = shard.sharding @mine split_axes = {{\[\[\], \[1\]\]}}
  // CHECK-NEXT: shard.shard %arg1 to %[[S]]
  shard.grid @mine(shape = 2x2)
  func.func @kept(%x: tensor<4096x64xf32>, %w: tensor<64x64xf32>) -> tensor<4096x64xf32> {
    %s = shard.sharding @mine split_axes = [[], [1]] : !shard.sharding
    %ws = shard.shard %w to %s : tensor<64x64xf32>
    %0 = tiny.matmul %x, %ws : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
    return %0 : tensor<4096x64xf32>
  }
}

// -----

// What is chosen partitions, and computes the same.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1, 10000)],
    memory_bytes = 500>>} {
  // SAME: 'same' is the same after 'tensor-choose-shardings'
  // SAME: 'same' is the same after 'tensor-partition'
  // CHECK-LABEL: func.func @same
  // CHECK: shard.shard
  func.func @same(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>) -> tensor<6x8xf32> {
    %0 = tiny.matmul %x, %w : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
    %1 = tiny.tanh %0 : (tensor<6x8xf32>) -> tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
}

// -----

// What stands alike is cut alike, and large constants as arguments are: the weights that come first by columns, and so those
// that come second by rows.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1000, 10000)]>>} {
  // REMARK: remark: [Passed] chosen {{.*}}runs on a grid of 4 ranks
  // REMARK-COUNT-2: remark: [Passed] cut {{.*}}a constant of tensor<{{.*}} in 4 parts
  // CHECK-LABEL: func.func @alike
  // CHECK-COUNT-2: = shard.shard %
  // CHECK-NOT: = shard.shard %
  func.func @alike(%x: tensor<1x512xf32>) -> tensor<1x512xf32> {
    %w0 = tiny.constant dense<0.5> : tensor<512x1024xf32>
    %v0 = tiny.constant dense<0.25> : tensor<1024x512xf32>
    %w1 = tiny.constant dense<0.125> : tensor<512x1024xf32>
    %v1 = tiny.constant dense<0.5> : tensor<1024x512xf32>
    %0 = tiny.matmul %x, %w0 : (tensor<1x512xf32>, tensor<512x1024xf32>) -> tensor<1x1024xf32>
    %1 = tiny.relu %0 : (tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %2 = tiny.matmul %1, %v0 : (tensor<1x1024xf32>, tensor<1024x512xf32>) -> tensor<1x512xf32>
    %3 = tiny.matmul %x, %w1 : (tensor<1x512xf32>, tensor<512x1024xf32>) -> tensor<1x1024xf32>
    %4 = tiny.relu %3 : (tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %5 = tiny.matmul %4, %v1 : (tensor<1x1024xf32>, tensor<1024x512xf32>) -> tensor<1x512xf32>
    %6 = tiny.maximum %2, %5 : (tensor<1x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
    return %6 : tensor<1x512xf32>
  }
}

// -----

// What a loop does counts once for each iteration: rows are cut, and its ranks never meet.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1000, 10000)]>>} {
  // CHECK-LABEL: func.func @iterations
  // CHECK-NEXT: %[[S:.*]] = shard.sharding @ranks split_axes = {{\[\[0\], \[\]\]}}
  // CHECK-NEXT: shard.shard %arg0 to %[[S]]
  // CHECK-NOT: shard.shard
  // SAME: 'iterations' is the same after 'tensor-partition'
  func.func @iterations(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %y, %n = tiny.loop most(9) carry(%x) : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<i64>) {
    ^bb0(%i: tensor<i64>, %old: tensor<64x64xf32>):
      %0 = tiny.matmul %old, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %1 = tiny.tanh %0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
      tiny.yield %1 : tensor<64x64xf32>
    }
    return %y : tensor<64x64xf32>
  }
}
