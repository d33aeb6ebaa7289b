// Constants and index sources.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

//===--- constant -------------------------------------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  // (constant_c1) The elements are written densely, or held in a resource.
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(adaptor.getValue()))
    return emitInferError(location, getOperationName(), "expects dense elements");
  types.push_back(adaptor.getValue().getType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===--- full -----------------------------------------------------------------------------------------------------===//

LogicalResult FullOp::verify() {
  // (full_c1) The number has the element type.
  if (getValue().getType() != getType().getElementType())
    return emitOpError("expects a number of type ") << getType().getElementType() << ", got " << getValue().getType();
  return success();
}

OpFoldResult FullOp::fold(FoldAdaptor) { return DenseElementsAttr::get(getType(), Attribute(getValue())); }

FailureOr<SmallVector<Value>> FullOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{TensorBuilder(builder, getLoc()).full(getType().getShape(), getValue())};
}

//===--- iota -----------------------------------------------------------------------------------------------------===//

void IotaOp::build(OpBuilder &builder, OperationState &state, ArrayRef<int64_t> shape, Type element, int64_t axis) {
  build(builder, state, RankedTensorType::get(shape, element), axis);
}

LogicalResult IotaOp::verify() {
  // (iota_c1) The axis exists.
  int64_t axis = getAxis(), rank = getType().getRank();
  if (axis < 0 || axis >= rank)
    return emitOpError("expects an axis in [0, ") << rank << "), got " << axis;
  return success();
}

bool IotaOp::isPrimitive() { return isa<IntegerType>(getType().getElementType()); }

FailureOr<SmallVector<Value>> IotaOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Value index = build.create<IotaOp>(getType().getShape(), builder.getI64Type(), getAxis());
  return SmallVector<Value>{build.cast(index, getType().getElementType())};
}

//===--- arange, eye ----------------------------------------------------------------------------------------------===//

LogicalResult ArangeOp::verify() {
  // (arange_c1) One axis.
  if (getType().getRank() != 1)
    return emitOpError("expects a result of rank 1, got ") << getType();
  // (arange_c2) Integers start at and step by integers.
  auto isWhole = [](const APFloat &value) { return value.isInteger(); };
  if (isa<IntegerType>(getType().getElementType()) && (!isWhole(getStart()) || !isWhole(getStep())))
    return emitOpError("expects an integer start and step for ") << getType();
  return success();
}

FailureOr<SmallVector<Value>> ArangeOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Type element = getType().getElementType();
  // start + index * step, in a type that rounds once at the end.
  Type compute = getAccumulator(element);
  Value index = build.create<IotaOp>(getType().getShape(), compute, 0);
  Value value = build.add(build.mul(index, getStep().convertToDouble()), getStart().convertToDouble());
  return SmallVector<Value>{build.cast(value, element)};
}

LogicalResult EyeOp::verify() {
  // (eye_c1) A matrix.
  if (getType().getRank() != 2)
    return emitOpError("expects a result of rank 2, got ") << getType();
  return success();
}

FailureOr<SmallVector<Value>> EyeOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  ArrayRef<int64_t> shape = getType().getShape();
  Value row = build.create<IotaOp>(shape, builder.getI64Type(), 0);
  Value column = build.create<IotaOp>(shape, builder.getI64Type(), 1);
  Value diagonal = build.full(shape, builder.getI64IntegerAttr(getDiagonal()));
  return SmallVector<Value>{build.cast(build.eq(build.sub(column, row), diagonal), getType().getElementType())};
}
