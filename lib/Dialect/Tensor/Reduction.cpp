// Axes, result types and accumulators of reductions, and the rewrite of a reduction to its explicit form.
#include "Tiny/Dialect/Tensor/Reduction.h"

#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;

namespace tiny::tensor {

std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

std::optional<SmallVector<int64_t>> normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    std::optional<int64_t> normal = normalizeAxis(axis, rank);
    if (!normal)
      return std::nullopt;
    result.push_back(*normal);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    return std::nullopt;
  return result;
}

LogicalResult checkAxis(std::optional<Location> location, StringRef name, int64_t axis, int64_t rank) {
  if (normalizeAxis(axis, rank))
    return success();
  return emitInferError(location, name, "expects an axis in [", -rank, ", ", rank, "), got ", axis);
}

FailureOr<SmallVector<int64_t>> checkAxes(std::optional<Location> location, StringRef name, ArrayRef<int64_t> axes,
                                          int64_t rank) {
  for (int64_t axis : axes)
    if (failed(checkAxis(location, name, axis, rank)))
      return failure();
  if (std::optional<SmallVector<int64_t>> result = normalizeAxes(axes, rank))
    return *result;
  return emitInferError(location, name, "expects each axis once, got [", axes, "]");
}

SmallVector<int64_t> reduceShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, bool keepdims) {
  SmallVector<int64_t> result;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      result.push_back(size);
    else if (keepdims)
      result.push_back(1);
  }
  return result;
}

/// What the rule accumulates in for an input of type `element`.
static Type getComputeElement(Type element, ReduceRule rule) {
  switch (rule) {
  case ReduceRule::Accumulate:
    return getAccumulator(element);
  case ReduceRule::Float:
    return getAccumulator(toFloat(element));
  case ReduceRule::Bool:
    return IntegerType::get(element.getContext(), 1);
  case ReduceRule::Same:
  case ReduceRule::Index:
    return element;
  }
  llvm_unreachable("covered switch");
}

/// i32, or i64 where the axes hold more elements than i32 counts.
static Type getIndexElement(RankedTensorType input, ArrayRef<int64_t> axes) {
  __int128 count = 1;
  for (int64_t axis : axes)
    count = std::min<__int128>(count * input.getDimSize(axis), INT64_MAX);
  return IntegerType::get(input.getContext(), count > INT32_MAX ? 64 : 32);
}

LogicalResult inferReduction(std::optional<Location> location, StringRef name, Type input, ArrayRef<int64_t> axes,
                             bool keepdims, ReduceRule rule, SmallVectorImpl<Type> &types) {
  RankedTensorType type = getStaticTensor(input);
  if (!type)
    return emitInferError(location, name, "expects a static ranked tensor, got ", input);
  // (reduce_c1) Axes exist, each once.
  FailureOr<SmallVector<int64_t>> normal = checkAxes(location, name, axes, type.getRank());
  if (failed(normal))
    return failure();
  Type element = type.getElementType();
  if (rule == ReduceRule::Index) {
    // (reduce_c2) There is an element to point at.
    if (llvm::any_of(*normal, [&](int64_t axis) { return type.getDimSize(axis) == 0; }))
      return emitInferError(location, name, "expects at least one element along the reduced axes, got ",
                            printShape(type.getShape()));
    element = getIndexElement(type, *normal);
  } else if (rule == ReduceRule::Float) {
    element = toFloat(element);
  } else if (!isa<FloatType>(element)) {
    element = getComputeElement(element, rule);
  } else if (rule == ReduceRule::Bool) {
    element = IntegerType::get(element.getContext(), 1);
  }
  types.push_back(RankedTensorType::get(reduceShape(type.getShape(), *normal, keepdims), element));
  return success();
}

LogicalResult inferAlongAxis(std::optional<Location> location, StringRef name, Type input, int64_t axis,
                             SmallVectorImpl<Type> &types) {
  RankedTensorType type = getStaticTensor(input);
  if (!type)
    return emitInferError(location, name, "expects a static ranked tensor, got ", input);
  // (along_axis_c1) The axis exists.
  if (failed(checkAxis(location, name, axis, type.getRank())))
    return failure();
  types.push_back(type.clone(toFloat(type.getElementType())));
  return success();
}

LogicalResult inferRunning(std::optional<Location> location, StringRef name, Type input, int64_t axis,
                           SmallVectorImpl<Type> &types) {
  if (failed(inferAlongAxis(location, name, input, axis, types)))
    return failure();
  Type element = cast<RankedTensorType>(input).getElementType();
  types.back() =
      cast<RankedTensorType>(types.back()).clone(isa<FloatType>(element) ? element : getAccumulator(element));
  return success();
}

bool isExplicitReduction(Value input, ArrayRef<int64_t> axes, bool keepdims, ReduceRule rule) {
  Type element = TensorBuilder::getElement(input);
  return !keepdims && !axes.empty() && axes.front() >= 0 && llvm::is_sorted(axes) &&
         element == getComputeElement(element, rule);
}

FailureOr<SmallVector<Value>> makeReductionExplicit(OpBuilder &builder, Operation *op, ArrayRef<int64_t> axes,
                                                    ReduceRule rule) {
  TensorBuilder build(builder, op->getLoc());
  Value input = op->getOperand(0);
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> normal = *normalizeAxes(axes, type.getRank());
  input = build.cast(input, getComputeElement(type.getElementType(), rule));
  // No axis at all: reduce over one of size 1, so that every reduction has its one meaning.
  if (normal.empty()) {
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(1);
    input = build.reshape(input, shape);
    normal.push_back(type.getRank());
  }
  auto inputType = TensorBuilder::getType(input);
  SmallVector<Type> types;
  StringRef name = op->getName().getStringRef();
  if (failed(inferReduction(op->getLoc(), name, inputType, normal, /*keepdims=*/false, rule, types)))
    return failure();
  Operation *reduction = builder.clone(*op);
  reduction->setOperand(0, input);
  reduction->setAttr("axes", builder.getDenseI64ArrayAttr(normal));
  reduction->removeAttr("keepdims");
  reduction->getResult(0).setType(cast<RankedTensorType>(types.front()));
  auto resultType = TensorBuilder::getType(op->getResult(0));
  Value result = build.cast(reduction->getResult(0), resultType.getElementType());
  return SmallVector<Value>{build.reshape(result, resultType.getShape())};
}

} // namespace tiny::tensor
