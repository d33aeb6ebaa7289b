// lazy-fold-views: every chain of movement operations becomes one view of what computes it.
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/AlgebraActions.h"
#include "Tiny/Transforms/Lazy/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYFOLDVIEWS
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

/// A value as a view of one that no movement makes.
struct Chain {
  Value base;
  ShapeTracker tracker;
};

struct LazyFoldViews : impl::LazyFoldViewsBase<LazyFoldViews> {
  void runOnOperation() override {
    AlgebraActions actions(getOperation());
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      foldBlock(*block, actions);
  }

  void foldBlock(Block &block, AlgebraActions &actions) {
    llvm::DenseMap<Value, Chain> chains;
    SmallVector<Operation *> movements;
    for (Operation &op : block) {
      if (!isMovement(&op))
        continue;
      actions.moveTo(&op);
      Value input = op.getOperand(0);
      Chain chain{input, applyMovement(&op, identity(input))};
      if (auto inner = chains.find(input); inner != chains.end())
        if (ShapeTracker both = applyMovement(&op, inner->second.tracker))
          chain = {inner->second.base, std::move(both)};
      // An operation whose positions overflow on their own stays, and is a base to what follows.
      if (!chain.tracker)
        continue;
      chains[op.getResult(0)] = std::move(chain);
      movements.push_back(&op);
    }
    for (Operation *op : movements)
      materialize(op, chains);
    for (Operation *op : llvm::reverse(movements))
      if (op->use_empty())
        op->erase();
  }

  static ShapeTracker identity(Value value) {
    return ShapeTracker::identity(cast<RankedTensorType>(value.getType()).getShape());
  }

  /// The locations of the movements from `base` to `op`; of a long chain, those of its end.
  static Location fuseLocations(Operation *op, Value base) {
    constexpr size_t maxLocations = 16;
    SmallVector<Location> locations;
    for (Operation *link = op; link && isMovement(link) && locations.size() < maxLocations;) {
      locations.push_back(link->getLoc());
      Value input = link->getOperand(0);
      link = input == base ? nullptr : input.getDefiningOp();
    }
    std::reverse(locations.begin(), locations.end());
    return FusedLoc::get(op->getContext(), locations);
  }

  /// Replaces what `op` gives by a view of the chain's base, the base itself or a constant.
  void materialize(Operation *op, const llvm::DenseMap<Value, Chain> &chains) {
    Value result = op->getResult(0);
    const Chain &chain = chains.find(result)->second;
    const ShapeTracker &tracker = chain.tracker;
    auto type = cast<RankedTensorType>(result.getType());
    // A link that continues this chain reads the base in the end; it needs nothing here.
    auto isOther = [&](OpOperand &use) {
      if (!isMovement(use.getOwner()))
        return true;
      auto outer = chains.find(use.getOwner()->getResult(0));
      return outer == chains.end() || outer->second.base == result;
    };
    if (llvm::none_of(result.getUses(), isOther))
      return;
    if (chain.base.getType() == type && tracker.isIdentity(type.getShape())) {
      ++foldedMovements;
      result.replaceUsesWithIf(chain.base, isOther);
      return;
    }
    OpBuilder builder(op);
    Location loc = fuseLocations(op, chain.base);
    Attribute value;
    if (matchPattern(chain.base, m_Constant(&value)))
      if (auto constant = foldViewOfSplat(value, type, tracker)) {
        ++foldedMovements;
        result.replaceUsesWithIf(arith::ConstantOp::create(builder, loc, constant), isOther);
        return;
      }
    auto attr = TrackerAttr::get(op->getContext(), tracker);
    // A view that says all this already stays.
    if (auto view = dyn_cast<ViewOp>(op); view && view.getTracker() == attr && view.getInput() == chain.base)
      return;
    ++foldedMovements;
    result.replaceUsesWithIf(ViewOp::create(builder, loc, type, chain.base, attr), isOther);
  }
};

} // namespace
} // namespace tiny::lazy
