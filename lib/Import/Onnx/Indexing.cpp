// Constants, shapes as values, and the selection of elements by constant indices.
#include "Node.h"
#include "TensorData.h"
#include <cmath>

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kLargestRange = 1 << 24;

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }

Values translateConstant(Node &node) {
  if (const onnx::AttributeProto *value = node.findAttribute("value")) {
    ElementsAttr elements = readTensor(node.getContext(), value->t(), [&] { return emitError(node.getLoc()); });
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
    ElementsAttr elements = readTensor(node.getContext(), value->t(), [&] { return emitError(node.getLoc()); });
    if (!elements)
      return {node.fail("the value is no tensor")};
    if (elements.getNumElements() != 1)
      return {node.fail("the value is not one number")};
    number = node.reshape(node.makeConstant(elements), {});
  } else {
    number = node.scalar(0, Float32Type::get(node.getContext()));
  }
  return {node.expand(number, *shape)};
}

Values translateShape(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  int64_t rank = rankOf(input);
  auto clamp = [&](int64_t axis) { return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank); };
  int64_t start = clamp(node.getInt("start", 0)), end = std::max(start, clamp(node.getInt("end", rank)));
  ArrayRef<int64_t> shape = shapeOf(input).slice(start, end - start);
  return {node.makeInts(shape, int64_t(shape.size()), i64(node))};
}

Values translateSize(Node &node) {
  Value input = node.input(0);
  return {input ? node.makeInts(typeOf(input).getNumElements(), {}, i64(node)) : nullptr};
}

// start, start + step, ... before the limit, all known now
Values translateRange(Node &node) {
  std::optional<double> start = node.constantScalar(0, "the start"), limit = node.constantScalar(1, "the limit"),
                        step = node.constantScalar(2, "the step");
  if (!start || !limit || !step)
    return {};
  double count = std::ceil((*limit - *start) / *step);
  if (!(std::abs(*step) > 0) || !(count <= double(kLargestRange)))
    return {node.fail("the range is too long or has no end")};
  auto type = RankedTensorType::get(std::max<int64_t>(int64_t(count), 0), elementOf(node.input(0)));
  return {node.createTyped("tiny.arange", type, {}, {node.attrF64("start", *start), node.attrF64("step", *step)})};
}

// One constant index takes a slice; several constant ones a concatenation of slices.
Values translateGather(Node &node) {
  Value input = node.input(0), indices = node.input(1);
  if (!input || !indices)
    return {};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rankOf(input));
  std::optional<Ints> numbers = axis ? node.constantInts(1, "the indices") : std::nullopt;
  if (!numbers)
    return {};
  int64_t size = shapeOf(input)[*axis];
  if (numbers->empty() || numbers->size() > 1024)
    return {node.fail("got " + Twine(numbers->size()) + " constant indices, expected 1 to 1024")};
  SmallVector<Value> slices;
  for (int64_t number : *numbers) {
    std::optional<int64_t> at = node.normalizeAxis(number, size);
    if (!at)
      return {};
    Ints begin(rankOf(input), 0), end(shapeOf(input));
    begin[*axis] = *at;
    end[*axis] = *at + 1;
    slices.push_back(node.create("tiny.shrink", input, {node.attr("begin", begin), node.attr("end", end)}));
  }
  Value joined = slices.size() == 1 ? slices.front() : node.create("tiny.concat", slices, node.attr("axis", *axis));
  Ints shape(shapeOf(input).take_front(*axis));
  llvm::append_range(shape, shapeOf(indices));
  llvm::append_range(shape, shapeOf(input).drop_front(*axis + 1));
  return {node.reshape(joined, shape)};
}

} // namespace

ArrayRef<Handler> getIndexingHandlers() {
  static const Handler handlers[] = {
      {"Constant", 0, 0, "value value_float value_floats value_int value_ints", translateConstant},
      {"ConstantOfShape", 1, 1, "value", translateConstantOfShape},
      {"Gather", 2, 2, "axis", translateGather},
      {"Range", 3, 3, "", translateRange},
      {"Shape", 1, 1, "start end", translateShape},
      {"Size", 1, 1, "", translateSize},
  };
  return handlers;
}

} // namespace tiny::onnximport
