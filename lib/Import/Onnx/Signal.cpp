// Signal processing: Fourier transforms as products with a matrix of sines and cosines, windows, the mel scale.
#include "Node.h"
#include "TensorData.h"
#include <cmath>

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kLargestWindow = 1 << 20, kLongestTransform = 1 << 14;

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }

/// One integer that is known now; none after an error.
std::optional<int64_t> oneInt(Node &node, unsigned index, StringRef what) {
  std::optional<Ints> numbers = node.constantInts(index, what);
  if (!numbers)
    return std::nullopt;
  if (numbers->size() == 1)
    return numbers->front();
  node.fail(what + " is not one number");
  return std::nullopt;
}

/// The element type that an attribute names; null after an error.
Type readElementType(Node &node, StringRef attribute) {
  int32_t number = int32_t(node.getInt(attribute, onnx::TensorProto::FLOAT));
  Type element = getElementType(node.getContext(), number);
  if (!element)
    node.fail("element type " + getDataTypeName(number) + " is not supported");
  return element;
}

/// (window) a0 - a1 * cos(2 pi k / n) + a2 * cos(4 pi k / n), where n is the period
Values translateWindow(Node &node, double a0, double a1, double a2) {
  std::optional<int64_t> size = oneInt(node, 0, "the size");
  Type element = readElementType(node, "output_datatype");
  if (!size || !element)
    return {};
  if (*size < 0 || *size > kLargestWindow)
    return {node.fail("the size is " + Twine(*size) + ", expected 0 to " + Twine(kLargestWindow))};
  double period = double(node.getInt("periodic", 1) ? *size : *size - 1);
  SmallVector<double> numbers;
  for (int64_t k = 0; k < *size; ++k) {
    double turn = period != 0 ? 2 * M_PI * double(k) / period : 0;
    numbers.push_back(a0 - a1 * std::cos(turn) + a2 * std::cos(2 * turn));
  }
  return {node.makeFloats(numbers, *size, element)};
}

Values translateHann(Node &node) { return translateWindow(node, 0.5, 0.5, 0); }
Values translateHamming(Node &node) { return translateWindow(node, 25.0 / 46, 21.0 / 46, 0); }
Values translateBlackman(Node &node) { return translateWindow(node, 0.42, 0.5, 0.08); }

/// What a transform does beside its input.
struct Transform {
  int64_t length;
  bool inverse, onesided;
};

/// Row times column of a table of n rows and columns, as an angle of `turns` whole turns in n steps. The angle of a
/// product of indices repeats every n of it; as integers it stays exact.
Value makeAngles(Node &node, ArrayRef<int64_t> shape, int64_t n, double turns) {
  Value product = node.mul(node.iota(shape, i64(node), 0), node.iota(shape, i64(node), 1));
  Value turn = node.cast(node.create("tiny.mod", {product, node.scalar(double(n), i64(node))}),
                         Float64Type::get(node.getContext()));
  return node.mul(turn, node.like(turn, turns * 2 * M_PI / double(n)));
}

/// One side of a spectrum, [rows, bins, 1 or 2], as the real signal that has it: [rows, n, 1]. What a bin in the middle
/// stands for lies on both sides.
Value invertOneSide(Node &node, Value input, int64_t n) {
  int64_t rows = shapeOf(input)[0], bins = n / 2 + 1, given = std::min(shapeOf(input)[1], bins);
  bool isComplex = shapeOf(input)[2] == 2;
  input = node.pad(node.sliceAxis(input, 1, 0, given), {0, 0, 0}, {0, bins - given, 0});
  SmallVector<double> counts(bins, 2.0 / double(n));
  counts.front() = 1.0 / double(n);
  if (n % 2 == 0)
    counts.back() = 1.0 / double(n);
  Value angle = makeAngles(node, {bins, n}, n, 1);
  if (!input || !angle)
    return nullptr;
  Value weight = node.makeFloats(counts, {bins, 1}, elementOf(angle));
  auto apply = [&](int64_t at, StringRef function) {
    Value table = node.cast(node.mul(node.create(function, angle), weight), elementOf(input));
    return node.create("tiny.matmul", {node.reshape(node.sliceAxis(input, 2, at, at + 1), {rows, bins}), table});
  };
  Value real = apply(0, "tiny.cos");
  if (isComplex)
    real = node.sub(real, apply(1, "tiny.sin"));
  return real ? node.reshape(real, {rows, n, 1}) : nullptr;
}

/// Real and imaginary parts side by side, [rows, n, 1 or 2], transformed along n: [rows, bins, 2].
Value transform(Node &node, Value input, const Transform &how) {
  if (!input)
    return nullptr;
  int64_t n = how.length, rows = shapeOf(input)[0], bins = how.onesided ? n / 2 + 1 : n;
  bool isComplex = shapeOf(input)[2] == 2;
  int64_t given = std::min(shapeOf(input)[1], n);
  input = node.pad(node.sliceAxis(input, 1, 0, given), {0, 0, 0}, {0, n - given, 0});
  Type element = elementOf(input ? input : node.scalar(0, i64(node)));
  Value angle = makeAngles(node, {n, bins}, n, how.inverse ? -1 : 1);
  Value cosine = node.cast(node.create("tiny.cos", angle), element);
  Value sine = node.cast(node.create("tiny.sin", angle), element);
  auto part = [&](int64_t at) { return node.reshape(node.sliceAxis(input, 2, at, at + 1), {rows, n}); };
  auto times = [&](Value lhs, Value rhs) { return node.create("tiny.matmul", {lhs, rhs}); };
  // (a + ib)(cos - i sin) = (a cos + b sin) + i (b cos - a sin)
  Value real = times(part(0), cosine), imaginary = node.create("tiny.neg", times(part(0), sine));
  if (isComplex) {
    real = node.add(real, times(part(1), sine));
    imaginary = node.add(imaginary, times(part(1), cosine));
  }
  if (!real || !imaginary)
    return nullptr;
  Value joined =
      node.create("tiny.concat", {node.reshape(real, {rows, bins, 1}), node.reshape(imaginary, {rows, bins, 1})},
                  node.attr("axis", int64_t(2)));
  return how.inverse ? node.div(joined, node.like(joined, double(n))) : joined;
}

/// Whether the last axis holds real numbers, or real and imaginary parts. Emits an error if neither.
bool checkComplex(Node &node, Value signal) {
  if (rankOf(signal) >= 2 && (shapeOf(signal).back() == 1 || shapeOf(signal).back() == 2))
    return true;
  node.fail("expected real numbers, or real and imaginary parts, along the last axis");
  return false;
}

bool checkLength(Node &node, int64_t length) {
  if (length >= 1 && length <= kLongestTransform)
    return true;
  node.fail("the transform's length is " + Twine(length) + ", expected 1 to " + Twine(kLongestTransform));
  return false;
}

Values translateDft(Node &node) {
  Value input = node.input(0);
  if (!input || !checkComplex(node, input))
    return {};
  int64_t rank = rankOf(input);
  // The axis is an input from set 20 on.
  std::optional<int64_t> named = node.getInt("axis", node.opset() < 20 ? 1 : -2);
  if (node.hasInput(2))
    named = oneInt(node, 2, "the axis");
  std::optional<int64_t> axis = named ? node.normalizeAxis(*named, rank) : std::nullopt;
  if (!axis)
    return {};
  if (*axis == rank - 1)
    return {node.fail("cannot transform along the axis of real and imaginary parts")};
  Transform how = {0, node.getInt("inverse", 0) != 0, node.getInt("onesided", 0) != 0};
  bool isInverseSide = how.inverse && how.onesided;
  std::optional<int64_t> length = isInverseSide ? 2 * (shapeOf(input)[*axis] - 1) : shapeOf(input)[*axis];
  if (node.hasInput(1))
    length = oneInt(node, 1, "the length");
  how.length = length.value_or(0);
  if (!length || !checkLength(node, *length))
    return {};
  if (how.onesided && !how.inverse && shapeOf(input).back() == 2)
    return {node.fail("only a real signal has a transform of one side")};
  Ints permutation = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(permutation[*axis], permutation[rank - 2]);
  Value moved = rank == 2 ? input : node.permute(input, permutation);
  if (!moved)
    return {};
  Ints shape(shapeOf(moved));
  int64_t rows = typeOf(moved).getNumElements() / std::max<int64_t>(shape[rank - 2] * shape[rank - 1], 1);
  Value flat = node.reshape(moved, {rows, shape[rank - 2], shape[rank - 1]});
  Value result = isInverseSide ? invertOneSide(node, flat, *length) : transform(node, flat, how);
  if (!result)
    return {};
  shape[rank - 2] = shapeOf(result)[1];
  shape[rank - 1] = shapeOf(result)[2];
  result = node.reshape(result, shape);
  return {rank == 2 ? result : node.permute(result, permutation)};
}

// Overlapping frames of the signal, each times the window, each transformed.
Values translateStft(Node &node) {
  Value signal = node.input(0);
  std::optional<int64_t> step = oneInt(node, 1, "the step");
  if (!signal || !step)
    return {};
  if (rankOf(signal) == 2)
    signal = node.reshape(signal, {shapeOf(signal)[0], shapeOf(signal)[1], 1});
  if (rankOf(signal) != 3 || !checkComplex(node, signal))
    return {node.failed() ? nullptr : node.fail("the signal has rank " + Twine(rankOf(signal)) + ", expected 2 or 3")};
  Value window = node.hasInput(2) ? node.input(2) : nullptr;
  std::optional<int64_t> length = window && rankOf(window) == 1 ? shapeOf(window)[0] : 0;
  if (node.hasInput(3))
    length = oneInt(node, 3, "the length of a frame");
  if (!length || !checkLength(node, *length))
    return {};
  int64_t batch = shapeOf(signal)[0], size = shapeOf(signal)[1], parts = shapeOf(signal)[2];
  if (*step < 1 || *length > size)
    return {node.fail("frames of " + Twine(*length) + " in steps of " + Twine(*step) + " do not fit a signal of " +
                      Twine(size))};
  if (window && shapeOf(window) != ArrayRef<int64_t>(*length))
    return {node.fail("the window is not of a frame's length")};
  int64_t frames = (size - *length) / *step + 1;
  bool onesided = node.getInt("onesided", 1) != 0;
  if (onesided && parts == 2)
    return {node.fail("only a real signal has a transform of one side")};
  Value start = node.mul(node.iota({frames, *length}, i64(node), 0), node.scalar(double(*step), i64(node)));
  Value places = node.add(start, node.iota({frames, *length}, i64(node), 1));
  Value framed = node.create("tiny.take", {signal, places}, node.attr("axis", int64_t(1)));
  if (window)
    framed = node.mul(framed, node.cast(node.reshape(window, {*length, 1}), elementOf(signal)));
  framed = node.reshape(framed, {batch * frames, *length, parts});
  Value result = transform(node, framed, {*length, false, onesided});
  return {result ? node.reshape(result, {batch, frames, shapeOf(result)[1], 2}) : nullptr};
}

/// A number of any type that is known now; none after an error.
std::optional<double> oneNumber(Node &node, unsigned index, StringRef what) {
  std::optional<SmallVector<double>> numbers = node.constantNumbers(index, what);
  if (!numbers)
    return std::nullopt;
  if (numbers->size() == 1)
    return numbers->front();
  node.fail(what + " is not one number");
  return std::nullopt;
}

// Triangles on the mel scale: [bins of the spectrum, bins of mel].
Values translateMelWeightMatrix(Node &node) {
  std::optional<double> bins = oneNumber(node, 0, "the number of bins"), length = oneNumber(node, 1, "the length"),
                        rate = oneNumber(node, 2, "the rate"), low = oneNumber(node, 3, "the lower edge"),
                        high = oneNumber(node, 4, "the upper edge");
  Type element = readElementType(node, "output_datatype");
  if (!bins || !length || !rate || !low || !high || !element)
    return {};
  bool inRange = *bins >= 1 && *bins <= kLongestTransform && *length >= 1 && *length <= kLongestTransform &&
                 *rate >= 1 && *low >= 0 && *high >= *low && (*length + 1) * *high / *rate < *length / 2 + 1;
  if (!inRange)
    return {node.fail("the bins, the length, the rate and the edges do not go together")};
  int64_t columns = int64_t(*bins), rows = int64_t(*length) / 2 + 1;
  auto toMel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double step = (toMel(*high) - toMel(*low)) / double(columns + 2);
  Ints places;
  for (int64_t k = 0; k < columns + 2; ++k) {
    double hertz = 700 * (std::pow(10, (double(k) * step + toMel(*low)) / 2595) - 1);
    places.push_back(std::clamp<int64_t>(int64_t(std::floor((*length + 1) * hertz / *rate)), 0, rows));
  }
  SmallVector<double> numbers(rows * columns, 0);
  for (int64_t k = 0; k < columns; ++k) {
    int64_t from = places[k], center = places[k + 1], to = places[k + 2];
    for (int64_t at = from; at <= std::min(center, rows - 1); ++at)
      numbers[at * columns + k] = center == from ? 1 : double(at - from) / double(center - from);
    for (int64_t at = center; at < to; ++at)
      numbers[at * columns + k] = double(to - at) / double(to - center);
  }
  return {node.makeFloats(numbers, {rows, columns}, element)};
}

} // namespace

ArrayRef<Handler> getSignalHandlers() {
  static const Handler handlers[] = {
      {"BlackmanWindow", 1, 1, "output_datatype periodic", translateBlackman},
      {"DFT", 1, 3, "axis inverse onesided", translateDft},
      {"HammingWindow", 1, 1, "output_datatype periodic", translateHamming},
      {"HannWindow", 1, 1, "output_datatype periodic", translateHann},
      {"MelWeightMatrix", 5, 5, "output_datatype", translateMelWeightMatrix},
      {"STFT", 2, 4, "onesided", translateStft},
  };
  return handlers;
}

} // namespace tiny::onnximport
