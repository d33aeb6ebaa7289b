// RUN: tiny-opt %s -split-input-file -verify-diagnostics

// record_c1
// expected-error @below {{'cores' is -1, expected a number from 0 to 2^40 - 1}}
#r = #target.record<gpu "x", cores = -1, subgroup = 32, workgroup = 32>

// -----

// record_c2
// expected-error @below {{the name of a device is empty}}
#r = #target.record<gpu "", cores = 1, subgroup = 32, workgroup = 32>

// -----

// record_c3
// expected-error @below {{'vector_bits' is 48, expected a power of two from 32 on}}
#r = #target.record<gpu "x", cores = 1, subgroup = 32, workgroup = 32, vector_bits = 48>

// -----

// record_c4
// expected-error @below {{a cpu states its 'cores'}}
#r = #target.record<cpu "x", vector_bits = 128, vector_registers = 16, clock = 1000, core_bandwidth = 1,
  memory_bandwidth = 1, caches = [(1, 1)], costs = [add = (1, 1)]>

// -----

// record_c4
// expected-error @below {{a cpu states its 'caches'}}
#r = #target.record<cpu "x", vector_bits = 128, vector_registers = 16, clock = 1000, core_bandwidth = 1,
  memory_bandwidth = 1, cores = 1, costs = [add = (1, 1)]>

// -----

// record_c4
// expected-error @below {{a cpu states the cost of 'add'}}
#r = #target.record<cpu "x", vector_bits = 128, vector_registers = 16, clock = 1000, core_bandwidth = 1,
  memory_bandwidth = 1, cores = 1, caches = [(1, 1)]>

// -----

// record_c5
// expected-error @below {{a gpu states its 'subgroup'}}
#r = #target.record<gpu "x", cores = 1, workgroup = 32>

// -----

// record_c6
// expected-error @below {{cache 2 of 64 bytes is not larger than the one before it, of 128}}
#r = #target.record<cpu "x", vector_bits = 128, vector_registers = 16, clock = 1000, core_bandwidth = 1,
  memory_bandwidth = 1, cores = 1, caches = [(128, 1), (64, 1)], costs = [add = (1, 1)]>

// -----

// record_c7
// expected-error @below {{the interval 3 of 'add' is longer than its latency 2}}
#r = #target.record<cpu "x", vector_bits = 128, vector_registers = 16, clock = 1000, core_bandwidth = 1,
  memory_bandwidth = 1, cores = 1, caches = [(128, 1)], costs = [add = (3, 2)]>

// -----

// record_c8
// expected-error @below {{'f16' is both in 'types' and 'converts'}}
#r = #target.record<cpu "x", vector_bits = 128, vector_registers = 16, clock = 1000, core_bandwidth = 1,
  memory_bandwidth = 1, cores = 1, caches = [(128, 1)], costs = [add = (1, 2)], types = [f16], converts = [f16]>

// -----

// record_c10
// expected-error @below {{a cpu lists the instruction 'exp2', which only GPUs have}}
#r = #target.record<cpu "x", vector_bits = 128, vector_registers = 16, clock = 1000, core_bandwidth = 1,
  memory_bandwidth = 1, cores = 1, caches = [(128, 1)], costs = [add = (1, 2)], instructions = [fma, exp2]>

// -----

// record_c9
// expected-error @below {{distance 1 of the network has 1 ranks and a bandwidth of 5, expected at least 2 and 1}}
#r = #target.record<gpu "x", subgroup = 32, workgroup = 1024, cores = 1, network = [(1, 10, 5)]>

// -----

// record_c9
// expected-error @below {{distance 2 of 4 ranks has no more than the one before it, of 8}}
#r = #target.record<gpu "x", subgroup = 32, workgroup = 1024, cores = 1, network = [(8, 10, 5), (4, 10, 5)]>

// -----

// record_c1
// expected-error @below {{'network' is -1, expected a number from 0 to 2^40 - 1}}
#r = #target.record<gpu "x", subgroup = 32, workgroup = 1024, cores = 1, network = [(8, -1, 5)]>

// -----

// expected-error @below {{unknown kind of device 'toaster'}}
#r = #target.record<toaster "x">

// -----

// expected-error @below {{unknown element type 'f7'}}
#r = #target.record<gpu "x", types = [f7]>

// -----

// expected-error @below {{a record has no 'colour'}}
#r = #target.record<gpu "x", colour = 3>

// -----

// expected-error @below {{'cores' is stated twice}}
#r = #target.record<gpu "x", cores = 3, cores = 3>

// -----

// expected-error @below {{expected 2 numbers, got 3}}
#r = #target.record<gpu "x", costs = [add = (1, 2, 3)]>

// -----

// expected-error @below {{expected at most 4 caches}}
#r = #target.record<gpu "x", caches = [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]>

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "gpu" = #target.record<gpu "x", cores = 1, subgroup = 32, workgroup = 32>>} {
  // expected-error @below {{is for device "cpu", of which the module has no record}}
  kernel.func @elsewhere() attributes {device = "cpu"} {
  }
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "gpu" = #target.record<gpu "x", cores = 1, subgroup = 32, workgroup = 32>>} {
  // expected-error @below {{is for device "cpu", of which the module has no record}}
  uop.func @elsewhere() attributes {device = "cpu"} {
    uop.return
  }
}
