// Constants, shapes as values, and the selection of elements by indices.
#include "Node.h"
#include "TensorData.h"
#include <cmath>

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kLargestRange = 1 << 24;
constexpr int64_t kMostSlices = 16;

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }

ElementsAttr readAttribute(Node &node, const onnx::AttributeProto &value) {
  return readTensor(node.getContext(), value.t(), node.getOuter().files, [&] { return emitError(node.getLoc()); });
}

Values translateConstant(Node &node) {
  if (const onnx::AttributeProto *value = node.findAttribute("value")) {
    ElementsAttr elements = readAttribute(node, *value);
    return {elements ? node.makeConstant(elements) : nullptr};
  }
  if (const onnx::AttributeProto *sparse = node.findAttribute("sparse_value")) {
    auto emit = [&]() -> InFlightDiagnostic { return emitError(node.getLoc()) << "attribute 'sparse_value': "; };
    ElementsAttr elements = readSparseTensor(node.getContext(), sparse->sparse_tensor(), node.getOuter().files, emit);
    if (!elements)
      node.refuse();
    return {elements ? node.makeConstant(elements) : nullptr};
  }
  if (node.hasAttribute("value_int"))
    return {node.makeInts(node.getInt("value_int", 0), {}, i64(node))};
  if (std::optional<Ints> numbers = node.getInts("value_ints"))
    return {node.makeInts(*numbers, int64_t(numbers->size()), i64(node))};
  Type f32 = Float32Type::get(node.getContext());
  if (node.hasAttribute("value_float"))
    return {node.scalar(node.getFloat("value_float", 0), f32)};
  if (const onnx::AttributeProto *value = node.findAttribute("value_floats")) {
    SmallVector<float> numbers(value->floats().begin(), value->floats().end());
    auto type = RankedTensorType::get(int64_t(numbers.size()), f32);
    return {node.makeConstant(DenseElementsAttr::get(type, ArrayRef<float>(numbers)))};
  }
  return {node.fail("the constant has no value")};
}

Values translateConstantOfShape(Node &node) {
  std::optional<Ints> shape = node.constantInts(0, "the shape");
  if (!shape)
    return {};
  if (!countElements(*shape, 8))
    return {node.fail("the size of the shape overflows")};
  Value number;
  if (const onnx::AttributeProto *value = node.findAttribute("value")) {
    ElementsAttr elements = readAttribute(node, *value);
    if (!elements)
      return {};
    if (elements.getNumElements() != 1)
      return {node.fail("the value is not one number")};
    number = node.reshape(node.makeConstant(elements), {});
  } else {
    number = node.scalar(0, Float32Type::get(node.getContext()));
  }
  return {node.expand(number, *shape)};
}

/// Says of a constant that it follows open sizes, if one of these is.
Value markOpen(Node &node, Value constant, ArrayRef<int64_t> sizes) {
  bool isOpen = false;
  for (int64_t size : sizes)
    isOpen |= node.isOpen(size);
  if (isOpen)
    constant.getDefiningOp()->setAttr(kFollowsAttr, UnitAttr::get(node.getContext()));
  return constant;
}

Values translateShape(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  int64_t rank = rankOf(input);
  auto clamp = [&](int64_t axis) { return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank); };
  int64_t start = clamp(node.getInt("start", 0)), end = std::max(start, clamp(node.getInt("end", rank)));
  ArrayRef<int64_t> shape = shapeOf(input).slice(start, end - start);
  return {markOpen(node, node.makeInts(shape, int64_t(shape.size()), i64(node)), shape)};
}

Values translateSize(Node &node) {
  Value input = node.input(0);
  return {input ? markOpen(node, node.makeInts(typeOf(input).getNumElements(), {}, i64(node)), shapeOf(input))
                : nullptr};
}

/// An integer, signed or not, in bits enough for a difference of two.
APInt widen(TypedAttr number) {
  APInt value = cast<IntegerAttr>(number).getValue();
  return number.getType().isUnsignedInteger() ? value.zext(66) : value.sext(66);
}

/// The numbers from `start` in steps of `step` that come before `limit`: how many there are; more than any where they
/// have no end.
double countSteps(TypedAttr start, TypedAttr limit, TypedAttr step) {
  if (auto first = dyn_cast<FloatAttr>(start)) {
    double count = std::ceil((cast<FloatAttr>(limit).getValueAsDouble() - first.getValueAsDouble()) /
                             cast<FloatAttr>(step).getValueAsDouble());
    return count == count ? std::max(count, 0.0) : std::numeric_limits<double>::infinity();
  }
  APInt each = widen(step), distance = widen(limit) - widen(start);
  if (each.isZero())
    return std::numeric_limits<double>::infinity();
  if (distance.isZero() || distance.isNegative() != each.isNegative())
    return 0;
  return llvm::APIntOps::RoundingUDiv(distance.abs(), each.abs(), APInt::Rounding::UP).roundToDouble();
}

// start, start + step, ... before the limit, all known now
/// A range whose length is data.
Values rangeOfData(Node &node) {
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < 3; ++i) {
    Value input = node.input(i);
    if (input && typeOf(input).getNumElements() != 1)
      return {node.fail("the start, the limit or the step is not one number")};
    inputs.push_back(node.reshape(input, {}));
    if (!inputs.back())
      return {};
    if (elementOf(inputs[i]) != elementOf(inputs[0]))
      return {node.fail("the start, the limit and the step are not of one type")};
  }
  Value start = inputs[0], limit = inputs[1], step = inputs[2];
  Type element = elementOf(start), i64 = IntegerType::get(node.getContext(), 64);
  // As many steps as it takes to reach the limit: the quotient is rounded up.
  Value steps = isa<FloatType>(element)
                    ? node.create("tiny.ceil", node.div(node.sub(limit, start), step))
                    : node.create("tiny.neg", node.create("tiny.floordiv", {node.sub(start, limit), step}));
  Value count = node.create("tiny.maximum", {node.cast(steps, i64), node.scalar(0, i64)});
  std::optional<int64_t> size = node.measure(count, kMostMeasured);
  if (!size)
    return {};
  return {node.add(node.mul(node.iota({*size}, element, 0), step), start)};
}

Values translateRange(Node &node) {
  if (llvm::any_of(llvm::seq(3u), [&](unsigned i) { return !node.constant(i); }))
    return rangeOfData(node);
  TypedAttr start = node.constantScalar(0, "the start"), limit = node.constantScalar(1, "the limit"),
            step = node.constantScalar(2, "the step");
  if (!start || !limit || !step)
    return {};
  Type element = start.getType();
  if (limit.getType() != element || step.getType() != element)
    return {node.fail("the start, the limit and the step are not of one type")};
  double count = countSteps(start, limit, step);
  if (!(count <= double(kLargestRange)))
    return {node.fail("the range is too long or has no end")};
  auto type = RankedTensorType::get(int64_t(count), element);
  auto arange = [&](double first, double each) {
    return node.createTyped("tiny.arange", type, {}, {node.attrF64("start", first), node.attrF64("step", each)});
  };
  if (isa<FloatType>(element))
    return {arange(cast<FloatAttr>(start).getValueAsDouble(), cast<FloatAttr>(step).getValueAsDouble())};
  // The attributes of arange are doubles, which do not hold every integer.
  auto scalar = [&](TypedAttr number) {
    return node.makeConstant(DenseElementsAttr::get(RankedTensorType::get({}, element), Attribute(number)));
  };
  if (llvm::all_of(ArrayRef<TypedAttr>{start, limit, step},
                   [](TypedAttr number) { return widen(number).isSignedIntN(53); }))
    return {arange(double(widen(start).getSExtValue()), double(widen(step).getSExtValue()))};
  return {node.create("tiny.add", {node.create("tiny.mul", {arange(0, 1), scalar(step)}), scalar(start)})};
}

// A few constant indices are a concatenation of slices, others a look-up.
Values translateGather(Node &node) {
  Value input = node.input(0), indices = node.input(1);
  if (!input || !indices)
    return {};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rankOf(input));
  if (!axis)
    return {};
  int64_t count = typeOf(indices).getNumElements();
  if (!node.checkPlaces(1, input, *axis))
    return {};
  if (!node.constant(1) || count == 0 || count > kMostSlices)
    return {node.create("tiny.take", {input, indices}, {node.attr("axis", *axis)})};
  std::optional<Ints> numbers = node.constantInts(1, "the indices");
  if (!numbers)
    return {};
  int64_t size = shapeOf(input)[*axis];
  SmallVector<Value> slices;
  for (int64_t number : *numbers) {
    if (number < -size || number >= size)
      return {node.fail("index " + Twine(number) + " is outside of axis " + Twine(*axis) + " of size " + Twine(size))};
    int64_t at = number < 0 ? number + size : number;
    Ints begin(rankOf(input), 0), end(shapeOf(input));
    begin[*axis] = at;
    end[*axis] = at + 1;
    slices.push_back(node.create("tiny.shrink", input, {node.attr("begin", begin), node.attr("end", end)}));
  }
  Value joined = slices.size() == 1 ? slices.front() : node.create("tiny.concat", slices, node.attr("axis", *axis));
  Ints shape(shapeOf(input).take_front(*axis));
  llvm::append_range(shape, shapeOf(indices));
  llvm::append_range(shape, shapeOf(input).drop_front(*axis + 1));
  return {node.reshape(joined, shape)};
}

Values translateGatherElements(Node &node) {
  Value input = node.input(0), indices = node.input(1);
  if (!input || !indices)
    return {};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rankOf(input));
  if (!axis || !node.checkPlaces(1, input, *axis))
    return {};
  return {node.create("tiny.take_along", {input, indices}, {node.attr("axis", *axis)})};
}

// The last axis of the indices holds coordinates of the axes that follow the batch; what follows those is taken whole.
Values translateGatherND(Node &node) {
  Value input = node.input(0), indices = node.input(1);
  if (!input || !indices)
    return {};
  int64_t rank = rankOf(input), batch = node.getInt("batch_dims", 0), places = rankOf(indices) - 1;
  int64_t chosen = places >= 0 ? shapeOf(indices).back() : -1;
  if (batch < 0 || batch > places || chosen < 0 || batch + chosen > rank || rank == 0)
    return {node.fail("coordinates of " + Twine(chosen) + " axes after " + Twine(batch) +
                      " of batch do not fit an input of " + Twine(rank) + " axes")};
  Ints along;
  for (int64_t k = 0; k < chosen; ++k)
    along.push_back(batch + k);
  if (!node.checkPlaces(1, input, along))
    return {};
  // The result: the indices' axes but the last, then what is taken whole.
  int64_t whole = rank - batch - chosen, resultRank = places + whole;
  auto onAxis = [&](int64_t axis, int64_t size) {
    Ints shape(resultRank, 1);
    shape[axis] = size;
    return node.createTyped("tiny.iota", RankedTensorType::get(shape, i64(node)), {}, {node.attr("axis", axis)});
  };
  SmallVector<Value> coordinates;
  for (int64_t axis = 0; axis < batch; ++axis)
    coordinates.push_back(onAxis(axis, shapeOf(input)[axis]));
  for (int64_t k = 0; k < chosen; ++k) {
    Ints begin(places + 1, 0), end(shapeOf(indices)), shape(shapeOf(indices).drop_back());
    begin.back() = k;
    end.back() = k + 1;
    shape.append(whole, 1);
    Value column = node.create("tiny.shrink", indices, {node.attr("begin", begin), node.attr("end", end)});
    coordinates.push_back(node.reshape(column, shape));
  }
  for (int64_t axis = 0; axis < whole; ++axis)
    coordinates.push_back(onAxis(places + axis, shapeOf(input)[batch + chosen + axis]));
  coordinates.insert(coordinates.begin(), input);
  return {node.create("tiny.gather", coordinates)};
}

} // namespace

ArrayRef<Handler> getIndexingHandlers() {
  static const Handler handlers[] = {
      {"Constant", 0, 0, "sparse_value value value_float value_floats value_int value_ints", translateConstant},
      {"ConstantOfShape", 1, 1, "value", translateConstantOfShape},
      {"Gather", 2, 2, "axis", translateGather},
      {"GatherElements", 2, 2, "axis", translateGatherElements},
      {"GatherND", 2, 2, "batch_dims", translateGatherND},
      {"Range", 3, 3, "stash_type", translateRange},
      {"Shape", 1, 1, "start end", translateShape},
      {"Size", 1, 1, "", translateSize},
  };
  return handlers;
}

} // namespace tiny::onnximport
