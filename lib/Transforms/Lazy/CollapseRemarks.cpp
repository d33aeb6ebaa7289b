#include "CollapseRemarks.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tiny::lazy {

static remark::RemarkOpts getOptions(ReduceOp reduce, StringRef name) {
  auto opts = remark::RemarkOpts::name(name).category("lazy-collapse-reduce");
  auto function = reduce->getParentOfType<FunctionOpInterface>();
  return function ? opts.function(function.getName()) : opts;
}

void CollapseRemarks::tellMade(ReduceOp reduce, StringRef what) {
  remark::passed(reduce.getLoc(), getOptions(reduce, "collapsed")) << what.str();
}

LogicalResult CollapseRemarks::stays(PatternRewriter &rewriter, ReduceOp reduce, llvm::StringLiteral why) {
  reasons.try_emplace(reduce, why);
  return rewriter.notifyMatchFailure(reduce, llvm::Twine(why));
}

void CollapseRemarks::tellMissed(Operation *root) {
  root->walk([&](ReduceOp reduce) {
    if (auto reason = reasons.find(reduce); reason != reasons.end())
      remark::missed(reduce.getLoc(), getOptions(reduce, "kept")) << ("the sum stays: " + reason->second).str();
  });
}

} // namespace tiny::lazy
