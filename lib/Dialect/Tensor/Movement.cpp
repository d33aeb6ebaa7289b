// Verifiers and type inference of movement operations.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

using namespace mlir;
using namespace tiny::tensor;

/// No axis is longer, so that sums of sizes do not overflow.
static constexpr int64_t kMaxSize = int64_t(1) << 62;

/// (movement_element) Movement keeps the element type.
static LogicalResult verifySameElement(Operation *op) {
  Type from = TensorBuilder::getElement(op->getOperand(0)), to = TensorBuilder::getElement(op->getResult(0));
  if (from != to)
    return op->emitOpError("expects the input's element type ") << from << ", got " << to;
  return success();
}

/// The input as a static tensor, and one number per axis in each list; null after an error.
static RankedTensorType checkMovement(std::optional<Location> location, StringRef name, Type input,
                                      ArrayRef<ArrayRef<int64_t>> lists) {
  RankedTensorType type = getStaticTensor(input);
  if (!type) {
    (void)emitInferError(location, name, "expects a static ranked tensor, got ", input);
    return nullptr;
  }
  for (ArrayRef<int64_t> list : lists)
    if (static_cast<int64_t>(list.size()) != type.getRank()) {
      (void)emitInferError(location, name, "expects ", type.getRank(), " numbers, one per axis, got ", list.size());
      return nullptr;
    }
  return type;
}

//===--- reshape, expand ------------------------------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  if (failed(verifySameElement(*this)))
    return failure();
  // (reshape_c1) As many elements as before.
  int64_t from = getInput().getType().getNumElements(), to = getType().getNumElements();
  if (from != to)
    return emitOpError("expects ") << from << " elements as in " << printShape(getInput().getType().getShape())
                                   << ", got " << to << " in " << printShape(getType().getShape());
  return success();
}

LogicalResult ExpandOp::verify() {
  if (failed(verifySameElement(*this)))
    return failure();
  // (expand_c1) The input broadcasts to the result.
  ArrayRef<int64_t> from = getInput().getType().getShape(), to = getType().getShape();
  std::optional<SmallVector<int64_t>> common = broadcastShapes(from, to);
  if (!common || ArrayRef<int64_t>(*common) != to)
    return emitOpError("expects a shape that ") << printShape(from) << " broadcasts to, got " << printShape(to);
  return success();
}

//===--- permute, transpose, flip ---------------------------------------------------------------------------------===//

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  RankedTensorType type = checkMovement(location, getOperationName(), adaptor.getInput().getType(), permutation);
  if (!type)
    return failure();
  // (permute_c1) Each axis stands once.
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, type.getRank())))
    return emitInferError(location, getOperationName(), "expects each axis from 0 to ", type.getRank() - 1,
                          " once, got [", permutation, "]");
  SmallVector<int64_t> shape;
  for (int64_t axis : permutation)
    shape.push_back(type.getDimSize(axis));
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType type = checkMovement(location, getOperationName(), adaptor.getInput().getType(), {});
  // (transpose_c1) Both axes exist.
  if (!type || failed(checkAxis(location, getOperationName(), adaptor.getFirst(), type.getRank())) ||
      failed(checkAxis(location, getOperationName(), adaptor.getSecond(), type.getRank())))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[*normalizeAxis(adaptor.getFirst(), type.getRank())],
            shape[*normalizeAxis(adaptor.getSecond(), type.getRank())]);
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult FlipOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType type = checkMovement(location, getOperationName(), adaptor.getInput().getType(), {});
  // (flip_c1) Axes exist, each once.
  if (!type || failed(checkAxes(location, getOperationName(), adaptor.getAxes(), type.getRank())))
    return failure();
  types.push_back(type);
  return success();
}

LogicalResult ContiguousOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

//===--- pad, shrink, slice ---------------------------------------------------------------------------------------===//

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  RankedTensorType type = checkMovement(location, getOperationName(), adaptor.getInput().getType(), {low, high});
  if (!type)
    return failure();
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    // (pad_c1) Padding is not negative.
    for (int64_t amount : {low[axis], high[axis]})
      if (amount < 0)
        return emitInferError(location, getOperationName(), "expects padding of at least 0, got ", amount, " on axis ",
                              axis, "; use tiny.shrink to remove elements");
    // (pad_c2) Sizes stay below 2^62.
    if (low[axis] > kMaxSize || high[axis] > kMaxSize || size > kMaxSize - low[axis] ||
        size + low[axis] > kMaxSize - high[axis])
      return emitInferError(location, getOperationName(), "pads axis ", axis, " beyond 2^62 elements");
    shape.push_back(low[axis] + size + high[axis]);
  }
  // (pad_c3) The number has the element type.
  if (std::optional<TypedAttr> value = adaptor.getValue(); value && value->getType() != type.getElementType())
    return emitInferError(location, getOperationName(), "expects a value of type ", type.getElementType(), ", got ",
                          value->getType());
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult ShrinkOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> begin = adaptor.getBegin(), end = adaptor.getEnd();
  RankedTensorType type = checkMovement(location, getOperationName(), adaptor.getInput().getType(), {begin, end});
  if (!type)
    return failure();
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    // (shrink_c1) The window lies inside.
    if (begin[axis] < 0 || begin[axis] > end[axis] || end[axis] > size)
      return emitInferError(location, getOperationName(), "expects a window inside [0, ", size, ") on axis ", axis,
                            ", got [", begin[axis], ", ", end[axis], ")");
    shape.push_back(end[axis] - begin[axis]);
  }
  types.push_back(type.clone(shape));
  return success();
}

/// The shape of a slice of `shape`, with one number per axis in each list.
static FailureOr<SmallVector<int64_t>> inferSlice(std::optional<Location> location, StringRef name,
                                                  ArrayRef<int64_t> shape, ArrayRef<int64_t> begin,
                                                  ArrayRef<int64_t> end, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> sizes;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    int64_t from = begin[axis], to = end[axis], stride = strides[axis];
    // (slice_c1) The stride is not 0, and has a negative.
    if (stride == 0 || stride == INT64_MIN)
      return emitInferError(location, name, "expects a stride other than 0 on axis ", axis, ", got ", stride);
    // (slice_c2) The slice lies inside.
    bool inside = stride > 0 ? 0 <= from && from <= to && to <= size : -1 <= to && to <= from && from < size;
    if (!inside)
      return emitInferError(location, name, "expects a slice inside [0, ", size, ") on axis ", axis, ", got ", from,
                            " to ", to, " by ", stride);
    int64_t length = stride > 0 ? to - from : from - to, step = std::abs(stride);
    sizes.push_back(length == 0 ? 0 : (length - 1) / step + 1);
  }
  return sizes;
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> begin = adaptor.getBegin(), end = adaptor.getEnd(), strides = adaptor.getStrides();
  RankedTensorType type =
      checkMovement(location, getOperationName(), adaptor.getInput().getType(), {begin, end, strides});
  if (!type)
    return failure();
  auto shape = inferSlice(location, getOperationName(), type.getShape(), begin, end, strides);
  if (failed(shape))
    return failure();
  types.push_back(type.clone(*shape));
  return success();
}

LogicalResult SetItemOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> begin = adaptor.getBegin(), end = adaptor.getEnd(), strides = adaptor.getStrides();
  RankedTensorType type =
      checkMovement(location, getOperationName(), adaptor.getInput().getType(), {begin, end, strides});
  RankedTensorType value = type ? checkMovement(location, getOperationName(), adaptor.getValue().getType(), {}) : type;
  if (!value)
    return failure();
  auto shape = inferSlice(location, getOperationName(), type.getShape(), begin, end, strides);
  if (failed(shape))
    return failure();
  // (setitem_c1) The value broadcasts to the slice.
  std::optional<SmallVector<int64_t>> common = broadcastShapes(value.getShape(), *shape);
  if (!common || *common != *shape)
    return emitInferError(location, getOperationName(), "expects a value that broadcasts to the slice of shape ",
                          printShape(*shape), ", got ", printShape(value.getShape()));
  types.push_back(type);
  return success();
}

SmallVector<int64_t> SetItemOp::getSliceShape() {
  return *inferSlice(getLoc(), getOperationName(), getType().getShape(), getBegin(), getEnd(), getStrides());
}

//===--- squeeze, unsqueeze, flatten ------------------------------------------------------------------------------===//

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType type = checkMovement(location, getOperationName(), adaptor.getInput().getType(), {});
  if (!type)
    return failure();
  FailureOr<SmallVector<int64_t>> axes = checkAxes(location, getOperationName(), adaptor.getAxes(), type.getRank());
  if (failed(axes))
    return failure();
  // (squeeze_c1) Only axes of size 1 disappear.
  for (int64_t axis : *axes)
    if (type.getDimSize(axis) != 1)
      return emitInferError(location, getOperationName(), "expects size 1 on axis ", axis, ", got ",
                            type.getDimSize(axis));
  types.push_back(type.clone(reduceShape(type.getShape(), *axes, /*keepdims=*/false)));
  return success();
}

LogicalResult UnsqueezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType type = checkMovement(location, getOperationName(), adaptor.getInput().getType(), {});
  if (!type)
    return failure();
  // (unsqueeze_c1) Positions are those of the result.
  FailureOr<SmallVector<int64_t>> axes =
      checkAxes(location, getOperationName(), adaptor.getAxes(), type.getRank() + adaptor.getAxes().size());
  if (failed(axes))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult FlattenOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType type = checkMovement(location, getOperationName(), adaptor.getInput().getType(), {});
  if (!type || failed(checkAxis(location, getOperationName(), adaptor.getFirst(), type.getRank())) ||
      failed(checkAxis(location, getOperationName(), adaptor.getLast(), type.getRank())))
    return failure();
  int64_t first = *normalizeAxis(adaptor.getFirst(), type.getRank());
  int64_t last = *normalizeAxis(adaptor.getLast(), type.getRank());
  // (flatten_c1) The axes are in order.
  if (first > last)
    return emitInferError(location, getOperationName(), "expects the first axis before the last, got ", first, " to ",
                          last);
  ArrayRef<int64_t> sizes = type.getShape();
  SmallVector<int64_t> shape(sizes.take_front(first));
  shape.push_back(ShapedType::getNumElements(sizes.slice(first, last - first + 1)));
  llvm::append_range(shape, sizes.drop_front(last + 1));
  types.push_back(type.clone(shape));
  return success();
}

//===--- concat, stack --------------------------------------------------------------------------------------------===//

/// The promoted element type of the inputs; null after an error. (join_c1) There is an input. (join_c2) Ranks agree,
/// and sizes except on `axis`; -1 is for no exception.
static Type checkJoin(std::optional<Location> location, StringRef name, ValueRange inputs, int64_t axis) {
  auto first = inputs.empty() ? RankedTensorType() : getStaticTensor(inputs.front().getType());
  Type element = first ? first.getElementType() : Type();
  for (Value input : inputs) {
    RankedTensorType type = getStaticTensor(input.getType());
    bool agrees = type && element && type.getRank() == first.getRank();
    for (int64_t i = 0; agrees && i < type.getRank(); ++i)
      agrees = i == axis || type.getDimSize(i) == first.getDimSize(i);
    if (!agrees) {
      (void)emitInferError(location, name, "expects inputs of one shape", axis < 0 ? "" : " except along its axis",
                           ", got ", inputs.front().getType(), " and ", input.getType());
      return nullptr;
    }
    element = promote(element, type.getElementType());
  }
  if (!element)
    (void)emitInferError(location, name, "expects at least one input");
  return element;
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  auto type = adaptor.getInputs().empty() ? RankedTensorType() : getStaticTensor(adaptor.getInputs()[0].getType());
  if (!type)
    return emitInferError(location, name, "expects at least one input");
  if (failed(checkAxis(location, name, adaptor.getAxis(), type.getRank())))
    return failure();
  int64_t axis = *normalizeAxis(adaptor.getAxis(), type.getRank());
  Type element = checkJoin(location, name, adaptor.getInputs(), axis);
  if (!element)
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 0;
  for (Value input : adaptor.getInputs()) {
    int64_t size = TensorBuilder::getShape(input)[axis];
    if (size > kMaxSize - shape[axis])
      return emitInferError(location, name, "joins more than 2^62 elements on axis ", axis);
    shape[axis] += size;
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult StackOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Type element = checkJoin(location, getOperationName(), adaptor.getInputs(), -1);
  if (!element)
    return failure();
  SmallVector<int64_t> shape(TensorBuilder::getShape(adaptor.getInputs()[0]));
  if (failed(checkAxis(location, getOperationName(), adaptor.getAxis(), shape.size() + 1)))
    return failure();
  shape.insert(shape.begin() + *normalizeAxis(adaptor.getAxis(), shape.size() + 1), adaptor.getInputs().size());
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}
