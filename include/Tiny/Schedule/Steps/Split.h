// Splitting an axis of a kernel: the one schedule change that most others are made of.
#ifndef TINY_SCHEDULE_STEPS_SPLIT_H
#define TINY_SCHEDULE_STEPS_SPLIT_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// What `splitAxis` leaves: `outer` is null when the whole axis took the new kind.
struct SplitAxis {
  RangeOp outer, inner;
};

/// Why the axis can't be split so, or an empty string if it can. See `transform.tiny.split` for the rules.
std::string whyNotSplit(RangeOp axis, int64_t factor, AxisKind kind);

/// Why the axis keeps its extent and kind: subgroups number it, or matrices that they hold vary along it. Empty for all
/// others.
std::string whyFixed(RangeOp axis);

/// Why the axis gets no longer: factors of a product of matrices vary along it. Empty for all others.
std::string whyNotPadMatrices(RangeOp axis);

/// Splits `axis` into `outer * factor + inner`. `whyNotSplit` must be empty.
SplitAxis splitAxis(mlir::RewriterBase &rewriter, RangeOp axis, int64_t factor, AxisKind kind);

/// True when a reduction closes the axis.
bool isReduced(RangeOp axis);

/// True when the axis fills a tile.
bool isStaged(RangeOp axis);

/// An id that no axis of the kernel has.
int64_t getNextId(FuncOp kernel);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_SPLIT_H
