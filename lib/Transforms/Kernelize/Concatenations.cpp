#include "Concatenations.h"

#include "Tiny/Dialect/Lazy/Parts.h"

using namespace mlir;

namespace tiny::lazy {

std::vector<bool> findSelections(const LazyGraph &graph) {
  std::vector<bool> selectsParts(graph.nodes.size(), false);
  for (auto [k, node] : llvm::enumerate(graph.nodes)) {
    if (node.kind != LazyNode::compute || isa<ReduceOp, ScanOp, ContiguousOp>(node.op))
      continue;
    auto select = dyn_cast<arith::SelectOp>(node.op);
    selectsParts[k] = select && getThreshold(select.getCondition());
    for (int input : graph.producers(k))
      selectsParts[k] = selectsParts[k] || (input >= 0 && selectsParts[input]);
  }
  return selectsParts;
}

bool readsOver(const Domains &domains, Operation *user, Value operand, Domains::Id id) {
  auto shape = cast<RankedTensorType>(operand.getType()).getShape();
  Value chosen = choosePart(user, [&](int64_t axis) { return domains.getIndices(id, shape, axis); });
  return !chosen || chosen == operand;
}

bool isWholePart(const Domains &domains, ArrayRef<Slice> slices, Value value, Domains::Id use) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  return llvm::any_of(slices, [&](const Slice &slice) { return domains.isWhole(use, shape, slice.domain); });
}

} // namespace tiny::lazy
