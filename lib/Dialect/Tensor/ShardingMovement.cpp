// Sharding rules of sources and movement: an axis that moves as a whole may be cut, one that is cut or grown may not.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

/// One factor of an operand's and a result's axis.
static void join(ShardingRule &rule, int64_t size, int64_t operandAxis, int64_t resultAxis, unsigned operand = 0) {
  if (size > 1)
    rule.operands[operand][operandAxis] = rule.results[0][resultAxis] = {rule.addFactor(size)};
}

//===--- Sources --------------------------------------------------------------------------------------------------===//

/// Every axis of the result but one.
static ShardingRule getSourceRule(Operation *op, int64_t whole) {
  ShardingRule rule = ShardingRule::get(op);
  for (auto [axis, size] : llvm::enumerate(TensorBuilder::getShape(op->getResult(0))))
    if (size > 1 && static_cast<int64_t>(axis) != whole)
      rule.results[0][axis] = {rule.addFactor(size)};
  return rule;
}

ShardingRule FullOp::getShardingRule() { return getSourceRule(*this, -1); }
ShardingRule IotaOp::getShardingRule() { return getSourceRule(*this, getAxis()); }

//===--- Shapes ---------------------------------------------------------------------------------------------------===//

/// Splits both shapes at their common products: an axis becomes several factors where it is split or merged. Between
/// two common products where sizes do not divide there is none.
static ShardingRule getReshapeRule(Operation *op) {
  ShardingRule rule = ShardingRule::get(op);
  ArrayRef<int64_t> from = TensorBuilder::getShape(op->getOperand(0)), to = TensorBuilder::getShape(op->getResult(0));
  rule.isLinear = true;
  if (llvm::is_contained(from, 0))
    return rule;
  size_t i = 0, j = 0;
  while (true) {
    while (i < from.size() && from[i] == 1)
      ++i;
    while (j < to.size() && to[j] == 1)
      ++j;
    if (i == from.size() || j == to.size())
      return rule;
    // The least run of axes on either side with one product.
    size_t beginI = i, beginJ = j;
    __int128 left = from[i++], right = to[j++];
    while (left != right)
      if (left < right)
        left *= from[i++];
      else
        right *= to[j++];
    // Its factors, from the major one.
    SmallVector<std::pair<unsigned, unsigned>> places;
    SmallVector<int64_t> sizes;
    size_t a = beginI, b = beginJ;
    int64_t restA = from[a], restB = to[b];
    bool divides = true;
    while (divides && a < i && b < j) {
      int64_t size = std::min(restA, restB);
      divides = restA % size == 0 && restB % size == 0;
      if (!divides)
        break;
      if (size > 1) {
        sizes.push_back(size);
        places.push_back({a, b});
      }
      restA /= size;
      restB /= size;
      if (restA == 1 && ++a < i)
        restA = from[a];
      if (restB == 1 && ++b < j)
        restB = to[b];
    }
    if (!divides)
      continue;
    for (auto [size, place] : llvm::zip_equal(sizes, places)) {
      unsigned factor = rule.addFactor(size);
      rule.operands[0][place.first].push_back(factor);
      rule.results[0][place.second].push_back(factor);
    }
  }
}

ShardingRule ReshapeOp::getShardingRule() { return getReshapeRule(*this); }
ShardingRule SqueezeOp::getShardingRule() { return getReshapeRule(*this); }
ShardingRule UnsqueezeOp::getShardingRule() { return getReshapeRule(*this); }
ShardingRule FlattenOp::getShardingRule() { return getReshapeRule(*this); }

ShardingRule ExpandOp::getShardingRule() {
  ShardingRule rule = getElementwiseRule(*this);
  rule.isLinear = true;
  return rule;
}

static ShardingRule getPermutedRule(Operation *op, ArrayRef<int64_t> permutation) {
  ShardingRule rule = ShardingRule::get(op);
  rule.isLinear = true;
  for (auto [to, from] : llvm::enumerate(permutation))
    join(rule, TensorBuilder::getShape(op->getResult(0))[to], from, to);
  return rule;
}

ShardingRule PermuteOp::getShardingRule() { return getPermutedRule(*this, getPermutation()); }

ShardingRule TransposeOp::getShardingRule() {
  int64_t rank = getType().getRank();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[*normalizeAxis(getFirst(), rank)], permutation[*normalizeAxis(getSecond(), rank)]);
  return getPermutedRule(*this, permutation);
}

/// The axes along which `keeps` says that nothing changes.
static ShardingRule getWindowRule(Operation *op, llvm::function_ref<bool(int64_t)> keeps) {
  ShardingRule rule = ShardingRule::get(op);
  for (auto [axis, size] : llvm::enumerate(TensorBuilder::getShape(op->getResult(0))))
    if (keeps(axis))
      join(rule, size, axis, axis);
  return rule;
}

ShardingRule PadOp::getShardingRule() {
  ShardingRule rule = getWindowRule(*this, [&](int64_t axis) { return getLow()[axis] == 0 && getHigh()[axis] == 0; });
  rule.isLinear = !getValue();
  return rule;
}

ShardingRule CumSumOp::getShardingRule() {
  int64_t along = *normalizeAxis(getAxis(), getType().getRank());
  ShardingRule rule = getWindowRule(*this, [&](int64_t axis) { return axis != along; });
  rule.isLinear = true;
  return rule;
}

ShardingRule FlipOp::getShardingRule() {
  SmallVector<int64_t> flipped = *normalizeAxes(getAxes(), getType().getRank());
  ShardingRule rule = getWindowRule(*this, [&](int64_t axis) { return !llvm::is_contained(flipped, axis); });
  rule.isLinear = true;
  return rule;
}

/// Whether a window takes all of an axis, in order.
static bool isWhole(ArrayRef<int64_t> shape, ArrayRef<int64_t> begin, ArrayRef<int64_t> end,
                    std::optional<ArrayRef<int64_t>> strides, int64_t axis) {
  return begin[axis] == 0 && end[axis] == shape[axis] && (!strides || (*strides)[axis] == 1);
}

/// Ends of windows that took all of a longer axis.
static DenseI64ArrayAttr getLocalEnds(Operation *op, ArrayRef<int64_t> whole, ArrayRef<int64_t> begin,
                                      ArrayRef<int64_t> end) {
  SmallVector<int64_t> ends(end);
  for (auto [axis, size] : llvm::enumerate(whole))
    if (begin[axis] == 0 && end[axis] > size)
      ends[axis] = size;
  return DenseI64ArrayAttr::get(op->getContext(), ends);
}

ShardingRule ShrinkOp::getShardingRule() {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  ShardingRule rule =
      getWindowRule(*this, [&](int64_t axis) { return isWhole(shape, getBegin(), getEnd(), std::nullopt, axis); });
  rule.isLinear = true;
  return rule;
}
void ShrinkOp::localize() { setEndAttr(getLocalEnds(*this, getInput().getType().getShape(), getBegin(), getEnd())); }

ShardingRule SliceOp::getShardingRule() {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  ShardingRule rule =
      getWindowRule(*this, [&](int64_t axis) { return isWhole(shape, getBegin(), getEnd(), getStrides(), axis); });
  rule.isLinear = true;
  return rule;
}
void SliceOp::localize() { setEndAttr(getLocalEnds(*this, getInput().getType().getShape(), getBegin(), getEnd())); }

ShardingRule SetItemOp::getShardingRule() {
  ShardingRule rule = ShardingRule::get(*this);
  ArrayRef<int64_t> shape = getType().getShape(), value = getValue().getType().getShape();
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (size <= 1 || !isWhole(shape, getBegin(), getEnd(), getStrides(), axis))
      continue;
    join(rule, size, axis, axis);
    int64_t at = static_cast<int64_t>(axis + value.size()) - static_cast<int64_t>(shape.size());
    if (at >= 0 && value[at] == size)
      rule.operands[1][at] = rule.results[0][axis];
  }
  return rule;
}
void SetItemOp::localize() { setEndAttr(getLocalEnds(*this, getInput().getType().getShape(), getBegin(), getEnd())); }

//===--- Joins ----------------------------------------------------------------------------------------------------===//

/// Every axis but the one along which they are joined, which the operands of a stack do not have.
static ShardingRule getJoinRule(Operation *op, int64_t axis, bool isNew) {
  ShardingRule rule = ShardingRule::get(op);
  ArrayRef<int64_t> shape = TensorBuilder::getShape(op->getResult(0));
  axis = *normalizeAxis(axis, shape.size());
  for (auto [at, size] : llvm::enumerate(shape)) {
    if (size <= 1 || static_cast<int64_t>(at) == axis)
      continue;
    unsigned factor = rule.addFactor(size);
    rule.results[0][at] = {factor};
    for (TensorFactors &operand : rule.operands)
      operand[at - (isNew && static_cast<int64_t>(at) > axis)] = {factor};
  }
  return rule;
}

ShardingRule ConcatOp::getShardingRule() { return getJoinRule(*this, getAxis(), /*isNew=*/false); }
ShardingRule StackOp::getShardingRule() { return getJoinRule(*this, getAxis(), /*isNew=*/true); }
