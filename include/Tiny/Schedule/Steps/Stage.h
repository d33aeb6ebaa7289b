// Keeping what a kernel reads in a tile: packing on a CPU, shared memory on a GPU.
#ifndef TINY_SCHEDULE_STEPS_STAGE_H
#define TINY_SCHEDULE_STEPS_STAGE_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// The value to keep in a tile for a load. Candidates are the load and the elementwise operations on it that vary over
/// the same ranges. The one candidate that anything else uses is staged; the load, if there are several. So masks and
/// functions of one operand are staged with it, and a product of two operands is not.
mlir::Value findStagedValue(LoadOp load);

/// `findStagedValue` of each load of a buffer that varies along all of the ranges, in the order of the loads; of all
/// loads if none does.
mlir::SmallVector<mlir::Value> findStagedValues(mlir::Value buffer, mlir::ArrayRef<RangeOp> ranges);

/// Why the value can't be kept in a tile over these ranges, or an empty string if it can. See `transform.tiny.stage`.
std::string whyNotStage(mlir::Value value, mlir::ArrayRef<RangeOp> ranges);

/// The index of a point in a tile over these ranges; the last range is the fastest.
mlir::Value createTileIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::ArrayRef<RangeOp> ranges);

/// Computes the value over new ranges, in the order given, and lets its users load it from the tile. `whyNotStage` must
/// be empty, except that reductions which vary along the ranges are repeated.
StageOp stageValue(mlir::RewriterBase &rewriter, mlir::Value value, mlir::ArrayRef<RangeOp> ranges, StageSpace space);

/// Erases the operation if nothing uses it, and then its operands that nothing uses any more.
void eraseDead(mlir::RewriterBase &rewriter, mlir::Operation *op);

/// Computes the value along `to` in place of `from`, by clones of all that varies along `from`. It must not depend on a
/// reduction over `from`.
mlir::Value cloneAlong(mlir::RewriterBase &rewriter, mlir::Value value, RangeOp from, RangeOp to);

/// The stage whose tile the axis fills, or null.
StageOp findFilledStage(RangeOp axis);

/// Why the tile that `filling` fills can't be over `axis` too, or an empty string if it can. See
/// `transform.tiny.widen_stage`.
std::string whyNotWiden(RangeOp filling, RangeOp axis);

/// Fills the tile for all points of `axis` at once, along a new axis, the slowest of the tile. Returns the new axis.
/// `whyNotWiden` must be empty.
RangeOp widenStage(mlir::RewriterBase &rewriter, RangeOp filling, RangeOp axis);

/// A value, and the axis along which it is computed.
struct RepeatedValue {
  mlir::Value value;
  RangeOp axis;
};

/// A value that reductions over an axis combine and that others compute again along other axes.
struct SharedInput {
  mlir::Value value; ///< null where there is none
  mlir::SmallVector<RepeatedValue> repeated;
  bool isCostly = false; ///< whether to compute it again costs more than to store and load it
};

/// The first such value on the way from the inputs of the reductions over this axis down to their operands; the first
/// costly one, if there is one. None if a reduction over the axis is over other axes too.
SharedInput findSharedInput(RangeOp axis);

/// Bytes of a tile of the value over the axis.
int64_t countTileBytes(const SharedInput &shared, RangeOp axis);

/// Why no input of the reductions over this axis can be staged for those that repeat it, in a tile over the axis and
/// `others`, or an empty string if one can. See `transform.tiny.stage_input`.
std::string whyNotStageInput(RangeOp axis, mlir::ArrayRef<RangeOp> others);

/// Stages that input. `whyNotStageInput` must be empty.
StageOp stageInput(mlir::RewriterBase &rewriter, RangeOp axis, mlir::ArrayRef<RangeOp> others, StageSpace space);

/// Why the partial results that the reduction over `blocks` combines can't be kept in a tile over `blocks` and these
/// ranges, or an empty string if they can. See `transform.tiny.stage_partial`.
std::string whyNotStagePartial(RangeOp blocks, mlir::ArrayRef<RangeOp> ranges);

/// Stages the partial results. `whyNotStagePartial` must be empty.
StageOp stagePartial(mlir::RewriterBase &rewriter, RangeOp blocks, mlir::ArrayRef<RangeOp> ranges, StageSpace space);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_STAGE_H
