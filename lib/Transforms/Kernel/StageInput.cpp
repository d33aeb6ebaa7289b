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

/// The range in place of which `b` is the computation `a` with the range `from`; none if it is another computation.
/// `varying` is what depends on `from`.
static RangeOp findSameAlong(Value a, RangeOp from, const llvm::DenseSet<Value> &varying, Value b) {
  RangeOp to;
  SmallVector<std::pair<Value, Value>> pending{{a, b}};
  llvm::DenseSet<std::pair<Value, Value>> seen;
  while (!pending.empty()) {
    auto [x, y] = pending.pop_back_val();
    if (x == from.getResult()) {
      auto range = y.getDefiningOp<RangeOp>();
      if (!range || range == from || range.getExtent() != from.getExtent() || (to && range != to))
        return nullptr;
      to = range;
      continue;
    }
    if (x == y) {
      // What both share stands for one point of the range in the one, and for all in the other.
      if (varying.contains(x))
        return nullptr;
      continue;
    }
    if (!seen.insert({x, y}).second)
      continue;
    Operation *left = x.getDefiningOp(), *right = y.getDefiningOp();
    if (!left || !right || left->getNumRegions() != 0 || isa<RangeOp, StageOp>(left) ||
        !OperationEquivalence::isEquivalentTo(left, right, OperationEquivalence::ignoreValueEquivalence, nullptr,
                                              OperationEquivalence::IgnoreLocations) ||
        cast<OpResult>(x).getResultNumber() != cast<OpResult>(y).getResultNumber())
      return nullptr;
    for (auto [p, q] : llvm::zip_equal(left->getOperands(), right->getOperands()))
      pending.push_back({p, q});
  }
  return to;
}

SmallVector<RepeatedValue> findRepeated(Value value, RangeOp axis) {
  SmallVector<RepeatedValue> repeated;
  Operation *def = value.getDefiningOp();
  if (!def || isa<KernelDialect>(def->getDialect()))
    return repeated;
  llvm::DenseSet<Value> varying = findVarying(axis);
  for (Operation &op : *axis->getBlock())
    if (op.getName() == def->getName() && op.getNumResults() == 1 && &op != def)
      if (RangeOp range = findSameAlong(value, axis, varying, op.getResult(0)))
        repeated.push_back({op.getResult(0), range});
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
