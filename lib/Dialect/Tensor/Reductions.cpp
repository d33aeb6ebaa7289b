// Reductions in terms of sum, prod, max and min. In `lower` the reduction is explicit.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

/// Elements that reduce to one.
static double countReduced(Value input, ArrayRef<int64_t> axes) {
  double count = 1;
  for (int64_t axis : axes)
    count *= TensorBuilder::getShape(input)[axis];
  return count;
}

Value MeanOp::lower(TensorBuilder &build) {
  Value sum = build.sum(getInput(), getAxes());
  return build.div(sum, build.like(sum, countReduced(getInput(), getAxes())));
}

Value VarOp::lower(TensorBuilder &build) {
  Value sum = build.sum(getInput(), getAxes(), /*keepdims=*/true);
  double count = countReduced(getInput(), getAxes());
  Value distance = build.sub(getInput(), build.div(sum, build.like(sum, count)));
  Value total = build.sum(build.mul(distance, distance), getAxes());
  return build.div(total, build.like(total, count - static_cast<int64_t>(getCorrection())));
}

Value LogSumExpOp::lower(TensorBuilder &build) {
  // log(sum(exp(x - m))) + m; an infinite m would make x - m not a number.
  Value largest = build.max(getInput(), getAxes(), /*keepdims=*/true);
  Value offset = build.where(build.create<IsInfOp>(largest), build.like(largest, 0), largest);
  Value sum = build.sum(build.exp(build.sub(getInput(), offset)), getAxes());
  return build.add(build.log(sum), build.reshape(offset, getType().getShape()));
}

Value AnyOp::lower(TensorBuilder &build) { return build.max(getInput(), getAxes()); }
Value AllOp::lower(TensorBuilder &build) { return build.create<MinOp>(getInput(), getAxes(), /*keepdims=*/false); }

/// The first index along `axes`, in row-major order, where `input` is `extreme` (with size 1 on the axes) or NaN.
static Value findFirst(TensorBuilder &build, Value input, Value extreme, ArrayRef<int64_t> axes, Type element) {
  ArrayRef<int64_t> shape = build.getShape(input);
  Value isHit = build.eq(input, extreme);
  if (isa<FloatType>(build.getElement(input)))
    isHit = build.create<OrOp>(isHit, build.create<IsNaNOp>(input));
  Value index;
  int64_t stride = 1;
  for (int64_t axis : llvm::reverse(axes)) {
    Value part = build.create<IotaOp>(shape, element, axis);
    part = build.mul(part, build.full(shape, IntegerAttr::get(element, stride)));
    index = index ? build.add(part, index) : part;
    stride *= shape[axis];
  }
  Value none = build.full(shape, IntegerAttr::get(element, stride - 1));
  return build.create<MinOp>(build.where(isHit, index, none), axes, /*keepdims=*/false);
}

Value ArgMaxOp::lower(TensorBuilder &build) {
  Value extreme = build.max(getInput(), getAxes(), /*keepdims=*/true);
  return findFirst(build, getInput(), extreme, getAxes(), getType().getElementType());
}

Value ArgMinOp::lower(TensorBuilder &build) {
  Value extreme = build.create<MinOp>(getInput(), getAxes(), /*keepdims=*/true);
  return findFirst(build, getInput(), extreme, getAxes(), getType().getElementType());
}

//===--- Running sums ---------------------------------------------------------------------------------------------===//

LogicalResult CumSumOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferRunning(location, getOperationName(), adaptor.getInput().getType(), adaptor.getAxis(), types);
}

bool CumSumOp::isPrimitive() {
  Type element = TensorBuilder::getElement(getInput());
  return element == getAccumulator(element);
}

FailureOr<SmallVector<Value>> CumSumOp::decompose(OpBuilder &builder) {
  if (isPrimitive())
    return failure();
  TensorBuilder build(builder, getLoc());
  Value wide = build.cast(getInput(), getAccumulator(TensorBuilder::getElement(getInput())));
  return SmallVector<Value>{build.cast(build.create<CumSumOp>(wide, getAxis()), getType().getElementType())};
}
