// From the uop level down to LLVM, for the CPU.
#ifndef TINY_CONVERSION_UOPTOLLVM_PASSES
#define TINY_CONVERSION_UOPTOLLVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertUOpToLLVM : Pass<"convert-uop-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn uop functions into LLVM functions with the CPU kernel interface";
  let description = [{
    Before: each `uop.func` is legal for the CPU: no local axis, at most three grid axes, 8-bit floats only moved
    (`uop-legalize` emulates the rest), and no `math` function that LLVM would call a library for (`uop-expand-math`
    replaces those).

    After: each is an `llvm.func @name(!llvm.ptr, !llvm.ptr)` of the same name, the C type `tiny_cpu_kernel`, with
    nothing but LLVM operations in it. The first argument points to the buffers' addresses, in the order of the
    `uop.func`'s arguments, the second to the index along each grid axis. `tiny.grid` says how far each axis goes: the
    axis `global dim(d)` is grid axis `d`, a `thread` axis takes the first that is free. A buffer of `i1` has one byte
    per element, 0 or 1. Addresses are only assumed to be aligned to their elements.

    `uop.register` is memory on the stack. Every `uop.local` is a part of one piece of scratch memory, which belongs to
    the thread that runs the kernel: its address stands behind those of the buffers, and `tiny.scratch` says its size in
    bytes.

    A written buffer is taken to overlap no other buffer of the kernel. Where a `kernel.launch` in the module passes
    overlapping ones, the kernel is compiled without that and marked `tiny.in_place`. `kernel.program` and its launches
    stay as they are.

    ```mlir
    uop.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
      %i = uop.special global dim(0) extent(128)
      %x = uop.load %in[%i] : memref<128xf32>, f32
      %y = arith.addf %x, %x : f32
      uop.store %y, %out[%i] : f32, memref<128xf32>
      uop.return
    }
    ```
    becomes
    ```text
    llvm.func @double(%buffers: !llvm.ptr, %grid: !llvm.ptr) attributes {tiny.grid = array<i64: 128, 1, 1>} {
      %in = llvm.load %buffers invariant dereferenceable<bytes = 512> : !llvm.ptr -> !llvm.ptr
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect"];
}

#endif // TINY_CONVERSION_UOPTOLLVM_PASSES
