// Keeping what a kernel reads in a tile: packing on a CPU, shared memory on a GPU.
#ifndef TINY_SCHEDULE_STEPS_STAGE_H
#define TINY_SCHEDULE_STEPS_STAGE_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// What is worth a tile of what is computed from a load: the load itself, or the one value that all else takes from the
/// elementwise operations on it which vary over the same ranges. So masks and functions of one operand are staged with
/// it, and a product of two operands is not.
mlir::Value findStagedValue(LoadOp load);

/// That of each read of a buffer which varies along all of the ranges, in the order of the reads; of all reads where
/// none does.
mlir::SmallVector<mlir::Value> findStagedValues(mlir::Value buffer, mlir::ArrayRef<RangeOp> ranges);

/// Why the value can't be kept in a tile over these ranges, or an empty string. See `transform.tiny.stage`.
std::string whyNotStage(mlir::Value value, mlir::ArrayRef<RangeOp> ranges);

/// The place in a tile over these ranges, the last one fastest.
mlir::Value createTileIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::ArrayRef<RangeOp> ranges);

/// Computes the value over ranges of its own, in the order given, and lets its users load it from the tile;
/// `whyNotStage` must have nothing against it, except that reductions which vary along the ranges are then repeated.
StageOp stageValue(mlir::RewriterBase &rewriter, mlir::Value value, mlir::ArrayRef<RangeOp> ranges, StageSpace space);

/// Erases the operation if nothing needs it, and of what it takes whatever nothing needs then.
void eraseDead(mlir::RewriterBase &rewriter, mlir::Operation *op);

/// The value along another range: what varies along `from` is computed again. No reduction over `from` may take part.
mlir::Value cloneAlong(mlir::RewriterBase &rewriter, mlir::Value value, RangeOp from, RangeOp to);

/// The tile that the axis fills; null where it fills none.
StageOp findFilledStage(RangeOp axis);

/// Why the tile that `filling` fills can't be over another axis too, or an empty string. See
/// `transform.tiny.widen_stage`.
std::string whyNotWiden(RangeOp filling, RangeOp axis);

/// Fills the tile for all points of `axis` at once, along a new axis, which is returned and is the tile's slowest;
/// `whyNotWiden` must have nothing against it.
RangeOp widenStage(mlir::RewriterBase &rewriter, RangeOp filling, RangeOp axis);

/// A value and the axis that it is a computation along.
struct RepeatedValue {
  mlir::Value value;
  RangeOp axis;
};

/// What reductions over an axis take and others compute again along other axes.
struct SharedInput {
  mlir::Value value; ///< null where there is none
  mlir::SmallVector<RepeatedValue> repeated;
  bool isCostly = false; ///< whether to compute it again costs more than to store and load it
};

/// The first such value on the way from what reductions over this axis combine to what it is computed from; one that is
/// costly, if there is one. None where a reduction over it is over others too.
SharedInput findSharedInput(RangeOp axis);

/// Bytes of a tile of it over the axis.
int64_t countTileBytes(const SharedInput &shared, RangeOp axis);

/// Why nothing that reductions over this axis take can be staged for those that repeat it, in a tile over the axis and
/// `others`, or an empty string. See `transform.tiny.stage_input`.
std::string whyNotStageInput(RangeOp axis, mlir::ArrayRef<RangeOp> others);

/// Stages it; `whyNotStageInput` must have nothing against it.
StageOp stageInput(mlir::RewriterBase &rewriter, RangeOp axis, mlir::ArrayRef<RangeOp> others, StageSpace space);

/// Why what the reduction over `blocks` combines for each of its points can't be kept in a tile over `blocks` and these
/// ranges, or an empty string. See `transform.tiny.stage_partial`.
std::string whyNotStagePartial(RangeOp blocks, mlir::ArrayRef<RangeOp> ranges);

/// Stages it; `whyNotStagePartial` must have nothing against it.
StageOp stagePartial(mlir::RewriterBase &rewriter, RangeOp blocks, mlir::ArrayRef<RangeOp> ranges, StageSpace space);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_STAGE_H
