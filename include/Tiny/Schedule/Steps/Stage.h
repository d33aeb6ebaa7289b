// Keeping what a kernel reads in a tile: packing on a CPU, shared memory on a GPU.
#ifndef TINY_SCHEDULE_STEPS_STAGE_H
#define TINY_SCHEDULE_STEPS_STAGE_H

#include "Tiny/Algebra/Cost/Machine.h"
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

/// Why the loads of the buffer can't read a tile in registers along one of these axes each, or an empty string if they
/// can. See `transform.tiny.hold`.
std::string whyNotHold(mlir::Value buffer, mlir::ArrayRef<RangeOp> axes);

/// Reads once what passes along the axes read. `whyNotHold` must be empty.
StageOp holdRow(mlir::RewriterBase &rewriter, mlir::Value buffer, mlir::ArrayRef<RangeOp> axes);

/// The stage whose tile the axis fills, or null.
StageOp findFilledStage(RangeOp axis);

/// Why the tile that `filling` fills can't be over `axis` too, or an empty string if it can. See
/// `transform.tiny.widen_stage`.
std::string whyNotWiden(RangeOp filling, RangeOp axis);

/// Fills the tile for all points of `axis` at once, along a new axis, the slowest of the tile. Returns the new axis.
/// `whyNotWiden` must be empty.
RangeOp widenStage(mlir::RewriterBase &rewriter, RangeOp filling, RangeOp axis);

/// Why the tiles that are filled for each point of `axis` can't be over it too, or an empty string.
std::string whyNotWidenForCopies(RangeOp axis);

/// Gives the tiles that are filled for each of the copies along `axis` a faster axis of copies, so that one tile is
/// filled for all; `whyNotWidenForCopies` must have had nothing against it before the axis was made copies.
void widenForCopies(mlir::RewriterBase &rewriter, RangeOp axis);

/// Why the tile that the axis fills can't be taken back, or an empty string. See `transform.tiny.unstage`.
std::string whyNotUnstage(RangeOp filling);

/// Lets what reads the tile compute it; `whyNotUnstage` must have nothing against it.
void unstage(mlir::RewriterBase &rewriter, RangeOp filling);

/// Why the tile that the axis fills can't be there so many times on the device, or an empty string if it can. See
/// `transform.tiny.pipeline`.
std::string whyNotPipeline(RangeOp filling, int64_t buffers, const cost::Machine &machine);

/// Asks for so many tiles in place of one. `whyNotPipeline` must be empty.
void pipelineStage(mlir::RewriterBase &rewriter, RangeOp filling, int64_t buffers);

/// Why the partial results that the reduction over `blocks` combines can't be kept in a tile over `blocks` and these
/// ranges, or be accumulated in one over these ranges; an empty string if they can. See `transform.tiny.stage_partial`.
std::string whyNotStagePartial(RangeOp blocks, mlir::ArrayRef<RangeOp> ranges, bool accumulates);

/// Stages the partial results. `whyNotStagePartial` must be empty.
StageOp stagePartial(mlir::RewriterBase &rewriter, RangeOp blocks, mlir::ArrayRef<RangeOp> ranges, StageSpace space,
                     bool accumulates);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_STAGE_H
