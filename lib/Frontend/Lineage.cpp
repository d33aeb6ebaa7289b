// What realised values were computed from, for one question: whether a loss depends on a target through one of them.
// A realised value is a constant for gradients. Where that drops a part of a gradient, it is an error, not another
// value.
#include "GraphState.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tiny::frontend {

namespace {

/// Calls `visit` with each node that a value is computed from through floats and without `tiny.detach`, itself first,
/// once each. Does not go beyond nodes for which `visit` gives false.
void walkBackwards(const Node &start, llvm::function_ref<bool(const Node &)> visit) {
  llvm::SmallVector<const Node *> open = {&start};
  llvm::DenseSet<const Node *> seen = {&start};
  while (!open.empty()) {
    const Node *node = open.pop_back_val();
    if (!visit(*node) || !node->holder || isa<tensor::DetachOp>(node->holder->op))
      continue;
    for (const NodePtr &operand : node->holder->operands)
      if (isFloat(operand->type.dtype) && seen.insert(operand.get()).second)
        open.push_back(operand.get());
  }
}

} // namespace

std::vector<std::weak_ptr<Node>> findSources(const NodePtr &node) {
  std::vector<std::weak_ptr<Node>> sources;
  if (!isFloat(node->type.dtype))
    return sources;
  // Those that someone has a handle on, which are all that may be targets later: more refer to them than operations do.
  llvm::DenseMap<const Node *, long> references;
  llvm::DenseSet<const Holder *> counted;
  llvm::SmallVector<const NodePtr *> found;
  walkBackwards(*node, [&](const Node &reached) {
    if (!reached.holder || !counted.insert(reached.holder.get()).second)
      return true;
    for (const NodePtr &operand : reached.holder->operands)
      if (isFloat(operand->type.dtype) && references[operand.get()]++ == 0)
        found.push_back(&operand);
    return true;
  });
  for (const NodePtr *source : found)
    if (source->use_count() > references.lookup(source->get()))
      sources.emplace_back(*source);
  return sources;
}

std::optional<size_t> findLostTarget(const NodePtr &loss, const std::vector<NodePtr> &targets) {
  llvm::DenseMap<const Node *, size_t> places;
  for (auto [place, target] : llvm::enumerate(targets))
    places.try_emplace(target.get(), place);
  std::optional<size_t> lost;
  llvm::DenseSet<const Node *> seen;
  llvm::SmallVector<NodePtr> open;
  auto addSources = [&](const Node &node) {
    for (const std::weak_ptr<Node> &source : node.sources)
      if (NodePtr alive = source.lock(); alive && seen.insert(alive.get()).second)
        open.push_back(std::move(alive));
  };
  walkBackwards(*loss, [&](const Node &node) {
    if (places.contains(&node))
      return false;
    addSources(node);
    return true;
  });
  while (!open.empty() && !lost) {
    NodePtr node = open.pop_back_val();
    if (auto place = places.find(node.get()); place != places.end())
      lost = place->second;
    else
      addSources(*node);
  }
  return lost;
}

} // namespace tiny::frontend
