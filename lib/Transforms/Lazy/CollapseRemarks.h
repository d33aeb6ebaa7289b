// What lazy-collapse-reduce tells of sums.
#ifndef TINY_LIB_TRANSFORMS_LAZY_COLLAPSEREMARKS_H
#define TINY_LIB_TRANSFORMS_LAZY_COLLAPSEREMARKS_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Remarks.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace tiny::lazy {

/// Remarks of the category `lazy-collapse-reduce`: at once of a sum that is replaced; at the end of each that is there
/// still and was like one that is, with the reason of the first pattern that was meant for it.
class CollapseRemarks : public mlir::RewriterBase::Listener {
public:
  /// Notes that a sum is replaced by what the words say.
  void tellMade(ReduceOp reduce, llvm::StringRef what);
  /// Notes why a sum that could be replaced is not, for the driver too.
  mlir::LogicalResult stays(mlir::PatternRewriter &rewriter, ReduceOp reduce, const Reason &why);
  /// Tells of the sums below `root` that are left.
  void tellMissed(mlir::Operation *root);

  void notifyOperationErased(mlir::Operation *op) override { reasons.erase(op); }
  void notifyOperationModified(mlir::Operation *op) override { reasons.erase(op); }

private:
  llvm::DenseMap<mlir::Operation *, Reason> reasons;
};

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_COLLAPSEREMARKS_H
