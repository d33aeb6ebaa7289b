// What makes a value, for folds and patterns that may meet a graph region.
#ifndef TINY_SUPPORT_PRODUCER_H
#define TINY_SUPPORT_PRODUCER_H

#include "mlir/IR/Operation.h"

namespace tiny {

/// Whether the operation stands before another in its block, or in another block: true wherever SSA dominance holds.
inline bool isEarlier(mlir::Operation *producer, mlir::Operation *op) {
  return producer->getBlock() != op->getBlock() || producer->isBeforeInBlock(op);
}

/// The operation of one kind that makes `value` for `op`, or null. In a graph region, which a module's body is,
/// operations may form a cycle, and a merge of `op` with what makes its operand would go around it for ever: it counts
/// only where it and what it reads itself lie strictly further back.
template <typename OpTy> OpTy getEarlierProducer(mlir::Value value, mlir::Operation *op) {
  auto producer = value.getDefiningOp<OpTy>();
  if (!producer || !isEarlier(producer, op))
    return OpTy();
  bool readsBack = llvm::all_of(producer->getOperands(), [&](mlir::Value operand) {
    mlir::Operation *source = operand.getDefiningOp();
    return !source || isEarlier(source, producer);
  });
  return readsBack ? producer : OpTy();
}

/// `value` as what `op` folds to; nothing where it is the operation's own result, which a fold may not give.
inline mlir::OpFoldResult foldTo(mlir::Value value, mlir::Operation *op) {
  return value.getDefiningOp() == op ? mlir::OpFoldResult() : mlir::OpFoldResult(value);
}

} // namespace tiny

#endif // TINY_SUPPORT_PRODUCER_H
