// What a value is computed from, and what is computed from it, within a bound.
#ifndef TINY_LIB_TRANSFORMS_LAZY_USESEARCH_H
#define TINY_LIB_TRANSFORMS_LAZY_USESEARCH_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "llvm/ADT/DenseSet.h"

namespace tiny::lazy {

/// The positions of operations in a block. MLIR's own numbers are computed again for the whole block after an
/// insertion.
class Positions {
public:
  explicit Positions(mlir::Block &block) {
    unsigned position = 0;
    for (mlir::Operation &op : block)
      positions[&op] = position += 2;
  }
  bool isBefore(mlir::Operation *a, mlir::Operation *b) const { return positions.lookup(a) < positions.lookup(b); }
  /// Numbers what was inserted right before `op`: all alike, between `op` and what stood there.
  void addInserted(mlir::Operation *op) {
    unsigned position = positions.lookup(op) - 1;
    while ((op = op->getPrevNode()) && positions.try_emplace(op, position).second) {
    }
  }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
};

/// Whether a search goes on through `user` of a value that stands in the same block.
bool isPassedThrough(mlir::Operation *user, mlir::Operation *definition);

/// Whether everything computed from `value` by elementwise operations and views ends in `ends`. False if the search is
/// too long.
bool leadsOnlyTo(mlir::OpResult value, const llvm::DenseSet<mlir::Operation *> &ends);

/// Whether `value` is computed from one of `sources`. True if the search is too long.
bool dependsOn(mlir::Value value, const llvm::DenseSet<mlir::Operation *> &sources, const Positions &positions);

/// Whether `value` is computed from a reduction without a buffer between: to have it twice, the reduction would run
/// twice.
bool isExpensive(mlir::Value value);

/// Whether all readers of `value`, through views, round it to at most the precision of `type`.
bool isRoundedTo(mlir::Value value, mlir::Type type);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_USESEARCH_H
