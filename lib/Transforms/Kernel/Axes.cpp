#include "Tiny/Transforms/Kernel/Axes.h"

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Transforms/Kernel/Split.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

//===--- swap -----------------------------------------------------------------------------------------------------===//

/// The axes of one kind as their loops nest, with two of them exchanged.
static SmallVector<RangeOp> getSwapped(RangeOp a, RangeOp b) {
  SmallVector<RangeOp> axes;
  for (auto axis : a->getParentOfType<FuncOp>().getBody().getOps<RangeOp>())
    if (axis.getKind() == a.getKind())
      axes.push_back(axis);
  llvm::sort(axes, [](RangeOp x, RangeOp y) {
    return std::pair<int64_t, int64_t>(x.getLoopOrder(), x.getId()) <
           std::pair<int64_t, int64_t>(y.getLoopOrder(), y.getId());
  });
  std::swap(*llvm::find(axes, a), *llvm::find(axes, b));
  return axes;
}

std::string whyNotSwap(RangeOp a, RangeOp b) {
  if (a == b)
    return llvm::formatv("axis {0} is named twice", a.getId());
  if (a.getKind() != b.getKind())
    return llvm::formatv("axis {0} is of kind '{1}' and axis {2} of kind '{3}'; loops nest by kind first", a.getId(),
                         stringifyAxisKind(a.getKind()), b.getId(), stringifyAxisKind(b.getKind()));
  SmallVector<RangeOp> axes = getSwapped(a, b);
  for (auto reduce : a->getParentOfType<FuncOp>().getBody().getOps<ReduceOp>()) {
    // Its ranges are listed in the order that it combines in.
    SmallVector<size_t> places;
    for (Value range : reduce.getRanges())
      if (RangeOp *found = llvm::find(axes, range.getDefiningOp<RangeOp>()); found != axes.end())
        places.push_back(found - axes.begin());
    if (!reduce.mayReorder() && !llvm::is_sorted(places))
      return llvm::formatv("exchanging axes {0} and {1} would reassociate a reduction that does not allow it", a.getId(),
                           b.getId());
  }
  return "";
}

void swapAxes(RewriterBase &rewriter, RangeOp a, RangeOp b) {
  int64_t order = 0;
  for (RangeOp axis : getSwapped(a, b))
    rewriter.modifyOpInPlace(axis, [&] { axis.setOrder(order++); });
}

//===--- pad_to ---------------------------------------------------------------------------------------------------===//

std::string whyNotPad(RangeOp axis, int64_t multiple) {
  if (multiple < 1 || multiple >= int64_t(1) << 31)
    return llvm::formatv("multiple {0} is not between 1 and 2^31", multiple);
  for (Operation *user : axis->getUsers()) {
    if (!llvm::is_contained(getClosedRanges(user), axis.getResult()))
      continue;
    if (isa<StageOp>(user))
      return llvm::formatv("axis {0} fills a tile, whose layout would change", axis.getId());
    if (!cast<ReduceOp>(user).getKind())
      return llvm::formatv("axis {0} is reduced by a combiner without a known identity", axis.getId());
  }
  return "";
}

RangeOp padAxis(RewriterBase &rewriter, RangeOp axis, int64_t multiple) {
  int64_t extent = axis.getExtent(), padded = llvm::divideCeil(extent, multiple) * multiple;
  if (padded == extent)
    return axis;
  SmallVector<Operation *> order = sortByDependence(*axis->getBlock());
  RangeSets sets(order);
  unsigned position = sets.getPosition(axis);
  auto varies = [&](Value value) { return value && llvm::is_contained(sets.getOpen(value), position); };

  rewriter.modifyOpInPlace(axis, [&] { axis.setExtent(padded); });
  rewriter.setInsertionPointAfter(axis);
  Location loc = axis.getLoc();
  Value end = arith::ConstantIndexOp::create(rewriter, loc, extent);
  Value inside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, axis, end);
  auto restrict = [&](Value gate) -> Value {
    return gate ? arith::AndIOp::create(rewriter, gate.getLoc(), gate, inside).getResult() : inside;
  };
  for (Operation *op : order) {
    rewriter.setInsertionPoint(op);
    if (auto load = dyn_cast<LoadOp>(op); load && (varies(load.getIndex()) || varies(load.getGate()))) {
      Value gate = restrict(load.getGate());
      rewriter.modifyOpInPlace(op, [&] { load.getGateMutable().assign(gate); });
    } else if (auto store = dyn_cast<StoreOp>(op); store && llvm::any_of(op->getOperands(), varies)) {
      Value gate = restrict(store.getGate());
      rewriter.modifyOpInPlace(op, [&] { store.getGateMutable().assign(gate); });
    } else if (auto reduce = dyn_cast<ReduceOp>(op);
               reduce && llvm::is_contained(reduce.getRanges(), axis.getResult())) {
      SmallVector<Value> inputs, identities = buildInits(rewriter, reduce);
      for (auto [input, identity] : llvm::zip_equal(reduce.getInputs(), identities))
        inputs.push_back(arith::SelectOp::create(rewriter, op->getLoc(), inside, input, identity));
      rewriter.modifyOpInPlace(op, [&] { reduce.getInputsMutable().assign(inputs); });
    }
  }
  return axis;
}

} // namespace tiny::kernel
