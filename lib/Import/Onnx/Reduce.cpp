// Reductions along axes, and softmax.
#include "Node.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// The axes of a reduction: an attribute in older opsets, an input in newer ones, all of them when none is named.
/// None after an error.
std::optional<Ints> readAxes(Node &node, Value input) {
  std::optional<Ints> named = node.getIntsFromEither("axes", 1);
  if (!named)
    return std::nullopt;
  if (named->empty() && !node.getInt("noop_with_empty_axes", 0))
    return llvm::to_vector(llvm::seq<int64_t>(rankOf(input)));
  return node.normalizeAxes(*named, rankOf(input));
}

/// `op` along the node's axes; the result keeps the input's element type, as ONNX has it.
Value reduce(Node &node, Value input, StringRef op) {
  std::optional<Ints> axes = input ? readAxes(node, input) : std::nullopt;
  if (!axes)
    return nullptr;
  if (axes->empty())
    return input;
  SmallVector<NamedAttribute> attributes = {node.attr("axes", *axes)};
  if (node.getInt("keepdims", 1))
    attributes.push_back(node.attrUnit("keepdims"));
  return node.cast(node.create(op, input, attributes), elementOf(input));
}

Values translateReduceSum(Node &node) { return {reduce(node, node.input(0), "tiny.sum")}; }
Values translateReduceProd(Node &node) { return {reduce(node, node.input(0), "tiny.prod")}; }
Values translateReduceMax(Node &node) { return {reduce(node, node.input(0), "tiny.max")}; }
Values translateReduceMin(Node &node) { return {reduce(node, node.input(0), "tiny.min")}; }

bool isInteger(Value value) { return value && !isa<FloatType>(elementOf(value)); }

/// Integers as f64, which holds what a root or a logarithm of them needs; floats as they are.
Value toFloats(Node &node, Value value) {
  return isInteger(value) ? node.cast(value, Float64Type::get(node.getContext())) : value;
}

/// Floats of 16 bits and less as f32, which holds sums whose root or logarithm the type can hold again.
Value widen(Node &node, Value value) {
  bool isShort = value && !isInteger(value) && elementOf(value).getIntOrFloatBitWidth() < 32;
  return isShort ? node.cast(value, Float32Type::get(node.getContext())) : value;
}

// Integers are added and divided as integers.
Values translateReduceMean(Node &node) {
  Value input = node.input(0);
  if (!isInteger(input))
    return {reduce(node, input, "tiny.mean")};
  Value sum = reduce(node, input, "tiny.sum");
  if (!sum || typeOf(sum).getNumElements() == 0)
    return {sum};
  int64_t count = typeOf(input).getNumElements() / typeOf(sum).getNumElements();
  return {node.create("tiny.truncdiv", {sum, node.like(sum, double(count))})};
}

Values translateReduceLogSumExp(Node &node) {
  Value input = node.input(0);
  Value result = reduce(node, widen(node, toFloats(node, input)), "tiny.logsumexp");
  return {result ? node.cast(result, elementOf(input)) : nullptr};
}

Values translateReduceL1(Node &node) { return {reduce(node, node.create("tiny.abs", node.input(0)), "tiny.sum")}; }

Values translateReduceSumSquare(Node &node) {
  Value input = node.input(0);
  Value sum = input ? reduce(node, node.create("tiny.square", widen(node, input)), "tiny.sum") : nullptr;
  return {sum ? node.cast(sum, elementOf(input)) : nullptr};
}

Values translateReduceL2(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  Value squares = reduce(node, node.create("tiny.square", widen(node, input)), "tiny.sum");
  return {squares ? node.cast(node.create("tiny.sqrt", toFloats(node, squares)), elementOf(input)) : nullptr};
}

Values translateReduceLogSum(Node &node) {
  Value input = node.input(0);
  Value sum = reduce(node, widen(node, input), "tiny.sum");
  return {sum ? node.cast(node.create("tiny.log", toFloats(node, sum)), elementOf(input)) : nullptr};
}

Values translateArg(Node &node, StringRef op) {
  Value input = node.input(0);
  if (!input)
    return {};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rankOf(input));
  if (!axis)
    return {};
  SmallVector<NamedAttribute> attributes = {node.attr("axes", ArrayRef<int64_t>(*axis))};
  if (node.getInt("keepdims", 1))
    attributes.push_back(node.attrUnit("keepdims"));
  Type i64 = IntegerType::get(node.getContext(), 64);
  if (!node.getInt("select_last_index", 0))
    return {node.cast(node.create(op, input, attributes), i64)};
  // The last of equals is the first from the end.
  Value flipped = node.create("tiny.flip", input, node.attr("axes", ArrayRef<int64_t>(*axis)));
  Value index = node.cast(node.create(op, flipped, attributes), i64);
  return {node.sub(node.scalar(double(shapeOf(input)[*axis] - 1), i64), index)};
}

Values translateArgMax(Node &node) { return translateArg(node, "tiny.argmax"); }
Values translateArgMin(Node &node) { return translateArg(node, "tiny.argmin"); }

// Before opset 13 the axis splits the shape in two, and all axes from it on are normalised together.
Values translateSoftmaxLike(Node &node, StringRef op) {
  Value input = node.input(0);
  if (!input)
    return {};
  bool split = node.opset() < 13;
  int64_t rank = rankOf(input);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", split ? 1 : -1), rank);
  if (!axis)
    return {};
  if (!split || *axis == rank - 1)
    return {node.create(op, input, node.attr("axis", *axis))};
  int64_t rows = 1, columns = 1;
  for (int64_t i = 0; i < rank; ++i)
    (i < *axis ? rows : columns) *= shapeOf(input)[i];
  Value matrix = node.create(op, node.reshape(input, {rows, columns}), node.attr("axis", int64_t(1)));
  return {node.reshape(matrix, shapeOf(input))};
}

// One where the largest element of an axis stands first, else zero.
Values translateHardmax(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  bool split = node.opset() < 13;
  int64_t rank = rankOf(input);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", split ? 1 : -1), rank);
  if (!axis)
    return {};
  if (typeOf(input).getNumElements() == 0)
    return {input};
  Ints shape(shapeOf(input));
  if (split) {
    int64_t rows = 1, columns = 1;
    for (int64_t i = 0; i < rank; ++i)
      (i < *axis ? rows : columns) *= shape[i];
    input = node.reshape(input, {rows, columns});
    axis = 1;
  }
  Value at =
      node.create("tiny.argmax", input, {node.attr("axes", ArrayRef<int64_t>(*axis)), node.attrUnit("keepdims")});
  if (!at)
    return {};
  Value hit = node.create("tiny.eq", {node.iota(shapeOf(input), elementOf(at), *axis), at});
  return {node.reshape(node.cast(hit, elementOf(input)), shape)};
}

Values translateLpNormalization(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rankOf(input));
  int64_t p = node.getInt("p", 2);
  if (!axis)
    return {};
  if (p != 1 && p != 2)
    return {node.fail("attribute 'p' is " + Twine(p) + ", expected 1 or 2")};
  Type element = elementOf(input);
  input = widen(node, input);
  Value terms = node.create(p == 1 ? "tiny.abs" : "tiny.square", input);
  Value norm = node.sum(terms, *axis, /*keepdims=*/true);
  if (p == 2)
    norm = node.create("tiny.sqrt", norm);
  // Zeros stay what they are.
  Value isZero = node.create("tiny.eq", {norm, node.like(norm, 0)});
  return {node.cast(node.where(isZero, node.like(input, 0), node.div(input, norm)), element)};
}

Values translateSoftmax(Node &node) { return translateSoftmaxLike(node, "tiny.softmax"); }
Values translateLogSoftmax(Node &node) { return translateSoftmaxLike(node, "tiny.log_softmax"); }

constexpr StringLiteral kReduceAttributes = "axes keepdims noop_with_empty_axes";

} // namespace

ArrayRef<Handler> getReduceHandlers() {
  static const Handler handlers[] = {
      {"ArgMax", 1, 1, "axis keepdims select_last_index", translateArgMax},
      {"ArgMin", 1, 1, "axis keepdims select_last_index", translateArgMin},
      {"Hardmax", 1, 1, "axis", translateHardmax},
      {"LogSoftmax", 1, 1, "axis", translateLogSoftmax},
      {"LpNormalization", 1, 1, "axis p", translateLpNormalization},
      {"ReduceL1", 1, 2, kReduceAttributes, translateReduceL1},
      {"ReduceL2", 1, 2, kReduceAttributes, translateReduceL2},
      {"ReduceLogSum", 1, 2, kReduceAttributes, translateReduceLogSum},
      {"ReduceLogSumExp", 1, 2, kReduceAttributes, translateReduceLogSumExp},
      {"ReduceMax", 1, 2, kReduceAttributes, translateReduceMax},
      {"ReduceMean", 1, 2, kReduceAttributes, translateReduceMean},
      {"ReduceMin", 1, 2, kReduceAttributes, translateReduceMin},
      {"ReduceProd", 1, 2, kReduceAttributes, translateReduceProd},
      {"ReduceSum", 1, 2, kReduceAttributes, translateReduceSum},
      {"ReduceSumSquare", 1, 2, kReduceAttributes, translateReduceSumSquare},
      {"Softmax", 1, 1, "axis", translateSoftmax},
  };
  return handlers;
}

} // namespace tiny::onnximport
