// Scales of integers, tables, and resizing, whose weights are integers where its elements are.
#include "Translators.h"

using namespace mlir;

namespace tiny::tosaimport {

using tensor::TensorBuilder;

namespace {

Value translateTable(tosa::TableOp op, TensorBuilder &build) {
  if (!TensorBuilder::getElement(op.getInput1()).isInteger(8))
    return fail(op, "only tables for 8 bits are supported");
  Value index = build.cast(op.getInput1(), build.getBuilder().getI32Type());
  index = build.add(index, likeInteger(build, index, 128));
  return build.create<tensor::TakeOp>(op.getTable(), index, uint64_t(0));
}

/// clamp(((x - input zero point) * multiplier + half) >> shift) + output zero point), in 64 bits.
Value translateRescale(tosa::RescaleOp op, TensorBuilder &build) {
  FailureOr<int64_t> inputZero = op.getInputZeroPoint(), outputZero = op.getOutputZeroPoint();
  if (failed(inputZero) || failed(outputZero))
    return fail(op, "expected constant zero points");
  Type wide = build.getBuilder().getI64Type();
  Value x = op.getInput();
  auto bits = [&](Type element, IntegerType::SignednessSemantics sign) {
    return IntegerType::get(op.getContext(), element.getIntOrFloatBitWidth(), sign);
  };
  if (op.getInputUnsigned())
    x = build.create<tensor::BitcastOp>(
        TensorBuilder::getType(x).clone(bits(TensorBuilder::getElement(x), IntegerType::Unsigned)), x);
  x = readQuantized(build, x, *inputZero, 64);

  // The last axis has the channels; a single number goes to each.
  Value multiplier = build.cast(op.getMultiplier(), wide), shift = build.cast(op.getShift(), wide);
  Value one = likeInteger(build, shift, 1);
  Value half = build.create<tensor::ShlOp>(one, build.sub(shift, one));
  if (op.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND) {
    Value more = likeInteger(build, shift, int64_t(1) << 30), none = likeInteger(build, shift, 0);
    more = build.where(build.create<tensor::GtOp>(shift, likeInteger(build, shift, 31)), more, none);
    Value isNegative = build.create<tensor::LtOp>(x, likeInteger(build, x, 0));
    half = build.where(isNegative, build.sub(half, more), build.add(half, more));
  }
  Value scaled = build.create<tensor::ShrOp>(build.add(build.mul(x, multiplier), half), shift);
  scaled = build.add(scaled, likeInteger(build, scaled, *outputZero));

  Type element = getResultElement(op);
  auto [low, high] = getRange(element, op.getOutputUnsigned());
  scaled = build.minimum(build.maximum(scaled, likeInteger(build, scaled, low)), likeInteger(build, scaled, high));
  // The low bits stay, so that an unsigned number keeps its own.
  return build.cast(scaled, element);
}

/// Where one axis of a resized image comes from: two places for each, and the second one's weight out of `unit`.
struct Source {
  SmallVector<int32_t> first, second;
  Ints weights;
};

Source findSources(int64_t size, int64_t sizeOut, int64_t unit, int64_t step, int64_t offset) {
  Source source;
  for (int64_t place = 0; place < sizeOut; ++place) {
    int64_t at = place * step + offset;
    int64_t below = llvm::divideFloorSigned(at, unit);
    source.first.push_back(std::clamp<int64_t>(below, 0, size - 1));
    source.second.push_back(std::clamp<int64_t>(below + 1, 0, size - 1));
    source.weights.push_back(at - below * unit);
  }
  return source;
}

Value takeRows(TensorBuilder &build, Value value, ArrayRef<int32_t> places, int64_t axis) {
  auto type = RankedTensorType::get(int64_t(places.size()), build.getBuilder().getI32Type());
  Value index = build.create<tensor::ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(type, places)));
  return build.create<tensor::TakeOp>(value, index, uint64_t(axis));
}

/// The weights as numbers of the element type: shares of one for floats, integers out of `unit` otherwise.
Value makeWeights(TensorBuilder &build, const Source &source, int64_t unit, bool isSecond, Type element, int64_t axis) {
  SmallVector<Attribute> numbers;
  for (int64_t weight : source.weights) {
    int64_t part = isSecond ? weight : unit - weight;
    if (isa<FloatType>(element))
      numbers.push_back(tensor::getNumber(element, double(part) / double(unit)));
    else
      numbers.push_back(IntegerAttr::get(element, part));
  }
  auto type = RankedTensorType::get(int64_t(numbers.size()), element);
  Value weights = build.create<tensor::ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(type, numbers)));
  return build.onAxis(weights, axis, 4);
}

Value translateResize(tosa::ResizeOp op, TensorBuilder &build) {
  std::optional<Ints> scale = readShape(op, op.getScale()), offset = readShape(op, op.getOffset());
  if (!scale || !offset)
    return nullptr;
  Value value = op.getInput();
  Type element = getResultElement(op);
  bool isNearest = op.getMode() == tosa::ResizeMode::NEAREST_NEIGHBOR;
  if (!isNearest)
    value = build.cast(value, element);
  for (int64_t axis = 1; axis <= 2; ++axis) {
    int64_t unit = (*scale)[2 * axis - 2], step = (*scale)[2 * axis - 1];
    Source source =
        findSources(TensorBuilder::getShape(value)[axis], getResultShape(op)[axis], unit, step, (*offset)[axis - 1]);
    if (isNearest) {
      for (auto [first, second, weight] : llvm::zip(source.first, source.second, source.weights))
        first = 2 * weight >= unit ? second : first;
      value = takeRows(build, value, source.first, axis);
      continue;
    }
    Value first =
        build.mul(takeRows(build, value, source.first, axis), makeWeights(build, source, unit, false, element, axis));
    Value second =
        build.mul(takeRows(build, value, source.second, axis), makeWeights(build, source, unit, true, element, axis));
    value = build.add(first, second);
  }
  return value;
}

} // namespace

void addQuantized(TranslatorTable &table) {
  table.add<tosa::RescaleOp>(translateRescale);
  table.add<tosa::ResizeOp>(translateResize);
  table.add<tosa::TableOp>(translateTable);
}

} // namespace tiny::tosaimport
