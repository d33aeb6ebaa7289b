// RUN: tiny-opt %s | FileCheck %s
// RUN: tiny-opt %s | tiny-opt | FileCheck %s
// RUN: tiny-opt %s --mlir-print-op-generic | tiny-opt | FileCheck %s

// A processor, and a GPU: parts in their order, and what is not stated is left out.
// CHECK: dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "example",
// CHECK-SAME: vector_bits = 256, vector_registers = 16, types = [f64, f32, i64, i32], converts = [f16], instructions = [fma, round],
// CHECK-SAME: costs = [add = (50, 400), divide = (500, 1100)], caches = [(32768, 180000), (1048576, 90000)],
// CHECK-SAME: clock = 3000, cache_line = 64, lines_ahead = 16, core_bandwidth = 15000, memory_bandwidth = 40000, cores = 8, launch = 100, index_bits = 64>,
// CHECK-SAME: "gpu" = #target.record<gpu "example",
// CHECK-SAME: types = [f32, f16], cores = 80, subgroup = 32, workgroup = 1024, shared = 49152, buffers = 31, buffer_bytes = 134217728, index_bits = 32,
// CHECK-SAME: workgroup_extents = (1024, 1024, 64), grid = (2147483647, 65535, 65535), matrices = [(16, 8, 16, f16, f32), (64, 256, 16, f16, f32, 4)],
// CHECK-SAME: network = [(8, 2000, 300000), (1024, 5000, 50000)]>>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "cpu" = #target.record<cpu "example", cores = 8, launch = 100, index_bits = 64, clock = 3000,
      types = [f32, f64, i32, i64], converts = [f16], instructions = [round, fma],
      vector_bits = 256, vector_registers = 16, costs = [divide = (500, 1100), add = (50, 400)],
      caches = [(32768, 180000), (1048576, 90000)], cache_line = 64, lines_ahead = 16, core_bandwidth = 15000, memory_bandwidth = 40000>,
    "gpu" = #target.record<gpu "example", types = [f32, f16], cores = 80, subgroup = 32, workgroup = 1024,
      shared = 49152, workgroup_extents = (1024, 1024, 64), grid = (2147483647, 65535, 65535), matrices = [(16, 8, 16, f16, f32), (64, 256, 16, f16, f32, 4)], network = [(8, 2000, 300000), (1024, 5000, 50000)], buffers = 31,
      buffer_bytes = 134217728, index_bits = 32>>} {
  // CHECK: kernel.func @names_a_device() attributes {device = "gpu"}
  kernel.func @names_a_device() attributes {device = "gpu"} {
  }
  // CHECK: uop.func @names_another() attributes {device = "cpu"}
  uop.func @names_another() attributes {device = "cpu"} {
    uop.return
  }
}
