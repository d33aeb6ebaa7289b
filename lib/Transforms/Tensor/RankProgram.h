// How a function becomes the program of one rank, operation by operation.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_RANKPROGRAM_H
#define TINY_LIB_TRANSFORMS_TENSOR_RANKPROGRAM_H

#include "Reshard.h"

namespace tiny::tensor {

inline mlir::RankedTensorType getTensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// One function, which becomes the program of a rank.
class RankProgram {
public:
  RankProgram(mlir::func::FuncOp function, mlir::shard::GridOp grid, const ShardingPropagation &known,
              int64_t microbatches)
      : function(function), known(known), builder(function.getContext()), resharder(builder, grid),
        grid(grid.getShape()), microbatches(microbatches) {}

  mlir::LogicalResult run();

private:
  Sharding getWanted(mlir::Value value) const;
  Sharding getOnRanks(mlir::Value value) const;
  LocalValue get(mlir::Value value, const Sharding &sharding, mlir::Location loc) {
    return reshard(locals.at(value), getTensorType(value).getShape(), sharding, loc);
  }
  LocalValue reshard(const LocalValue &value, llvm::ArrayRef<int64_t> whole, const Sharding &sharding,
                     mlir::Location loc);
  void define(mlir::Value whole, LocalValue local, mlir::Location loc);
  mlir::LogicalResult partition(mlir::Operation &op);
  void partitionWhole(mlir::Operation &op);
  mlir::LogicalResult partitionByRule(ShardingOpInterface op);
  FactorShardings shareLocally(ShardingOpInterface op, const ShardingRule &rule);
  GridAxes findPassed(ShardingOpInterface op, const ShardingRule &rule, const FactorShardings &shared);
  mlir::Value maskReduced(mlir::Value value, const TensorFactors &factors, const ShardingRule &rule,
                          const FactorShardings &shared, const LocalValue &local, mlir::Location loc);
  mlir::Value localizeIndices(TakeOp op, mlir::Value indices, llvm::ArrayRef<int16_t> axes);
  mlir::Value maskLookup(TakeOp op);
  mlir::LogicalResult partitionBody(mlir::Region &old, mlir::Region &body, llvm::ArrayRef<Sharding> yielded);
  std::pair<llvm::SmallVector<Sharding>, llvm::SmallVector<mlir::Type>> cutResults(ShardingOpInterface op) const;
  mlir::LogicalResult partitionLoop(LoopOp op);
  mlir::LogicalResult partitionBranch(IfOp op);
  void partitionStage(StageOp op);
  void partitionReturn(mlir::func::ReturnOp op);

  mlir::func::FuncOp function;
  const ShardingPropagation &known;
  mlir::OpBuilder builder;
  Resharder resharder;
  llvm::ArrayRef<int64_t> grid;
  /// The grid's axis along which there are no ranks, or -1.
  int64_t microbatches;
  llvm::DenseMap<mlir::Value, LocalValue> locals;
  /// What loops add up from zero on, and where it is added: summands stay some until behind the loop.
  llvm::DenseSet<mlir::Value> sums;
};

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_RANKPROGRAM_H
