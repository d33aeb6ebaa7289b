// Softmax and normalisation in terms of reductions and arithmetic. f16, bf16 and f8 are computed in f32.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

/// What a result of type `element` is computed in.
static Value toCompute(TensorBuilder &build, Value value, Type element) {
  return build.cast(value, getAccumulator(element));
}

//===--- softmax --------------------------------------------------------------------------------------------------===//

/// x less its largest element along the axis, and the sum of its exponentials there.
struct ShiftedExp {
  Value shifted, exponential, sum;
  ShiftedExp(TensorBuilder &build, Value input, int64_t axis) {
    shifted = build.sub(input, build.max(input, axis, /*keepdims=*/true));
    exponential = build.exp(shifted);
    sum = build.sum(exponential, axis, /*keepdims=*/true);
  }
};

FailureOr<SmallVector<Value>> SoftmaxOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Type element = getType().getElementType();
  ShiftedExp parts(build, toCompute(build, getInput(), element), *normalizeAxis(getAxis(), getType().getRank()));
  return SmallVector<Value>{build.cast(build.div(parts.exponential, parts.sum), element)};
}

FailureOr<SmallVector<Value>> LogSoftmaxOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Type element = getType().getElementType();
  ShiftedExp parts(build, toCompute(build, getInput(), element), *normalizeAxis(getAxis(), getType().getRank()));
  return SmallVector<Value>{build.cast(build.sub(parts.shifted, build.log(parts.sum)), element)};
}

//===--- layer_norm, rms_norm -------------------------------------------------------------------------------------===//

/// The input's type with the promoted float element; null after an error. (norm_c1) The axis exists. (norm_c2) Scale
/// and bias broadcast to the axes that are normalised.
static LogicalResult inferNorm(std::optional<Location> location, StringRef name, ValueRange operands, int64_t axis,
                               SmallVectorImpl<Type> &types) {
  RankedTensorType input = getStaticTensor(operands.front().getType());
  if (!input)
    return emitInferError(location, name, "expects a static ranked tensor, got ", operands.front().getType());
  if (failed(checkAxis(location, name, axis, input.getRank())))
    return failure();
  ArrayRef<int64_t> normalized = input.getShape().drop_front(*normalizeAxis(axis, input.getRank()));
  Type element = input.getElementType();
  for (Value operand : operands.drop_front()) {
    RankedTensorType type = getStaticTensor(operand.getType());
    std::optional<SmallVector<int64_t>> common;
    if (type)
      common = broadcastShapes(type.getShape(), normalized);
    if (!common || ArrayRef<int64_t>(*common) != normalized)
      return emitInferError(location, name, "expects scale and bias that broadcast to ", printShape(normalized),
                            ", got ", operand.getType());
    element = promote(element, type.getElementType());
  }
  types.push_back(input.clone(toFloat(element)));
  return success();
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferNorm(location, getOperationName(), adaptor.getOperands(), adaptor.getAxis(), types);
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferNorm(location, getOperationName(), adaptor.getOperands(), adaptor.getAxis(), types);
}

/// x / sqrt(mean(x * x) + epsilon) over the axes from `axis` on.
static Value divideByRms(TensorBuilder &build, Value x, int64_t axis, double epsilon) {
  int64_t rank = build.getShape(x).size();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(*normalizeAxis(axis, rank), rank));
  Value mean = build.create<MeanOp>(build.mul(x, x), axes, /*keepdims=*/true);
  return build.mul(x, build.create<RsqrtOp>(build.add(mean, epsilon)));
}

FailureOr<SmallVector<Value>> LayerNormOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  int64_t rank = getType().getRank();
  Type element = getType().getElementType();
  Value x = toCompute(build, getInput(), element);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(*normalizeAxis(getAxis(), rank), rank));
  Value distance = build.sub(x, build.create<MeanOp>(x, axes, /*keepdims=*/true));
  Value result = divideByRms(build, distance, getAxis(), getEpsilon().convertToDouble());
  if (Value scale = getScale())
    result = build.mul(result, toCompute(build, scale, element));
  if (Value bias = getBias())
    result = build.add(result, toCompute(build, bias, element));
  return SmallVector<Value>{build.cast(result, element)};
}

FailureOr<SmallVector<Value>> RmsNormOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Type element = getType().getElementType();
  Value result = divideByRms(build, toCompute(build, getInput(), element), getAxis(), getEpsilon().convertToDouble());
  if (Value scale = getScale())
    result = build.mul(result, toCompute(build, scale, element));
  return SmallVector<Value>{build.cast(result, element)};
}

//===--- batch_norm -----------------------------------------------------------------------------------------------===//

LogicalResult BatchNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType input = getStaticTensor(adaptor.getInput().getType());
  // (batch_norm_c1) There is a channel axis.
  if (!input || input.getRank() < 2)
    return emitInferError(location, name, "expects an input of rank 2 or more, got ", adaptor.getInput().getType());
  Type element = input.getElementType();
  for (Value operand : adaptor.getOperands().drop_front()) {
    // (batch_norm_c2) Statistics, scale and bias have one number per channel.
    RankedTensorType type = getStaticTensor(operand.getType());
    if (!type || type.getShape() != input.getShape().slice(1, 1))
      return emitInferError(location, name, "expects one number for each of ", input.getDimSize(1), " channels, got ",
                            operand.getType());
    element = promote(element, type.getElementType());
  }
  types.push_back(input.clone(toFloat(element)));
  return success();
}

FailureOr<SmallVector<Value>> BatchNormOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Type element = getType().getElementType();
  int64_t rank = getType().getRank();
  auto perChannel = [&](Value value) { return toCompute(build, value, element); };
  auto spread = [&](Value value) { return build.onAxis(value, 1, rank); };
  // What depends on the channel alone is computed once per channel.
  Value variance = build.add(perChannel(getVariance()), getEpsilon().convertToDouble());
  Value factor = build.mul(build.create<RsqrtOp>(variance), perChannel(getScale()));
  Value distance = build.sub(toCompute(build, getInput(), element), spread(perChannel(getMean())));
  Value result = build.add(build.mul(distance, spread(factor)), spread(perChannel(getBias())));
  return SmallVector<Value>{build.cast(result, element)};
}
