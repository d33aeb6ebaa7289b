// Operators that stand for a product, a sum or a normalisation with what follows it; most are com.microsoft's.
#include "Activation.h"
#include "Quantized.h"
#include "Window.h"

#include <cmath>

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// The last two axes swapped; with `rotateBatch`, first the first axis goes behind those of the batch.
Value transposeOperand(Node &node, Value value, bool swap, bool rotateBatch) {
  int64_t rank = value ? rankOf(value) : 0;
  if (rank < 2)
    return value;
  auto order = llvm::to_vector<4>(llvm::seq<int64_t>(rank));
  if (rotateBatch)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (swap)
    std::swap(order[rank - 2], order[rank - 1]);
  return swap || rotateBatch ? node.permute(value, order) : value;
}

Values translateFusedMatMul(Node &node) {
  Value lhs = transposeOperand(node, node.input(0), node.getInt("transA", 0), node.getInt("transBatchA", 0));
  Value rhs = transposeOperand(node, node.input(1), node.getInt("transB", 0), node.getInt("transBatchB", 0));
  Value product = node.create("tiny.matmul", {lhs, rhs});
  double alpha = node.getFloat("alpha", 1);
  return {alpha == 1 || !product ? product : node.mul(product, node.like(product, alpha))};
}

/// The node's `activation` of a value, whose parameters are `first` and `second` where they are given.
Value activateNamed(Node &node, Value value, std::optional<double> first, std::optional<double> second) {
  StringRef name = node.getString("activation", "");
  if (!value || name.empty())
    return value;
  if (name == "Clip") {
    value = first ? node.create("tiny.maximum", {value, node.like(value, *first)}) : value;
    return second ? node.create("tiny.minimum", {value, node.like(value, *second)}) : value;
  }
  std::optional<Activation> activation = findActivation(node, name);
  if (!activation)
    return nullptr;
  activation->alpha = first.value_or(activation->alpha);
  activation->beta = second.value_or(activation->beta);
  return activate(node, *activation, value);
}

Values translateFusedGemm(Node &node) {
  auto read = [&](StringRef name) {
    return node.hasAttribute(name) ? std::optional(node.getFloat(name, 0)) : std::nullopt;
  };
  return {activateNamed(node, multiplyAdd(node), read("activation_alpha"), read("activation_beta"))};
}

// What is added to the convolution comes in front of the activation.
Values translateFusedConv(Node &node) {
  Value input = node.input(0), weight = node.input(1);
  Value result = convolve(node, input, weight, node.hasInput(2) ? node.input(2) : nullptr);
  if (node.hasInput(3))
    result = node.add(result, node.input(3));
  SmallVector<double> given;
  if (const onnx::AttributeProto *list = node.findAttribute("activation_params"))
    given.assign(list->floats().begin(), list->floats().end());
  auto read = [&](size_t index) { return index < given.size() ? std::optional(given[index]) : std::nullopt; };
  return {activateNamed(node, result, read(0), read(1))};
}

Value plusBias(Node &node) {
  Value input = node.input(0);
  return node.hasInput(1) ? node.add(input, node.input(1)) : input;
}

// The distance of each row of the first matrix from each of the second.
Values translateCDist(Node &node) {
  Value lhs = node.input(0), rhs = node.input(1);
  StringRef metric = node.getString("metric", "sqeuclidean");
  if (!lhs || !rhs)
    return {};
  if ((metric != "euclidean" && metric != "sqeuclidean") || rankOf(lhs) != 2 || rankOf(rhs) != 2 ||
      shapeOf(lhs)[1] != shapeOf(rhs)[1])
    return {node.fail("expected two matrices with rows of one length, and the metric euclidean or sqeuclidean, got " +
                      metric)};
  int64_t rows = shapeOf(lhs)[0], columns = shapeOf(rhs)[0], size = shapeOf(lhs)[1];
  Value apart = node.sub(node.reshape(lhs, {rows, 1, size}), node.reshape(rhs, {1, columns, size}));
  Value square = node.sum(node.mul(apart, apart), int64_t(2));
  return {metric == "euclidean" ? node.create("tiny.sqrt", square) : square};
}

Values translateBiasGelu(Node &node) { return {node.create("tiny.gelu", plusBias(node))}; }
Values translateFastGelu(Node &node) {
  return {node.create("tiny.gelu", plusBias(node), node.attrUnit("approximate"))};
}

Value swish(Node &node, Value x, double alpha) {
  return node.mul(x, node.create("tiny.sigmoid", alpha == 1 ? x : node.mul(x, node.like(x, alpha))));
}

Values translateQuickGelu(Node &node) { return {swish(node, node.input(0), node.getFloat("alpha", 1.702f))}; }
Values translateSwish(Node &node) { return {swish(node, node.input(0), node.getFloat("alpha", 1))}; }
Values translateSwiGlu(Node &node) {
  return {node.mul(swish(node, node.input(0), node.getFloat("alpha", 1)), node.input(1))};
}

/// x / sqrt(mean(x^2) + epsilon) * scale over the axes from `axis` on, in f32 at least; and the factor.
Values rmsNorm(Node &node, Value input, Value scale, int64_t axis, double epsilon) {
  if (!input || !scale)
    return {};
  Type element = elementOf(input), wide = element.isF64() ? element : Type(Float32Type::get(node.getContext()));
  Value x = node.cast(input, wide);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(axis, rankOf(input)));
  Value mean = node.create("tiny.mean", node.mul(x, x), {node.attr("axes", axes), node.attrUnit("keepdims")});
  Value factor = node.create("tiny.rsqrt", node.add(mean, node.like(x, epsilon)));
  Value result = node.mul(node.mul(x, factor), scale);
  return {result ? node.cast(result, elementOf(scale)) : nullptr, factor};
}

Values translateRmsNormalization(Node &node) {
  Value input = node.input(0);
  std::optional<int64_t> axis = input ? node.normalizeAxis(node.getInt("axis", -1), rankOf(input)) : std::nullopt;
  return axis ? rmsNorm(node, input, node.input(1), *axis, node.getFloat("epsilon", 1e-5f)) : Values();
}

/// input + skip, plus the bias where there is one.
Value addSkip(Node &node, unsigned bias) {
  Value sum = node.add(node.input(0), node.input(1));
  return node.hasInput(bias) ? node.add(sum, node.input(bias)) : sum;
}

Values translateSkipSimplified(Node &node) {
  Value sum = addSkip(node, 3);
  Values results =
      sum ? rmsNorm(node, sum, node.input(2), rankOf(sum) - 1, node.getFloat("epsilon", 1e-12f)) : Values();
  if (results.empty())
    return {};
  return {results[0], nullptr, results[1], sum};
}

/// Normalises the last axis, then scales and shifts it; a null `shift` is none.
Value layerNorm(Node &node, Value input, Value scale, Value shift) {
  if (!input || !scale)
    return nullptr;
  Builder builder(node.getContext());
  NamedAttribute segments = builder.getNamedAttr("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 0, 0}));
  Value result = node.create(
      "tiny.layer_norm", input,
      {node.attr("axis", rankOf(input) - 1), node.attrF64("epsilon", node.getFloat("epsilon", 1e-12f)), segments});
  result = node.mul(result, scale);
  return shift ? node.add(result, shift) : result;
}

Values translateSkipLayerNormalization(Node &node) {
  Value sum = addSkip(node, 4);
  Value result = layerNorm(node, sum, node.input(2), node.hasInput(3) ? node.input(3) : nullptr);
  return {result, nullptr, nullptr, sum};
}

// Words, places and segments, each from a table.
Values translateEmbedLayerNormalization(Node &node) {
  Value words = node.input(0), mask = node.hasInput(7) ? node.input(7) : nullptr;
  if (!words || rankOf(words) != 2)
    return {node.failed() ? nullptr : node.fail("expected words [batch, rows]")};
  Type i32 = IntegerType::get(node.getContext(), 32);
  auto take = [&](unsigned table, Value rows) {
    return node.create("tiny.take", {node.input(table), rows}, node.attr("axis", int64_t(0)));
  };
  Value places = node.hasInput(8) ? node.input(8) : node.iota({1, shapeOf(words)[1]}, i32, 1);
  Value sum = node.add(take(2, words), take(3, places));
  if (node.hasInput(1) && node.hasInput(4))
    sum = node.add(sum, take(4, node.input(1)));
  Value result = layerNorm(node, sum, node.input(5), node.input(6));
  Value count = mask ? node.cast(node.sum(node.cast(mask, i32), int64_t(1)), i32)
                     : node.expand(node.scalar(0, i32), shapeOf(words).take_front(1));
  return {result, count, sum};
}

// The weight [columns, blocks, bytes] has a scale, and perhaps a zero point, for each block.
Values translateMatMulNBits(Node &node) {
  Value input = node.input(0), packed = node.input(1), scales = node.input(2);
  Value zeros = node.hasInput(3) ? node.input(3) : nullptr;
  if (!input || !packed || !scales || node.failed())
    return {};
  int64_t columns = node.getInt("N", 0), depth = node.getInt("K", 0), block = node.getInt("block_size", 0);
  int64_t bits = node.getInt("bits", 4);
  if (columns < 1 || columns > INT32_MAX || depth < 1 || depth > INT32_MAX || block < 8 || block > INT32_MAX ||
      (bits != 2 && bits != 4 && bits != 8))
    return {node.fail("expected sizes above 0 and 2, 4 or 8 bits, got " + Twine(bits) + " bits")};
  int64_t blocks = llvm::divideCeil(depth, block);
  if (shapeOf(packed) != ArrayRef<int64_t>({columns, blocks, block * bits / 8}) ||
      typeOf(scales).getNumElements() != columns * blocks || !elementOf(packed).isUnsignedInteger(8) ||
      node.hasInput(4))
    return {node.fail("the weight is not of bytes for " + Twine(columns) + " columns in " + Twine(blocks) + " blocks")};
  Type element = elementOf(scales);
  Value weight = node.cast(unpack(node, packed, bits), element);
  Value zero = node.scalar(double(1 << (bits - 1)), element);
  if (zeros) {
    if (elementOf(zeros).isUnsignedInteger(8)) {
      int64_t bytes = llvm::divideCeil(blocks * bits, 8);
      if (typeOf(zeros).getNumElements() != columns * bytes)
        return {node.fail("expected " + Twine(columns * bytes) + " bytes of zero points")};
      zeros = node.sliceAxis(unpack(node, node.reshape(zeros, {columns, bytes}), bits), 1, 0, blocks);
    }
    zero = node.reshape(node.cast(zeros, element), {columns, blocks, 1});
  }
  weight = node.mul(node.sub(weight, zero), node.reshape(scales, {columns, blocks, 1}));
  weight = node.sliceAxis(node.reshape(weight, {columns, blocks * block}), 1, 0, depth);
  Value product = node.create("tiny.matmul", {input, node.permute(weight, {1, 0})});
  return {node.hasInput(5) ? node.add(product, node.input(5)) : product};
}

} // namespace

ArrayRef<Handler> getFusedHandlers() {
  static const Handler handlers[] = {
      {"RMSNormalization", 2, 2, "axis epsilon stash_type", translateRmsNormalization},
      {"SimplifiedLayerNormalization", 2, 2, "axis epsilon stash_type", translateRmsNormalization},
      {"SwiGLU", 2, 2, "alpha", translateSwiGlu},
      {"Swish", 1, 1, "alpha", translateSwish},
      {"com.microsoft:BiasGelu", 2, 2, "", translateBiasGelu},
      {"com.microsoft:CDist", 2, 2, "metric", translateCDist},
      {"com.microsoft:EmbedLayerNormalization", 7, 9, "epsilon mask_index_type", translateEmbedLayerNormalization},
      {"com.microsoft:FastGelu", 1, 2, "", translateFastGelu},
      {"com.microsoft:FusedConv", 2, 4,
       "activation activation_params auto_pad dilations group kernel_shape pads strides", translateFusedConv},
      {"com.microsoft:FusedGemm", 2, 3,
       "activation activation_alpha activation_beta activation_gamma alpha beta transA transB", translateFusedGemm},
      {"com.microsoft:FusedMatMul", 2, 2, "alpha transA transB transBatchA transBatchB", translateFusedMatMul},
      {"com.microsoft:MatMulNBits", 3, 6, "K N accuracy_level bits block_size", translateMatMulNBits},
      {"com.microsoft:QuickGelu", 1, 1, "alpha", translateQuickGelu},
      {"com.microsoft:SkipLayerNormalization", 3, 5, "epsilon", translateSkipLayerNormalization},
      {"com.microsoft:SkipSimplifiedLayerNormalization", 3, 4, "epsilon", translateSkipSimplified},
      {"com.microsoft:TransposeMatMul", 2, 2, "alpha transA transB transBatchA transBatchB", translateFusedMatMul},
  };
  return handlers;
}

} // namespace tiny::onnximport
