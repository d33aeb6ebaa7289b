// Keeping what a kernel reads in a tile: packing on a CPU, shared memory on a GPU.
#ifndef TINY_TRANSFORMS_KERNEL_STAGE_H
#define TINY_TRANSFORMS_KERNEL_STAGE_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// What is worth a tile of what is computed from a load: the load itself, or the one value that all else takes from the
/// elementwise operations on it which vary over the same ranges. So masks and functions of one operand are staged with
/// it, and a product of two operands is not.
mlir::Value findStagedValue(LoadOp load);

/// Why the value can't be kept in a tile over these ranges, or an empty string. See `transform.tiny.stage`.
std::string whyNotStage(mlir::Value value, mlir::ArrayRef<RangeOp> ranges);

/// Computes the value over ranges of its own, in the order given, and lets its users load it from the tile;
/// `whyNotStage` must have nothing against it, except that reductions which vary along the ranges are then repeated.
StageOp stageValue(mlir::RewriterBase &rewriter, mlir::Value value, mlir::ArrayRef<RangeOp> ranges, StageSpace space);

/// The value along another range: what varies along `from` is computed again. No reduction over `from` may take part.
mlir::Value cloneAlong(mlir::RewriterBase &rewriter, mlir::Value value, RangeOp from, RangeOp to);

/// A value and the axis that it is a computation along.
struct RepeatedValue {
  mlir::Value value;
  RangeOp axis;
};

/// The input of the one reduction that is over this axis alone; null where there is none.
mlir::Value findReducedInput(RangeOp axis);

/// The values which are along another axis of the same extent what `value` is along `axis`.
mlir::SmallVector<RepeatedValue> findRepeated(mlir::Value value, RangeOp axis);

/// Why the input of the reduction over this axis can't be staged for those that repeat it, or an empty string. See
/// `transform.tiny.stage_input`.
std::string whyNotStageInput(RangeOp axis);

/// Stages it; `whyNotStageInput` must have nothing against it.
StageOp stageInput(mlir::RewriterBase &rewriter, RangeOp axis, StageSpace space);

} // namespace tiny::kernel

#endif // TINY_TRANSFORMS_KERNEL_STAGE_H
