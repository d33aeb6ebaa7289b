// How a convolution is computed, as a transform-dialect operation.
#ifndef TINY_TENSOR_TRANSFORM_OPS
#define TINY_TENSOR_TRANSFORM_OPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def TransformWinogradOp : Op<Transform_Dialect, "tiny.winograd",
    [DeclareOpInterfaceMethods<TransformOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let cppNamespace = "::tiny::tensor";
  let summary = "has convolutions computed by Winograd's minimal filtering";
  let description = [{
    Each `tiny.conv` of the handle says `winograd` with these numbers of outputs, one for each spatial axis. Refused,
    with the reason, where the convolution could not say it. The handle stays valid.

    ```mlir
    transform.tiny.winograd %conv [4, 4] : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$conv, DenseI64ArrayAttr:$tiles);
  let assemblyFormat = "$conv $tiles attr-dict `:` type($conv)";
}

#endif // TINY_TENSOR_TRANSFORM_OPS
