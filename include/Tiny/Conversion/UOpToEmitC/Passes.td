// From the uop level down to EmitC, for targets that write C.
#ifndef TINY_CONVERSION_UOPTOEMITC_PASSES
#define TINY_CONVERSION_UOPTOEMITC_PASSES

include "mlir/Pass/PassBase.td"

def ConvertUOpToEmitC : Pass<"convert-uop-to-emitc", "::mlir::ModuleOp"> {
  let summary = "Turn uop functions into EmitC functions of plain C11";
  let description = [{
    Before: each `uop.func` is legal: no local axis, vectors of rank 1, `math` functions expanded (`uop-expand-math`),
    f16, bf16 and 8-bit floats only moved (`uop-legalize`). Each has a `kernel.entry` (`uop-describe-entry`), and keeps
    it.

    After: each is an `emitc.func` of the same name. Its arguments are a pointer for each buffer, one to scratch memory
    where the kernel has `uop.local` tiles, and one index for each grid axis that it has. A vector is an array, and an operation on it a loop over its lanes. `i1` takes one
    byte in memory, `index` is `int64_t`. Names that begin with `tiny_` are functions that the writer of the file
    defines. Programs stay as they are.

    ```mlir
    %y = arith.addf %x, %x : f32
    ```
    becomes
    ```text
    %y = emitc.add %x, %x : (f32, f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

#endif // TINY_CONVERSION_UOPTOEMITC_PASSES
