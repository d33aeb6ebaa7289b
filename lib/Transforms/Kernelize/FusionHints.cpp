// Facts about a graph that decide fusion: weights of recomputation, epilogues of reductions, operands of products.
#include "FusionHints.h"

#include "Tiny/Analysis/Lazy/ElementProduct.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;

namespace tiny::lazy {

void FusionHints::accumulateWeights() {
  weight.assign(graph.nodes.size() + 1, 0);
  wholeWeight = weight;
  for (auto [k, node] : llvm::enumerate(graph.nodes)) {
    if (node.kind != LazyNode::compute || !isPointwise(node.op)) {
      // A movement hands on; a buffer or a reduction is read.
      if (node.kind == LazyNode::movement) {
        weight[graph.postDominator(k)] += weight[k];
        wholeWeight[graph.postDominator(k)] += wholeWeight[k];
      }
      continue;
    }
    weight[k] += costs.getWeight(target::classify(node.op));
    wholeWeight[k] += costs.getWeight(target::classify(node.op));
    // Copied as often as may be it would not pay: whoever needs more than one copy finds it stored.
    bool likelyStored = !node.op->hasOneUse() && !prefersRecomputation(k, costs.maxEvaluations);
    if (!node.isBoundary() && !likelyStored)
      weight[graph.postDominator(k)] += weight[k];
    if (!node.isBoundary())
      wholeWeight[graph.postDominator(k)] += wholeWeight[k];
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
    double cost = node.kind == LazyNode::movement ? 0 : costs.getWeight(target::classify(node.op));
    for (Value operand : node.op->getOperands()) {
      auto input = graph.producer(operand);
      cost += input ? indexCost[*input] : infinite;
    }
    indexCost[k] = cost;
  }
}

double FusionHints::countBytes(Operation *op) {
  Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  // A type without a width of its own, such as index, is as wide as an address.
  unsigned width = element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
  return countResultElements(op) * width;
}

bool FusionHints::prefersRecomputation(unsigned node, double copies) const {
  Operation *op = graph.nodes[node].op;
  double elements = countResultElements(op);
  return costs.prefersRecomputation(elements, countBytes(op), copies * elements, weight[node]);
}

SmallVector<ReasonNumber, 2> FusionHints::weighSides(unsigned node, double copies) const {
  Operation *op = graph.nodes[node].op;
  double elements = countResultElements(op);
  return {{"recomputation", costs.getRecomputationCost(elements, copies * elements, weight[node])},
          {"buffer", costs.getBufferCost(countBytes(op))}};
}

bool FusionHints::prefersRereading(unsigned node, double copies) const {
  Operation *op = graph.nodes[node].op;
  double elements = countResultElements(op);
  return costs.prefersRecomputation(elements, countBytes(op), copies * elements, wholeWeight[node], /*launches=*/0);
}

bool FusionHints::prefersRepeat(ReduceOp reduce, double results, double rows, double combined) const {
  double each = reduce.getNumResults();
  for (Value operand : reduce.getInputs())
    if (auto input = graph.producer(operand))
      each += weight[*input];
  return rows <= costs.maxEvaluations * results &&
         costs.prefersRecomputation(results, countBytes(reduce), rows, combined / rows * each);
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
      bool follows = !isa<ReduceOp, ScanOp, ContiguousOp>(node.op) && countResultElements(node.op) <= elements;
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

bool FusionHints::isPackedBy(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (std::optional<SumOfProduct> of = getSumOfProduct(user)) {
    ShapeTracker view = viewThroughMovements(use.get(), of->view);
    ArrayRef<int64_t> shape = view.shape();
    return llvm::any_of(llvm::seq<int64_t>(0, shape.size()), [&](int64_t axis) {
      return shape[axis] > 1 && !llvm::is_contained(of->sum.getAxes(), axis) && isInvariant(view, axis);
    });
  }
  if (user->getNumResults() == 0)
    return false;
  auto reader = graph.producer(user->getResult(0));
  return reader && !graph.nodes[*reader].isBoundary() && packed[*reader];
}

bool FusionHints::isProduct(ReduceOp reduce) const {
  Operation *product = reduce.getInputs().front().getDefiningOp();
  while (product && isMovement(product))
    product = product->getOperand(0).getDefiningOp();
  std::optional<SumOfProduct> of = product ? getSumOfProduct(product) : std::nullopt;
  return of && of->sum == reduce &&
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

unsigned FusionHints::findEnd(unsigned reduce) const {
  unsigned end = reduce;
  double elements = countResultElements(graph.nodes[reduce].op);
  for (unsigned k = graph.postDominator(reduce); k < graph.nodes.size(); k = graph.postDominator(k)) {
    const LazyNode &node = graph.nodes[k];
    if (node.isBoundary() || countResultElements(node.op) != elements)
      break;
    if (node.kind == LazyNode::compute && isPointwise(node.op))
      end = k;
    else if (node.kind != LazyNode::movement)
      break;
  }
  return end;
}

bool FusionHints::endsSmallReduction(unsigned node) const {
  return llvm::all_of(epilogues[node], [&](unsigned reduce) {
    auto type = cast<RankedTensorType>(graph.nodes[reduce].op->getOperand(0).getType());
    return costs.isSmall(type.getNumElements()) || isWritten(cast<ReduceOp>(graph.nodes[reduce].op));
  });
}

bool FusionHints::readsReduction(ReduceOp reduce) const {
  return llvm::any_of(reduce.getInputs(), [&](Value input) {
    std::optional<unsigned> from = graph.producer(input);
    return from && endsReduction(*from);
  });
}

/// Most elements that stand in one body, and as many of products of bytes, of which an instruction may add up four.
static constexpr double kMostWritten = 4, kMostWrittenBytes = 32;

static Operation *skipMovements(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isMovement(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// Whether a reduction is a sum of products of bytes.
static bool sumsBytes(ReduceOp reduce) {
  Operation *product =
      reduce.getKind() == arith::AtomicRMWKind::addi ? skipMovements(reduce.getInputs().front()) : nullptr;
  return isa_and_present<arith::MulIOp>(product) && llvm::all_of(product->getOperands(), [](Value factor) {
           Operation *cast = skipMovements(factor);
           return isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(cast) &&
                  getElementTypeOrSelf(cast->getOperand(0)).isInteger(8);
         });
}

bool FusionHints::isWritten(ReduceOp reduce) const {
  auto type = cast<RankedTensorType>(reduce.getInputs().front().getType());
  double most = sumsBytes(reduce) ? kMostWrittenBytes : kMostWritten;
  return type.getNumElements() <= most * countResultElements(reduce);
}

} // namespace tiny::lazy
