// What a reduction combines, kept for whatever computes the same again along another axis.
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Transforms/Kernel/Stage.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

Value findReducedInput(RangeOp axis) {
  ReduceOp found;
  for (Operation *user : axis->getUsers()) {
    auto reduce = dyn_cast<ReduceOp>(user);
    if (!reduce || !llvm::is_contained(reduce.getRanges(), axis.getResult()))
      continue;
    if (found || reduce.getRanges().size() != 1 || reduce.getInputs().size() != 1)
      return {};
    found = reduce;
  }
  return found ? found.getInputs().front() : Value();
}

/// True when `b` is the computation `a` with the one range in place of the other.
static bool isSameAlong(Value a, RangeOp from, Value b, RangeOp to) {
  SmallVector<std::pair<Value, Value>> pending{{a, b}};
  llvm::DenseSet<std::pair<Value, Value>> seen;
  while (!pending.empty()) {
    auto [x, y] = pending.pop_back_val();
    if (x == from.getResult() || y == to.getResult()) {
      if (x != from.getResult() || y != to.getResult())
        return false;
      continue;
    }
    if (x == y || !seen.insert({x, y}).second)
      continue;
    Operation *left = x.getDefiningOp(), *right = y.getDefiningOp();
    if (!left || !right || left->getName() != right->getName() || left->getNumRegions() != 0 ||
        left->getAttrDictionary() != right->getAttrDictionary() || left->getNumOperands() != right->getNumOperands() ||
        isa<RangeOp, StageOp>(left) ||
        cast<OpResult>(x).getResultNumber() != cast<OpResult>(y).getResultNumber())
      return false;
    for (auto [p, q] : llvm::zip_equal(left->getOperands(), right->getOperands()))
      pending.push_back({p, q});
  }
  return true;
}

SmallVector<RepeatedValue> findRepeated(Value value, RangeOp axis) {
  SmallVector<RepeatedValue> repeated;
  Operation *def = value.getDefiningOp();
  if (!def || isa<KernelDialect>(def->getDialect()))
    return repeated;
  SmallVector<Operation *> order = sortByDependence(*axis->getBlock());
  RangeSets sets(order);
  for (Operation *op : order) {
    if (op->getName() != def->getName() || op->getNumResults() != 1 || op == def)
      continue;
    Value other = op->getResult(0);
    for (unsigned position : sets.getOpen(other)) {
      RangeOp range = sets.getRanges()[position];
      if (range != axis && range.getExtent() == axis.getExtent() && isSameAlong(value, axis, other, range)) {
        repeated.push_back({other, range});
        break;
      }
    }
  }
  return repeated;
}

std::string whyNotStageInput(RangeOp axis) {
  Value value = findReducedInput(axis);
  if (!value)
    return llvm::formatv("no reduction of one input is over axis {0} alone", axis.getId());
  if (findRepeated(value, axis).empty())
    return llvm::formatv("nothing computes again what is reduced over axis {0}", axis.getId());
  return whyNotStage(value, {axis});
}

StageOp stageInput(RewriterBase &rewriter, RangeOp axis, StageSpace space) {
  Value value = findReducedInput(axis);
  SmallVector<RepeatedValue> repeated = findRepeated(value, axis);
  StageOp stage = stageValue(rewriter, value, {axis}, space);
  for (RepeatedValue &other : repeated) {
    rewriter.setInsertionPointAfter(other.value.getDefiningOp());
    auto load = LoadOp::create(rewriter, other.value.getLoc(), other.value.getType(), stage.getTile(),
                               other.axis.getResult(), Value());
    rewriter.replaceAllUsesWith(other.value, load);
  }
  return stage;
}

} // namespace tiny::kernel
