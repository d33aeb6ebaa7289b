// A record need not say how long a line of the device's cache is. For lanes whose step through memory is no constant,
// prediction did not end then.
// RUN: tiny-opt %s --kernel-default-schedule --kernel-apply-schedules | FileCheck %s
// CHECK: kernel.range local
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"vulkan" = #target.record<gpu "some",
    types = [f32, i32], subgroup = 8, workgroup = 128, cores = 16>>} {
  kernel.func @repeat(%in: memref<1366xf32>, %out: memref<4096xf32>) {
    %i = kernel.range loop id(0) extent(4096)
    %c3 = arith.constant 3 : index
    %at = arith.floordivsi %i, %c3 : index
    %x = kernel.load %in[%at] : memref<1366xf32>
    kernel.store %x, %out[%i] : memref<4096xf32>
  }
}
