// Pipelines of stages: which stage computes a value, and microbatches one after the other.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_PIPELINE_H
#define TINY_LIB_TRANSFORMS_TENSOR_PIPELINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

namespace tiny::tensor {

/// What an annotated function says of its stages.
struct PipelineStages {
  /// The axis of the grid along which stages lie; -1 where there are none.
  int64_t axis = -1;
  /// Of the function's results, -1 for those that every stage has.
  llvm::SmallVector<int64_t> results;
};

/// Follows values from stage to stage. Fails with an error where `tiny.stage` names another grid or axis than the
/// function's, a stage that is not there or not the one that has the value, or where an operation reads values of two
/// stages.
mlir::FailureOr<PipelineStages> readStages(mlir::func::FuncOp function, mlir::shard::GridOp grid);

/// The grid's axis of microbatches, -1 where there is none. Fails with an error where it is not the last one.
mlir::FailureOr<int64_t> readMicrobatches(mlir::shard::GridOp grid);

/// Takes the place of a function that `tensor-partition` made as if each of the `count` microbatches along grid axis
/// `axis` had ranks of its own. What depends on the microbatch is there once for each; collectives along the axis
/// become movement and arithmetic.
void unrollMicrobatches(mlir::func::FuncOp function, int64_t axis, int64_t count);

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_PIPELINE_H
