// A long reduction block by block: what is packed for a block stays near while all else passes over it, and each
// element of the other operand is read once.
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Stage.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

/// The reduction over the axis; null where there is none or are several.
static ReduceOp findReduction(RangeOp axis) {
  ReduceOp found;
  for (Operation *user : axis->getUsers())
    if (auto reduce = dyn_cast<ReduceOp>(user); reduce && llvm::is_contained(reduce.getRanges(), axis.getResult())) {
      if (found)
        return nullptr;
      found = reduce;
    }
  return found;
}

std::string whyNotStagePartial(RangeOp blocks, ArrayRef<RangeOp> ranges, bool accumulates) {
  ReduceOp reduce = findReduction(blocks);
  if (!reduce)
    return llvm::formatv("axis {0} is not that of one reduction", blocks.getId());
  if (blocks.getKind() != AxisKind::Reduce)
    return llvm::formatv("axis {0} is of kind '{1}'; expected reduce", blocks.getId(),
                         stringifyAxisKind(blocks.getKind()));
  if (reduce.getRanges().size() < 2 && !accumulates)
    return llvm::formatv("axis {0} is all that the reduction is over: there is nothing to combine in a block",
                         blocks.getId());
  if (reduce.getNumResults() != 1)
    return llvm::formatv("the reduction over axis {0} combines {1} values, expected one", blocks.getId(),
                         reduce.getNumResults());
  if (!reduce.getKind())
    return llvm::formatv("the reduction over axis {0} has a region and no kind", blocks.getId());
  if (!reduce.mayReorder() && reduce.getRanges().size() > 1)
    return "the reduction's flags keep the order of its elements";
  for (Value value : reduce.getRanges()) {
    auto range = value.getDefiningOp<RangeOp>();
    if (llvm::is_contained(ranges, range))
      return llvm::formatv("axis {0} is reduced with axis {1}; expected a free one", range.getId(), blocks.getId());
    // Its loop will stand inside of those that fill the tile, and nowhere else.
    if (!findReduction(range))
      return llvm::formatv("axis {0} is that of another reduction, too", range.getId());
  }
  SmallVector<RangeOp> layout(ranges);
  if (!accumulates)
    layout.insert(layout.begin(), blocks);
  return whyNotStage(reduce.getInputs().front(), layout);
}

StageOp stagePartial(RewriterBase &rewriter, RangeOp blocks, ArrayRef<RangeOp> ranges, StageSpace space,
                     bool accumulates) {
  ReduceOp reduce = findReduction(blocks);
  SmallVector<Value> inside(reduce.getRanges());
  llvm::erase(inside, blocks.getResult());
  auto combine = [&](Value input, ValueRange over) {
    return ReduceOp::create(rewriter, reduce.getLoc(), reduce.getResultTypes(), input, ValueRange{}, over,
                            reduce.getKindAttr(), reduce.getAssociativeAttr(), reduce.getCommutativeAttr(),
                            reduce.getFastmathAttr());
  };
  rewriter.setInsertionPoint(reduce);
  Value input = reduce.getInputs().front();
  Value partial = inside.empty() ? input : combine(input, inside).getResult(0);
  ReduceOp total = combine(partial, blocks.getResult());
  rewriter.replaceOp(reduce, total);
  SmallVector<RangeOp> layout(ranges);
  if (!accumulates)
    layout.insert(layout.begin(), blocks);
  Value staged = accumulates ? total.getResult(0) : partial;
  StageOp stage = stageValue(rewriter, staged, layout, space);
  stage.setAccumulates(accumulates);
  eraseDead(rewriter, staged.getDefiningOp());
  return stage;
}

} // namespace tiny::kernel
