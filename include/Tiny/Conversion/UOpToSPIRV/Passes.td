// From the uop level down to SPIR-V for Vulkan.
#ifndef TINY_CONVERSION_UOPTOSPIRV_PASSES
#define TINY_CONVERSION_UOPTOSPIRV_PASSES

include "mlir/Pass/PassBase.td"

def ConvertUOpToSPIRV : Pass<"convert-uop-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Turn uop functions into entry points of a SPIR-V module for Vulkan";
  let description = [{
    Before: `verify-uop` holds, each `uop.func` has its `kernel.entry`, and values are scalars. A grid has at most 65535
    workgroups along each axis; lanes and workgroup memory are within the record's limits, or what every device has.

    After: one `spirv.module` has an entry point for each `uop.func`, of the same name. Buffers are storage buffers of
    descriptor set 0, bound by their number. `uop.local` is a variable of the workgroup, `uop.register` one of the
    function. i1 is a byte in memory. A declaration with the kernel's name and `kernel.entry` is left for its launches.
    An index has 64 bits where an integer of 64 bits becomes one or a buffer has 2^30 elements, else 32.

    ```mlir
    uop.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
      %i = uop.special local dim(0) extent(128)
      ...
    ```
    becomes
    ```text
    spirv.GlobalVariable @double_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
    spirv.func @double() "None" { ... }
    spirv.EntryPoint "GLCompute" @double, @double_0, @double_1, @LocalInvocationId
    spirv.ExecutionMode @double "LocalSize", 128, 1, 1
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
    "::mlir::spirv::SPIRVDialect"];
}

#endif // TINY_CONVERSION_UOPTOSPIRV_PASSES
