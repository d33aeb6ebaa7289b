// RUN: tiny-opt %s --split-input-file --verify-diagnostics --tensor-choose-shardings=ranks=4
// RUN: not tiny-opt %s --split-input-file --tensor-choose-shardings=ranks=0 2>&1 | FileCheck %s
// CHECK: error: expects 1 to 2^20 ranks, got 0

// expected-error@+1 {{expects a record with a 'network': utils/measure-network writes one}}
func.func @unknown(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1000, 10000)],
    memory_bytes = 100>>} {
  // expected-error@+1 {{does not fit: of the shardings that were tried on 4 ranks the smallest takes}}
  func.func @large(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = tiny.relu %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "x86-64",
    vector_bits = 256, vector_registers = 16, types = [f32, i32], clock = 2000, costs = [add = (50, 400)],
    caches = [(32768, 100000)], core_bandwidth = 10000, memory_bandwidth = 10000, cores = 1, network = [(4, 1000, 10000)]>>} {
  // expected-error@+1 {{expects a grid of the 4 ranks that are asked for}}
  shard.grid @mine(shape = 2)
  func.func @other(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %s = shard.sharding @mine split_axes = [[0]] : !shard.sharding
    %0 = shard.shard %x to %s : tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
