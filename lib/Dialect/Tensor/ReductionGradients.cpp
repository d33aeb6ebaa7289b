// Reverse mode of reductions, and of softmax and its logarithm in their stable forms.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

using Gradients = SmallVector<Value>;

namespace {

/// A reduction's axes, and what was reduced along them.
struct Reduced {
  Value input;
  SmallVector<int64_t> axes;

  template <typename OpTy>
  explicit Reduced(OpTy op)
      : input(op.getInput()), axes(*normalizeAxes(op.getAxes(), TensorBuilder::getShape(op.getInput()).size())) {}

  /// One element for each result, spread over the elements that it was reduced from.
  Value spread(TensorBuilder &build, Value value) const {
    ArrayRef<int64_t> shape = TensorBuilder::getShape(input);
    return build.expand(build.reshape(value, reduceShape(shape, axes, /*keepdims=*/true)), shape);
  }
  int64_t count() const {
    int64_t count = 1;
    for (int64_t axis : axes)
      count *= TensorBuilder::getShape(input)[axis];
    return count;
  }
};

/// The elements that equal their result share its gradient.
template <typename OpTy> Gradients shareAmongExtrema(OpTy op, TensorBuilder &build, Value g) {
  Reduced reduced(op);
  Value chosen = build.eq(reduced.input, reduced.spread(build, op.getResult()));
  Value ones = build.cast(chosen, TensorBuilder::getElement(g));
  Value share = build.div(g, build.reshape(build.sum(ones, reduced.axes), TensorBuilder::getShape(g)));
  Value spread = reduced.spread(build, share);
  return {build.where(chosen, spread, build.like(spread, 0))};
}

} // namespace

Gradients SumOp::differentiate(TensorBuilder &build, Value g) { return {Reduced(*this).spread(build, g)}; }

Gradients MeanOp::differentiate(TensorBuilder &build, Value g) {
  Reduced reduced(*this);
  return {reduced.spread(build, build.div(g, build.like(g, double(reduced.count()))))};
}

/// An element is in its own sum and all behind it.
Gradients CumSumOp::differentiate(TensorBuilder &build, Value g) {
  int64_t axis = *normalizeAxis(getAxis(), getType().getRank());
  auto turn = [&](Value value) { return build.create<FlipOp>(value, ArrayRef<int64_t>(axis)); };
  return {turn(build.create<CumSumOp>(turn(g), axis))};
}

/// The product of the others: the quotient, but where an element is zero the product of those that are not, if it is
/// the only one.
Gradients ProdOp::differentiate(TensorBuilder &build, Value g) {
  Reduced reduced(*this);
  Value x = reduced.input, isZero = build.eq(x, 0);
  Value filled = build.where(isZero, build.like(x, 1), x);
  Value zeros = reduced.spread(build, build.sum(build.cast(isZero, TensorBuilder::getElement(g)), reduced.axes));
  Value rest = reduced.spread(build, build.create<ProdOp>(filled, reduced.axes, /*keepdims=*/false));
  Value others = build.div(rest, filled), none = build.like(others, 0);
  others =
      build.where(build.eq(zeros, 0), others, build.where(isZero, build.where(build.eq(zeros, 1), rest, none), none));
  return {build.mul(reduced.spread(build, g), others)};
}

Gradients MaxOp::differentiate(TensorBuilder &build, Value g) { return shareAmongExtrema(*this, build, g); }
Gradients MinOp::differentiate(TensorBuilder &build, Value g) { return shareAmongExtrema(*this, build, g); }

/// The softmax of what was summed.
Gradients LogSumExpOp::differentiate(TensorBuilder &build, Value g) {
  Reduced reduced(*this);
  Value share = build.exp(build.sub(reduced.input, reduced.spread(build, getResult())));
  return {build.mul(reduced.spread(build, g), share)};
}

Gradients SoftmaxOp::differentiate(TensorBuilder &build, Value g) {
  int64_t axis = *normalizeAxis(getAxis(), getType().getRank());
  Value weighted = build.mul(g, getResult());
  return {build.mul(getResult(), build.sub(g, build.sum(weighted, axis, /*keepdims=*/true)))};
}

Gradients LogSoftmaxOp::differentiate(TensorBuilder &build, Value g) {
  int64_t axis = *normalizeAxis(getAxis(), getType().getRank());
  return {build.sub(g, build.mul(build.exp(getResult()), build.sum(g, axis, /*keepdims=*/true)))};
}
