// Plans that are more than cuts of arguments: what is between products, experts, pipelines.
// RUN: tiny-opt %s --split-input-file --tensor-expand-gradients --tensor-choose-shardings=ranks=2 | FileCheck %s
// RUN: tiny-opt %s --split-input-file --tensor-expand-gradients --tensor-choose-shardings=ranks=2 --remarks-filter=tensor-choose-shardings \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tiny-opt %s --split-input-file --tensor-expand-gradients --tensor-choose-shardings=ranks=2 --tensor-partition --tensor-scatter-reductions \
// RUN:   | FileCheck %s --check-prefix=RANK

// A person's tensor-parallel products: the sum behind them is scattered, and the norm is cut along rows.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(2, 1000, 10000)]>>} {
  // REMARK: remark: [Passed] chosen {{.*}}runs on a grid of 2 ranks: a step of {{.*}} us, {{.*}} MiB of a rank
  // REMARK: remark: [Passed] scattered {{.*}}1 sum is scattered, and what is computed next is cut along
  // CHECK-LABEL: func.func @sequence
  // RANK-LABEL: func.func @sequence
  // RANK: shard.reduce_scatter %{{.*}} scatter_axis = 0 : tensor<512x64xf32> -> tensor<256x64xf32>
  // RANK: tiny.rms_norm %{{.*}} : (tensor<256x64xf32>, tensor<64xf32>) -> tensor<256x64xf32>
  // RANK: shard.all_gather
  shard.grid @mine(shape = 2)
  func.func @sequence(%x: tensor<512x64xf32>, %w: tensor<64x1024xf32>, %v: tensor<1024x64xf32>, %g: tensor<64xf32>) -> tensor<512x64xf32> {
    %s = shard.sharding @mine split_axes = [[], [0]] : !shard.sharding
    %ws = shard.shard %w to %s : tensor<64x1024xf32>
    %whole = shard.sharding @mine split_axes = [[]] : !shard.sharding
    %xs = shard.shard %x to %whole : tensor<512x64xf32>
    %0 = tiny.matmul %xs, %ws : (tensor<512x64xf32>, tensor<64x1024xf32>) -> tensor<512x1024xf32>
    %1 = tiny.matmul %0, %v : (tensor<512x1024xf32>, tensor<1024x64xf32>) -> tensor<512x64xf32>
    %2 = tiny.rms_norm %1 scale %g axis 1 epsilon 1.0e-5 : (tensor<512x64xf32>, tensor<64xf32>) -> tensor<512x64xf32>
    %3 = tiny.tanh %2 : (tensor<512x64xf32>) -> tensor<512x64xf32>
    return %3 : tensor<512x64xf32>
  }
}

// -----

// Experts: tokens are few beside the weights, so each rank has half of the experts, and one sum joins what they make.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(2, 1000, 10000)]>>} {
  // REMARK: remark: [Passed] chosen {{.*}}runs on a grid of 2 ranks
  // REMARK: remark: [Passed] cut {{.*}}argument 2: axis 0 in 2 parts
  // CHECK-LABEL: func.func @experts
  // CHECK: shard.shard %{{.*}} : tensor<8x256x512xf32>
  // RANK-LABEL: func.func @experts
  // RANK: tiny.matmul %{{.*}} : (tensor<4x16x256xf32>, tensor<4x256x512xf32>) -> tensor<4x16x512xf32>
  // RANK: tiny.matmul %{{.*}} : (tensor<4x16x512xf32>, tensor<4x512x256xf32>) -> tensor<4x16x256xf32>
  func.func @experts(%x: tensor<8x16x256xf32>, %gate: tensor<8x16x1xf32>, %w: tensor<8x256x512xf32>, %v: tensor<8x512x256xf32>) -> tensor<16x256xf32> {
    %0 = tiny.matmul %x, %w : (tensor<8x16x256xf32>, tensor<8x256x512xf32>) -> tensor<8x16x512xf32>
    %1 = tiny.relu %0 : (tensor<8x16x512xf32>) -> tensor<8x16x512xf32>
    %2 = tiny.matmul %1, %v : (tensor<8x16x512xf32>, tensor<8x512x256xf32>) -> tensor<8x16x256xf32>
    %3 = tiny.mul %2, %gate : (tensor<8x16x256xf32>, tensor<8x16x1xf32>) -> tensor<8x16x256xf32>
    %4 = tiny.sum %3 axes [0] : (tensor<8x16x256xf32>) -> tensor<16x256xf32>
    return %4 : tensor<16x256xf32>
  }
}

// -----

// Messages that take long, and more weights than a rank has memory for: of all plans that fit, stages send fewest. A
// training step goes forwards and back through both, and each updates its own weights.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(2, 5000000, 10000)],
    memory_bytes = 8200000>>} {
  // REMARK: remark: [Passed] chosen {{.*}}runs on a grid of 2x1 ranks, a pipeline of 2 stages with {{.*}} microbatches: a step of {{.*}} us, {{.*}} MiB of a rank
  // CHECK: shard.grid @ranks(shape = 2x1x{{.*}}) {tiny.microbatches = 2 : i64}
  // CHECK-LABEL: func.func @stages
  // CHECK: tiny.stage %{{.*}} on @ranks axis 0 from 0 to 1 : (tensor<128x512xf32>)
  // CHECK: tiny.stage %{{.*}} on @ranks axis 0 from 1 to 0 : (tensor<128x512xf32>)
  // CHECK-NOT: tiny.stage
  // RANK-LABEL: func.func @stages
  // RANK-SAME: -> (tensor<f32> {tiny.stage = 1 : i64}, tensor<512x512xf32> {tiny.stage = 0 : i64}, tensor<512x512xf32> {tiny.stage = 0 : i64}, tensor<512x512xf32> {tiny.stage = 1 : i64}, tensor<512x512xf32> {tiny.stage = 1 : i64})
  func.func @stages(%x: tensor<128x512xf32>, %w0: tensor<512x512xf32>, %w1: tensor<512x512xf32>, %w2: tensor<512x512xf32>, %w3: tensor<512x512xf32>)
      -> (tensor<f32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) {
    %0 = tiny.matmul %x, %w0 : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
    %1 = tiny.tanh %0 : (tensor<128x512xf32>) -> tensor<128x512xf32>
    %2 = tiny.matmul %1, %w1 : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
    %3 = tiny.tanh %2 : (tensor<128x512xf32>) -> tensor<128x512xf32>
    %4 = tiny.matmul %3, %w2 : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
    %5 = tiny.tanh %4 : (tensor<128x512xf32>) -> tensor<128x512xf32>
    %6 = tiny.matmul %5, %w3 : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
    %7 = tiny.square %6 : (tensor<128x512xf32>) -> tensor<128x512xf32>
    %loss = tiny.sum %7 axes [0, 1] : (tensor<128x512xf32>) -> tensor<f32>
    %g0, %g1, %g2, %g3 = tiny.gradient %loss wrt %w0, %w1, %w2, %w3 : (tensor<f32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>)
    %n0 = tiny.sub %w0, %g0 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %n1 = tiny.sub %w1, %g1 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %n2 = tiny.sub %w2, %g2 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %n3 = tiny.sub %w3, %g3 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    return %loss, %n0, %n1, %n2, %n3 : tensor<f32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>
  }
}
