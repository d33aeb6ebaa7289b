// What a reduction combines, kept for whatever computes the same again along another axis.
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Transforms/Kernel/Stage.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

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

using OpsByName = llvm::DenseMap<OperationName, SmallVector<Operation *>>;

/// The values which are along another axis of the same extent what `value` is along `axis`.
static SmallVector<RepeatedValue> findRepeated(Value value, RangeOp axis, const llvm::DenseSet<Value> &varying,
                                               const OpsByName &ops) {
  SmallVector<RepeatedValue> repeated;
  Operation *def = value.getDefiningOp();
  auto same = ops.find(def->getName());
  if (same == ops.end())
    return repeated;
  for (Operation *op : same->second)
    if (op != def)
      if (RangeOp range = findSameAlong(value, axis, varying, op->getResult(0)))
        repeated.push_back({op->getResult(0), range});
  return repeated;
}

bool isFunction(Operation *op) {
  return isa_and_present<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp>(op);
}

/// True when computing the value again costs more than to store and load it: a function is among what it takes.
static bool isCostly(Value value, const llvm::DenseSet<Value> &varying) {
  SmallVector<Value> pending{value};
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || isa<KernelDialect>(op->getDialect()) || !varying.contains(next) || !seen.insert(op).second)
      continue;
    if (isFunction(op))
      return true;
    llvm::append_range(pending, op->getOperands());
  }
  return false;
}

/// The reductions over the axis; none where one is over others too.
static SmallVector<ReduceOp> findReductions(RangeOp axis) {
  SmallVector<ReduceOp> reductions;
  for (Operation *user : axis->getUsers()) {
    auto reduce = dyn_cast<ReduceOp>(user);
    if (!reduce || !llvm::is_contained(reduce.getRanges(), axis.getResult()))
      continue;
    if (reduce.getRanges().size() != 1)
      return {};
    reductions.push_back(reduce);
  }
  // Users come in no order that means something.
  llvm::sort(reductions, [](ReduceOp a, ReduceOp b) { return a->isBeforeInBlock(b); });
  return reductions;
}

SharedInput findSharedInput(RangeOp axis) {
  SharedInput shared;
  SmallVector<Value> pending;
  for (ReduceOp reduce : findReductions(axis))
    llvm::append_range(pending, reduce.getInputs());
  if (pending.empty())
    return shared;
  llvm::DenseSet<Value> varying = findVarying(axis);
  OpsByName ops;
  for (Operation &op : *axis->getBlock())
    if (!isa<KernelDialect>(op.getDialect()) && op.getNumResults() == 1)
      ops[op.getName()].push_back(&op);
  llvm::DenseSet<Value> seen;
  for (size_t k = 0; k < pending.size(); ++k) {
    Value value = pending[k];
    Operation *op = value.getDefiningOp();
    if (!op || isa<KernelDialect>(op->getDialect()) || !varying.contains(value) || !seen.insert(value).second)
      continue;
    SmallVector<RepeatedValue> repeated = findRepeated(value, axis, varying, ops);
    if (repeated.empty()) {
      llvm::append_range(pending, op->getOperands());
      continue;
    }
    bool costs = isCostly(value, varying);
    if (!shared.value || costs)
      shared = {value, std::move(repeated), costs};
    if (costs)
      break;
  }
  return shared;
}

std::string whyNotStageInput(RangeOp axis) {
  if (findReductions(axis).empty())
    return llvm::formatv("no reduction is over axis {0} alone", axis.getId());
  SharedInput shared = findSharedInput(axis);
  if (!shared.value)
    return llvm::formatv("nothing computes again what is reduced over axis {0}, or a part of it", axis.getId());
  return whyNotStage(shared.value, {axis});
}

StageOp stageInput(RewriterBase &rewriter, RangeOp axis, StageSpace space) {
  SharedInput shared = findSharedInput(axis);
  StageOp stage = stageValue(rewriter, shared.value, {axis}, space);
  for (RepeatedValue &other : shared.repeated) {
    rewriter.setInsertionPointAfter(other.value.getDefiningOp());
    auto load = LoadOp::create(rewriter, other.value.getLoc(), other.value.getType(), stage.getTile(),
                               other.axis.getResult(), Value());
    rewriter.replaceAllUsesWith(other.value, load);
  }
  return stage;
}

} // namespace tiny::kernel
