// RUN: split-file %s %t
// RUN: tiny-opt %t/kernels.mlir -kernel-impose-schedules=file=%t/good.mlir | FileCheck %s
// RUN: tiny-opt %t/kernels.mlir -kernel-impose-schedules=file=%t/good.mlir -kernel-apply-schedules | FileCheck %s --check-prefix=APPLIED
// RUN: not tiny-opt %t/kernels.mlir -kernel-impose-schedules=file=%t/stranger.mlir 2>&1 | FileCheck %s --check-prefix=STRANGER
// RUN: not tiny-opt %t/kernels.mlir -kernel-impose-schedules=file=%t/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not tiny-opt %t/kernels.mlir -kernel-impose-schedules 2>&1 | FileCheck %s --check-prefix=UNSET

// STRANGER: error: no kernel is named 'stranger'
// ABSENT: error: cannot open the file of schedules '{{.*}}absent.mlir': No such file or directory
// UNSET: error: kernel-impose-schedules needs option 'file'

//--- kernels.mlir
// The imposed script takes the place of what the kernel names.
// CHECK-LABEL: kernel.func @k
// CHECK-SAME: schedule = @schedules::@k
// CHECK: transform.named_sequence @k
// CHECK: transform.tiny.split %{{.*}} by 2 as unroll
// CHECK-NOT: transform.named_sequence
// APPLIED: kernel.range unroll id(1) extent(2)
kernel.func @k(%in: memref<32xf32>, %out: memref<32xf32>) attributes {schedule = @schedules::@k} {
  %i = kernel.range loop id(0) extent(32)
  %x = kernel.load %in[%i] : memref<32xf32>
  kernel.store %x, %out[%i] : memref<32xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 8 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

//--- good.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @k(%kernel: !transform.any_op {transform.readonly}) {
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %outer, %inner = transform.tiny.split %axis by 2 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

//--- stranger.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @stranger(%kernel: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
