#include "Concatenations.h"

#include "FusionHints.h"
#include "Tiny/Dialect/Lazy/Parts.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::lazy {

using GetOnlyUse = llvm::function_ref<std::optional<Domains::Id>(unsigned)>;

std::vector<bool> findSelections(const LazyGraph &graph) {
  std::vector<bool> selectsParts(graph.nodes.size(), false);
  for (auto [k, node] : llvm::enumerate(graph.nodes)) {
    if (node.kind != LazyNode::compute || isa<ReduceOp, ContiguousOp>(node.op))
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

static Concatenation::Part describe(const LazyGraph &graph, const Domains &domains, unsigned k, const Slice &slice,
                                    GetOnlyUse getOnlyUse) {
  Concatenation::Part part{slice.begin, slice.end, graph.nodes[k].op->getResult(0), {}};
  auto indices = [&](int64_t axis) {
    auto shape = cast<RankedTensorType>(part.chosen.getType()).getShape();
    return domains.getIndices(slice.domain, shape, axis);
  };
  while (Operation *op = part.chosen.getDefiningOp()) {
    Value chosen = choosePart(op, indices);
    if (!chosen)
      break;
    part.chosen = chosen;
  }
  auto source = graph.producer(part.chosen);
  while (source && graph.nodes[*source].kind == LazyNode::movement)
    source = graph.producer(graph.nodes[*source].op->getOperand(0));
  if (!source || *source == k)
    return part;
  const LazyNode &node = graph.nodes[*source];
  if (node.kind != LazyNode::compute || node.isBoundary() || node.op->getNumResults() != 1)
    return part;
  Value value = node.op->getResult(0);
  std::optional<Domains::Id> use = getOnlyUse(*source);
  if (use && domains.isWhole(*use, cast<RankedTensorType>(value.getType()).getShape(), slice.domain))
    part.stored = value;
  return part;
}

static double countBytesRead(const PlannedKernel &kernel) {
  double bytes = 0;
  for (Value input : kernel.inputs)
    if (auto type = dyn_cast<RankedTensorType>(input.getType()); type && type.getElementType().isIntOrFloat())
      bytes += double(type.getNumElements()) * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return bytes;
}

std::vector<Concatenation> findConcatenations(const LazyGraph &graph, const Domains &domains,
                                              const StoredSlices &concatenated, ArrayRef<PlannedKernel> kernels,
                                              const CostModel &costs, GetOnlyUse getOnlyUse) {
  llvm::DenseMap<Value, const PlannedKernel *> kernelOf;
  for (const PlannedKernel &kernel : kernels)
    for (Value root : kernel.roots)
      kernelOf[root] = &kernel;
  std::vector<Concatenation> found;
  for (const auto &[k, slices] : concatenated) {
    Concatenation whole{graph.nodes[k].op, slices.front().axis, {}};
    double moved = 0, lost = 0;
    unsigned runs = 0;
    bool isStored = true;
    const PlannedKernel *previous = nullptr;
    llvm::MapVector<const PlannedKernel *, size_t> stores; // how many of its results are parts
    for (const Slice &slice : slices) {
      whole.parts.push_back(describe(graph, domains, k, slice, getOnlyUse));
      Value value = whole.parts.back().stored;
      moved += value ? 2 * FusionHints::countBytes(value.getDefiningOp()) * costs.byteMoved : 0;
      // Parts that are results of one kernel stay so side by side. Else they become kernels of their own, and each
      // reads what they share.
      const PlannedKernel *kernel = kernelOf.lookup(value);
      if (kernel && ++stores[kernel] > 1 && kernel != previous)
        lost += costs.launch + countBytesRead(*kernel) * costs.byteMoved;
      previous = kernel;
      runs += !value && isStored;
      isStored = static_cast<bool>(value);
    }
    // So does what they leave of such a kernel.
    for (auto [kernel, count] : stores)
      if (count < kernel->roots.size())
        lost += costs.launch + countBytesRead(*kernel) * costs.byteMoved;
    // What is left between the slices is a kernel for each run of it, instead of one that copies too.
    lost += runs > 1 ? (runs - 1) * costs.launch : 0;
    if (moved != 0 && lost <= moved)
      found.push_back(std::move(whole));
  }
  return found;
}

} // namespace tiny::lazy
