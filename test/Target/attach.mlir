// RUN: split-file %s %t
// RUN: tiny-opt %t/program.mlir --target-attach=processor=x86-64 | FileCheck %s --check-prefix=V1
// RUN: tiny-opt %t/program.mlir --target-attach=processor=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: tiny-opt %t/program.mlir --target-attach=processor=skylake-avx512 | FileCheck %s --check-prefix=SKX
// RUN: tiny-opt %t/program.mlir --target-attach=processor=westmere | FileCheck %s --check-prefix=FEATURES
// RUN: tiny-opt %t/program.mlir --target-attach=processor=host | FileCheck %s --check-prefix=HOST
// RUN: tiny-opt %t/program.mlir --target-attach=processor=x86-64-v3 --target-attach | FileCheck %s --check-prefix=V3
// RUN: tiny-opt %t/program.mlir --target-attach=processor=x86-64 --target-attach=processor=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: not tiny-opt %t/program.mlir --target-attach=processor=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tiny-opt %t/program.mlir --target-attach=target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET

// A record from a file, such as a measured one. Comments may stand before it.
// RUN: tiny-opt %t/program.mlir --target-attach=record=%t/good.record | FileCheck %s --check-prefix=FILE
// RUN: not tiny-opt %t/program.mlir --target-attach=record=%t/gpu.record 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not tiny-opt %t/program.mlir --target-attach=record=%t/number.record 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tiny-opt %t/program.mlir --target-attach=record=%t/wrong.record 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not tiny-opt %t/program.mlir --target-attach=record=%t/place.record 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not tiny-opt %t/program.mlir --target-attach=record=%t/name.record 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tiny-opt %t/program.mlir --target-attach=record=%t/feature.record 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not tiny-opt %t/program.mlir --target-attach=record=%t/absent.record 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not tiny-opt %t/program.mlir --target-attach="record=%t/good.record processor=x86-64" 2>&1 | FileCheck %s --check-prefix=BOTH
// The record that was attached last is the one of functions that name no device.
// RUN: tiny-opt %t/program.mlir --target-attach="target=c processor=x86-64-v3" --target-attach=processor=x86-64-v3 | FileCheck %s --check-prefix=ORDER

// V1: "cpu" = #target.record<cpu "x86-64", vector_bits = 128, vector_registers = 16,
// V1-NOT: fma
// V3: target_system_spec<"cpu" = #target.record<cpu "x86-64-v3", vector_bits = 256, vector_registers = 16, types = [f64, f32, i64, i32, i16, i8], converts = [f16], instructions = [fma, round, masked_store, dot7]
// V3-SAME: index_bits = 64>>}
// SKX: #target.record<cpu "skylake-avx512", vector_bits = 512, vector_registers = 32,
// FEATURES: #target.record<cpu "westmere", vector_bits = 128, vector_registers = 16,
// FEATURES-SAME: instructions = [round, dot7]
// HOST: "cpu" = #target.record<cpu "{{.+}}", vector_bits
// UNKNOWN: error: unknown processor 'abacus' for
// TARGET: error: no target is called 'abacus'
// FILE: "cpu" = #target.record<cpu "x86-64-v2", features = "+avx2,-popcnt", vector_bits = 128
// NUMBER: {{.*}}number.record: expected a #target.record
// PLACE: {{.*}}place.record:3:16: expected a #target.record: a record has no 'depth'
// KIND: {{.*}}gpu.record: 'measured' is a gpu, expected a record of a cpu
// NAME: {{.*}}name.record: unknown processor 'abacus' for
// FEATURE: {{.*}}feature.record: unknown feature '+abacus' of processor 'x86-64', expected + or - and LLVM's name of one
// BOTH: error: a processor, 'x86-64', and a record, '{{.*}}good.record', are both given; expected one of them
// ORDER: target_system_spec<"cpu" = #target.record<cpu "x86-64-v3"{{.*}}converts = [f16]{{.*}}, "c" = #target.record<cpu "x86-64-v3", vector_bits = 256, vector_registers = 16, types = [f64, f32, i64, i32, i16, i8], instructions
// WRONG: {{.*}}wrong.record:1:15: expected a #target.record: a gpu states its 'cores'
// ABSENT: {{.*}}absent.record: No such file or directory

//--- program.mlir
module {}

//--- good.record
// Measured on a day.

#target.record<cpu "x86-64-v2", features = "+avx2,-popcnt", vector_bits = 128, vector_registers = 16, types = [f64, f32], clock = 2000, costs = [add = (100, 300)], caches = [(32768, 1000)], core_bandwidth = 1000, memory_bandwidth = 2000, cores = 2>
//--- gpu.record
#target.record<gpu "measured", subgroup = 32, workgroup = 64, cores = 2>
//--- number.record
17 : i32
//--- wrong.record
#target.record<gpu "measured">
//--- place.record
// A word that is none.
#target.record<gpu "measured", subgroup = 32,
               depth = 3>
//--- name.record
#target.record<cpu "abacus", vector_bits = 128, vector_registers = 16, types = [f64, f32], clock = 2000, costs = [add = (100, 300)], caches = [(32768, 1000)], core_bandwidth = 1000, memory_bandwidth = 2000, cores = 2>
//--- feature.record
#target.record<cpu "x86-64", features = "+abacus", vector_bits = 128, vector_registers = 16, types = [f64, f32], clock = 2000, costs = [add = (100, 300)], caches = [(32768, 1000)], core_bandwidth = 1000, memory_bandwidth = 2000, cores = 2>
