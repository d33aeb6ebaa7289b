// A tile is there twice: one is filled while lanes read the other one.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules | FileCheck %s
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" -check-passes -kernel-apply-schedules -o /dev/null

// CHECK-LABEL: kernel.func @twice
// CHECK: kernel.stage %{{.*}} over (%{{.*}}) local buffers(2) : memref<32xf16>
kernel.func @twice(%a: memref<256xf16>, %c: memref<8xf16>) attributes {schedule = @schedules::@twice} {
  %i = kernel.range loop id(0) extent(8)
  %k = kernel.range reduce id(1) extent(8)
  %l = kernel.range loop id(2) extent(32)
  %m = kernel.range reduce id(3) extent(32)
  %c32 = arith.constant 32 : index
  %k32 = arith.muli %k, %c32 : index
  %kl = arith.addi %k32, %l : index
  %x = kernel.load %a[%kl] : memref<256xf16>
  %t = kernel.stage %x over (%l) local : memref<32xf16>
  %y = kernel.load %t[%m] : memref<32xf16>
  %s = kernel.reduce addf (%y) over (%k, %m) : f16
  kernel.store %s, %c[%i] : memref<8xf16>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @twice(%kernel: !transform.any_op {transform.readonly}) {
    %l = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    transform.tiny.pipeline %l by 2 : (!transform.any_op) -> ()
    transform.yield
  }
}
