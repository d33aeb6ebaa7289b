// Sources and movement of `tiny`: each result element is the input element that the definition names.
#include "Array.h"

#include "Tiny/Dialect/Tensor/Tensor.h"

using namespace mlir;

namespace tiny::reference {

/// An attribute as an element; numbers are written as floats or as integers.
static std::optional<Scalar> readNumber(Attribute attr, Element type) {
  if (auto number = dyn_cast_or_null<FloatAttr>(attr))
    return fromDouble(number.getValueAsDouble(), type);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr)) {
    bool isUnsigned = integer.getType().isUnsignedInteger() || integer.getType().isInteger(1);
    Wide value = isUnsigned ? static_cast<Wide>(integer.getValue().getZExtValue()) : integer.getValue().getSExtValue();
    return type.isBool() ? makeInt(value != 0 ? -1 : 0) : fromWide(value, type);
  }
  return std::nullopt;
}

static Known evaluateSource(Session &session, Operation *op, Array &result) {
  if (auto constant = dyn_cast<tensor::ConstantOp>(op)) {
    FailureOr<Buffer> buffer = readConstant(session, constant.getValue(), op->getLoc());
    if (failed(buffer))
      return Known::Failed;
    readElements(result.type.scalar, buffer->memory->bytes.data(), result.values.data(), result.size());
    return Known::Yes;
  }
  if (auto full = dyn_cast<tensor::FullOp>(op)) {
    std::optional<Scalar> value = readNumber(full.getValue(), result.type);
    if (!value)
      return Known::No;
    std::fill(result.values.begin(), result.values.end(), *value);
    return Known::Yes;
  }
  if (auto iota = dyn_cast<tensor::IotaOp>(op)) {
    forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
      result.values[at] = fromWide(indices[iota.getAxis()], result.type);
    });
    return Known::Yes;
  }
  if (auto range = dyn_cast<tensor::ArangeOp>(op)) {
    double start = range.getStart().convertToDouble(), step = range.getStep().convertToDouble();
    for (int64_t at = 0; at < result.size(); ++at)
      result.values[at] = fromDouble(start + static_cast<double>(at) * step, result.type);
    return Known::Yes;
  }
  if (auto eye = dyn_cast<tensor::EyeOp>(op)) {
    forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
      bool one = indices[1] - indices[0] == static_cast<int64_t>(eye.getDiagonal());
      result.values[at] = result.type.isBool() ? makeInt(one ? -1 : 0) : fromWide(one, result.type);
    });
    return Known::Yes;
  }
  return Known::No;
}

/// Tensors one after the other along `axis` of the result; `stacked` ones take one place each.
static void join(Operands operands, Array &result, int64_t axis, bool stacked) {
  int64_t begin = 0;
  for (const Array *operand : operands) {
    SmallVector<int64_t> shape = operand->shape;
    if (stacked)
      shape.insert(shape.begin() + axis, 1);
    forEachIndex(shape, [&](int64_t at, ArrayRef<int64_t> indices) {
      SmallVector<int64_t> target(indices);
      target[axis] += begin;
      result.values[toLinear(result.shape, target)] = convert(operand->values[at], operand->type, result.type);
    });
    begin += shape[axis];
  }
}

Known evaluateMovement(Session &session, Operation *op, Operands operands, Array &result) {
  if (operands.empty())
    return evaluateSource(session, op, result);
  const Array &input = *operands[0];
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    int64_t axis = concat.getAxis();
    join(operands, result, axis < 0 ? axis + result.shape.size() : axis, /*stacked=*/false);
    return Known::Yes;
  }
  if (auto stack = dyn_cast<tensor::StackOp>(op)) {
    int64_t axis = stack.getAxis();
    join(operands, result, axis < 0 ? axis + result.shape.size() : axis, /*stacked=*/true);
    return Known::Yes;
  }
  if (auto set = dyn_cast<tensor::SetItemOp>(op)) {
    const Array &value = *operands[1];
    result.values = input.values;
    forEachIndex(set.getSliceShape(), [&](int64_t, ArrayRef<int64_t> indices) {
      SmallVector<int64_t> target;
      for (auto [axis, index] : llvm::enumerate(indices))
        target.push_back(set.getBegin()[axis] + index * set.getStrides()[axis]);
      result.values[toLinear(result.shape, target)] =
          convert(value.values[broadcastIndex(value.shape, indices)], value.type, result.type);
    });
    return Known::Yes;
  }
  // The same elements in the same order.
  if (isa<tensor::ReshapeOp, tensor::SqueezeOp, tensor::UnsqueezeOp, tensor::FlattenOp, tensor::WatchOp,
          tensor::DetachOp, tensor::CheckpointOp, tensor::ContiguousOp, tensor::StageOp>(op)) {
    result.values = input.values;
    return Known::Yes;
  }
  /// Fills the result from the input element at `source(indices)`, or with `outside` where that gives none.
  auto gather = [&](function_ref<std::optional<int64_t>(ArrayRef<int64_t>)> source, Scalar outside) {
    forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
      std::optional<int64_t> from = source(indices);
      result.values[at] = from ? input.values[*from] : outside;
    });
    return Known::Yes;
  };
  SmallVector<int64_t> from(input.shape.size());
  Scalar zero = makeInt(0);
  if (isa<tensor::ExpandOp>(op))
    return gather([&](ArrayRef<int64_t> indices) { return broadcastIndex(input.shape, indices); }, zero);
  if (auto permute = dyn_cast<tensor::PermuteOp>(op))
    return gather(
        [&](ArrayRef<int64_t> indices) {
          for (auto [index, axis] : llvm::zip_equal(indices, permute.getPermutation()))
            from[axis] = index;
          return toLinear(input.shape, from);
        },
        zero);
  if (auto transpose = dyn_cast<tensor::TransposeOp>(op)) {
    int64_t rank = input.shape.size(), first = transpose.getFirst(), second = transpose.getSecond();
    return gather(
        [&](ArrayRef<int64_t> indices) {
          from.assign(indices.begin(), indices.end());
          std::swap(from[(first + rank) % rank], from[(second + rank) % rank]);
          return toLinear(input.shape, from);
        },
        zero);
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    std::optional<Scalar> outside = pad.getValue() ? readNumber(*pad.getValue(), result.type) : std::optional(zero);
    if (!outside)
      return Known::No;
    return gather(
        [&](ArrayRef<int64_t> indices) -> std::optional<int64_t> {
          for (auto [axis, index] : llvm::enumerate(indices)) {
            from[axis] = index - pad.getLow()[axis];
            if (from[axis] < 0 || from[axis] >= input.shape[axis])
              return std::nullopt;
          }
          return toLinear(input.shape, from);
        },
        *outside);
  }
  auto shrink = dyn_cast<tensor::ShrinkOp>(op);
  auto slice = dyn_cast<tensor::SliceOp>(op);
  if (shrink || slice)
    return gather(
        [&](ArrayRef<int64_t> indices) {
          for (auto [axis, index] : llvm::enumerate(indices))
            from[axis] =
                shrink ? shrink.getBegin()[axis] + index : slice.getBegin()[axis] + index * slice.getStrides()[axis];
          return toLinear(input.shape, from);
        },
        zero);
  if (auto flip = dyn_cast<tensor::FlipOp>(op)) {
    int64_t rank = input.shape.size();
    return gather(
        [&](ArrayRef<int64_t> indices) {
          from.assign(indices.begin(), indices.end());
          for (int64_t axis : flip.getAxes())
            from[(axis + rank) % rank] = input.shape[(axis + rank) % rank] - 1 - from[(axis + rank) % rank];
          return toLinear(input.shape, from);
        },
        zero);
  }
  return Known::No;
}

} // namespace tiny::reference
