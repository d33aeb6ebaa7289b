// Gradients as operations, and the reverse mode of products.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

LogicalResult GradientOp::verify() {
  // (gradient_c1) At least one target.
  if (getTargets().empty())
    return emitOpError("expects a target");
  for (Value target : getTargets())
    // (gradient_c2) Folding keeps targets what they are.
    if (Operation *def = target.getDefiningOp(); def && !isa<WatchOp>(def))
      return emitOpError("expects targets that are arguments or results of 'tiny.watch', got a result of '")
             << def->getName() << "'";
  // (gradient_c3) A seed for each element of the loss.
  if (getSeed() && getSeed().getType() != getLoss().getType())
    return emitOpError("expects a seed of the loss's type, ") << getLoss().getType() << ", got " << getSeed().getType();
  // (gradient_c4) Gradients are like what they are of.
  if (getGradients().getTypes() != getTargets().getTypes())
    return emitOpError("expects gradients of the targets' types, ")
           << getTargets().getTypes() << ", got " << getGradients().getTypes();
  return success();
}

LogicalResult DetachOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult WatchOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

FailureOr<SmallVector<Value>> WatchOp::decompose(OpBuilder &) { return SmallVector<Value>{getInput()}; }
SmallVector<Value> WatchOp::differentiate(TensorBuilder &, Value g) {
  SmallVector<Value> gradients(getNumOperands());
  gradients.front() = g;
  return gradients;
}
LogicalResult WatchOp::verify() {
  // (watch_c1) What is kept is the same value.
  if (getKept() && getKept().getType() != getInput().getType())
    return emitOpError("expects to keep a value of type ") << getInput().getType() << ", got " << getKept().getType();
  return success();
}

FailureOr<SmallVector<Value>> DetachOp::decompose(OpBuilder &) { return SmallVector<Value>{getInput()}; }

LogicalResult CheckpointOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}
FailureOr<SmallVector<Value>> CheckpointOp::decompose(OpBuilder &) { return SmallVector<Value>{getInput()}; }
SmallVector<Value> CheckpointOp::differentiate(TensorBuilder &, Value g) {
  SmallVector<Value> gradients(getNumOperands());
  gradients.front() = g;
  return gradients;
}

/// A row stands for a matrix of one row on the left, of one column on the right.
SmallVector<Value> MatmulOp::differentiate(TensorBuilder &build, Value g) {
  Value lhs = getLhs(), rhs = getRhs();
  bool isRow = getLhs().getType().getRank() == 1, isColumn = getRhs().getType().getRank() == 1;
  SmallVector<int64_t> shape(TensorBuilder::getShape(g));
  if (isRow) {
    lhs = build.reshape(lhs, {1, TensorBuilder::getShape(lhs).front()});
    shape.insert(shape.end() - (isColumn ? 0 : 1), 1);
  }
  if (isColumn) {
    rhs = build.reshape(rhs, {TensorBuilder::getShape(rhs).front(), 1});
    shape.push_back(1);
  }
  g = build.reshape(g, shape);
  auto transpose = [&](Value value) { return build.create<TransposeOp>(value, -1, -2); };
  Value forLhs = build.create<MatmulOp>(g, transpose(rhs)), forRhs = build.create<MatmulOp>(transpose(lhs), g);
  if (isColumn)
    forRhs = build.reshape(forRhs, TensorBuilder::getShape(forRhs).drop_back());
  return {forLhs, forRhs};
}
