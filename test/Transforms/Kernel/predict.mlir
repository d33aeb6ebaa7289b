// RUN: tiny-opt %s -kernel-predict -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -kernel-apply-schedules -kernel-predict -o /dev/null 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// RUN: tiny-opt %s -check-passes -kernel-predict -o /dev/null

// 16 x 16 x 16 multiply-adds in one chain for each result, one cycle of latency 4 after the other; then 256 stores. With
// sixteen lanes and four rows side by side there are 64 accumulators, and lanes divide the work.
// CHECK: product: [[#%u,]].{{[0-9]}} ns, of which 100 to launch
// CHECK-NEXT: pass [[#%u,PASS:]].{{[0-9]}}: compute 2048.0, latency 1638.4, control {{[0-9.]+}}, cache 1 {{.*}}, memory 0.0
// CHECK-NEXT: pass {{[0-9.]+}}: compute 0.0, latency 0.0, control {{[0-9.]+}}, cache 1 {{.*}}, memory 0.0
// SCHEDULED: product: [[#%u,]].{{[0-9]}} ns, of which 100 to launch
// SCHEDULED-NEXT: pass {{[0-9.]+}}: compute 128.0, latency 128.0, control {{[0-9.]+}}, cache 1
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"cpu" = #target.record<cpu "test", vector_bits = 512, vector_registers = 32, types = [f32], costs = [add = (50, 200), multiply_add = (50, 200)], caches = [(32768, 64000), (1048576, 32000)], clock = 1000, cache_line = 64, lines_ahead = 16, core_bandwidth = 8000, memory_bandwidth = 8000, cores = 1, launch = 100, buffers = 31, index_bits = 64>>} {
  kernel.func @product(%a: memref<256xf32>, %b: memref<256xf32>, %out: memref<256xf32>) attributes {schedule = @schedules::@product} {
    %c16 = arith.constant 16 : index
    %i = kernel.range loop id(0) extent(16)
    %j = kernel.range loop id(1) extent(16)
    %k = kernel.range reduce id(2) extent(16)
    %row = arith.muli %i, %c16 : index
    %ik = arith.addi %row, %k : index
    %x = kernel.load %a[%ik] : memref<256xf32>
    %step = arith.muli %k, %c16 : index
    %kj = arith.addi %step, %j : index
    %y = kernel.load %b[%kj] : memref<256xf32>
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce addf (%p) over (%k) fastmath<reassoc,contract> : f32
    %ij = arith.addi %row, %j : index
    kernel.store %s, %out[%ij] : memref<256xf32>
  }
  // What lies behind the end of a padded axis, and what a stage leaves behind, takes no time: 24 steps instead of 16.
  // SCHEDULED: padded: [[#%u,]].{{[0-9]}} ns
  // SCHEDULED-NEXT: pass {{[0-9.]+}}: compute 192.0, latency 192.0, control {{[0-9.]+}}, cache 1
  // SCHEDULED-NEXT: pass 48.0: compute 0.0, latency 0.0, control {{[0-9.]+}}, cache 1 48.0
  kernel.func @padded(%a: memref<256xf32>, %b: memref<256xf32>, %out: memref<256xf32>) attributes {schedule = @schedules::@padded} {
    %c16 = arith.constant 16 : index
    %i = kernel.range loop id(0) extent(16)
    %j = kernel.range loop id(1) extent(16)
    %k = kernel.range reduce id(2) extent(16)
    %row = arith.muli %i, %c16 : index
    %ik = arith.addi %row, %k : index
    %x = kernel.load %a[%ik] : memref<256xf32>
    %step = arith.muli %k, %c16 : index
    %kj = arith.addi %step, %j : index
    %y = kernel.load %b[%kj] : memref<256xf32>
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce addf (%p) over (%k) fastmath<reassoc,contract> : f32
    %ij = arith.addi %row, %j : index
    kernel.store %s, %out[%ij] : memref<256xf32>
  }
  // Parts have loops of their own: 64 and 32 operations, not 64 x 32.
  // SCHEDULED: parts: [[#%u,]].{{[0-9]}} ns
  // SCHEDULED-NEXT: pass {{[0-9.]+}}: compute 2.0
  // SCHEDULED-NEXT: pass {{[0-9.]+}}: compute 1.0
  kernel.func @parts(%a: memref<64xf32>, %b: memref<32xf32>, %out: memref<96xf32>) attributes {schedule = @schedules::@parts} {
    %c64 = arith.constant 64 : index
    %i = kernel.range loop id(0) extent(64)
    %j = kernel.range loop id(1) extent(32)
    %x = kernel.load %a[%i] : memref<64xf32>
    %u = arith.addf %x, %x : f32
    %y = kernel.load %b[%j] : memref<32xf32>
    %v = arith.addf %y, %y : f32
    %at = arith.addi %j, %c64 : index
    kernel.store %u, %out[%i] : memref<96xf32>
    kernel.store %v, %out[%at] : memref<96xf32>
  }
  module @schedules attributes {transform.with_named_sequence} {
    transform.named_sequence @parts(%kernel: !transform.any_op {transform.readonly}) {
      %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
      %is, %iInner = transform.tiny.split %i by 16 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
      %js, %jInner = transform.tiny.split %j by 16 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.yield
    }
    transform.named_sequence @product(%kernel: !transform.any_op {transform.readonly}) {
      %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
      %lanes, %jInner = transform.tiny.split %j by 16 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
      %outer, %inner = transform.tiny.split %i by 4 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.yield
    }
    transform.named_sequence @padded(%kernel: !transform.any_op {transform.readonly}) {
      %k = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
      %even = transform.tiny.pad_to %k multiple 24 : (!transform.any_op) -> !transform.any_op
      %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
      %lanes, %jInner = transform.tiny.split %j by 16 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
      %outer, %inner = transform.tiny.split %i by 4 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %tile = transform.tiny.stage %kernel argument 1 over [2, 1] local : (!transform.any_op) -> !transform.any_op
      transform.yield
    }
  }
}
