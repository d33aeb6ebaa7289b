// From the kernel level to the uop level.
#ifndef TINY_CONVERSION_KERNELTOUOP_PASSES
#define TINY_CONVERSION_KERNELTOUOP_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelToUOp : Pass<"convert-kernel-to-uop", "::mlir::ModuleOp"> {
  let summary = "order each kernel's DAG into loops, hardware axes, loads and stores";
  let description = [{
    Before: `verify-kernel` holds. After: every `kernel.func` is a `uop.func` of the same name, arguments and
    attributes; no `kernel.range`, `load`, `store` or `reduce` is left. Host programs are not touched.

    Each loop range becomes exactly one `uop.for`, each global, local or thread range one `uop.special`. An operation
    stands in the innermost loop it depends on, so what is invariant is hoisted; the reduces over one range share its
    loop. Loops nest by what they must enclose, then by kind, order and id. Within a block the order is topological,
    loads as early and stores as late as possible, else as written.

    A value that depends on an upcast or unroll range becomes one value per point of it. One upcast range may become
    vector lanes: where every index that depends on it moves by exactly one element with it, and nobody reduces over
    it. Loads may also move by one element backwards, and of 32 or 64 bits by two to four either way: all of those are
    read, or where each lane has a gate of its own those whose gate is on, and what lies between is dropped. Where the
    range fills a tile, or functions or reductions are along it, loads may move by anything, and are gathered; beside
    functions and reductions stores may, too, and store one lane after the other. Vectors have the range's extent;
    `uop-legalize` cuts them. A reduce over unroll ranges combines their points one after the other, so its order stays. An `addf`
    reduce that allows contraction and sums products uses `math.fma`.

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
    Option<"contract", "contract", "bool", "true", "Use math.fma in sums of products whose flags allow it">,
    Option<"maxCopies", "max-copies", "::tiny::Bounded<1>", "4096",
      "Most points of upcast and unroll ranges, in values, that one operation may be copied to">
  ];
}

#endif // TINY_CONVERSION_KERNELTOUOP_PASSES
