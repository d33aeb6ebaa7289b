// Reductions relative to a running maximum, block by block.
#ifndef TINY_SCHEDULE_STEPS_BLOCKREDUCE_H
#define TINY_SCHEDULE_STEPS_BLOCKREDUCE_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// The one reduction over this axis that keeps a maximum and sums relative to it, or null. Its combiner yields
/// `(max(m1, m2), s1 * f + s2 * g, ...)`, where f and g depend on the maxima alone and the factor of the larger maximum
/// is 1.
ReduceOp findMaximumReduce(RangeOp axis);

/// Whether (-inf, -0, ...) changes nothing that such a combiner combines it with: its factor is 0 beside any larger
/// maximum, as that of exp is.
bool hasNeutralElement(ReduceOp reduce);

/// Whether `blockReduce` can let a block's sums of such a reduction be relative to the maximum up to its end.
bool mayBlockRunning(ReduceOp reduce);

/// Why the reduction over this axis can't take it in blocks, or an empty string if it can. See
/// `transform.tiny.block_reduce`.
std::string whyNotBlock(RangeOp axis);

/// Gives the reduction one element for each block: the maximum of the block, and the block's sums relative to it. The
/// axis must lie inside another axis of the reduction, and `whyNotBlock` must be empty. With `isRunning` blocks are
/// combined in order, and their sums are relative to the maximum of all blocks up to their own, where
/// `mayBlockRunning`.
ReduceOp blockReduce(mlir::RewriterBase &rewriter, RangeOp axis, bool isRunning = false);

/// The factors of a weight: those of the element, and the others.
struct WeightFactors {
  llvm::SmallVector<mlir::Value> narrow, wide;
};

/// The factors of a product: `narrow` those for which `isNarrow` holds, `wide` the others. A product of more than some
/// 16 factors is split in part only.
WeightFactors splitFactors(mlir::Value product, llvm::function_ref<bool(mlir::Value)> isNarrow);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_BLOCKREDUCE_H
