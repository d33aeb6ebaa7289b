// Schedule changes as transform-dialect operations.
#ifndef TINY_KERNEL_TRANSFORM_OPS
#define TINY_KERNEL_TRANSFORM_OPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "Tiny/Dialect/Kernel/KernelOps.td"

class Kernel_TransformOp<string mnemonic> : Op<Transform_Dialect, "tiny." # mnemonic,
    [DeclareOpInterfaceMethods<TransformOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let cppNamespace = "::tiny::kernel";
}

def TransformAxisOp : Kernel_TransformOp<"axis"> {
  let summary = "finds an axis of a kernel by its id";
  let description = [{
    Handles do not survive a print and a re-parse; ids do. Fails (silenceably) when the kernel has no such axis.

    ```mlir
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, I64Attr:$id);
  let results = (outs TransformHandleTypeInterface:$axis);
  let assemblyFormat = "$kernel `[` $id `]` attr-dict `:` functional-type(operands, results)";
}

def TransformSplitOp : Kernel_TransformOp<"split"> {
  let summary = "splits an axis into an outer and an inner one of another kind";
  let description = [{
    The axis of extent n becomes `outer * factor + inner`. The part of extent `factor` takes the kind after `as`: the
    inner part, or for `thread` and `global` the outer part. The outer part keeps the id, the inner part gets the next
    free one. A factor of 0, or of n itself, turns the whole axis over: the outer handle is then empty.

    Consumes the axis and returns (outer, inner). Refused, with the reason: a factor that does not divide the extent, a
    kind that does not fit a free or a reduced axis, and a change that reassociates a reduction whose flags forbid it.

    ```mlir
    %outer, %inner = transform.tiny.split %j by 8 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$axis, I64Attr:$factor, Kernel_AxisKindAttr:$kind);
  let results = (outs TransformHandleTypeInterface:$outer, TransformHandleTypeInterface:$inner);
  let assemblyFormat = "$axis `by` $factor `as` custom<Axis>($kind) attr-dict `:` functional-type(operands, results)";
}

#endif // TINY_KERNEL_TRANSFORM_OPS
