// Random numbers: Threefry-2x32 with 20 rounds over the index of each element, so that they need no state. A node
// without a seed has its name's hash; each run gives the same numbers.
#include "Node.h"
#include "TensorData.h"
#include "Tiny/Support/HostTensor.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace mlir;

namespace tiny::onnximport {
namespace {

Type u32(Node &node) { return IntegerType::get(node.getContext(), 32, IntegerType::Unsigned); }
Type f32(Node &node) { return Float32Type::get(node.getContext()); }

/// Two words for each counter.
struct Words {
  Value first, second;
};

Value word(Node &node, uint32_t number) { return node.scalar(double(number), u32(node)); }

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
Words threefry(Node &node, Words counter, uint32_t key0, uint32_t key1) {
  const uint32_t keys[] = {key0, key1, 0x1BD11BDA ^ key0 ^ key1};
  constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Value x = node.add(counter.first, word(node, keys[0])), y = node.add(counter.second, word(node, keys[1]));
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x = node.add(x, y);
      Value left = node.create("tiny.shl", {y, word(node, rotation)});
      Value right = node.create("tiny.shr", {y, word(node, 32 - rotation)});
      y = node.create("tiny.xor", {node.create("tiny.or", {left, right}), x});
    }
    x = node.add(x, word(node, keys[(group + 1) % 3]));
    y = node.add(y, word(node, keys[(group + 2) % 3] + group + 1));
  }
  return {x, y};
}

/// The seed that the node names, as a float or an integer, or else one of its own.
uint64_t readSeed(Node &node) {
  const onnx::AttributeProto *seed = node.findAttribute("seed");
  if (!seed || (!seed->has_f() && !seed->has_i()))
    return llvm::xxh3_64bits(node.getName());
  return seed->has_f() ? llvm::bit_cast<uint32_t>(seed->f()) : uint64_t(seed->i());
}

Words drawWords(Node &node, ArrayRef<int64_t> shape, uint64_t seed) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Value counter = node.iota({count}, u32(node), 0);
  Words words = threefry(node, {counter, node.mul(counter, word(node, 0))}, uint32_t(seed), uint32_t(seed >> 32));
  return {node.reshape(words.first, shape), node.reshape(words.second, shape)};
}

/// Floats in [0, 1) of 24 bits.
Value toUnit(Node &node, Value words) {
  Value bits = node.cast(node.create("tiny.shr", {words, word(node, 8)}), f32(node));
  return node.mul(bits, node.scalar(0x1p-24, f32(node)));
}

Value drawUnit(Node &node, ArrayRef<int64_t> shape, uint64_t seed) {
  return toUnit(node, drawWords(node, shape, seed).first);
}

/// (Box-Muller) sqrt(-2 log(1 - u)) * cos(2 pi v)
Value drawNormal(Node &node, ArrayRef<int64_t> shape, uint64_t seed) {
  Words words = drawWords(node, shape, seed);
  Value u = toUnit(node, words.first), v = toUnit(node, words.second);
  Value rest = node.sub(node.scalar(1, f32(node)), u);
  Value radius = node.create("tiny.sqrt", node.mul(node.create("tiny.log", rest), node.scalar(-2, f32(node))));
  return node.mul(radius, node.create("tiny.cos", node.mul(v, node.scalar(2 * M_PI, f32(node)))));
}

/// The result's element type: that of attribute `dtype`, else `otherwise`. Null after an error.
Type readType(Node &node, Type otherwise) {
  if (!node.hasAttribute("dtype"))
    return otherwise;
  int32_t number = int32_t(node.getInt("dtype", 0));
  Type element = getElementType(node.getContext(), number);
  if (!element)
    node.fail("element type " + getDataTypeName(number) + " is not supported");
  return element;
}

/// The shape that the attribute or the input says, and the type; none after an error.
std::optional<RankedTensorType> readResult(Node &node) {
  Ints shape;
  Type otherwise = f32(node);
  if (node.opType().ends_with("Like")) {
    Value input = node.input(0);
    if (!input)
      return std::nullopt;
    shape.assign(shapeOf(input).begin(), shapeOf(input).end());
    if (isa<FloatType>(elementOf(input)))
      otherwise = elementOf(input);
  } else if (std::optional<Ints> given = node.getInts("shape")) {
    shape = *given;
  } else {
    if (!node.failed())
      node.fail("attribute 'shape' is missing");
    return std::nullopt;
  }
  Type element = readType(node, otherwise);
  std::optional<int64_t> count = countElements(shape, 8);
  if (!count || *count > INT32_MAX)
    node.fail("the size of the shape overflows");
  else if (element && !isa<FloatType>(element))
    node.fail("only floats are drawn from this distribution");
  return node.failed() ? std::nullopt : std::optional(RankedTensorType::get(shape, element));
}

Values translateUniform(Node &node) {
  std::optional<RankedTensorType> type = readResult(node);
  if (!type)
    return {};
  double low = node.getFloat("low", 0), high = node.getFloat("high", 1);
  Value unit = drawUnit(node, type->getShape(), readSeed(node));
  Value spread = node.add(node.mul(unit, node.scalar(high - low, f32(node))), node.scalar(low, f32(node)));
  return {node.cast(spread, type->getElementType())};
}

Values translateNormal(Node &node) {
  std::optional<RankedTensorType> type = readResult(node);
  if (!type)
    return {};
  Value normal = drawNormal(node, type->getShape(), readSeed(node));
  Value scaled = node.mul(normal, node.scalar(node.getFloat("scale", 1), f32(node)));
  return {node.cast(node.add(scaled, node.scalar(node.getFloat("mean", 0), f32(node))), type->getElementType())};
}

// One where a draw lies below the probability.
Values translateBernoulli(Node &node) {
  Value input = node.input(0);
  Type element = input ? readType(node, elementOf(input)) : nullptr;
  if (!element)
    return {};
  Value unit = drawUnit(node, shapeOf(input), readSeed(node));
  return {node.cast(node.create("tiny.lt", {unit, node.cast(input, f32(node))}), element)};
}

// (Gumbel) The largest of each class's logarithm less log(-log(u)) is a draw from the classes: [batch, samples].
Values translateMultinomial(Node &node) {
  Value input = node.input(0);
  Type element = input ? readType(node, IntegerType::get(node.getContext(), 32)) : nullptr;
  int64_t samples = node.getInt("sample_size", 1);
  if (!element)
    return {};
  if (rankOf(input) != 2 || shapeOf(input)[1] < 1 || samples < 1 ||
      samples > INT32_MAX / std::max<int64_t>(typeOf(input).getNumElements(), 1))
    return {node.fail("expected scores [batch, classes] and a positive number of samples")};
  int64_t batch = shapeOf(input)[0], classes = shapeOf(input)[1];
  Value unit = drawUnit(node, {batch, samples, classes}, readSeed(node));
  // Never zero, whose logarithm is infinite.
  Value noise = node.create("tiny.log", node.add(unit, node.scalar(0x1p-25, f32(node))));
  noise = node.create("tiny.log", node.create("tiny.neg", noise));
  Value scores = node.sub(node.reshape(node.cast(input, f32(node)), {batch, 1, classes}), noise);
  return {node.cast(node.create("tiny.argmax", scores, node.attr("axes", ArrayRef<int64_t>(2))), element)};
}

} // namespace

Values dropAtRandom(Node &node, Value input, double ratio, int64_t seed) {
  Value unit = drawUnit(node, shapeOf(input), node.hasAttribute("seed") ? uint64_t(seed) : readSeed(node));
  Value mask = node.create("tiny.ge", {unit, node.scalar(ratio, f32(node))});
  Value scaled = node.mul(input, node.like(input, 1 / (1 - ratio)));
  return {node.where(mask, scaled, node.like(input, 0)), mask};
}

ArrayRef<Handler> getRandomHandlers() {
  static const Handler handlers[] = {
      {"Bernoulli", 1, 1, "dtype seed", translateBernoulli},
      {"Multinomial", 1, 1, "dtype sample_size seed", translateMultinomial},
      {"RandomNormal", 0, 0, "dtype mean scale seed shape", translateNormal},
      {"RandomNormalLike", 1, 1, "dtype mean scale seed", translateNormal},
      {"RandomUniform", 0, 0, "dtype high low seed shape", translateUniform},
      {"RandomUniformLike", 1, 1, "dtype high low seed", translateUniform},
  };
  return handlers;
}

} // namespace tiny::onnximport
