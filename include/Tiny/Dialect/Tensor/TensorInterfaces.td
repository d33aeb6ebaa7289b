// What a tensor operation that is not a primitive implements.
#ifndef TINY_TENSOR_INTERFACES
#define TINY_TENSOR_INTERFACES

include "mlir/IR/OpBase.td"

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::tiny::tensor";
  let description = [{
    An operation that `tensor-decompose` rewrites into simpler `tiny` operations until only primitives remain. An
    operation may be primitive for some operands only: `tiny.add` is one when both operands have the same type.
  }];
  let methods = [
    InterfaceMethod<"Whether the operation, as it stands, is one that `convert-tensor-to-lazy` takes.",
      "bool", "isPrimitive", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
        The operation in simpler ones, one value per result and of the result's type, created at the builder's
        insertion point with the operation's location. The new operations may be decomposable themselves, but a chain
        of decompositions ends. Failure has emitted an error at the operation.
      }],
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif // TINY_TENSOR_INTERFACES
