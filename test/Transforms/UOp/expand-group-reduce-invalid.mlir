// RUN: tiny-opt %s --pass-pipeline='builtin.module(uop.func(uop-expand-group-reduce))' --verify-diagnostics

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "gpu" = #target.record<gpu "example", subgroup = 32, workgroup = 128, cores = 4>>} {
  uop.func @many(%in: memref<32xf32>, %out: memref<32xf32>) {
    %l = uop.special local dim(0) extent(2147483648)
    %x = uop.load %in[%l] : memref<32xf32>, f32
    // expected-error @+1 {{is of 2147483648 lanes, and a workgroup has at most 128}}
    %y = uop.workgroup_reduce addf %x dims(1) : f32
    uop.store %y, %out[%l] : f32, memref<32xf32>
    uop.return
  }
}
