// Elements chosen by data: types and decompositions.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // (gather_c1) An index for each axis.
  if (adaptor.getIndices().empty() || static_cast<int64_t>(adaptor.getIndices().size()) != input.getRank())
    return emitInferError(location, getOperationName(), "expects one index tensor per axis, ", input.getRank(),
                          " in all and at least one, got ", adaptor.getIndices().size());
  SmallVector<int64_t> shape;
  for (Value index : adaptor.getIndices()) {
    // (gather_c2) The index tensors broadcast.
    ArrayRef<int64_t> next = cast<RankedTensorType>(index.getType()).getShape();
    std::optional<SmallVector<int64_t>> common = broadcastShapes(shape, next);
    if (!common)
      return emitInferError(location, getOperationName(), "expects index tensors that broadcast, got ",
                            printShape(shape), " and ", printShape(next));
    shape = *common;
  }
  types.push_back(input.clone(shape));
  return success();
}

bool GatherOp::isPrimitive() {
  return llvm::all_of(getIndices(),
                      [&](Value index) { return TensorBuilder::getShape(index) == getType().getShape(); });
}

FailureOr<SmallVector<Value>> GatherOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  SmallVector<Value> indices;
  for (Value index : getIndices())
    indices.push_back(build.expand(index, getType().getShape()));
  return SmallVector<Value>{build.create<GatherOp>(getInput(), indices)};
}

LogicalResult TakeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // (take_c1) The axis exists.
  if (failed(checkAxis(location, getOperationName(), adaptor.getAxis(), input.getRank())))
    return failure();
  int64_t axis = *normalizeAxis(adaptor.getAxis(), input.getRank());
  SmallVector<int64_t> shape(input.getShape().take_front(axis));
  llvm::append_range(shape, cast<RankedTensorType>(adaptor.getIndices().getType()).getShape());
  llvm::append_range(shape, input.getShape().drop_front(axis + 1));
  types.push_back(input.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> TakeOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t rank = getInput().getType().getRank(), axis = *normalizeAxis(getAxis(), rank);
  int64_t chosen = getIndices().getType().getRank();
  SmallVector<int64_t> aligned(shape.size(), 1);
  llvm::copy(getIndices().getType().getShape(), aligned.begin() + axis);
  SmallVector<Value> indices;
  for (int64_t k = 0; k < rank; ++k)
    indices.push_back(k == axis ? build.expand(build.reshape(getIndices(), aligned), shape)
                                : build.create<IotaOp>(shape, builder.getI64Type(), k < axis ? k : k - 1 + chosen));
  return SmallVector<Value>{build.create<GatherOp>(getInput(), indices)};
}

LogicalResult TakeAlongOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  // (take_along_c1) The axis exists.
  if (failed(checkAxis(location, getOperationName(), adaptor.getAxis(), input.getRank())))
    return failure();
  int64_t axis = *normalizeAxis(adaptor.getAxis(), input.getRank());
  // (take_along_c2) As many axes, none but the chosen one longer than the input's.
  bool fits = indices.getRank() == input.getRank();
  for (int64_t k = 0; fits && k < input.getRank(); ++k)
    fits = k == axis || indices.getDimSize(k) <= input.getDimSize(k);
  if (!fits)
    return emitInferError(location, getOperationName(), "expects indices of shape ", printShape(indices.getShape()),
                          " to fit into ", printShape(input.getShape()), " apart from axis ", axis);
  types.push_back(input.clone(indices.getShape()));
  return success();
}

FailureOr<SmallVector<Value>> TakeAlongOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  int64_t rank = getType().getRank(), axis = *normalizeAxis(getAxis(), rank);
  SmallVector<Value> indices;
  for (int64_t k = 0; k < rank; ++k)
    indices.push_back(k == axis ? getIndices() : build.create<IotaOp>(getType().getShape(), builder.getI64Type(), k));
  return SmallVector<Value>{build.create<GatherOp>(getInput(), indices)};
}
