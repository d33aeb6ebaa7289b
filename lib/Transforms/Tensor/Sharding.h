// Shardings of values, and the search for those that nobody wrote down.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_SHARDING_H
#define TINY_LIB_TRANSFORMS_TENSOR_SHARDING_H

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/Remarks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "llvm/ADT/MapVector.h"

namespace tiny::tensor {

/// Axes of the grid that cut one axis of a tensor, the first one first.
using GridAxes = llvm::SmallVector<int16_t, 2>;
/// One of these for each axis of a tensor.
using Sharding = llvm::SmallVector<GridAxes, 4>;

/// Whether no axis is cut.
bool isWhole(const Sharding &sharding);

/// `tensor<8x4xf32>` on each rank.
llvm::SmallVector<int64_t> getLocalShape(llvm::ArrayRef<int64_t> shape, const Sharding &sharding,
                                         llvm::ArrayRef<int64_t> grid);

/// What is known of a value.
struct KnownSharding {
  Sharding axes;
  /// The annotation that it comes from.
  mlir::Location source;
  /// Somebody wrote it at this value: it stays.
  bool isFixed = false;
};

/// Grid axes for each factor of an operation.
struct FactorShardings {
  llvm::SmallVector<GridAxes, 4> axes;
  llvm::SmallVector<std::optional<mlir::Location>, 4> sources;
};

/// What two annotations want of one operation.
struct ShardingConflict {
  GridAxes kept, dropped;
  mlir::Location keptSource, droppedSource;
};

/// Shares the factors of `rule` among grid axes as its tensors are cut: those of `tensors` in their order. They are
/// numbered: operands, then results, then values of bodies. Null entries say nothing. Where two differ the first one
/// stays, and `conflicts` has both.
FactorShardings shareFactors(const ShardingRule &rule,
                             llvm::ArrayRef<std::pair<unsigned, const KnownSharding *>> tensors,
                             llvm::ArrayRef<int64_t> grid, llvm::SmallVectorImpl<ShardingConflict> *conflicts);

/// How `tensor` of the rule is cut when its factors are.
Sharding getTensorSharding(const TensorFactors &tensor, const FactorShardings &factors);

/// The annotations of one function, completed.
class ShardingPropagation {
public:
  explicit ShardingPropagation(mlir::func::FuncOp function) : function(function) {}

  /// The grid that the function's annotations name; null where there are none. Fails with an error where they name
  /// two, an unknown one, one of unknown size, or cut what cannot be cut.
  mlir::FailureOr<mlir::shard::GridOp> readAnnotations();
  /// Goes forwards and backwards until nothing changes.
  void propagate();
  /// One remark for each conflict that is left, and for each operation without a rule.
  void explain(const Remarks &remarks) const;

  const KnownSharding *lookup(mlir::Value value) const {
    auto found = known.find(value);
    return found == known.end() ? nullptr : &found->second;
  }
  const llvm::MapVector<mlir::Value, KnownSharding> &getKnown() const { return known; }
  llvm::ArrayRef<int64_t> getGrid() const { return grid; }
  /// The operation if it has a rule; null where every rank computes all of it. Bodies of a pipeline are whole.
  ShardingOpInterface getShardable(mlir::Operation *op) const;
  /// The operations with a rule, also those in bodies, in order.
  llvm::SmallVector<ShardingOpInterface> listShardable() const;
  /// How the factors of an operation are shared.
  FactorShardings share(ShardingOpInterface op, llvm::SmallVectorImpl<ShardingConflict> *conflicts = nullptr) const;

private:
  bool update(ShardingOpInterface op);
  mlir::LogicalResult readAnnotation(mlir::shard::ShardOp op, mlir::shard::GridOp &gridOp);

  mlir::func::FuncOp function;
  llvm::SmallVector<int64_t> grid;
  bool cutsBodies = true;
  llvm::MapVector<mlir::Value, KnownSharding> known;
};

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_SHARDING_H
