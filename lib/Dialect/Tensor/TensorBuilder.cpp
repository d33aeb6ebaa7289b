// Creates tensor operations with folding: constants of a given number, and movement that changes nothing left out.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;

namespace tiny::tensor {

TypedAttr getNumber(Type element, double value) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, value);
  auto integer = cast<IntegerType>(element);
  if (integer.getWidth() == 1)
    return IntegerAttr::get(integer, value != 0);
  return IntegerAttr::get(integer, APInt(64, static_cast<int64_t>(value), /*isSigned=*/true).trunc(integer.getWidth()));
}

TypedAttr getLowest(Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    bool hasInf = APFloat::semanticsHasInf(semantics);
    return FloatAttr::get(type, hasInf ? APFloat::getInf(semantics, /*Negative=*/true)
                                       : APFloat::getLargest(semantics, /*Negative=*/true));
  }
  auto integer = cast<IntegerType>(element);
  bool isZero = integer.isUnsigned() || integer.getWidth() == 1;
  return IntegerAttr::get(integer,
                          isZero ? APInt::getZero(integer.getWidth()) : APInt::getSignedMinValue(integer.getWidth()));
}

LogicalResult checkIterationSpace(Location location, ArrayRef<int64_t> shape, Type element) {
  if (hasValidSize(RankedTensorType::get(shape, element)))
    return success();
  return emitError(location) << "expects a computation of at most 2^62 bytes, got a loop over " << printShape(shape)
                             << " of " << element;
}

Value TensorBuilder::full(RankedTensorType type, double value) {
  return full(type.getShape(), getNumber(type.getElementType(), value));
}

Value TensorBuilder::full(ArrayRef<int64_t> shape, TypedAttr value) {
  auto type = RankedTensorType::get(shape, value.getType());
  return create<ConstantOp>(llvm::cast<ElementsAttr>(DenseElementsAttr::get(type, Attribute(value))));
}

Value TensorBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  return getShape(value) == shape ? value : create<ReshapeOp>(value, shape);
}

Value TensorBuilder::expand(Value value, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> aligned(shape.size() - getShape(value).size(), 1);
  llvm::append_range(aligned, getShape(value));
  value = reshape(value, aligned);
  return getShape(value) == shape ? value : create<ExpandOp>(value, shape);
}

Value TensorBuilder::permute(Value value, ArrayRef<int64_t> permutation) {
  return llvm::is_sorted(permutation) ? value : create<PermuteOp>(value, permutation);
}

Value TensorBuilder::pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high, TypedAttr number) {
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return value;
  return create<PadOp>(value, low, high, number);
}

Value TensorBuilder::shrink(Value value, ArrayRef<int64_t> begin, ArrayRef<int64_t> end) {
  bool isWhole = getShape(value) == end && llvm::all_of(begin, [](int64_t index) { return index == 0; });
  return isWhole ? value : create<ShrinkOp>(value, begin, end);
}

Value TensorBuilder::cast(Value value, Type element) {
  return getElement(value) == element ? value : create<CastOp>(value, element);
}

Value TensorBuilder::onAxis(Value value, int64_t axis, int64_t rank) {
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = getShape(value).front();
  return reshape(value, shape);
}

} // namespace tiny::tensor
