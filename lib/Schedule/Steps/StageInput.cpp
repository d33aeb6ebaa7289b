// What a reduction combines, kept for whatever computes the same again along another axis.
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Schedule/Steps/Stage.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

/// An index has fewer terms; of a longer sum, operands are compared as they stand.
static constexpr size_t kMostTerms = 32;

/// The operands of the operation; of a sum of sums, all terms.
static SmallVector<Value> listOperands(Operation *op) {
  SmallVector<Value> operands(op->getOperands()), terms;
  if (!isa<arith::AddIOp>(op))
    return operands;
  SmallVector<Value> pending(llvm::reverse(operands));
  while (!pending.empty()) {
    if (terms.size() + pending.size() > kMostTerms)
      return operands;
    Value term = pending.pop_back_val();
    if (auto sum = term.getDefiningOp<arith::AddIOp>())
      llvm::append_values(pending, sum.getRhs(), sum.getLhs());
    else
      terms.push_back(term);
  }
  return terms;
}

/// Drops from both what both have and the range does not reach. The terms of an index stand in another order where the
/// row is not the innermost axis.
static void dropShared(SmallVectorImpl<Value> &left, SmallVectorImpl<Value> &right,
                       const llvm::DenseSet<Value> &varying) {
  llvm::erase_if(left, [&](Value value) {
    auto *same = varying.contains(value) ? right.end() : llvm::find(right, value);
    if (same == right.end())
      return false;
    right.erase(same);
    return true;
  });
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
      // A shared value that varies along the range means one point in one and all points in the other.
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
    SmallVector<Value> ours = listOperands(left), theirs = listOperands(right);
    if (left->hasTrait<OpTrait::IsCommutative>())
      dropShared(ours, theirs, varying);
    if (ours.size() != theirs.size())
      return nullptr;
    for (auto [p, q] : llvm::zip_equal(ours, theirs))
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
    bool costs = takesFunction(value, &varying);
    if (!shared.value || costs)
      shared = {value, std::move(repeated), costs};
    if (costs)
      break;
  }
  return shared;
}

int64_t countTileBytes(const SharedInput &shared, RangeOp axis) {
  Type type = getElementTypeOrSelf(shared.value);
  int64_t bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : IndexType::kInternalStorageBitWidth;
  return axis.getExtent() * llvm::divideCeil(bits, 8);
}

/// The axes of the tile: the reduced one is its slowest.
static SmallVector<RangeOp> listAxes(RangeOp axis, ArrayRef<RangeOp> others) {
  SmallVector<RangeOp> axes{axis};
  llvm::append_range(axes, others);
  return axes;
}

std::string whyNotStageInput(RangeOp axis, ArrayRef<RangeOp> others) {
  if (findReductions(axis).empty())
    return llvm::formatv("no reduction is over axis {0} alone", axis.getId());
  SharedInput shared = findSharedInput(axis);
  if (!shared.value)
    return llvm::formatv("nothing computes again what is reduced over axis {0}, or a part of it", axis.getId());
  return whyNotStage(shared.value, listAxes(axis, others));
}

StageOp stageInput(RewriterBase &rewriter, RangeOp axis, ArrayRef<RangeOp> others, StageSpace space) {
  SharedInput shared = findSharedInput(axis);
  StageOp stage = stageValue(rewriter, shared.value, listAxes(axis, others), space);
  for (RepeatedValue &repeated : shared.repeated) {
    rewriter.setInsertionPointAfter(repeated.value.getDefiningOp());
    Location loc = repeated.value.getLoc();
    Value index = createTileIndex(rewriter, loc, listAxes(repeated.axis, others));
    auto load = LoadOp::create(rewriter, loc, repeated.value.getType(), stage.getTile(), index, Value());
    rewriter.replaceAllUsesWith(repeated.value, load);
  }
  return stage;
}

} // namespace tiny::kernel
