// Folders of movement operations: what changes nothing disappears, two of a kind become one, splats move for free.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "Tiny/Support/Producer.h"

using namespace mlir;
using namespace tiny;
using namespace tiny::tensor;

/// The constant of the result's type where the operand is one number repeated.
static OpFoldResult foldSplat(Attribute operand, Type type) {
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(operand))
    return splat.resizeSplat(cast<ShapedType>(type));
  return {};
}

static bool allZero(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value == 0; });
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // reshape(x) -> x [same shape]
  if (getInput().getType() == getType())
    return foldTo(getInput(), *this);
  // reshape(reshape(x)) -> reshape(x)
  if (auto inner = getEarlierProducer<ReshapeOp>(getInput(), *this)) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return foldSplat(adaptor.getInput(), getType());
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  // expand(x) -> x [same shape]
  if (getInput().getType() == getType())
    return foldTo(getInput(), *this);
  // expand(expand(x)) -> expand(x)
  if (auto inner = getEarlierProducer<ExpandOp>(getInput(), *this)) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return foldSplat(adaptor.getInput(), getType());
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  // permute(x, identity) -> x
  if (llvm::is_sorted(getPermutation()))
    return foldTo(getInput(), *this);
  // permute(permute(x, p), q) -> permute(x, p[q])
  if (auto inner = getEarlierProducer<PermuteOp>(getInput(), *this)) {
    SmallVector<int64_t> composed;
    for (int64_t axis : getPermutation())
      composed.push_back(inner.getPermutation()[axis]);
    setPermutation(composed);
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return foldSplat(adaptor.getInput(), getType());
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  // pad(x, 0, 0) -> x
  if (allZero(getLow()) && allZero(getHigh()))
    return foldTo(getInput(), *this);
  // pad(pad(x, a, b), c, d) -> pad(x, a + c, b + d) [same number]
  if (auto inner = getEarlierProducer<PadOp>(getInput(), *this); inner && inner.getValueAttr() == getValueAttr()) {
    SmallVector<int64_t> low(getLow()), high(getHigh());
    for (size_t axis = 0; axis < low.size(); ++axis) {
      low[axis] += inner.getLow()[axis];
      high[axis] += inner.getHigh()[axis];
    }
    setLow(low);
    setHigh(high);
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

OpFoldResult ShrinkOp::fold(FoldAdaptor adaptor) {
  // shrink(x, 0, shape) -> x
  if (getInput().getType() == getType())
    return foldTo(getInput(), *this);
  // shrink(shrink(x, a, b), c, d) -> shrink(x, a + c, a + d)
  if (auto inner = getEarlierProducer<ShrinkOp>(getInput(), *this)) {
    SmallVector<int64_t> begin(getBegin()), end(getEnd());
    for (size_t axis = 0; axis < begin.size(); ++axis) {
      begin[axis] += inner.getBegin()[axis];
      end[axis] += inner.getBegin()[axis];
    }
    setBegin(begin);
    setEnd(end);
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return foldSplat(adaptor.getInput(), getType());
}

OpFoldResult ContiguousOp::fold(FoldAdaptor) {
  // contiguous(contiguous(x)) -> contiguous(x)
  return getInput().getDefiningOp<ContiguousOp>() ? foldTo(getInput(), *this) : OpFoldResult();
}

OpFoldResult FlipOp::fold(FoldAdaptor adaptor) {
  // flip(x, []) -> x
  if (getAxes().empty())
    return foldTo(getInput(), *this);
  // flip(flip(x, a), b) -> flip(x, the axes in one of a and b)
  if (auto inner = getEarlierProducer<FlipOp>(getInput(), *this)) {
    SmallVector<int64_t> axes, outer = *normalizeAxes(getAxes(), getType().getRank());
    SmallVector<int64_t> other = *normalizeAxes(inner.getAxes(), getType().getRank());
    std::set_symmetric_difference(outer.begin(), outer.end(), other.begin(), other.end(), std::back_inserter(axes));
    setAxes(axes);
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return foldSplat(adaptor.getInput(), getType());
}
