// What every operation with a tracker does to it.
#ifndef TINY_LIB_DIALECT_LAZY_SIMPLIFYTRACKER_H
#define TINY_LIB_DIALECT_LAZY_SIMPLIFYTRACKER_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/AlgebraActions.h"
#include "mlir/IR/PatternMatch.h"

namespace tiny::lazy {

/// A tracker that merges with itself: op(x, t) -> op(x, simplify(t))
template <typename OpT> struct SimplifyTracker : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;
  llvm::LogicalResult matchAndRewrite(OpT op, mlir::PatternRewriter &rewriter) const override {
    AlgebraActions actions(op);
    auto simple = TrackerAttr::get(op.getContext(), op.getTracker().getTracker().simplify());
    if (simple == op.getTracker())
      return rewriter.notifyMatchFailure(op, "the tracker is as simple as it gets");
    rewriter.modifyOpInPlace(op, [&] { op.setTrackerAttr(simple); });
    return mlir::success();
  }
};

} // namespace tiny::lazy

#endif // TINY_LIB_DIALECT_LAZY_SIMPLIFYTRACKER_H
