// Finds the rows that passes compute again, and what of them takes a function.
#include "RepeatedRows.h"

#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Lazy/Shapes.h"

using namespace mlir;

namespace tiny::lazy {

/// No value that a row is kept of is computed from more.
static constexpr unsigned kMostSteps = 256;

/// Whether what `op` is computed from lies along its last axis as lanes want it: side by side, or one element for all.
static bool isReadInOrder(Operation *op) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  std::vector<std::pair<Value, ShapeTracker>> pending{{op->getResult(0), ShapeTracker::identity(shape)}};
  for (unsigned steps = 0; !pending.empty(); ++steps) {
    auto [value, tracker] = std::move(pending.back());
    pending.pop_back();
    Operation *def = value.getDefiningOp();
    if (!tracker || steps == kMostSteps)
      return false;
    if (def && isPointwise(def)) {
      for (Value operand : def->getOperands())
        pending.push_back({operand, tracker});
    } else if (def && isMovement(def)) {
      Value source = def->getOperand(0);
      pending.push_back(
          {source, applyMovement(def, ShapeTracker::identity(shapeOf(source))).compose(tracker).simplify()});
    } else {
      if (tracker.views().size() != 1)
        return false;
      const View &view = tracker.views().front();
      for (auto [size, stride] : llvm::reverse(llvm::zip_equal(view.getShape(), view.getStrides())))
        if (size != 1) {
          if (stride != 0 && stride != 1)
            return false;
          break;
        }
    }
  }
  return true;
}

std::optional<Domains::Row> findKeptRow(Operation *op, const Wanted &wanted, const Domains &domains,
                                        const cost::CostModel &costs) {
  if (wanted.overflow)
    return std::nullopt;
  std::optional<Domains::Row> row = domains.findSharedRow(wanted.domains, shapeOf(op->getResult(0)));
  if (!row || (row->inside > 1 && row->inside < costs.columnLanes))
    return std::nullopt;
  double bytes = FusionHints::countBytes(op) / countResultElements(op) * row->elements;
  bool fits = bytes * (row->inside > 1 ? costs.columnLanes : 1) <= costs.largestRow;
  return fits && isReadInOrder(op) ? row : std::nullopt;
}

std::optional<Domains::Row> findRepeatedRow(const LazyGraph &graph, unsigned k, const Wanted &wanted,
                                            const Domains &domains, const FusionHints &hints,
                                            const cost::CostModel &costs) {
  Operation *op = graph.nodes[k].op;
  if (wanted.overflow || wanted.domains.size() < 2)
    return std::nullopt;
  std::optional<Domains::Row> row = domains.findSharedRow(wanted.domains, shapeOf(op->getResult(0)));
  if (!row || row->elements < 2)
    return std::nullopt;
  double bytes = FusionHints::countBytes(op) / countResultElements(op) * row->elements;
  if (!wanted.exceedsLimit() && hints.prefersRecomputation(k, wanted.domains.size()) && bytes <= costs.largestRow)
    return row;
  return findKeptRow(op, wanted, domains, costs);
}

bool wantsReductionAgain(const LazyGraph &graph, unsigned k, const std::vector<bool> &isReduced, const Wanted &wanted,
                         const Domains &domains) {
  return llvm::any_of(graph.producers(k), [&](int input) {
    return input >= 0 && graph.nodes[input].kind == LazyNode::movement && isReduced[input] &&
           domains.repeats(wanted.domains, graph.nodes[input].op);
  });
}

bool takesFunction(const LazyGraph &graph, unsigned k, llvm::function_ref<bool(unsigned)> isRead) {
  SmallVector<unsigned> pending{k};
  llvm::SmallDenseSet<unsigned> seen;
  while (!pending.empty()) {
    unsigned next = pending.pop_back_val();
    Operation *op = graph.nodes[next].op;
    // What is repeated along axes is computed once for these.
    bool handsOn = isMovement(op) && ShapedType::getNumElements(shapeOf(op->getResult(0))) <=
                                         ShapedType::getNumElements(shapeOf(op->getOperand(0)));
    if (!seen.insert(next).second || !(handsOn || isPointwise(op)) || (next != k && isRead(next)))
      continue;
    if (target::isFunction(op))
      return true;
    for (Value operand : op->getOperands())
      if (auto input = graph.producer(operand))
        pending.push_back(*input);
  }
  return false;
}

} // namespace tiny::lazy
