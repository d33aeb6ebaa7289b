// From the uop level down to LLVM with NVIDIA's operations.
#ifndef TINY_CONVERSION_UOPTONVVM_PASSES
#define TINY_CONVERSION_UOPTONVVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertUOpToNVVM : Pass<"convert-uop-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Turn uop functions into LLVM functions with the CUDA kernel interface";
  let description = [{
    Before: as for `convert-uop-to-llvm`, and local axes are allowed. A grid has at most 2^31 - 1 workgroups along x and
    65535 along y and z, a workgroup 1024 lanes, of which 64 along z, and all `uop.local` of a kernel 48 KiB, or what
    the record says.

    After: each `uop.func` is an `llvm.func` with `nvvm.kernel` of the same name. Its arguments are the buffers' addresses,
    in order, each aligned to its elements. A global or thread axis is the index of the workgroup along the axis of the
    grid that `kernel.entry` gives it, a local axis that of the lane. `uop.local` lies in a global of the workgroup's
    address space, which is declared only, without a size, where the tiles take more than 48 KiB: then the launch gives
    the memory. `uop.register` lies on the stack. Prefetches go.
    `nvvm.minctasm` is 1 where tiles leave lanes all registers.

    ```mlir
    uop.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
      %i = uop.special local dim(0) extent(128)
      ...
    ```
    becomes
    ```text
    llvm.func @double(%in: !llvm.ptr {...}, %out: !llvm.ptr {...}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %i = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
      ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // TINY_CONVERSION_UOPTONVVM_PASSES
