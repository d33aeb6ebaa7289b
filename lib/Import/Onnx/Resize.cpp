// Resize and Upsample. Axes are independent: along each one a result is a weighted sum of a few elements, whose places
// and weights are known when the model is imported.
#include "Node.h"
#include "Tiny/Support/HostTensor.h"
#include <cmath>

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kLargestAxis = 1 << 20;
/// The most elements that are read one by one for each place of the result.
constexpr size_t kMostTaps = 4;

/// How places of the result map to places of the input.
struct Sampling {
  StringRef mode, coordinates, rounding;
  double cubic;
  bool excludeOutside, antialias = false;
};

/// What one axis is sampled with: `places` and `weights` have one entry per tap and place of the result.
struct Axis {
  SmallVector<Ints> places;
  SmallVector<SmallVector<double>> weights;
  /// Places of the result that lie outside of the input, for `tf_crop_and_resize`.
  Ints inside;
};

/// The place of the input, between its elements, for place `x` of the result.
double toInput(const Sampling &sampling, double x, double size, double result, double scale, double from, double to) {
  StringRef mode = sampling.coordinates;
  if (mode == "align_corners")
    return result > 1 ? x * (size - 1) / (result - 1) : 0;
  if (mode == "asymmetric")
    return x / scale;
  if (mode == "tf_half_pixel_for_nn")
    return (x + 0.5) / scale;
  if (mode == "pytorch_half_pixel")
    return result > 1 ? (x + 0.5) / scale - 0.5 : 0;
  if (mode == "tf_crop_and_resize")
    return result > 1 ? from * (size - 1) + x * (to - from) * (size - 1) / (result - 1)
                      : 0.5 * (from + to) * (size - 1);
  double shift = 0;
  if (mode == "half_pixel_symmetric")
    shift = size / 2 * (1 - result / (scale * size));
  return shift + (x + 0.5) / scale - 0.5;
}

double roundNearest(StringRef mode, double x) {
  if (mode == "floor")
    return std::floor(x);
  if (mode == "ceil")
    return std::ceil(x);
  return mode == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
}

/// The weight of an element at a distance.
double getWeight(const Sampling &sampling, double distance) {
  double a = sampling.cubic, d = std::abs(distance);
  if (sampling.mode == "nearest")
    return 1;
  if (sampling.mode == "linear")
    return std::max(1 - d, 0.0);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

Axis sampleAxis(const Sampling &sampling, int64_t size, int64_t result, double scale, double from, double to) {
  Axis axis;
  bool nearest = sampling.mode == "nearest";
  // Where the result is smaller, antialiasing stretches the curve of the weights.
  double stretch = sampling.antialias && !nearest ? std::min(scale, 1.0) : 1;
  int64_t reach = sampling.mode == "linear" ? 1 : 2;
  int64_t first = nearest ? 0 : int64_t(std::floor(double(-reach) / stretch)) + 1, taps = nearest ? 1 : 2 - 2 * first;
  axis.places.resize(taps);
  axis.weights.resize(taps);
  for (int64_t x = 0; x < result; ++x) {
    double place = toInput(sampling, double(x), double(size), double(result), scale, from, to);
    axis.inside.push_back(place >= 0 && place <= double(size - 1));
    double base = nearest ? roundNearest(sampling.rounding, place) : std::floor(place);
    SmallVector<double> weights;
    double kept = 0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      double at = base + double(first + tap);
      bool counts = !sampling.excludeOutside || (at >= 0 && at <= double(size - 1));
      weights.push_back(counts ? getWeight(sampling, (at - place) * stretch) : 0);
      kept += weights.back();
      axis.places[tap].push_back(int64_t(std::clamp(at, 0.0, double(size - 1))));
    }
    bool divides = (sampling.excludeOutside || stretch != 1) && kept != 0;
    for (int64_t tap = 0; tap < taps; ++tap)
      axis.weights[tap].push_back(divides ? weights[tap] / kept : weights[tap]);
  }
  return axis;
}

/// Numbers along one axis, to multiply with.
Value weigh(Node &node, ArrayRef<double> numbers, Value like, int64_t axis) {
  Ints shape(rankOf(like), 1);
  shape[axis] = int64_t(numbers.size());
  return node.makeFloats(numbers, shape, elementOf(like));
}

/// Many taps are a product with a matrix [size, result] of all weights.
Value multiplyAxis(Node &node, Value input, int64_t at, const Axis &axis) {
  int64_t rank = rankOf(input), size = shapeOf(input)[at], result = int64_t(axis.inside.size());
  SmallVector<double> matrix(size * result, 0);
  for (auto [places, weights] : llvm::zip(axis.places, axis.weights))
    for (int64_t x = 0; x < result; ++x)
      matrix[places[x] * result + x] += weights[x];
  Ints order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(order[at], order[rank - 1]);
  Value moved = at == rank - 1 ? input : node.permute(input, order);
  Value product = node.create("tiny.matmul", {moved, node.makeFloats(matrix, {size, result}, elementOf(input))});
  return at == rank - 1 ? product : node.permute(product, order);
}

Value applyAxis(Node &node, Value input, int64_t at, const Axis &axis) {
  if (axis.places.size() > kMostTaps)
    return multiplyAxis(node, input, at, axis);
  Value total;
  for (auto [places, weights] : llvm::zip(axis.places, axis.weights)) {
    Value list = node.makeInts(places, int64_t(places.size()), IntegerType::get(node.getContext(), 64));
    Value part = node.create("tiny.take", {input, list}, node.attr("axis", at));
    if (!part)
      return nullptr;
    if (axis.places.size() > 1)
      part = node.mul(part, weigh(node, weights, part, at));
    total = total ? node.add(total, part) : part;
  }
  return total;
}

/// The same in operations, for an axis whose size is open: places and weights are computed in f64 like those above.
Value applyOpenAxis(Node &node, Value input, int64_t at, int64_t result, const Sampling &sampling, double scale) {
  StringRef mode = sampling.coordinates;
  bool isNearest = sampling.mode == "nearest";
  if (sampling.antialias || sampling.excludeOutside || mode == "tf_crop_and_resize" || mode == "half_pixel_symmetric")
    return node.fail("coordinates '" + mode + "', antialiasing or excluded places along an open size");
  Type f64 = Float64Type::get(node.getContext()), i64 = IntegerType::get(node.getContext(), 64);
  auto number = [&](double value) { return node.scalar(value, f64); };
  auto unary = [&](StringRef op, Value value) { return node.create(op, {value}); };
  int64_t size = shapeOf(input)[at];
  Value x = node.iota({result}, f64, 0), place;
  Value half = node.add(x, number(0.5));
  if (mode == "align_corners")
    place = node.div(node.mul(x, number(double(size - 1))), number(double(std::max<int64_t>(result - 1, 1))));
  else if (mode == "asymmetric")
    place = node.div(x, number(scale));
  else
    place = node.div(half, number(scale));
  if (mode == "half_pixel" || mode == "pytorch_half_pixel")
    place = node.sub(place, number(0.5));
  Value base = unary("tiny.floor", place);
  if (isNearest && sampling.rounding != "floor")
    base = sampling.rounding == "ceil"                ? unary("tiny.ceil", place)
           : sampling.rounding == "round_prefer_ceil" ? unary("tiny.floor", node.add(place, number(0.5)))
                                                      : unary("tiny.ceil", node.sub(place, number(0.5)));
  int64_t reach = sampling.mode == "linear" ? 1 : 2, first = isNearest ? 0 : 1 - reach,
          taps = isNearest ? 1 : 2 * reach;
  Ints shape(rankOf(input), 1);
  shape[at] = result;
  Value total;
  for (int64_t tap = 0; tap < taps; ++tap) {
    Value where = node.add(base, number(double(first + tap)));
    Value inside = node.create("tiny.clamp", {where, number(0), number(double(size - 1))});
    Value part = node.create("tiny.take", {input, node.cast(inside, i64)}, node.attr("axis", at));
    if (!isNearest) {
      Value d = unary("tiny.abs", node.sub(where, place)), a = number(sampling.cubic);
      Value weight = node.create("tiny.maximum", {node.sub(number(1), d), number(0)});
      if (sampling.mode == "cubic") {
        Value near = node.sub(node.mul(node.add(a, number(2)), d), node.add(a, number(3)));
        near = node.add(node.mul(node.mul(near, d), d), number(1));
        Value far = node.sub(node.mul(a, d), node.mul(number(5), a));
        far = node.add(node.mul(far, d), node.mul(number(8), a));
        far = node.sub(node.mul(far, d), node.mul(number(4), a));
        far = node.where(node.create("tiny.lt", {d, number(2)}), far, number(0));
        weight = node.where(node.create("tiny.le", {d, number(1)}), near, far);
      }
      part = node.mul(part, node.reshape(node.cast(weight, elementOf(input)), shape));
    }
    total = total ? node.add(total, part) : part;
  }
  return total;
}

/// The numbers of an input that is known now, or of an attribute. Empty when it is absent; none after an error.
std::optional<SmallVector<double>> readNumbers(Node &node, unsigned index, StringRef what) {
  SmallVector<double> numbers;
  if (const onnx::AttributeProto *attribute = node.findAttribute(what)) {
    numbers.assign(attribute->floats().begin(), attribute->floats().end());
    return numbers;
  }
  if (!node.hasInput(index))
    return numbers;
  return node.constantNumbers(index, ("'" + what + "'").str());
}

Values resize(Node &node, const Sampling &sampling, unsigned scaleIndex) {
  Value input = node.input(0);
  std::optional<SmallVector<double>> scales = readNumbers(node, scaleIndex, "scales"),
                                     sizes = readNumbers(node, scaleIndex + 1, "sizes"),
                                     region = readNumbers(node, scaleIndex == 2 ? 1 : ~0u, "roi");
  if (!input || !scales || !sizes || !region)
    return {};
  int64_t rank = rankOf(input);
  Ints axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (std::optional<Ints> named = node.hasAttribute("axes") ? node.getInts("axes") : std::nullopt) {
    axes = *named;
    if (!node.normalizeAxes(*named, rank))
      return {};
  }
  bool hasSizes = !sizes->empty();
  if (hasSizes && !scales->empty())
    return {node.fail("got scales and sizes, expected one of them")};
  const SmallVector<double> &given = hasSizes ? *sizes : *scales;
  if (given.size() != axes.size())
    return {node.fail("got " + Twine(given.size()) + " scales or sizes for " + Twine(axes.size()) + " axes")};
  bool crop = sampling.coordinates == "tf_crop_and_resize";
  if (crop && region->size() != 2 * axes.size())
    return {node.fail("got " + Twine(region->size()) + " bounds of the region, expected " + Twine(2 * axes.size()))};
  Type element = elementOf(input);
  bool nearest = sampling.mode == "nearest";
  Type compute = isa<Float64Type>(element) || nearest ? element : Type(Float32Type::get(node.getContext()));
  Value value = node.cast(input, compute), inside;
  // Sizes that keep the image's proportions have one scale for all axes.
  StringRef policy = node.getString("keep_aspect_ratio_policy", "stretch");
  std::optional<double> common;
  for (auto [index, named] : llvm::enumerate(axes)) {
    double scale = given[index] / double(std::max<int64_t>(shapeOf(input)[named < 0 ? named + rank : named], 1));
    if (hasSizes && policy != "stretch")
      common = !common ? scale : policy == "not_larger" ? std::min(*common, scale) : std::max(*common, scale);
  }
  for (auto [index, named] : llvm::enumerate(axes)) {
    int64_t axis = named < 0 ? named + rank : named, size = shapeOf(input)[axis];
    double exact = common     ? std::floor(*common * double(size) + 0.5)
                   : hasSizes ? given[index]
                              : std::floor(double(size) * given[index]);
    if (!(exact >= 1 && exact <= double(kLargestAxis)) || size < 1)
      return {node.fail("cannot resize axis " + Twine(axis) + " of size " + Twine(size))};
    int64_t result = int64_t(exact);
    double scale = common ? *common : hasSizes ? exact / double(size) : given[index];
    double from = crop ? (*region)[index] : 0, to = crop ? (*region)[index + axes.size()] : 1;
    // Asked at all sizes, so that questions keep their numbers.
    bool isOpen = node.isOpen(size);
    if (result == size && scale == 1 && from == 0 && to == 1)
      continue;
    if (isOpen) {
      value = applyOpenAxis(node, value, axis, result, sampling, scale);
      if (!value)
        return {};
      continue;
    }
    Axis sampled = sampleAxis(sampling, size, result, scale, from, to);
    value = applyAxis(node, value, axis, sampled);
    if (!value)
      return {};
    if (crop) {
      Ints shape(rank, 1);
      shape[axis] = result;
      Value flags = node.makeInts(sampled.inside, shape, IntegerType::get(node.getContext(), 64));
      inside = inside ? node.mul(inside, flags) : flags;
    }
  }
  if (inside)
    value = node.where(node.create("tiny.ne", {inside, node.like(inside, 0)}), value,
                       node.like(value, node.getFloat("extrapolation_value", 0)));
  return {node.cast(value, element)};
}

/// A string attribute that is one of `allowed`.
StringRef readChoice(Node &node, StringRef name, StringRef otherwise, ArrayRef<StringRef> allowed) {
  StringRef value = node.getString(name, otherwise);
  if (!llvm::is_contained(allowed, value))
    node.fail("attribute '" + name + "' is '" + value + "', which is not supported");
  return value;
}

Values translateResize(Node &node) {
  bool isOld = node.opset() < 11;
  Sampling sampling;
  sampling.mode = readChoice(node, "mode", "nearest", {"nearest", "linear", "cubic"});
  sampling.coordinates = readChoice(node, "coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel",
                                    {"align_corners", "asymmetric", "half_pixel", "half_pixel_symmetric",
                                     "pytorch_half_pixel", "tf_crop_and_resize", "tf_half_pixel_for_nn"});
  sampling.rounding = readChoice(node, "nearest_mode", isOld ? "floor" : "round_prefer_floor",
                                 {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  sampling.cubic = node.getFloat("cubic_coeff_a", -0.75);
  sampling.excludeOutside = node.getInt("exclude_outside", 0) != 0;
  sampling.antialias = node.getInt("antialias", 0) != 0;
  readChoice(node, "keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"});
  if (node.failed())
    return {};
  return resize(node, sampling, isOld ? 1 : 2);
}

Values translateUpsample(Node &node) {
  StringRef mode = readChoice(node, "mode", "nearest", {"nearest", "linear", "bilinear"});
  if (node.failed())
    return {};
  return resize(node, {mode == "nearest" ? "nearest" : "linear", "asymmetric", "floor", 0, false, false}, 1);
}

} // namespace

ArrayRef<Handler> getResizeHandlers() {
  static const Handler handlers[] = {
      {"Resize", 1, 4,
       "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value "
       "keep_aspect_ratio_policy mode nearest_mode",
       translateResize},
      {"Upsample", 1, 2, "mode scales", translateUpsample},
  };
  return handlers;
}

} // namespace tiny::onnximport
