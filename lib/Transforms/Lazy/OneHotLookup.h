// Sums that look something up by a one-hot mask of data.
#ifndef TINY_LIB_TRANSFORMS_LAZY_ONEHOTLOOKUP_H
#define TINY_LIB_TRANSFORMS_LAZY_ONEHOTLOOKUP_H

#include "CollapseRemarks.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/IR/PatternMatch.h"

namespace tiny::lazy {

/// Whether a reduction is a sum of one input, without a combiner region.
bool isOneSum(ReduceOp reduce);

/// Replaces a sum of which at most one term along `axis` counts by these terms, `elements`: the sum's input without the
/// axis. Sums over other axes remain.
void replaceByElements(ReduceOp reduce, mlir::Value elements, int64_t axis, mlir::PatternRewriter &rewriter);

/// Adds the pattern that turns them into `lazy.gather`, and tells `remarks`, which must live as long.
void addOneHotPatterns(mlir::RewritePatternSet &patterns, CollapseRemarks &remarks);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_ONEHOTLOOKUP_H
