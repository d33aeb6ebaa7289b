// Sharding rules of elementwise operations, reductions, and what is computed along an axis.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

namespace tiny::tensor {

ShardingRule ShardingRule::get(Operation *op) {
  ShardingRule rule;
  for (Value operand : op->getOperands())
    rule.operands.push_back(TensorFactors(cast<RankedTensorType>(operand.getType()).getRank()));
  for (Value result : op->getResults())
    rule.results.push_back(TensorFactors(cast<RankedTensorType>(result.getType()).getRank()));
  return rule;
}

/// A factor for each axis of the result that is longer than 1; operands broadcast to it.
ShardingRule getElementwiseRule(Operation *op) {
  ShardingRule rule = ShardingRule::get(op);
  ArrayRef<int64_t> shape = TensorBuilder::getShape(op->getResult(0));
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (size <= 1)
      continue;
    unsigned factor = rule.addFactor(size);
    rule.results[0][axis] = {factor};
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      ArrayRef<int64_t> own = TensorBuilder::getShape(operand);
      int64_t at = static_cast<int64_t>(axis + own.size()) - static_cast<int64_t>(shape.size());
      if (at >= 0 && own[at] == size)
        rule.operands[number][at] = {factor};
    }
  }
  // Between integers and floats, too, sums round alike: only what rounds nothing is linear.
  rule.isLinear = isa<NegOp, AddOp, SubOp, WatchOp, DetachOp, ContiguousOp>(op) &&
                  llvm::all_of(op->getOperandTypes(), [&](Type type) {
                    return getElementTypeOrSelf(type) == getElementTypeOrSelf(op->getResult(0).getType());
                  });
  return rule;
}

/// What ranks that share a reduced axis have of the result.
static FactorKind getPartialKind(Operation *op) {
  if (isa<SumOp>(op))
    return FactorKind::Sum;
  if (isa<ProdOp>(op))
    return FactorKind::Product;
  if (isa<MaxOp>(op))
    return FactorKind::Max;
  if (isa<MinOp>(op))
    return FactorKind::Min;
  return FactorKind::Decompose;
}

ShardingRule getReductionRule(Operation *op, ArrayRef<int64_t> axes, bool keepdims) {
  ShardingRule rule = ShardingRule::get(op);
  ArrayRef<int64_t> shape = TensorBuilder::getShape(op->getOperand(0));
  SmallVector<int64_t> reduced = *normalizeAxes(axes, shape.size());
  bool countsPlaces = isa<ArgMaxOp, ArgMinOp>(op);
  size_t at = 0;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    bool isReduced = llvm::is_contained(reduced, static_cast<int64_t>(axis));
    // A place counts all of the reduced axes.
    if (size > 1 && !(isReduced && countsPlaces)) {
      unsigned factor = rule.addFactor(size, isReduced ? getPartialKind(op) : FactorKind::Parallel);
      rule.operands[0][axis] = {factor};
      if (!isReduced)
        rule.results[0][at] = {factor};
    }
    at += !isReduced || keepdims;
  }
  rule.isLinear = isa<SumOp>(op) && getElementTypeOrSelf(op->getOperand(0)) == getElementTypeOrSelf(op->getResult(0));
  return rule;
}

ShardingRule getAlongAxisRule(Operation *op, int64_t axis) {
  ShardingRule rule = getElementwiseRule(op);
  rule.isLinear = false;
  axis = *normalizeAxis(axis, rule.operands[0].size());
  for (unsigned factor : rule.operands[0][axis])
    rule.factors[factor].kind = FactorKind::Decompose;
  return rule;
}

} // namespace tiny::tensor

ShardingRule CastOp::getShardingRule() { return getElementwiseRule(*this); }
ShardingRule BitcastOp::getShardingRule() { return getElementwiseRule(*this); }
ShardingRule WatchOp::getShardingRule() { return getElementwiseRule(*this); }
ShardingRule DetachOp::getShardingRule() { return getElementwiseRule(*this); }
ShardingRule ContiguousOp::getShardingRule() { return getElementwiseRule(*this); }

//===--- Normalisation --------------------------------------------------------------------------------------------===//

/// Scale and bias broadcast to the result, whose axes from `axis` on depend on one another.
static ShardingRule getNormRule(Operation *op, int64_t axis) {
  ShardingRule rule = getElementwiseRule(op);
  for (size_t at = *normalizeAxis(axis, rule.operands[0].size()); at < rule.operands[0].size(); ++at)
    for (unsigned factor : rule.operands[0][at])
      rule.factors[factor].kind = FactorKind::Decompose;
  return rule;
}

ShardingRule LayerNormOp::getShardingRule() { return getNormRule(*this, getAxis()); }
ShardingRule RmsNormOp::getShardingRule() { return getNormRule(*this, getAxis()); }

ShardingRule BatchNormOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  for (auto [axis, size] : llvm::enumerate(getType().getShape())) {
    if (size <= 1)
      continue;
    unsigned factor = rule.addFactor(size);
    rule.operands[0][axis] = rule.results[0][axis] = {factor};
    if (axis == 1)
      for (TensorFactors &perChannel : MutableArrayRef(rule.operands).drop_front())
        perChannel[0] = {factor};
  }
  return rule;
}
