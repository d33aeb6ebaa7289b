// From the uop level down to LLVM, for the CPU.
#ifndef TINY_CONVERSION_UOPTOLLVM_PASSES
#define TINY_CONVERSION_UOPTOLLVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertUOpToLLVM : Pass<"convert-uop-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn uop functions into LLVM functions with the CPU kernel interface";
  let description = [{
    Before: each `uop.func` is legal for the CPU: no local axis, at most three grid axes, 8-bit floats only moved
    (`uop-legalize`), no `math` function that LLVM would call a library for (`uop-expand-math`). Each has a
    `kernel.entry` (`uop-describe-entry`), and keeps it.

    After: each is an `llvm.func` of the same name and of the C type `tiny_cpu_kernel`. Its arguments point to the
    buffers' addresses, in order, and to the index along each grid axis. All `uop.local` lie in scratch memory, whose
    address follows those of the buffers; `uop.register` is on the stack. An `i1` takes one byte. A written buffer overlaps
    no other, unless the entry says `in_place`.

    Sums over lanes are taken in halves where they may be reassociated. LLVM may not reassociate or contract.

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
    llvm.func @double(%buffers: !llvm.ptr, %grid: !llvm.ptr) attributes {kernel.entry = #kernel.entry<grid = [128, 1, 1]>} {
      %in = llvm.load %buffers invariant dereferenceable<bytes = 512> : !llvm.ptr -> !llvm.ptr
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect"];
}

#endif // TINY_CONVERSION_UOPTOLLVM_PASSES
