// RUN: tiny-opt %s -split-input-file --tensor-scatter-reductions | FileCheck %s
// RUN: tiny-opt %s -split-input-file --tensor-scatter-reductions --check-passes --check-passes-verbose -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAME --implicit-check-not=error

// RUN: tiny-opt %s -split-input-file --tensor-scatter-reductions --remarks-filter=tensor-scatter-reductions \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Readers that need their parts alone: a reduce-scatter, on any network.

shard.grid @grid(shape = 2)

// SAME: 'parts' is the same after 'tensor-scatter-reductions'
// REMARK: remark: [Passed] scattered {{.*}}is scattered, fewer bytes
// CHECK-LABEL: func.func @parts(
// CHECK-NEXT: %[[P:.*]] = shard.reduce_scatter %{{.*}} on @grid grid_axes = [0] scatter_axis = 1 : tensor<4x6xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[P]]
func.func @parts(%x: tensor<4x6xf32>)
    -> (tensor<4x3xf32> {tiny.sharding = [array<i16>, array<i16: 0>], tiny.whole = tensor<4x6xf32>}) attributes {tiny.grid = array<i64: 2>} {
  %0 = shard.all_reduce %x on @grid grid_axes = [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = shard.all_slice %0 on @grid grid_axes = [0] slice_axis = 1 : tensor<4x6xf32> -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// What is scattered already is gathered, not summed again.

shard.grid @grid(shape = 2)

// SAME: 'both' is the same after 'tensor-scatter-reductions'
// CHECK-LABEL: func.func @both(
// CHECK-NEXT: %[[P:.*]] = shard.reduce_scatter %{{.*}} scatter_axis = 0 : tensor<4x6xf32> -> tensor<2x6xf32>
// CHECK-NEXT: %[[ALL:.*]] = shard.all_gather %[[P]] on @grid grid_axes = [0] gather_axis = 0 : tensor<2x6xf32> -> tensor<4x6xf32>
// CHECK-NEXT: return %[[ALL]], %[[P]]
func.func @both(%x: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<2x6xf32> {tiny.sharding = [array<i16: 0>, array<i16>], tiny.whole = tensor<4x6xf32>}) attributes {tiny.grid = array<i64: 2>} {
  %0 = shard.all_reduce %x on @grid grid_axes = [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = shard.reduce_scatter %x on @grid grid_axes = [0] scatter_axis = 0 : tensor<4x6xf32> -> tensor<2x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<2x6xf32>
}

// -----

// Without a network nothing else is scattered; nor is a slice of another axis, or another group's.

shard.grid @grid(shape = 2x2)

// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-3: shard.all_reduce
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @kept(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>, tensor<2x6xf32>) attributes {tiny.grid = array<i64: 2, 2>} {
  %0 = shard.all_reduce %x on @grid grid_axes = [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = tiny.exp %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = shard.all_reduce %1 on @grid grid_axes = [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %3 = shard.all_slice %2 on @grid grid_axes = [1] slice_axis = 1 : tensor<4x6xf32> -> tensor<4x3xf32>
  %4 = shard.all_reduce %1 on @grid grid_axes = [1] reduction = max : tensor<4x6xf32> -> tensor<4x6xf32>
  %5 = shard.all_slice %4 on @grid grid_axes = [1] slice_axis = 0 : tensor<4x6xf32> -> tensor<2x6xf32>
  %6 = tiny.add %5, %5 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %7 = tiny.add %4, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %7, %3, %6 : tensor<4x6xf32>, tensor<4x3xf32>, tensor<2x6xf32>
}

// -----

// By the network of the record: a residual and a norm between products are cut along with the sum, along rows, which
// keeps the norm whole. What both products read is gathered once; the bytes are those of the all-reduce.

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1000, 10000)]>>} {
  shard.grid @grid(shape = 2)

  // SAME: 'norm' is the same after 'tensor-scatter-reductions'
  // REMARK: remark: [Passed] scattered {{.*}}Function=norm {{.*}}is scattered, which saves time
  // CHECK-LABEL: func.func @norm(
  // CHECK-SAME: %[[P:.*]]: tensor<512x64xf32>, %[[X:.*]]: tensor<512x64xf32>,
  // CHECK-DAG: %[[S:.*]] = shard.reduce_scatter %[[P]] on @grid grid_axes = [0] scatter_axis = 0 : tensor<512x64xf32> -> tensor<256x64xf32>
  // CHECK-DAG: %[[XS:.*]] = shard.all_slice %[[X]] on @grid grid_axes = [0] slice_axis = 0 : tensor<512x64xf32> -> tensor<256x64xf32>
  // CHECK: %[[A:.*]] = tiny.add %[[S]], %[[XS]] : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
  // CHECK: %[[N:.*]] = tiny.rms_norm %[[A]]
  // CHECK: %[[G:.*]] = shard.all_gather %[[N]] on @grid grid_axes = [0] gather_axis = 0 : tensor<256x64xf32> -> tensor<512x64xf32>
  // CHECK: tiny.matmul %[[G]]
  // CHECK: tiny.matmul %[[G]]
  // CHECK-NOT: shard.all_reduce
  func.func @norm(%p: tensor<512x64xf32>, %x: tensor<512x64xf32>, %g: tensor<64xf32>,
                  %v: tensor<64x8xf32> {tiny.sharding = [array<i16>, array<i16: 0>], tiny.whole = tensor<64x16xf32>})
      -> (tensor<512x8xf32> {tiny.sharding = [array<i16>, array<i16: 0>], tiny.whole = tensor<512x16xf32>},
          tensor<512x8xf32> {tiny.sharding = [array<i16>, array<i16: 0>], tiny.whole = tensor<512x16xf32>})
      attributes {tiny.grid = array<i64: 2>} {
    %0 = shard.all_reduce %p on @grid grid_axes = [0] : tensor<512x64xf32> -> tensor<512x64xf32>
    %1 = tiny.add %0, %x : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
    %2 = tiny.rms_norm %1 scale %g axis 1 epsilon 1.0e-5 : (tensor<512x64xf32>, tensor<64xf32>) -> tensor<512x64xf32>
    %3 = tiny.matmul %2, %v : (tensor<512x64xf32>, tensor<64x8xf32>) -> tensor<512x8xf32>
    %4 = tiny.neg %v : (tensor<64x8xf32>) -> tensor<64x8xf32>
    %5 = tiny.matmul %2, %4 : (tensor<512x64xf32>, tensor<64x8xf32>) -> tensor<512x8xf32>
    return %3, %5 : tensor<512x8xf32>, tensor<512x8xf32>
  }
}

// -----

// A reduction along the axis that is cut is all-reduced: its result is small.

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400), multiply_add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1000, 1000)]>>} {
  shard.grid @grid(shape = 2)

  // SAME: 'norm_of_a_gradient' is the same after 'tensor-scatter-reductions'
  // CHECK-LABEL: func.func @norm_of_a_gradient(
  // CHECK: %[[S:.*]] = shard.reduce_scatter
  // CHECK: %[[Q:.*]] = tiny.square %[[S]] : (tensor<256x64xf32>) -> tensor<256x64xf32>
  // CHECK: %[[P:.*]] = tiny.sum %[[Q]] axes [0, 1] : (tensor<256x64xf32>) -> tensor<f32>
  // CHECK: shard.all_reduce %[[P]] on @grid grid_axes = [0] : tensor<f32> -> tensor<f32>
  // CHECK-NOT: shard.all_gather
  func.func @norm_of_a_gradient(%p: tensor<512x64xf32>) -> tensor<f32> attributes {tiny.grid = array<i64: 2>} {
    %0 = shard.all_reduce %p on @grid grid_axes = [0] : tensor<512x64xf32> -> tensor<512x64xf32>
    %1 = tiny.square %0 : (tensor<512x64xf32>) -> tensor<512x64xf32>
    %2 = tiny.sum %1 axes [0, 1] : (tensor<512x64xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }

  // Adam's three results would all be gathered, which is more than the sum of the gradient.

  // CHECK-LABEL: func.func @three_results(
  // CHECK: shard.all_reduce
  // CHECK-NOT: shard.all_gather
  // CHECK: return
  func.func @three_results(%p: tensor<512x64xf32>, %m: tensor<512x64xf32>, %v: tensor<512x64xf32>)
      -> (tensor<512x64xf32>, tensor<512x64xf32>, tensor<512x64xf32>) attributes {tiny.grid = array<i64: 2>} {
    %0 = shard.all_reduce %p on @grid grid_axes = [0] : tensor<512x64xf32> -> tensor<512x64xf32>
    %1 = tiny.add %0, %m : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
    %2 = tiny.mul %0, %v : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
    %3 = tiny.sub %1, %2 : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
    return %1, %2, %3 : tensor<512x64xf32>, tensor<512x64xf32>, tensor<512x64xf32>
  }

  // What ranks do not have alike is not cut among them.

  // CHECK-LABEL: func.func @not_alike(
  // CHECK: shard.all_reduce
  // CHECK: tiny.mul %{{.*}} : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
  // CHECK-NOT: shard.all_gather
  // CHECK: return
  func.func @not_alike(%p: tensor<512x64xf32>,
                       %x: tensor<512x64xf32> {tiny.sharding = [array<i16: 0>, array<i16>], tiny.whole = tensor<1024x64xf32>})
      -> (tensor<512x64xf32> {tiny.sharding = [array<i16: 0>, array<i16>], tiny.whole = tensor<1024x64xf32>})
      attributes {tiny.grid = array<i64: 2>} {
    %0 = shard.all_reduce %p on @grid grid_axes = [0] : tensor<512x64xf32> -> tensor<512x64xf32>
    %1 = tiny.mul %0, %x : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
    return %1 : tensor<512x64xf32>
  }

  // A body in which ranks take their parts gives what they do not have alike.

  // CHECK-LABEL: func.func @not_alike_in_a_body(
  // CHECK: shard.all_reduce
  // CHECK: tiny.mul %{{.*}} : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
  // CHECK-NOT: shard.all_gather
  // CHECK: return
  func.func @not_alike_in_a_body(%p: tensor<512x64xf32>, %x: tensor<1024x64xf32>, %y: tensor<512x64xf32>, %c: tensor<i1>)
      -> (tensor<512x64xf32> {tiny.sharding = [array<i16: 0>, array<i16>], tiny.whole = tensor<1024x64xf32>})
      attributes {tiny.grid = array<i64: 2>} {
    %0 = shard.all_reduce %p on @grid grid_axes = [0] : tensor<512x64xf32> -> tensor<512x64xf32>
    %1 = tiny.if %c : (tensor<i1>) -> tensor<512x64xf32> {
      %2 = shard.all_slice %x on @grid grid_axes = [0] slice_axis = 0 : tensor<1024x64xf32> -> tensor<512x64xf32>
      tiny.yield %2 : tensor<512x64xf32>
    } else {
      tiny.yield %y : tensor<512x64xf32>
    }
    %3 = tiny.mul %0, %1 : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
    return %3 : tensor<512x64xf32>
  }
}
