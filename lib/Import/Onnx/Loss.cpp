// Losses over class scores.
#include "Node.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// The negative logarithm of the right class's probability, weighted and reduced. Null after an error.
Value likelihoodLoss(Node &node, Value logs, Value target, Value weight) {
  if (!logs || !target)
    return nullptr;
  StringRef reduction = node.getString("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    return node.fail("attribute 'reduction' is '" + reduction + "', expected mean, sum or none");
  Ints expected(shapeOf(logs));
  if (expected.size() >= 2)
    expected.erase(expected.begin() + 1);
  if (rankOf(logs) < 2 || shapeOf(target) != ArrayRef<int64_t>(expected))
    return node.fail("expected a target for each place of the scores without their axis 1");
  Ints column(shapeOf(logs));
  column[1] = 1;
  Value chosen = node.create("tiny.take_along", {logs, node.reshape(target, column)}, node.attr("axis", int64_t(1)));
  Value loss = node.create("tiny.neg", node.reshape(chosen, shapeOf(target)));
  Value share = weight ? node.create("tiny.take", {weight, target}, node.attr("axis", int64_t(0)))
                       : node.expand(node.like(logs, 1), shapeOf(target));
  if (node.hasAttribute("ignore_index")) {
    Value ignored = node.create("tiny.eq", {target, node.like(target, double(node.getInt("ignore_index", 0)))});
    share = node.where(ignored, node.like(share, 0), share);
    loss = node.where(ignored, node.like(loss, 0), loss);
  }
  loss = node.mul(loss, share);
  if (reduction == "none" || !loss)
    return loss;
  auto all = llvm::to_vector(llvm::seq<int64_t>(rankOf(loss)));
  Value total = node.sum(loss, all);
  return reduction == "sum" ? total : node.div(total, node.sum(share, all));
}

Values translateNegativeLogLikelihood(Node &node) {
  return {likelihoodLoss(node, node.input(0), node.input(1), node.hasInput(2) ? node.input(2) : nullptr)};
}

Values translateSoftmaxCrossEntropy(Node &node) {
  Value logs = node.create("tiny.log_softmax", node.input(0), node.attr("axis", int64_t(1)));
  return {likelihoodLoss(node, logs, node.input(1), node.hasInput(2) ? node.input(2) : nullptr), logs};
}

} // namespace

ArrayRef<Handler> getLossHandlers() {
  static const Handler handlers[] = {
      {"NegativeLogLikelihoodLoss", 2, 3, "ignore_index reduction", translateNegativeLogLikelihood},
      {"SoftmaxCrossEntropyLoss", 2, 3, "ignore_index reduction", translateSoftmaxCrossEntropy},
  };
  return handlers;
}

} // namespace tiny::onnximport
