// From the kernel level to the uop level.
#ifndef TINY_CONVERSION_KERNELTOUOP_PASSES
#define TINY_CONVERSION_KERNELTOUOP_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelToUOp : Pass<"convert-kernel-to-uop", "::mlir::ModuleOp"> {
  let summary = "Order each kernel's DAG into loops, hardware axes, loads and stores";
  let description = [{
    Before: `verify-kernel` holds. After: each `kernel.func` is a `uop.func` of the same name, arguments and attributes,
    without kernel operations. Programs are not touched.

    - Each loop range becomes one `uop.for`, each global, local or thread range one `uop.special`. An operation stands
      in the innermost loop that it depends on; reduces over one range share its loop.
    - A value that depends on an upcast or unroll range becomes one value per point. A reduce over unroll ranges combines
      the points in their order.
    - An upcast range may become vector lanes, of the range's extent (`uop-legalize` cuts them). docs/Dialects/UOp.md
      says when, and how loops and operations are ordered.
    - An `addf` reduce of products uses `math.fma` where its flags allow contraction and the device's record has it.

    ```mlir
    kernel.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
      %i = kernel.range loop id(0) extent(32)
      %v = kernel.range upcast id(1) extent(4)
      %c4 = arith.constant 4 : index
      %m = arith.muli %i, %c4 : index
      %j = arith.addi %m, %v : index
      %x = kernel.load %in[%j] : memref<128xf32>
      %y = arith.addf %x, %x : f32
      kernel.store %y, %out[%j] : memref<128xf32>
    }
    // becomes
    uop.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      uop.for %i to %c32 {
        %j = arith.muli %i, %c4 : index
        %x = uop.load %in[%j] : memref<128xf32>, vector<4xf32>
        %y = arith.addf %x, %x : vector<4xf32>
        uop.store %y, %out[%j] : vector<4xf32>, memref<128xf32>
      }
      uop.return
    }
    ```
  }];
  let dependentDialects = ["::tiny::uop::UOpDialect", "::mlir::vector::VectorDialect"];
  let options = [
    Option<"vectorize", "vectorize", "bool", "true", "Make one upcast range vector lanes where it can be">,
    Option<"contract", "contract", "bool", "true", "Use math.fma where flags and device allow it">,
    Option<"maxCopies", "max-copies", "::tiny::Bounded<1>", "4096",
      "Most copies of one operation, one for each point of its upcast and unroll ranges">
  ];
}

#endif // TINY_CONVERSION_KERNELTOUOP_PASSES
