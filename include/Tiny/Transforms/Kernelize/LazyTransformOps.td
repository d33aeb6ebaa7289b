// Fusion as a transform-dialect operation.
#ifndef TINY_LAZY_TRANSFORM_OPS
#define TINY_LAZY_TRANSFORM_OPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def TransformFuseOp : Op<Transform_Dialect, "tiny.fuse",
    [DeclareOpInterfaceMethods<TransformOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let cppNamespace = "::tiny::lazy";
  let summary = "makes one group, that is one kernel, of operations";
  let description = [{
    All operations of all handles become one `lazy.group`, whatever that costs; views and index sources between them go
    along. Consumes the handles and returns the group. Refused, at the operation and with the reason: what can't stand
    in a group or stands in one already, a group that would wait for itself, more than `max_buffers` inputs and results.

    ```mlir
    %group = transform.tiny.fuse %exp, %sum : (!transform.any_op, !transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins Variadic<TransformHandleTypeInterface>:$members, DefaultValuedAttr<I64Attr, "31">:$max_buffers);
  let results = (outs TransformHandleTypeInterface:$group);
  let assemblyFormat = "$members attr-dict `:` functional-type(operands, results)";
}

#endif // TINY_LAZY_TRANSFORM_OPS
