// How the axes of an operation's operands and results belong together: the table that propagation and partitioning
// read. The idea of factors is Shardy's (openxla/shardy, `OpShardingRuleAttr`).
#ifndef TINY_DIALECT_TENSOR_SHARDINGRULE_H
#define TINY_DIALECT_TENSOR_SHARDINGRULE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace tiny::tensor {

/// What happens to the result when ranks share a factor.
enum class FactorKind {
  Parallel,  ///< each rank has its part of the result
  Sum,       ///< each rank has a summand of the whole result, and so below: a partial result
  Product,   ///< a factor of it
  Max,       ///< the largest of its part
  Min,       ///< the least of its part
  Lookup,    ///< a summand, zero where the second operand names a place of another rank
  Decompose, ///< only the operation's decomposition can be cut here
};

/// One axis of an iteration space of the operation.
struct Factor {
  int64_t size;
  FactorKind kind = FactorKind::Parallel;
  /// Which space. An axis of the grid cuts one factor of a space. Nearly all operations have one space; a loop has one
  /// for each value that it gives.
  unsigned space = 0;
};

/// For each axis of a tensor the factors it runs over, the major one first. None: the axis is whole on every rank.
using TensorFactors = llvm::SmallVector<llvm::SmallVector<unsigned, 1>, 4>;

/// The factors of an operation, and where they stand.
struct ShardingRule {
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<TensorFactors, 2> operands, results;
  /// Values of the operation's bodies, and their factors.
  llvm::SmallVector<std::pair<mlir::Value, TensorFactors>, 0> inner;
  /// The operation of summands is the summands of the operation: partial sums pass through. Of several operands, each
  /// must be one.
  bool isLinear = false;

  /// A rule without factors for an operation's tensors.
  static ShardingRule get(mlir::Operation *op);
  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::Parallel, unsigned space = 0) {
    factors.push_back({size, kind, space});
    return factors.size() - 1;
  }
};

/// The rules of families. Axes need not be normalised.
/// Operands broadcast to the result.
ShardingRule getElementwiseRule(mlir::Operation *op);
/// `tiny.sum` and its like.
ShardingRule getReductionRule(mlir::Operation *op, llvm::ArrayRef<int64_t> axes, bool keepdims);
/// The result has the shape of the first operand and depends on all of `axis`, as in a softmax.
ShardingRule getAlongAxisRule(mlir::Operation *op, int64_t axis);

} // namespace tiny::tensor

#endif // TINY_DIALECT_TENSOR_SHARDINGRULE_H
