// Quantised operators: integers with a scale and a zero point.
#include "Quantized.h"
#include "TensorData.h"
#include "Window.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

Type f32(Node &node) { return Float32Type::get(node.getContext()); }
Type i32(Node &node) { return IntegerType::get(node.getContext(), 32); }

} // namespace

Value spread(Node &node, Value numbers, Value like, int64_t axis) {
  if (!numbers || !like || typeOf(numbers).getNumElements() == 1)
    return numbers ? node.reshape(numbers, {}) : nullptr;
  std::optional<int64_t> place = node.normalizeAxis(axis, rankOf(like));
  if (!place)
    return nullptr;
  if (shapeOf(numbers) != shapeOf(like).slice(*place, 1))
    return node.fail("expected one number, or " + Twine(shapeOf(like)[*place]) + " along axis " + Twine(*place));
  Ints shape(rankOf(like), 1);
  shape[*place] = shapeOf(like)[*place];
  return node.reshape(numbers, shape);
}

Value spreadBlocks(Node &node, Value numbers, Value like, int64_t axis) {
  int64_t block = node.getInt("block_size", 0);
  if (block == 0 || !numbers || !like)
    return spread(node, numbers, like, axis);
  std::optional<int64_t> place = node.normalizeAxis(axis, rankOf(like));
  if (!place)
    return nullptr;
  int64_t size = shapeOf(like)[*place];
  Ints wanted(shapeOf(like));
  if (block > 0)
    wanted[*place] = llvm::divideCeil(size, block);
  if (block < 0 || shapeOf(numbers) != ArrayRef<int64_t>(wanted))
    return node.fail("expected one number for each block of " + Twine(block) + " along axis " + Twine(*place));
  Ints apart = wanted, whole = wanted;
  apart.insert(apart.begin() + *place + 1, 1);
  Ints wide = apart;
  wide[*place + 1] = block;
  whole[*place] *= block;
  Value each = node.reshape(node.expand(node.reshape(numbers, apart), wide), whole);
  return node.sliceAxis(each, *place, 0, size);
}

Value quantize(Node &node, Value input, Value scale, Value zero, Type element, bool isFourBit) {
  if (!input || !scale)
    return nullptr;
  // Floats of 8 bits are rounded by the conversion.
  if (auto small = dyn_cast<FloatType>(element)) {
    Value ratio = node.div(input, scale);
    ratio = zero ? node.add(ratio, node.cast(zero, elementOf(ratio))) : ratio;
    return castFloat(node, ratio, small, node.getInt("saturate", 1) != 0);
  }
  unsigned width = isFourBit ? 4 : element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  double low = isUnsigned ? 0 : -double(int64_t(1) << (width - 1));
  double high = double(int64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  Value rounded = node.create("tiny.round", node.div(input, scale));
  if (zero)
    rounded = node.add(rounded, node.cast(zero, f32(node)));
  Value bounded = node.create("tiny.maximum", {rounded, node.like(rounded, low)});
  return node.cast(node.create("tiny.minimum", {bounded, node.like(rounded, high)}), element);
}

Value center(Node &node, Value input, Value zero) {
  Value wide = input ? node.cast(input, i32(node)) : nullptr;
  return zero ? node.sub(wide, node.cast(zero, i32(node))) : wide;
}

Value unpack(Node &node, Value bytes, int64_t bits) {
  if (!bytes || bits == 8)
    return bytes;
  Ints apart(shapeOf(bytes)), flat(shapeOf(bytes)), shifts;
  apart.push_back(1);
  flat.back() *= 8 / bits;
  for (int64_t at = 0; at < 8; at += bits)
    shifts.push_back(at);
  Value moved = node.create(
      "tiny.shr", {node.reshape(bytes, apart), node.makeInts(shifts, int64_t(shifts.size()), elementOf(bytes))});
  Value low = node.create("tiny.and", {moved, node.like(bytes, double((1 << bits) - 1))});
  return low ? node.reshape(low, flat) : nullptr;
}

Value multiplyBytes(Node &node, Values lhs, Value rhs, Value rhsScale, Value rhsZero, Value bias) {
  if (!lhs[0] || !lhs[1] || !rhs || !rhsScale || node.failed())
    return nullptr;
  Value right = center(node, rhs, spread(node, rhsZero, rhs, -1));
  Value total = node.create("tiny.matmul", {center(node, lhs[0], lhs[2]), right});
  Value scale = node.mul(lhs[1], spread(node, rhsScale, rhs, -1));
  if (!total || !scale)
    return nullptr;
  Value result = node.mul(node.cast(total, elementOf(scale)), scale);
  return bias ? node.add(result, bias) : result;
}

Values quantizeDynamically(Node &node, Value input) {
  if (!input)
    return {};
  Type element = IntegerType::get(node.getContext(), 8, IntegerType::Unsigned);
  auto all = llvm::to_vector(llvm::seq<int64_t>(rankOf(input)));
  auto extreme = [&](StringRef reduce, StringRef with) {
    Value value = all.empty() ? input : node.create(reduce, input, node.attr("axes", all));
    return node.create(with, {value, node.like(input, 0)});
  };
  Value high = extreme("tiny.max", "tiny.maximum"), low = extreme("tiny.min", "tiny.minimum");
  // Zeros alone have any scale; onnxruntime says 1.
  Value range = node.sub(high, low), isZero = node.create("tiny.eq", {range, node.like(input, 0)});
  Value scale = node.where(isZero, node.like(input, 1), node.div(range, node.like(input, 255)));
  Value zero = quantize(node, node.create("tiny.neg", low), scale, nullptr, element);
  return {quantize(node, input, scale, zero, element), scale, zero};
}

namespace {

/// Integers of 8 and 16 bits, and floats of 8.
bool isQuantized(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  return width == 8 || (width == 16 && isa<IntegerType>(element));
}

Values translateQuantizeLinear(Node &node) {
  Value input = node.input(0), scale = node.input(1), zero = node.hasInput(2) ? node.input(2) : nullptr;
  if (!input || !scale)
    return {};
  // The zero point says the type; without one an attribute may.
  int32_t named = int32_t(node.getInt("output_dtype", 0));
  bool fourBits = node.isFourBit(2) || (!zero && isFourBit(named));
  Type element = IntegerType::get(node.getContext(), 8, IntegerType::Unsigned);
  if (zero)
    element = elementOf(zero);
  else if (named)
    element = getElementType(node.getContext(), named);
  if (!element || !isQuantized(element))
    return {node.fail("only integers of 4, 8 and 16 bits and floats of 8 bits are supported")};
  int64_t axis = node.getInt("axis", 1);
  // The division's type; at least f32, as the standard's own evaluator has it.
  Type precision = f32(node);
  if (int32_t stated = int32_t(node.getInt("precision", 0)))
    precision = getElementType(node.getContext(), stated);
  if (!precision || !isa<FloatType>(precision))
    return {node.fail("attribute 'precision' names no type of floats")};
  if (precision.getIntOrFloatBitWidth() < 32)
    precision = f32(node);
  scale = node.cast(spreadBlocks(node, scale, input, axis), precision);
  if (fourBits)
    node.markFourBit(0);
  Value numbers = node.cast(input, precision);
  return {quantize(node, numbers, scale, spreadBlocks(node, zero, input, axis), element, fourBits)};
}

Values translateDequantizeLinear(Node &node) {
  Value input = node.input(0), scale = node.input(1);
  if (!input || !scale)
    return {};
  int64_t axis = node.getInt("axis", 1);
  bool isInteger = isa<IntegerType>(elementOf(input));
  if (!isInteger && !isQuantized(elementOf(input)))
    return {node.fail("only integers and floats of 8 bits are supported")};
  Value zero = node.hasInput(2) ? spreadBlocks(node, node.input(2), input, axis) : nullptr;
  Value centered = node.cast(isInteger ? center(node, input, zero) : input, elementOf(scale));
  if (!isInteger && zero)
    centered = node.sub(centered, node.cast(zero, elementOf(scale)));
  Value result = node.mul(centered, spreadBlocks(node, scale, input, axis));
  int32_t wanted = int32_t(node.getInt("output_dtype", 0));
  if (wanted == 0)
    return {result};
  Type element = getElementType(node.getContext(), wanted);
  if (!element || !isa<FloatType>(element))
    return {node.fail("attribute 'output_dtype' names no type of floats")};
  return {node.cast(result, element)};
}

Values translateDynamicQuantizeLinear(Node &node) { return quantizeDynamically(node, node.input(0)); }

/// A zero point of a matrix, along rows or columns.
Value matrixZero(Node &node, unsigned index, Value matrix, int64_t axis) {
  if (!node.hasInput(index) || !matrix)
    return nullptr;
  Value zero = node.input(index);
  return zero && rankOf(zero) > 1 ? zero : spread(node, zero, matrix, axis);
}

Values translateMatMulInteger(Node &node) {
  Value lhs = node.input(0), rhs = node.input(1);
  if (!lhs || !rhs)
    return {};
  Value left = center(node, lhs, matrixZero(node, 2, lhs, rankOf(lhs) > 1 ? -2 : 0));
  Value right = center(node, rhs, matrixZero(node, 3, rhs, -1));
  return {node.create("tiny.matmul", {left, right})};
}

/// round(total * scales of the operands / scale of the result) + zero
Value requantize(Node &node, Value total, Value scale, Value resultScale, Value zero) {
  if (!total || !scale || !resultScale || !zero)
    return nullptr;
  Type f64 = Float64Type::get(node.getContext());
  Value ratio = node.div(node.cast(scale, f64), node.cast(resultScale, f64));
  Value exact = node.cast(node.mul(node.cast(total, f64), ratio), f32(node));
  return quantize(node, exact, node.like(exact, 1), zero, elementOf(zero));
}

Values translateQLinearMatMul(Node &node) {
  Value lhs = node.input(0), rhs = node.input(3), zero = node.input(7);
  if (!lhs || !rhs || !zero)
    return {};
  int64_t rows = rankOf(lhs) > 1 ? -2 : 0;
  Value left = center(node, lhs, matrixZero(node, 2, lhs, rows));
  Value right = center(node, rhs, matrixZero(node, 5, rhs, -1));
  Value total = node.create("tiny.matmul", {left, right});
  Value scale = node.mul(matrixZero(node, 1, lhs, rows), matrixZero(node, 4, rhs, -1));
  return {requantize(node, total, scale, spread(node, node.input(6), total, -1), spread(node, zero, total, -1))};
}

Values translateConvInteger(Node &node) {
  Value input = node.input(0), weight = node.input(1);
  if (!input || !weight)
    return {};
  Value left = center(node, input, node.hasInput(2) ? spread(node, node.input(2), input, 1) : nullptr);
  Value right = center(node, weight, node.hasInput(3) ? spread(node, node.input(3), weight, 0) : nullptr);
  return {convolve(node, left, right, nullptr)};
}

Values translateQLinearConv(Node &node) {
  Value input = node.input(0), weight = node.input(3), zero = node.input(7);
  if (!input || !weight || !zero)
    return {};
  Value left = center(node, input, spread(node, node.input(2), input, 1));
  Value right = center(node, weight, spread(node, node.input(5), weight, 0));
  Value total = convolve(node, left, right, node.hasInput(8) ? node.input(8) : nullptr);
  if (!total)
    return {};
  Value scale = node.mul(spread(node, node.input(1), input, 1), spread(node, node.input(4), total, 1));
  return {requantize(node, total, scale, spread(node, node.input(6), total, 1), spread(node, zero, total, 1))};
}

} // namespace

ArrayRef<Handler> getQuantizedHandlers() {
  static const Handler handlers[] = {
      {"ConvInteger", 2, 4, "auto_pad dilations group kernel_shape pads strides", translateConvInteger},
      {"DequantizeLinear", 2, 3, "axis block_size output_dtype", translateDequantizeLinear},
      {"DynamicQuantizeLinear", 1, 1, "", translateDynamicQuantizeLinear},
      {"MatMulInteger", 2, 4, "", translateMatMulInteger},
      {"QLinearConv", 8, 9, "auto_pad dilations group kernel_shape pads strides", translateQLinearConv},
      {"QLinearMatMul", 8, 8, "", translateQLinearMatMul},
      {"QuantizeLinear", 2, 3, "axis block_size output_dtype precision saturate", translateQuantizeLinear},
      {"com.microsoft:DequantizeLinear", 2, 3, "axis block_size", translateDequantizeLinear},
      {"com.microsoft:QuantizeLinear", 2, 3, "axis block_size", translateQuantizeLinear},
  };
  return handlers;
}

} // namespace tiny::onnximport
