// Quantised operators of com.microsoft: what they compute on numbers, between two conversions, and products of bytes.
#include "Quantized.h"
#include "Window.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

Value optional(Node &node, unsigned index) { return node.hasInput(index) ? node.input(index) : Value(); }

/// An input as numbers; its scale and its zero point, which may be absent, follow it.
Value readNumbers(Node &node, unsigned index) {
  Value input = node.input(index), scale = node.input(index + 1), zero = optional(node, index + 2);
  if (!input || !scale || node.failed())
    return nullptr;
  return node.mul(node.cast(center(node, input, zero), elementOf(scale)), scale);
}

/// The result in the type of the first quantised input, with the scale and the zero point from input `index` on.
Values writeNumbers(Node &node, Value result, unsigned index, unsigned first = 0) {
  Value scale = node.input(index), zero = optional(node, index + 1);
  if (!result || !scale || node.failed())
    return {};
  Type element = elementOf(node.input(first));
  if (!isa<IntegerType>(element) || element.getIntOrFloatBitWidth() > 16)
    return {node.fail("expected a quantised input of 8 or 16 bits")};
  return {quantize(node, result, scale, zero, element)};
}

Values translateAdd(Node &node) { return writeNumbers(node, node.add(readNumbers(node, 0), readNumbers(node, 3)), 6); }
Values translateMul(Node &node) { return writeNumbers(node, node.mul(readNumbers(node, 0), readNumbers(node, 3)), 6); }

Values translateSigmoid(Node &node) { return writeNumbers(node, node.create("tiny.sigmoid", readNumbers(node, 0)), 3); }

Values translateLeakyRelu(Node &node) {
  NamedAttribute alpha = node.attrF64("alpha", node.getFloat("alpha", 0.01f));
  return writeNumbers(node, node.create("tiny.leaky_relu", readNumbers(node, 0), alpha), 3);
}

/// The channels from the last axis to the second, or back with `back`, where the node has them last.
Value moveChannels(Node &node, Value input, bool back) {
  if (!input || !node.getInt("channels_last", 0) || rankOf(input) < 3)
    return input;
  auto order = llvm::to_vector<4>(llvm::seq<int64_t>(rankOf(input)));
  if (back)
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  else
    std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return node.permute(input, order);
}

Values translateGlobalAveragePool(Node &node) {
  Value mean = node.create("tiny.global_avg_pool", moveChannels(node, readNumbers(node, 0), /*back=*/false));
  return writeNumbers(node, moveChannels(node, mean, /*back=*/true), 3);
}

Values translateAveragePool(Node &node) {
  Value input = moveChannels(node, readNumbers(node, 0), /*back=*/false);
  Value mean = pool(node, input, "tiny.avg_pool", {"ceil_mode", "count_include_pad"});
  return writeNumbers(node, moveChannels(node, mean, /*back=*/true), 3);
}

// Before set 13 of the standard all axes from the named one on are one.
Values translateSoftmax(Node &node) {
  Value input = readNumbers(node, 0);
  bool isOld = node.getInt("opset", 13) < 13;
  std::optional<int64_t> axis =
      input ? node.normalizeAxis(node.getInt("axis", isOld ? 1 : -1), rankOf(input)) : std::nullopt;
  if (!axis)
    return {};
  Ints shape(shapeOf(input));
  if (isOld) {
    int64_t rows = 1, columns = 1;
    for (int64_t k = 0; k < int64_t(shape.size()); ++k)
      (k < *axis ? rows : columns) *= shape[k];
    input = node.reshape(input, {rows, columns});
    axis = 1;
  }
  return writeNumbers(node, node.reshape(node.create("tiny.softmax", input, node.attr("axis", *axis)), shape), 3);
}

Values translateWhere(Node &node) {
  return writeNumbers(node, node.where(node.input(0), readNumbers(node, 1), readNumbers(node, 4)), 7, 1);
}

Values translateNhwcMaxPool(Node &node) {
  Value input = node.input(0);
  if (!input || rankOf(input) < 3)
    return {node.failed() ? Value() : node.fail("expected an image of rank 3 or more")};
  auto order = llvm::to_vector<4>(llvm::seq<int64_t>(rankOf(input))), back = order;
  std::rotate(order.begin() + 1, order.end() - 1, order.end());
  std::rotate(back.begin() + 1, back.begin() + 2, back.end());
  Value largest = pool(node, node.permute(input, order), "tiny.max_pool", {"ceil_mode"});
  return {largest ? node.permute(largest, back) : nullptr};
}

// Rows of a table of small integers with a scale for each block of a row; only what is taken becomes numbers.
Values translateGatherBlocks(Node &node) {
  Value table = node.input(0), indices = node.input(1), scales = node.input(2), zeros = optional(node, 3);
  int64_t bits = node.getInt("bits", 4);
  if (!table || !indices || !scales || node.failed())
    return {};
  std::optional<int64_t> from = node.normalizeAxis(node.getInt("gather_axis", 0), rankOf(table));
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("quantize_axis", 1), rankOf(table));
  if (!from || !axis)
    return {};
  bool isPacked = !node.isFourBit(0) && bits < 8;
  if (*from == *axis || (bits != 2 && bits != 4 && bits != 8) || rankOf(scales) != rankOf(table) ||
      (isPacked && (*axis != rankOf(table) - 1 || !elementOf(table).isUnsignedInteger(8))))
    return {
        node.fail("expected rows of 2, 4 or 8 bits with blocks along another axis, which is the last one of bytes")};
  auto take = [&](Value value) {
    return value ? node.create("tiny.take", {value, indices}, node.attr("axis", *from)) : nullptr;
  };
  Value rows = take(table), rowScales = take(scales), rowZeros = take(zeros);
  if (isPacked) {
    rows = unpack(node, rows, bits);
    rowZeros = rowZeros ? unpack(node, rowZeros, bits) : nullptr;
  }
  if (!rowZeros && elementOf(table).isUnsignedInteger(8) && !node.isFourBit(0))
    rowZeros = node.scalar(double(1 << (bits - 1)), elementOf(table));
  int64_t place = *axis > *from ? *axis + rankOf(indices) - 1 : *axis;
  // The zero points of an odd number of blocks end in the middle of a byte.
  if (rowZeros && rowScales && rankOf(rowZeros) == rankOf(rowScales) &&
      shapeOf(rowZeros)[place] > shapeOf(rowScales)[place])
    rowZeros = node.sliceAxis(rowZeros, place, 0, shapeOf(rowScales)[place]);
  Value centered =
      center(node, rows, rowZeros && rankOf(rowZeros) ? spreadBlocks(node, rowZeros, rows, place) : rowZeros);
  Value spread = spreadBlocks(node, rowScales, rows, place);
  return {centered && spread ? node.mul(node.cast(centered, elementOf(spread)), spread) : nullptr};
}

// The scale and the zero point of the result come first, then three inputs for each part.
Values translateConcat(Node &node) {
  if (node.numInputs() % 3 != 2)
    return {node.fail("got " + Twine(node.numInputs()) + " inputs, expected 2 and 3 for each part")};
  SmallVector<Value> parts;
  for (unsigned index = 2; index < node.numInputs(); index += 3) {
    parts.push_back(readNumbers(node, index));
    if (!parts.back())
      return {};
  }
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rankOf(parts.front()));
  return axis ? writeNumbers(node, node.create("tiny.concat", parts, node.attr("axis", *axis)), 0, 2) : Values();
}

Values translateMatMulIntegerToFloat(Node &node) {
  Values lhs = {node.input(0), node.input(2), optional(node, 4)};
  return {multiplyBytes(node, lhs, node.input(1), node.input(3), optional(node, 5), optional(node, 6))};
}

Values translateDynamicQuantizeMatMul(Node &node) {
  Values lhs = quantizeDynamically(node, node.input(0));
  if (lhs.empty())
    return {};
  return {multiplyBytes(node, lhs, node.input(1), node.input(2), optional(node, 3), optional(node, 4))};
}

// alpha * A * B + C, where C is of integers in the product's scale; numbers, unless the result has a scale.
Values translateGemm(Node &node) {
  Value lhs = node.input(0), rhs = node.input(3), scale = node.input(1), rhsScale = node.input(4);
  if (!lhs || !rhs || !scale || !rhsScale || node.failed())
    return {};
  if (rankOf(lhs) != 2 || rankOf(rhs) != 2)
    return {node.fail("expected matrices, got ranks " + Twine(rankOf(lhs)) + " and " + Twine(rankOf(rhs)))};
  rhs = node.getInt("transB", 0) ? node.permute(rhs, {1, 0}) : rhs;
  lhs = node.getInt("transA", 0) ? node.permute(lhs, {1, 0}) : lhs;
  Value right = center(node, rhs, spread(node, optional(node, 5), rhs, -1));
  Value total = node.create("tiny.matmul", {center(node, lhs, optional(node, 2)), right});
  if (node.hasInput(6))
    total = node.add(total, node.input(6));
  Value factor = node.mul(scale, spread(node, rhsScale, rhs, -1));
  if (!total || !factor)
    return {};
  factor = node.mul(factor, node.like(factor, node.getFloat("alpha", 1)));
  Value result = node.mul(node.cast(total, elementOf(factor)), factor);
  return node.hasInput(7) ? writeNumbers(node, result, 7) : Values{result};
}

} // namespace

ArrayRef<Handler> getQuantizedFusedHandlers() {
  static const Handler handlers[] = {
      {"com.microsoft:DynamicQuantizeMatMul", 3, 5, "", translateDynamicQuantizeMatMul},
      {"com.microsoft:GatherBlockQuantized", 3, 4, "bits block_size gather_axis quantize_axis", translateGatherBlocks},
      {"com.microsoft:MatMulIntegerToFloat", 4, 7, "", translateMatMulIntegerToFloat},
      {"com.microsoft:NhwcMaxPool", 1, 1, "auto_pad ceil_mode dilations kernel_shape pads strides",
       translateNhwcMaxPool},
      {"com.microsoft:QGemm", 6, 9, "alpha transA transB", translateGemm},
      {"com.microsoft:QLinearAdd", 7, 8, "", translateAdd},
      {"com.microsoft:QLinearAveragePool", 4, 5,
       "auto_pad ceil_mode channels_last count_include_pad dilations kernel_shape pads strides", translateAveragePool},
      {"com.microsoft:QLinearConcat", 5, kAnyInputs, "axis", translateConcat},
      {"com.microsoft:QLinearGlobalAveragePool", 5, 5, "channels_last", translateGlobalAveragePool},
      {"com.microsoft:QLinearLeakyRelu", 4, 5, "alpha", translateLeakyRelu},
      {"com.microsoft:QLinearMul", 7, 8, "", translateMul},
      {"com.microsoft:QLinearSigmoid", 4, 5, "", translateSigmoid},
      {"com.microsoft:QLinearSoftmax", 4, 5, "axis opset", translateSoftmax},
      {"com.microsoft:QLinearWhere", 9, 9, "", translateWhere},
  };
  return handlers;
}

} // namespace tiny::onnximport
