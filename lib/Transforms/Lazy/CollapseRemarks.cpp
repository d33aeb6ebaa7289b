#include "CollapseRemarks.h"

using namespace mlir;

namespace tiny::lazy {

static constexpr llvm::StringLiteral kPass = "lazy-collapse-reduce";

void CollapseRemarks::tellMade(ReduceOp reduce, StringRef what) {
  double elements = cast<RankedTensorType>(reduce.getInputs().front().getType()).getNumElements();
  Remarks(kPass, reduce).passed(reduce.getLoc(), "collapsed", what, {{"elements", elements}});
}

LogicalResult CollapseRemarks::stays(PatternRewriter &rewriter, ReduceOp reduce, const Reason &why) {
  reasons.try_emplace(reduce, why);
  return rewriter.notifyMatchFailure(reduce, llvm::Twine(why.text));
}

void CollapseRemarks::tellMissed(Operation *root) {
  root->walk([&](ReduceOp reduce) {
    if (auto reason = reasons.find(reduce); reason != reasons.end())
      Remarks(kPass, reduce)
          .missed(reduce.getLoc(), "kept", "the sum stays: " + reason->second.text, reason->second.numbers);
  });
}

} // namespace tiny::lazy
