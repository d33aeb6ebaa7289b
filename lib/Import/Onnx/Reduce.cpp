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
Values translateReduceMean(Node &node) { return {reduce(node, node.input(0), "tiny.mean")}; }
Values translateReduceLogSumExp(Node &node) { return {reduce(node, node.input(0), "tiny.logsumexp")}; }
Values translateReduceL1(Node &node) { return {reduce(node, node.create("tiny.abs", node.input(0)), "tiny.sum")}; }

Values translateReduceSumSquare(Node &node) {
  return {reduce(node, node.create("tiny.square", node.input(0)), "tiny.sum")};
}

Values translateReduceL2(Node &node) {
  Value input = node.input(0);
  Value squares = reduce(node, node.create("tiny.square", input), "tiny.sum");
  return {squares ? node.cast(node.create("tiny.sqrt", squares), elementOf(input)) : nullptr};
}

Values translateReduceLogSum(Node &node) {
  Value input = node.input(0);
  Value sum = reduce(node, input, "tiny.sum");
  return {sum ? node.cast(node.create("tiny.log", sum), elementOf(input)) : nullptr};
}

Values translateArg(Node &node, StringRef op) {
  Value input = node.input(0);
  if (!input)
    return {};
  if (node.getInt("select_last_index", 0))
    return {node.fail("only the first of equal elements can be selected")};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rankOf(input));
  if (!axis)
    return {};
  SmallVector<NamedAttribute> attributes = {node.attr("axes", ArrayRef<int64_t>(*axis))};
  if (node.getInt("keepdims", 1))
    attributes.push_back(node.attrUnit("keepdims"));
  return {node.cast(node.create(op, input, attributes), IntegerType::get(node.getContext(), 64))};
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

Values translateSoftmax(Node &node) { return translateSoftmaxLike(node, "tiny.softmax"); }
Values translateLogSoftmax(Node &node) { return translateSoftmaxLike(node, "tiny.log_softmax"); }

constexpr StringLiteral kReduceAttributes = "axes keepdims noop_with_empty_axes";

} // namespace

ArrayRef<Handler> getReduceHandlers() {
  static const Handler handlers[] = {
      {"ArgMax", 1, 1, "axis keepdims select_last_index", translateArgMax},
      {"ArgMin", 1, 1, "axis keepdims select_last_index", translateArgMin},
      {"LogSoftmax", 1, 1, "axis", translateLogSoftmax},
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
