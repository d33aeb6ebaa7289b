// From the lazy level down to the kernel level.
#ifndef TINY_CONVERSION_LAZYTOKERNEL_PASSES
#define TINY_CONVERSION_LAZYTOKERNEL_PASSES

include "mlir/Pass/PassBase.td"

def ConvertLazyToKernel : Pass<"convert-lazy-to-kernel", "::mlir::ModuleOp"> {
  let summary = "Turn functions of groups into programs of kernels";
  let description = [{
    Before: each `func.func` has one block, in which all compute stands in `lazy.group` (see `lazy-kernelize`); outside
    are only constants and movement that is a contiguous part of a base. Shapes are static, types signless.

    After: each function is a `kernel.program` of the same name on rank-1 buffers, whose `tiny.type` keeps the tensor
    type, and each group a `kernel.func` named for the group's label, with one `kernel.launch`. Nothing is duplicated
    or cut: one group is one kernel, except that an assignment which can not write over what it reads may be split in
    two. A group without an element to compute makes no launch, nor does one that only copies a contiguous part of a
    buffer to another or fills it. docs/Dialects/Lazy.md says when an assignment happens in place and what is copied;
    groups are reordered for it, so that readers of an old state stand before whoever writes over it. Each decision is a
    remark of the category `convert-lazy-to-kernel`.

    In a kernel every output element is computed at one range per output axis. A concatenation, which is a selection by
    the index along an axis, is a store for each part with loops of its own, unless the group has reductions. Movement
    becomes index arithmetic, and where it masks, a `select` of zero; what is loaded under a mask is gated. A value is
    computed once for each index at which it is needed.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = lazy.group "double" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%a: tensor<4xf32>):
        %1 = arith.addf %a, %a : tensor<4xf32>
        lazy.yield %1 : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    kernel.program @main(%x: memref<4xf32> {tiny.type = tensor<4xf32>}) -> (memref<4xf32> {tiny.type = tensor<4xf32>}) {
      %0 = kernel.alloc : memref<4xf32>
      kernel.launch @double ins(%x : memref<4xf32>) outs(%0 : memref<4xf32>)
      kernel.return %0 : memref<4xf32>
    }
    kernel.func private @double(%a: memref<4xf32>, %out: memref<4xf32>) {
      %i = kernel.range loop id(0) extent(4)
      %x = kernel.load %a[%i] : memref<4xf32>
      %y = arith.addf %x, %x : f32
      kernel.store %y, %out[%i] : memref<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::tiny::kernel::KernelDialect", "::tiny::lazy::LazyDialect", "::mlir::arith::ArithDialect"];
}

#endif // TINY_CONVERSION_LAZYTOKERNEL_PASSES
