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
    type. Each group is a `kernel.func` named for its label, with one `kernel.launch`; nothing is duplicated or cut. A
    group that only copies or fills contiguous elements is an item of the program and no kernel.

    docs/Dialects/Kernel.md says how a group becomes a kernel. Results are written in place where groups say so
    (`lazy-plan-state`); it is an error if that can not be. Any other assignment goes to a copy of its base, and what
    must be in an argument's buffer is copied there last.

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
