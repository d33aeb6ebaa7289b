// Changes of a kernel's axes beside splitting: how their loops nest, and an extent that is easier to split.
#ifndef TINY_SCHEDULE_STEPS_AXES_H
#define TINY_SCHEDULE_STEPS_AXES_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// The axes of one kind in the order in which their loops nest, the outermost first.
llvm::SmallVector<RangeOp> getNest(FuncOp kernel, AxisKind kind);

/// Nests the loops of one kind in the order of `axes`, which are all axes of that kind.
void setNest(mlir::RewriterBase &rewriter, mlir::ArrayRef<RangeOp> axes);

/// Why the two axes can't exchange their places, or an empty string if they can. See `transform.tiny.swap`.
std::string whyNotSwap(RangeOp a, RangeOp b);

/// Exchanges the places of two axes of one kind in the loop nest. `whyNotSwap` must be empty.
void swapAxes(mlir::RewriterBase &rewriter, RangeOp a, RangeOp b);

/// Why the two axes can't become one, or an empty string if they can. See `transform.tiny.merge`.
std::string whyNotMerge(RangeOp outer, RangeOp inner);

/// The accesses of what is stored that do not walk the two axes as one, with `index(i, j) = index(0, i * n + j)` for n
/// points of the inner axis. Their index would have to divide a merged axis.
mlir::SmallVector<mlir::Operation *> findAccessesApart(RangeOp outer, RangeOp inner);

/// Why the two axes can't run as one, or an empty string if they can. See `transform.tiny.fuse_sibling`.
std::string whyNotFuseSibling(RangeOp first, RangeOp second);

/// Lets what varies along the second axis vary along the first one. `whyNotFuseSibling` must be empty.
void fuseSibling(mlir::RewriterBase &rewriter, RangeOp first, RangeOp second);

/// Makes the two axes one, with the outer axis's id and place. `whyNotMerge` must be empty.
RangeOp mergeAxes(mlir::RewriterBase &rewriter, RangeOp outer, RangeOp inner);

/// Why the axis can't be made longer, or an empty string if it can. See `transform.tiny.pad_to`.
std::string whyNotPad(RangeOp axis, int64_t multiple);

/// Whether all that the load reads along the axis lies in its buffer by a gate that depends on the axis, as that of a
/// window does. Where padding made the axis longer, such a load needs no other gate: what it reads behind the old end
/// is used nowhere. Copies of it for neighbours are one load.
bool needsNoEnd(LoadOp load, RangeOp axis);

/// Extends the axis to the next multiple. Points behind its old end have no effect. `whyNotPad` must be empty. Returns
/// the new axis, or the old one if its extent is such a multiple.
RangeOp padAxis(mlir::RewriterBase &rewriter, RangeOp axis, int64_t multiple);

/// Puts gates in place of the axis's size: all its points are there, and those behind the size have no effect.
/// `whyNotPad` must be empty for 1.
void gateAxis(mlir::RewriterBase &rewriter, RangeOp axis);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_AXES_H
