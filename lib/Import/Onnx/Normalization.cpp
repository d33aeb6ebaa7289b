// Normalisation with given or with computed moments.
#include "Node.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

Values translateBatchNormalization(Node &node) {
  if (node.getInt("training_mode", 0))
    return {node.fail("training mode is not supported")};
  if (!node.getInt("spatial", 1))
    return {node.fail("moments per element, 'spatial = 0', are not supported")};
  SmallVector<Value> operands;
  for (unsigned i = 0; i < 5; ++i)
    operands.push_back(node.input(i));
  return {node.create("tiny.batch_norm", operands, node.attrF64("epsilon", node.getFloat("epsilon", 1e-5f)))};
}

Value layerNorm(Node &node, Value input, int64_t axis, double epsilon) {
  Builder builder(node.getContext());
  NamedAttribute segments = builder.getNamedAttr("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 0, 0}));
  return node.create("tiny.layer_norm", input, {node.attr("axis", axis), node.attrF64("epsilon", epsilon), segments});
}

// Scale and bias broadcast against the input, so they are applied by operations of their own.
Values translateLayerNormalization(Node &node) {
  Value input = node.input(0), scale = node.input(1);
  if (!input || !scale)
    return {};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rankOf(input));
  if (!axis)
    return {};
  if (int64_t type = node.getInt("stash_type", 1); type != onnx::TensorProto::FLOAT)
    return {node.fail("attribute 'stash_type' is " + Twine(type) + ", expected 1")};
  Value result = layerNorm(node, input, *axis, node.getFloat("epsilon", 1e-5f));
  result = node.create("tiny.mul", {result, scale});
  if (node.hasInput(2))
    result = node.create("tiny.add", {result, node.input(2)});
  return {result};
}

/// One number per channel, shaped to broadcast against an input [batch, channels, ...]. Null after an error.
Value perChannel(Node &node, Value numbers, Value input) {
  if (!numbers)
    return nullptr;
  Ints shape(rankOf(input), 1);
  shape[1] = shapeOf(input)[1];
  if (shapeOf(numbers) != ArrayRef<int64_t>(shape[1]))
    return node.fail("expected " + Twine(shape[1]) + " numbers, one per channel");
  return node.reshape(numbers, shape);
}

Values translateInstanceNormalization(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  if (rankOf(input) < 3)
    return {node.fail("the input has rank " + Twine(rankOf(input)) + ", expected at least 3")};
  Value result = layerNorm(node, input, 2, node.getFloat("epsilon", 1e-5f));
  result = node.create("tiny.mul", {result, perChannel(node, node.input(1), input)});
  return {node.create("tiny.add", {result, perChannel(node, node.input(2), input)})};
}

} // namespace

ArrayRef<Handler> getNormalizationHandlers() {
  static const Handler handlers[] = {
      {"BatchNormalization", 5, 5, "epsilon momentum spatial training_mode", translateBatchNormalization},
      {"InstanceNormalization", 3, 3, "epsilon", translateInstanceNormalization},
      {"LayerNormalization", 2, 3, "axis epsilon stash_type", translateLayerNormalization},
  };
  return handlers;
}

} // namespace tiny::onnximport
