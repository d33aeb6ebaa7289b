#include "FusionHints.h"

#include "ElementProduct.h"
#include "Tiny/Dialect/Lazy/Lazy.h"

#include <limits>

using namespace mlir;

namespace tiny::lazy {

void FusionHints::accumulateWeights() {
  weight.assign(graph.nodes.size() + 1, 0);
  for (auto [k, node] : llvm::enumerate(graph.nodes)) {
    if (node.kind != LazyNode::compute || !isPointwise(node.op)) {
      // A movement hands on; a buffer or a reduction is read.
      if (node.kind == LazyNode::movement)
        weight[graph.postDominator(k)] += weight[k];
      continue;
    }
    weight[k] += CostModel::weight(node.op);
    // Copied as often as may be it would not pay: whoever needs more than one copy finds it stored.
    bool likelyStored = !node.op->hasOneUse() && !prefersRecomputation(k, costs.maxCopies);
    if (!node.isBoundary() && !likelyStored)
      weight[graph.postDominator(k)] += weight[k];
  }
}

void FusionHints::findIndexArithmetic() {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  indexCost.assign(graph.nodes.size(), infinite);
  for (auto [k, node] : llvm::enumerate(graph.nodes)) {
    if (node.kind == LazyNode::source)
      indexCost[k] = 0;
    if (node.isBoundary() ||
        (node.kind != LazyNode::movement && (node.kind != LazyNode::compute || !isElementwise(node.op))))
      continue;
    double cost = node.kind == LazyNode::movement ? 0 : CostModel::weight(node.op);
    for (Value operand : node.op->getOperands()) {
      auto input = graph.producer(operand);
      cost += input ? indexCost[*input] : infinite;
    }
    indexCost[k] = cost;
  }
}

double FusionHints::countBytes(Operation *op) {
  Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  // What has no width of its own is as wide as an address.
  unsigned width = element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
  return countResultElements(op) * width;
}

bool FusionHints::prefersRecomputation(unsigned node, double copies) const {
  Operation *op = graph.nodes[node].op;
  double elements = countResultElements(op);
  return costs.prefersRecomputation(elements, countBytes(op), copies * elements, weight[node]);
}

void FusionHints::findEpilogues() {
  constexpr size_t maxTracked = 4;
  epilogues.assign(graph.nodes.size(), {});
  leaves.assign(graph.nodes.size(), graph.nodes.size());
  for (unsigned k = 0; k < graph.nodes.size(); ++k) {
    const LazyNode &node = graph.nodes[k];
    auto &own = epilogues[k];
    if (!node.live || (node.kind != LazyNode::movement && node.kind != LazyNode::compute))
      continue;
    for (Value operand : node.op->getOperands()) {
      auto input = graph.producer(operand);
      if (!input || graph.nodes[*input].isBoundary())
        continue;
      double elements = cast<RankedTensorType>(operand.getType()).getNumElements();
      bool follows = !isa<ReduceOp, ContiguousOp>(node.op) && countResultElements(node.op) <= elements;
      for (unsigned reduce : epilogues[*input])
        if (!follows)
          leaves[reduce] = std::min(leaves[reduce], k);
        else if (own.size() < maxTracked && !llvm::is_contained(own, reduce))
          own.push_back(reduce);
    }
    if (isa<ReduceOp>(node.op))
      own = {k};
  }
}

/// The sum of what `op` multiplies.
static ReduceOp getSumOfProduct(Operation *op) {
  if (!isa<arith::MulFOp, arith::MulIOp>(op) || !op->hasOneUse())
    return {};
  auto reduce = dyn_cast<ReduceOp>(*op->user_begin());
  using Kind = arith::AtomicRMWKind;
  bool isSum = reduce && (reduce.getKind() == Kind::addf || reduce.getKind() == Kind::addi);
  return isSum ? reduce : ReduceOp();
}

bool FusionHints::isPackedBy(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (ReduceOp sum = getSumOfProduct(user)) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(use.get().getType()).getShape();
    ShapeTracker tracker = skipMovements(use.get(), ShapeTracker::identity(shape)).tracker;
    return llvm::any_of(llvm::seq<int64_t>(0, shape.size()), [&](int64_t axis) {
      return shape[axis] > 1 && !llvm::is_contained(sum.getAxes(), axis) && isInvariant(tracker, axis);
    });
  }
  if (user->getNumResults() == 0)
    return false;
  auto reader = graph.producer(user->getResult(0));
  return reader && !graph.nodes[*reader].isBoundary() && packed[*reader];
}

bool FusionHints::isProduct(ReduceOp reduce) const {
  Operation *product = reduce.getInputs().front().getDefiningOp();
  return product && getSumOfProduct(product) == reduce &&
         llvm::all_of(product->getOpOperands(), [&](OpOperand &factor) { return isPackedBy(factor); });
}

void FusionHints::findPacked() {
  packed.assign(graph.nodes.size(), false);
  for (unsigned k = graph.nodes.size(); k-- > 0;) {
    const LazyNode &node = graph.nodes[k];
    if (node.live && (node.kind == LazyNode::movement || (node.kind == LazyNode::compute && isPointwise(node.op))))
      packed[k] = llvm::all_of(node.op->getUses(), [&](OpOperand &use) { return isPackedBy(use); });
  }
}

bool FusionHints::endsReduction(unsigned node) const {
  return llvm::any_of(epilogues[node], [&](unsigned reduce) {
    return reduce != node && node < leaves[reduce] && graph.isPostDominatedBy(reduce, node);
  });
}

bool FusionHints::endsSmallReduction(unsigned node) const {
  return llvm::all_of(epilogues[node], [&](unsigned reduce) {
    auto type = cast<RankedTensorType>(graph.nodes[reduce].op->getOperand(0).getType());
    return type.getNumElements() <= costs.nestedReduction;
  });
}

} // namespace tiny::lazy
