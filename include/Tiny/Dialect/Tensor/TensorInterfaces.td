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

def GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let cppNamespace = "::tiny::tensor";
  let description = [{
    An operation with one result that knows its reverse mode. Operations without it are differentiated by their
    decomposition; a primitive without it has no gradient.
  }];
  let methods = [
    InterfaceMethod<[{
        For each operand, what it adds to the gradient of that operand, when `gradient`, of the result's type, is that of
        the result; null where there is none. A value may have the shape to which the operand broadcasts and another
        float type: `tensor-expand-gradients` sums and casts it. Values for operands that nobody asks for die.
      }],
      "::llvm::SmallVector<::mlir::Value>", "differentiate",
      (ins "::tiny::tensor::TensorBuilder &":$build, "::mlir::Value":$gradient)>
  ];
}

def ControlGradientOpInterface : OpInterface<"ControlGradientOpInterface"> {
  let cppNamespace = "::tiny::tensor";
  let description = [{
    An operation with bodies that knows its reverse mode.
  }];
  let methods = [
    InterfaceMethod<[{
        For each of `values`, floats that are operands or that a body reads, what it adds to the value's gradient, when
        `gradients`, null where there is none, are those of the results; null where there is none. Bodies may hold a
        `tiny.gradient` each. The operation may be replaced by one that gives more. Failure has emitted an error.
      }],
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "differentiateValues",
      (ins "::tiny::tensor::TensorBuilder &":$build, "::llvm::ArrayRef<::mlir::Value>":$gradients,
           "::llvm::ArrayRef<::mlir::Value>":$values)>
  ];
}

def ShardingOpInterface : OpInterface<"ShardingOpInterface"> {
  let cppNamespace = "::tiny::tensor";
  let description = [{
    An operation whose axes may be cut among ranks. Its rule is a table: factors of the iteration space, and which
    factor each axis of an operand, a result, or a value of a body runs over. Propagation and partitioning read
    nothing else. An operation without it is computed whole on every rank.
  }];
  let methods = [
    InterfaceMethod<"The factors, and where they stand in operands and results.",
      "::tiny::tensor::ShardingRule", "getShardingRule", (ins)>,
    InterfaceMethod<[{
        Makes attributes that name sizes those of one rank, once the operands have their local shapes. Result types
        are not its affair.
      }],
      "void", "localize", (ins), [{}], [{ return; }]>
  ];
}

#endif // TINY_TENSOR_INTERFACES
