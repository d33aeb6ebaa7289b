// What realised values were computed from, for one question: whether a loss depends on a target through one of them.
// A realised value is a constant for gradients. Where that drops a part of a gradient, it is an error, not another
// value.
#include "Program.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

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

std::vector<std::vector<std::weak_ptr<Node>>> findSources(const Program &program) {
  // Those that someone has a handle on, which are all that may be targets later: more refer to them than operations do.
  std::vector<long> references(program.places);
  program.forEachHolder([&](const Holder &holder, auto) {
    for (const NodePtr &operand : holder.operands)
      ++references[operand->place];
  });
  std::vector<const NodePtr *> held;
  std::vector<size_t> bits(program.places, ~size_t(0));
  for (const NodePtr *node : program.nodes)
    if (isFloat((*node)->type.dtype) && node->use_count() > references[(*node)->place]) {
      bits[(*node)->place] = held.size();
      held.push_back(node);
    }
  // Which of them each value is computed from.
  std::vector<llvm::SmallBitVector> reached(program.places, llvm::SmallBitVector(held.size()));
  program.forEachHolder([&](const Holder &holder, ArrayRef<const NodePtr *> results) {
    if (isa<tensor::DetachOp>(holder.op))
      return;
    llvm::SmallBitVector sources(held.size());
    for (const NodePtr &operand : holder.operands) {
      if (!isFloat(operand->type.dtype))
        continue;
      sources |= reached[operand->place];
      if (size_t bit = bits[operand->place]; bit != ~size_t(0))
        sources.set(bit);
    }
    for (const NodePtr *result : results)
      if (isFloat((*result)->type.dtype))
        reached[(*result)->place] = sources;
  });
  std::vector<std::vector<std::weak_ptr<Node>>> sources(program.wanted.size());
  for (auto [node, found] : llvm::zip_equal(program.wanted, sources))
    for (unsigned bit : reached[node->place].set_bits())
      found.emplace_back(*held[bit]);
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
