// Reductions relative to a running maximum, block by block.
#ifndef TINY_SCHEDULE_STEPS_BLOCKREDUCE_H
#define TINY_SCHEDULE_STEPS_BLOCKREDUCE_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// The one reduction over this axis that keeps a maximum and sums relative to it, if there is one: its combiner yields
/// `(max(m1, m2), s1 * f + s2 * g, ...)`, where f and g depend on the maxima alone, and that of the larger is 1.
ReduceOp findMaximumReduce(RangeOp axis);

/// Why the reduction over this axis can't take it as blocks, or an empty string. See `transform.tiny.block_reduce`.
std::string whyNotBlock(RangeOp axis);

/// Gives the reduction one element for each block: the maximum of the block, and its sums relative to that. The axis
/// must lie inside another one of the reduction; `whyNotBlock` must have nothing against it.
ReduceOp blockReduce(mlir::RewriterBase &rewriter, RangeOp axis);

/// The factors of a weight: those of the element, and the others.
struct WeightFactors {
  llvm::SmallVector<mlir::Value> narrow, wide;
};

/// The factors of a product, by whether `isNarrow` holds for them; of a long one not all are found.
WeightFactors splitFactors(mlir::Value product, llvm::function_ref<bool(mlir::Value)> isNarrow);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_BLOCKREDUCE_H
