// Sharding rules of loops and branches: a value is cut alike wherever it goes in and out of bodies.
//
// Limits and conditions are scalars and have no axes, so every rank has them whole.
#include "Tiny/Dialect/Tensor/Tensor.h"

using namespace mlir;
using namespace tiny::tensor;

/// Joins a result's axes from `first` on with those of what bodies take and give for it. Each result has a space.
static void joinResult(ShardingRule &rule, OpResult result, ArrayRef<Value> inner, unsigned first = 0) {
  unsigned space = result.getResultNumber();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(result.getType()).getShape();
  TensorFactors &factors = rule.results[space];
  for (size_t axis = first; axis < shape.size(); ++axis)
    if (shape[axis] > 1)
      factors[axis] = {rule.addFactor(shape[axis], FactorKind::Parallel, space)};
  TensorFactors own(factors.begin() + first, factors.end());
  for (Value value : inner)
    rule.inner.push_back({value, own});
}

/// What is carried is cut alike in each iteration, and rows along all axes but that of iterations.
ShardingRule LoopOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  size_t carried = getNumCarried(), others = getNumOperands() - carried;
  for (auto [k, next] : llvm::enumerate(getNext())) {
    joinResult(rule, getOperation()->getResult(k), {getBody().getArgument(k + 1), next});
    rule.operands[others + k] = rule.results[k];
  }
  for (auto [k, row] : llvm::enumerate(getYieldedRows()))
    joinResult(rule, getOperation()->getResult(carried + k), row, /*first=*/1);
  return rule;
}

/// Both bodies give what is cut alike.
ShardingRule IfOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  ValueRange one = getBody().front().getTerminator()->getOperands(),
             other = getOtherwise().front().getTerminator()->getOperands();
  for (auto [result, first, second] : llvm::zip_equal(getOperation()->getResults(), one, other))
    joinResult(rule, result, {first, second});
  return rule;
}
