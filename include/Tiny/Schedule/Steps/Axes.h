// Changes of a kernel's axes beside splitting: how their loops nest, and an extent that is easier to split.
#ifndef TINY_SCHEDULE_STEPS_AXES_H
#define TINY_SCHEDULE_STEPS_AXES_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// The axes of one kind as their loops nest, the outermost first.
llvm::SmallVector<RangeOp> getNest(FuncOp kernel, AxisKind kind);

/// Lets the loops of one kind nest so; `axes` are all of that kind.
void setNest(mlir::RewriterBase &rewriter, mlir::ArrayRef<RangeOp> axes);

/// Why the two axes can't exchange their places, or an empty string. See `transform.tiny.swap`.
std::string whyNotSwap(RangeOp a, RangeOp b);

/// Exchanges the places of two axes of a kind among the loops; `whyNotSwap` must have nothing against it.
void swapAxes(mlir::RewriterBase &rewriter, RangeOp a, RangeOp b);

/// Why the two axes can't become one, or an empty string. See `transform.tiny.merge`.
std::string whyNotMerge(RangeOp outer, RangeOp inner);

/// The accesses that do not walk the two axes as one, `index(i, j) = index(0, i * n + j)` where the inner has n points:
/// their index takes a merged axis apart.
mlir::SmallVector<mlir::Operation *> findAccessesApart(RangeOp outer, RangeOp inner);

/// Makes them one axis with the outer one's id and place; `whyNotMerge` must have nothing against it.
RangeOp mergeAxes(mlir::RewriterBase &rewriter, RangeOp outer, RangeOp inner);

/// Why the axis can't be made longer, or an empty string. See `transform.tiny.pad_to`.
std::string whyNotPad(RangeOp axis, int64_t multiple);

/// Makes the axis as long as the next multiple, and keeps what it computes behind its old end from having an effect;
/// `whyNotPad` must have nothing against it. Returns the axis, which is the old one where nothing is to do.
RangeOp padAxis(mlir::RewriterBase &rewriter, RangeOp axis, int64_t multiple);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_AXES_H
