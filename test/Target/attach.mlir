// RUN: tiny-opt %s --target-attach=processor=x86-64 | FileCheck %s --check-prefix=V1
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: tiny-opt %s --target-attach=processor=skylake-avx512 | FileCheck %s --check-prefix=SKX
// RUN: tiny-opt %s --target-attach=processor=westmere | FileCheck %s --check-prefix=FEATURES
// RUN: tiny-opt %s --target-attach=processor=host | FileCheck %s --check-prefix=HOST
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --target-attach | FileCheck %s --check-prefix=V3
// RUN: tiny-opt %s --target-attach=processor=x86-64 --target-attach=processor=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: not tiny-opt %s --target-attach=processor=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tiny-opt %s --target-attach=target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET

// A record from a file, such as a measured one.
// RUN: echo '#target.record<gpu "measured", subgroup = 32, workgroup = 64, cores = 2>' > %t.record
// RUN: tiny-opt %s --target-attach=record=%t.record | FileCheck %s --check-prefix=FILE
// RUN: echo '17 : i32' > %t.number
// RUN: not tiny-opt %s --target-attach=record=%t.number 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: echo '#target.record<gpu "measured">' > %t.wrong
// RUN: not tiny-opt %s --target-attach=record=%t.wrong 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not tiny-opt %s --target-attach=record=%t.absent 2>&1 | FileCheck %s --check-prefix=ABSENT

// V1: "cpu" = #target.record<cpu "x86-64", vector_bits = 128, vector_registers = 16,
// V1-NOT: fma
// V3: target_system_spec<"cpu" = #target.record<cpu "x86-64-v3", vector_bits = 256, vector_registers = 16, types = [f64, f32, i64, i32, i16, i8], converts = [f16], instructions = [fma, round, masked_store]
// V3-SAME: index_bits = 64>>}
// SKX: #target.record<cpu "skylake-avx512", vector_bits = 512, vector_registers = 32,
// FEATURES: #target.record<cpu "westmere", vector_bits = 128, vector_registers = 16,
// FEATURES-SAME: instructions = [round]
// HOST: "cpu" = #target.record<cpu "{{.+}}", vector_bits
// UNKNOWN: error: unknown processor 'abacus' for
// TARGET: error: no target is called 'abacus'
// FILE: "cpu" = #target.record<gpu "measured", cores = 2, subgroup = 32, workgroup = 64>
// NUMBER: {{.*}}.number: expected a #target.record
// WRONG: {{.*}}.wrong: expected a #target.record: a gpu states its 'cores'
// ABSENT: {{.*}}.absent: No such file or directory
module {}
