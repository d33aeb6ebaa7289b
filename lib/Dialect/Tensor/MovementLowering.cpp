// Derived movement in terms of the six primitive movements.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tiny::tensor;

/// Whether the attribute is exactly zero; minus zero is not.
static bool isZero(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isPosZero();
  return cast<IntegerAttr>(value).getValue().isZero();
}

bool ExpandOp::isPrimitive() { return getInput().getType().getRank() == getType().getRank(); }

FailureOr<SmallVector<Value>> ExpandOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{TensorBuilder(builder, getLoc()).expand(getInput(), getType().getShape())};
}

bool PadOp::isPrimitive() { return !getValue() || isZero(*getValue()); }

FailureOr<SmallVector<Value>> PadOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  // Padding reads as zero; a padded mask says where it is.
  Value inside = build.full(getInput().getType().getShape(), builder.getBoolAttr(true));
  inside = build.pad(inside, getLow(), getHigh());
  Value padded = build.pad(getInput(), getLow(), getHigh());
  return SmallVector<Value>{build.where(inside, padded, build.full(getType().getShape(), *getValue()))};
}

FailureOr<SmallVector<Value>> TransposeOp::decompose(OpBuilder &builder) {
  int64_t rank = getType().getRank();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[*normalizeAxis(getFirst(), rank)], permutation[*normalizeAxis(getSecond(), rank)]);
  return SmallVector<Value>{TensorBuilder(builder, getLoc()).permute(getInput(), permutation)};
}

FailureOr<SmallVector<Value>> SliceOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  ArrayRef<int64_t> result = getType().getShape();
  int64_t rank = result.size();
  // The box that holds the slice, upwards: a slice down the axis is a slice up, flipped.
  SmallVector<int64_t> begin, end, flipped, strides;
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t from = getBegin()[axis], stride = getStrides()[axis];
    int64_t reach = result[axis] == 0 ? 0 : (result[axis] - 1) * std::abs(stride) + 1;
    int64_t low = result[axis] == 0 ? 0 : stride > 0 ? from : from - reach + 1;
    begin.push_back(low);
    end.push_back(low + reach);
    strides.push_back(std::abs(stride));
    if (stride < 0)
      flipped.push_back(axis);
  }
  Value value = build.shrink(getInput(), begin, end);
  if (!flipped.empty())
    value = build.create<FlipOp>(value, flipped);
  if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
    return SmallVector<Value>{value};
  // Pad to whole strides, split the axis into [n, stride], and keep the first of each.
  SmallVector<int64_t> zeros(rank, 0), high, padded, split, first, firstZeros(2 * rank, 0);
  for (int64_t axis = 0; axis < rank; ++axis) {
    // A stride longer than the slice takes one element only, whatever it is.
    int64_t stride = result[axis] <= 1 ? 1 : strides[axis];
    padded.push_back(result[axis] * stride);
    high.push_back(padded.back() - TensorBuilder::getShape(value)[axis]);
    split.append({result[axis], stride});
    first.append({result[axis], 1});
  }
  if (failed(checkIterationSpace(getLoc(), padded, getType().getElementType())))
    return failure();
  value = build.reshape(build.pad(value, zeros, high), split);
  return SmallVector<Value>{build.reshape(build.shrink(value, firstZeros, first), result)};
}

bool SetItemOp::isPrimitive() {
  RankedTensorType value = getValue().getType();
  return value.getElementType() == getType().getElementType() && value.getShape() == ArrayRef(getSliceShape());
}

FailureOr<SmallVector<Value>> SetItemOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Value value = build.expand(build.cast(getValue(), getType().getElementType()), getSliceShape());
  return SmallVector<Value>{build.create<SetItemOp>(getInput(), value, getBegin(), getEnd(), getStrides())};
}

FailureOr<SmallVector<Value>> SqueezeOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{TensorBuilder(builder, getLoc()).reshape(getInput(), getType().getShape())};
}

FailureOr<SmallVector<Value>> UnsqueezeOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{TensorBuilder(builder, getLoc()).reshape(getInput(), getType().getShape())};
}

FailureOr<SmallVector<Value>> FlattenOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{TensorBuilder(builder, getLoc()).reshape(getInput(), getType().getShape())};
}

FailureOr<SmallVector<Value>> ConcatOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t axis = *normalizeAxis(getAxis(), shape.size());
  // Each input padded to the whole, chosen by where the index along the axis stands. A sum of the padded inputs would
  // lose the sign of zeros.
  Value result, index;
  int64_t offset = 0;
  for (Value input : getInputs()) {
    int64_t size = TensorBuilder::getShape(input)[axis];
    SmallVector<int64_t> low(shape.size(), 0), high(shape.size(), 0);
    low[axis] = offset;
    high[axis] = shape[axis] - offset - size;
    Value padded = build.pad(build.cast(input, getType().getElementType()), low, high);
    if (!result) {
      result = padded;
    } else {
      if (!index)
        index = build.create<IotaOp>(shape, builder.getI64Type(), axis);
      Value isBefore = build.lt(index, build.full(shape, builder.getI64IntegerAttr(offset)));
      result = build.where(isBefore, result, padded);
    }
    offset += size;
  }
  return SmallVector<Value>{result};
}

FailureOr<SmallVector<Value>> StackOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  SmallVector<int64_t> slice(getType().getShape());
  int64_t axis = *normalizeAxis(getAxis(), slice.size());
  slice[axis] = 1;
  SmallVector<Value> slices;
  for (Value input : getInputs())
    slices.push_back(build.reshape(input, slice));
  return SmallVector<Value>{build.create<ConcatOp>(slices, axis)};
}
