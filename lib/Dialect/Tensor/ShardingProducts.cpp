// Sharding rules of products, convolution and pooling, and of elements chosen by data.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

/// Names one factor in several tensors; of an axis of size 1 there is none.
static void addFactor(ShardingRule &rule, int64_t size, FactorKind kind,
                      ArrayRef<std::pair<TensorFactors *, int64_t>> places) {
  if (size <= 1)
    return;
  unsigned factor = rule.addFactor(size, kind);
  for (auto [tensor, axis] : places)
    (*tensor)[axis] = {factor};
}

/// What a product with something added has where ranks share the inner axis: it is added once.
static FactorKind getInnerKind(bool hasAddend) { return hasAddend ? FactorKind::Decompose : FactorKind::Sum; }

ShardingRule MatmulOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  TensorFactors &lhs = rule.operands[0], &rhs = rule.operands[1], &result = rule.results[0];
  ArrayRef<int64_t> lhsShape = getLhs().getType().getShape(), rhsShape = getRhs().getType().getShape(),
                    shape = getType().getShape();
  int64_t lhsRank = lhsShape.size(), rhsRank = rhsShape.size(), rank = shape.size();
  bool hasRows = lhsRank > 1, hasColumns = rhsRank > 1;
  int64_t batch = rank - hasRows - hasColumns;
  for (int64_t axis = 0; axis < batch; ++axis) {
    SmallVector<std::pair<TensorFactors *, int64_t>> places = {{&result, axis}};
    int64_t left = axis + lhsRank - 2 - batch, right = axis + rhsRank - 2 - batch;
    if (hasRows && left >= 0 && lhsShape[left] == shape[axis])
      places.push_back({&lhs, left});
    if (hasColumns && right >= 0 && rhsShape[right] == shape[axis])
      places.push_back({&rhs, right});
    addFactor(rule, shape[axis], FactorKind::Parallel, places);
  }
  if (hasRows)
    addFactor(rule, lhsShape[lhsRank - 2], FactorKind::Parallel, {{&lhs, lhsRank - 2}, {&result, batch}});
  if (hasColumns)
    addFactor(rule, rhsShape[rhsRank - 1], FactorKind::Parallel, {{&rhs, rhsRank - 1}, {&result, rank - 1}});
  addFactor(rule, lhsShape[lhsRank - 1], FactorKind::Sum, {{&lhs, lhsRank - 1}, {&rhs, hasColumns ? rhsRank - 2 : 0}});
  return rule;
}

ShardingRule LinearOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  ArrayRef<int64_t> input = getInput().getType().getShape(), weight = getWeight().getType().getShape();
  int64_t rank = input.size();
  for (int64_t axis = 0; axis + 1 < rank; ++axis)
    addFactor(rule, input[axis], FactorKind::Parallel, {{&rule.operands[0], axis}, {&rule.results[0], axis}});
  SmallVector<std::pair<TensorFactors *, int64_t>> out = {{&rule.operands[1], 0}, {&rule.results[0], rank - 1}};
  // A bias of one number, or of another shape, broadcasts.
  if (getBias() && getBias().getType().getShape() == weight.take_front())
    out.push_back({&rule.operands[2], 0});
  else if (getBias())
    return ShardingRule::get(*this);
  addFactor(rule, weight[0], FactorKind::Parallel, out);
  addFactor(rule, weight[1], getInnerKind(getBias() != nullptr),
            {{&rule.operands[0], rank - 1}, {&rule.operands[1], 1}});
  return rule;
}

ShardingRule GemmOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  bool a = getTransposeA(), b = getTransposeB();
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t inner = getLhs().getType().getDimSize(a ? 0 : 1);
  SmallVector<std::pair<TensorFactors *, int64_t>> rows = {{&rule.operands[0], a}, {&rule.results[0], 0}},
                                                   columns = {{&rule.operands[1], !b}, {&rule.results[0], 1}};
  if (getAddend()) {
    ArrayRef<int64_t> own = getAddend().getType().getShape();
    if (own.size() == 2 && own[0] == shape[0])
      rows.push_back({&rule.operands[2], 0});
    if (!own.empty() && own.back() == shape[1])
      columns.push_back({&rule.operands[2], own.size() - 1});
  }
  addFactor(rule, shape[0], FactorKind::Parallel, rows);
  addFactor(rule, shape[1], FactorKind::Parallel, columns);
  addFactor(rule, inner, getInnerKind(getAddend() != nullptr), {{&rule.operands[0], !a}, {&rule.operands[1], b}});
  return rule;
}

//===--- Sliding windows ------------------------------------------------------------------------------------------===//

/// Batch and, with one group, channels on both sides; spatial axes stay whole.
ShardingRule ConvOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  addFactor(rule, getType().getDimSize(0), FactorKind::Parallel, {{&rule.operands[0], 0}, {&rule.results[0], 0}});
  if (getGroups() != 1)
    return rule;
  SmallVector<std::pair<TensorFactors *, int64_t>> out = {{&rule.operands[1], 0}, {&rule.results[0], 1}};
  if (getBias())
    out.push_back({&rule.operands[2], 0});
  addFactor(rule, getType().getDimSize(1), FactorKind::Parallel, out);
  addFactor(rule, getInput().getType().getDimSize(1), getInnerKind(getBias() != nullptr),
            {{&rule.operands[0], 1}, {&rule.operands[1], 1}});
  return rule;
}

/// Batch and channels of a pooling.
static ShardingRule getPoolRule(Operation *op) {
  ShardingRule rule = ShardingRule::get(op);
  for (int64_t axis = 0; axis < 2; ++axis)
    addFactor(rule, TensorBuilder::getShape(op->getResult(0)) [axis], FactorKind::Parallel, {
      {&rule.operands[0], axis}, { &rule.results[0], axis }
    });
  return rule;
}

ShardingRule MaxPoolOp::getShardingRule() { return getPoolRule(*this); }
ShardingRule AvgPoolOp::getShardingRule() { return getPoolRule(*this); }
ShardingRule GlobalMaxPoolOp::getShardingRule() { return getPoolRule(*this); }
ShardingRule GlobalAvgPoolOp::getShardingRule() { return getPoolRule(*this); }

//===--- Indexing -------------------------------------------------------------------------------------------------===//

/// The indices may be cut, the input not: any place of it may be asked for.
ShardingRule GatherOp::getShardingRule() {
  ShardingRule rule = getElementwiseRule(*this);
  rule.operands[0] = TensorFactors(getInput().getType().getRank());
  rule.isLinear = false;
  return rule;
}

/// The indices, the axes that stay (an embedding by column), and the axis of which slices are taken (by row).
ShardingRule TakeOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  ArrayRef<int64_t> input = getInput().getType().getShape(), indices = getIndices().getType().getShape();
  int64_t rank = input.size(), axis = *normalizeAxis(getAxis(), rank), chosen = indices.size();
  for (int64_t k = 0; k < rank; ++k)
    if (k != axis)
      addFactor(rule, input[k], FactorKind::Parallel,
                {{&rule.operands[0], k}, {&rule.results[0], k < axis ? k : k - 1 + chosen}});
  addFactor(rule, input[axis], FactorKind::Lookup, {{&rule.operands[0], axis}});
  for (int64_t k = 0; k < chosen; ++k)
    addFactor(rule, indices[k], FactorKind::Parallel, {{&rule.operands[1], k}, {&rule.results[0], axis + k}});
  return rule;
}

/// The axes along which nothing is chosen, where all of the input is read.
ShardingRule TakeAlongOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  ArrayRef<int64_t> input = getInput().getType().getShape(), shape = getType().getShape();
  int64_t axis = *normalizeAxis(getAxis(), shape.size());
  for (int64_t k = 0; k < static_cast<int64_t>(shape.size()); ++k) {
    SmallVector<std::pair<TensorFactors *, int64_t>> places = {{&rule.operands[1], k}, {&rule.results[0], k}};
    if (k != axis)
      places.push_back({&rule.operands[0], k});
    if (k == axis || input[k] == shape[k])
      addFactor(rule, shape[k], FactorKind::Parallel, places);
  }
  return rule;
}
