// RUN: tiny-opt %s -split-input-file --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -verify-diagnostics | FileCheck %s
// RUN: tiny-opt %s -split-input-file --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules -verify-diagnostics -check-passes -o /dev/null

// Two loops beside each other run as one.
// CHECK-LABEL: kernel.func @beside
// CHECK: %[[I:.*]] = kernel.range loop id(0) extent(6)
// CHECK-NOT: kernel.range
// CHECK: kernel.load %{{.*}}[%[[I]]]
// CHECK: kernel.load %{{.*}}[%[[I]]]
kernel.func @beside(%a: memref<6xf32>, %b: memref<6xf32>, %c: memref<12xf32>) attributes {schedule = @schedules::@beside} {
  %i = kernel.range loop id(0) extent(6)
  %j = kernel.range loop id(1) extent(6)
  %c6 = arith.constant 6 : index
  %x = kernel.load %a[%i] : memref<6xf32>
  kernel.store %x, %c[%i] : memref<12xf32>
  %at = arith.addi %j, %c6 : index
  %y = kernel.load %b[%j] : memref<6xf32>
  kernel.store %y, %c[%at] : memref<12xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @beside(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %f = transform.tiny.fuse_sibling %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @nested(%a: memref<36xf32>, %c: memref<36xf32>) attributes {schedule = @schedules::@nested} {
  %i = kernel.range loop id(0) extent(6)
  %j = kernel.range loop id(1) extent(6)
  %c6 = arith.constant 6 : index
  %row = arith.muli %i, %c6 : index
  %at = arith.addi %row, %j : index
  %x = kernel.load %a[%at] : memref<36xf32>
  kernel.store %x, %c[%at] : memref<36xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @nested(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{something depends on axes 0 and 1 together}}
    %f = transform.tiny.fuse_sibling %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @longer(%a: memref<6xf32>, %b: memref<7xf32>, %c: memref<13xf32>) attributes {schedule = @schedules::@longer} {
  %i = kernel.range loop id(0) extent(6)
  %j = kernel.range loop id(1) extent(7)
  %c6 = arith.constant 6 : index
  %x = kernel.load %a[%i] : memref<6xf32>
  kernel.store %x, %c[%i] : memref<13xf32>
  %at = arith.addi %j, %c6 : index
  %y = kernel.load %b[%j] : memref<7xf32>
  kernel.store %y, %c[%at] : memref<13xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @longer(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axes 0 and 1 have 6 and 7 points}}
    %f = transform.tiny.fuse_sibling %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @reduced(%a: memref<6xf32>, %b: memref<6xf32>, %c: memref<7xf32>) attributes {schedule = @schedules::@reduced} {
  %i = kernel.range loop id(0) extent(6)
  %j = kernel.range reduce id(1) extent(6)
  %c6 = arith.constant 6 : index
  %x = kernel.load %a[%i] : memref<6xf32>
  kernel.store %x, %c[%i] : memref<7xf32>
  %y = kernel.load %b[%j] : memref<6xf32>
  %s = kernel.reduce addf (%y) over (%j) : f32
  kernel.store %s, %c[%c6] : memref<7xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @reduced(%kernel: !transform.any_op {transform.readonly}) {
    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 1 is no free loop}}
    %f = transform.tiny.fuse_sibling %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}
