// x + (0 + a b + ...) = (x + a b + ...)    [the sum allows `reassoc`]: what is added to all elements of a product's sum
// is where the sum begins.
#include "NvvmLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny {

/// The first of products that are added up to this one and read by nothing else.
static uop::MmaOp findStart(uop::MmaOp last) {
  uop::MmaOp first = last;
  while (auto before = first.getSum().getDefiningOp<uop::MmaOp>()) {
    if (!before->hasOneUse() || before->getBlock() != last->getBlock())
      return nullptr;
    first = before;
  }
  auto fill = first.getSum().getDefiningOp<uop::FragmentFillOp>();
  return fill && matchPattern(fill.getValue(), m_AnyZeroFloat()) ? first : nullptr;
}

/// The one addition that reads the element, if it may be done in another order.
static arith::AddFOp findAddition(vector::ExtractOp element) {
  if (!element->hasOneUse())
    return nullptr;
  auto add = dyn_cast<arith::AddFOp>(*element->getUsers().begin());
  bool mayReorder = add && arith::bitEnumContainsAll(add.getFastmath(), arith::FastMathFlags::reassoc);
  return mayReorder && add->getBlock() == element->getBlock() ? add : nullptr;
}

bool collectBefore(Value value, Operation *place, llvm::SetVector<Operation *> &moved) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place) || moved.contains(op))
    return true;
  if (op == place || op->getNumRegions() != 0 || !isMemoryEffectFree(op) || isa<uop::MmaOp>(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return collectBefore(operand, place, moved); }))
    return false;
  moved.insert(op);
  return true;
}

void NvvmLowering::startSums() {
  func.walk([&](uop::FragmentElementsOp elements) {
    auto last = elements.getValue().getDefiningOp<uop::MmaOp>();
    uop::MmaOp first = last && last->hasOneUse() ? findStart(last) : nullptr;
    auto held = dyn_cast<VectorType>(elements.getElements().getType());
    // Sums of rows by teams begin with zeros.
    if (!first || (fragments.lookup(first).getSubgroups() > 1 && first.getRight().getDefiningOp<uop::FragmentFillOp>()))
      return;
    /// By element: the addition of it and of something else.
    SmallVector<std::pair<vector::ExtractOp, arith::AddFOp>> additions(held.getNumElements());
    SmallVector<Value> starts(held.getNumElements());
    llvm::SetVector<Operation *> moved;
    for (Operation *user : elements->getUsers()) {
      auto element = dyn_cast<vector::ExtractOp>(user);
      bool isAtNumber = element && element.getStaticPosition().size() == 1 && !element.hasDynamicPosition();
      arith::AddFOp add = isAtNumber ? findAddition(element) : nullptr;
      if (!add)
        return;
      int64_t at = element.getStaticPosition().front();
      starts[at] = add->getOperand(add.getLhs() == element.getResult() ? 1 : 0);
      if (additions[at].second || !collectBefore(starts[at], first, moved))
        return;
      additions[at] = {element, add};
    }
    if (llvm::is_contained(starts, Value()))
      return;
    for (Operation *op : moved)
      op->moveBefore(first);
    builder.setInsertionPoint(first);
    first.getSumMutable().assign(vector::FromElementsOp::create(builder, first.getLoc(), held, starts));
    for (auto [element, add] : additions) {
      add.replaceAllUsesWith(element.getResult());
      add.erase();
    }
  });
}

} // namespace tiny
