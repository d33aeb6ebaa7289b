// What makes a value, for folds and patterns that may meet a graph region.
#ifndef TINY_SUPPORT_PRODUCER_H
#define TINY_SUPPORT_PRODUCER_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/RegionKindInterface.h"

namespace tiny {

/// Whether a producer of the operation's operands stands before it in its block, or in another block: true wherever SSA
/// dominance holds, so in an entry block. Elsewhere places are compared, which numbers a block anew after each
/// insertion.
inline bool isEarlier(mlir::Operation *producer, mlir::Operation *op) {
  mlir::Block *block = op->getBlock();
  if (producer->getBlock() != block || (block->isEntryBlock() && !mlir::mayBeGraphRegion(*block->getParent())))
    return true;
  return producer->isBeforeInBlock(op);
}

/// The operation of kind `OpTy` that gives `value` to `op`, or null. In a graph region, such as a module's body,
/// operations may form a cycle, and merging `op` with the producer of its operand would never end. So the producer
/// counts only if it stands before `op`, and the producers of its own operands before it.
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

/// `value` as the result of folding `op`; empty if it is the operation's own result, which a fold may not return.
inline mlir::OpFoldResult foldTo(mlir::Value value, mlir::Operation *op) {
  return value.getDefiningOp() == op ? mlir::OpFoldResult() : mlir::OpFoldResult(value);
}

} // namespace tiny

#endif // TINY_SUPPORT_PRODUCER_H
