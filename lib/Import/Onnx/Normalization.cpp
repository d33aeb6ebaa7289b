// Normalisation with given or with computed moments.
#include "Node.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

// The result has the input's type, whatever that of the statistics.
Values translateBatchNormalization(Node &node) {
  if (!node.getInt("spatial", 1))
    return {node.fail("moments per element, 'spatial = 0', are not supported")};
  SmallVector<Value> operands;
  for (unsigned i = 0; i < 5; ++i) {
    operands.push_back(node.input(i));
    if (!operands.back())
      return {};
  }
  Values moments;
  // Training: the moments of this batch are used, and mixed into the running ones.
  if (node.getInt("training_mode", 0)) {
    Value input = operands[0];
    Ints axes;
    for (int64_t axis = 0; axis < rankOf(input); ++axis)
      if (axis != 1)
        axes.push_back(axis);
    double momentum = node.getFloat("momentum", 0.9f);
    for (unsigned i : {3u, 4u}) {
      Value now = node.create(i == 3 ? "tiny.mean" : "tiny.var", input, node.attr("axes", axes));
      Value mixed = node.add(node.mul(operands[i], node.like(operands[i], momentum)),
                             node.mul(now, node.like(now, 1 - momentum)));
      moments.push_back(mixed ? node.cast(mixed, elementOf(operands[i])) : nullptr);
      operands[i] = now;
    }
  }
  Value result = node.create("tiny.batch_norm", operands, node.attrF64("epsilon", node.getFloat("epsilon", 1e-5f)));
  Values results = {node.cast(result, elementOf(operands[0]))};
  results.append(moments.begin(), moments.end());
  return results;
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
  Values results = {result ? node.cast(result, elementOf(input)) : nullptr};
  // The moments, in f32, for a backward pass.
  if (node.hasOutput(1) || node.hasOutput(2)) {
    Value wide = node.cast(input, Float32Type::get(node.getContext()));
    auto axes = llvm::to_vector(llvm::seq<int64_t>(*axis, rankOf(input)));
    SmallVector<NamedAttribute> attributes = {node.attr("axes", axes), node.attrUnit("keepdims")};
    Value variance = node.create("tiny.var", wide, attributes);
    results.push_back(node.create("tiny.mean", wide, attributes));
    results.push_back(
        node.create("tiny.rsqrt", node.add(variance, node.like(variance, node.getFloat("epsilon", 1e-5f)))));
  }
  return results;
}

// (x - mean) / (sqrt(variance) + 1e-9) over the axes
Values translateMeanVarianceNormalization(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  std::optional<Ints> axes = node.getInts("axes");
  SmallVector<NamedAttribute> attributes = {node.attr("axes", axes ? *axes : Ints{0, 2, 3}), node.attrUnit("keepdims")};
  Value deviation = node.create("tiny.sqrt", node.create("tiny.var", input, attributes));
  Value distance = node.sub(input, node.create("tiny.mean", input, attributes));
  return {node.div(distance, node.add(deviation, node.like(deviation, 1e-9)))};
}

// (lrn) x / (bias + alpha / size * sum of squares of the channels around)^beta
Values translateLRN(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  int64_t size = node.getInt("size", 1), channels = rankOf(input) > 1 ? shapeOf(input)[1] : 0;
  if (size < 1 || size > INT32_MAX || rankOf(input) < 2)
    return {node.fail("expected an input of rank 2 or more and a positive size, got rank " + Twine(rankOf(input)) +
                      " and " + Twine(size))};
  Ints low(rankOf(input), 0), high(rankOf(input), 0);
  low[1] = (size - 1) / 2;
  high[1] = size - 1 - low[1];
  Value padded = node.pad(node.create("tiny.square", input), low, high), sum;
  for (int64_t k = 0; k < size && padded; ++k) {
    Value part = node.sliceAxis(padded, 1, k, k + channels);
    sum = sum ? node.add(sum, part) : part;
  }
  Value scaled = node.mul(sum, node.like(input, node.getFloat("alpha", 0.0001f) / double(size)));
  Value base = node.add(scaled, node.like(input, node.getFloat("bias", 1)));
  return {node.div(input, node.create("tiny.pow", {base, node.like(input, node.getFloat("beta", 0.75))}))};
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

// Each group of channels to mean 0 and variance 1; scale and bias per channel, before set 21 per group.
Values translateGroupNormalization(Node &node) {
  Value input = node.input(0), scale = node.input(1), bias = node.input(2);
  if (!input || !scale || !bias)
    return {};
  int64_t groups = node.getInt("num_groups", 0), channels = rankOf(input) > 2 ? shapeOf(input)[1] : 0;
  if (groups < 1 || channels < 1 || channels % groups || typeOf(input).getNumElements() == 0)
    return {node.fail(Twine(channels) + " channels do not divide into " + Twine(groups) + " groups")};
  int64_t batch = shapeOf(input)[0], size = typeOf(input).getNumElements() / (batch * groups);
  Value grouped = layerNorm(node, node.reshape(input, {batch, groups, size}), 2, node.getFloat("epsilon", 1e-5f));
  Value result = grouped ? node.reshape(grouped, shapeOf(input)) : nullptr;
  for (Value *numbers : {&scale, &bias})
    if (node.opset() < 21 && shapeOf(*numbers) == ArrayRef<int64_t>(groups))
      *numbers = node.reshape(node.expand(node.reshape(*numbers, {groups, 1}), {groups, channels / groups}), channels);
  result = node.create("tiny.mul", {result, perChannel(node, scale, input)});
  result = node.create("tiny.add", {result, perChannel(node, bias, input)});
  return {result ? node.cast(result, elementOf(input)) : nullptr};
}

} // namespace

ArrayRef<Handler> getNormalizationHandlers() {
  static const Handler handlers[] = {
      {"BatchNormalization", 5, 5, "epsilon momentum spatial training_mode", translateBatchNormalization},
      {"GroupNormalization", 3, 3, "epsilon num_groups stash_type", translateGroupNormalization},
      {"InstanceNormalization", 3, 3, "epsilon", translateInstanceNormalization},
      {"LRN", 1, 1, "alpha beta bias size", translateLRN},
      {"LayerNormalization", 2, 3, "axis epsilon stash_type", translateLayerNormalization},
      {"MeanVarianceNormalization", 1, 1, "axes", translateMeanVarianceNormalization},
  };
  return handlers;
}

} // namespace tiny::onnximport
