// Images sampled at places that are data: GridSample, RoiAlign, MaxRoiPool.
#include "Node.h"
#include <cmath>

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kMostSamples = 64;

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }

Value clamp(Node &node, Value x, double low, double high) {
  return node.create("tiny.minimum", {node.create("tiny.maximum", {x, node.like(x, low)}), node.like(x, high)});
}

/// Whether low <= x <= high.
Value isWithin(Node &node, Value x, double low, double high) {
  return node.create("tiny.and",
                     {node.create("tiny.ge", {x, node.like(x, low)}), node.create("tiny.le", {x, node.like(x, high)})});
}

/// A place thrown back at both ends of [low, high] as often as needed.
Value reflect(Node &node, Value x, double low, double high) {
  double range = high - low;
  if (range <= 0)
    return node.mul(x, node.like(x, 0));
  // The distance from `low`, in a period of twice the range.
  Value distance = node.create("tiny.abs", node.sub(x, node.like(x, low)));
  Value turns = node.create("tiny.floor", node.div(distance, node.like(x, 2 * range)));
  Value rest = node.sub(distance, node.mul(turns, node.like(x, 2 * range)));
  Value back = node.sub(node.like(x, 2 * range), rest);
  return node.add(node.create("tiny.minimum", {rest, back}), node.like(x, low));
}

/// What GridSample does outside of the image and between its elements.
struct Grid {
  StringRef mode, padding;
  bool alignCorners;
};

/// The taps of one axis around `place`: whole places as floats, with their weights.
SmallVector<std::pair<Value, Value>> makeTaps(Node &node, StringRef mode, Value place) {
  if (mode == "nearest")
    return {{node.create("tiny.round", place), node.like(place, 1)}};
  Value base = node.create("tiny.floor", place), t = node.sub(place, base);
  Value one = node.like(place, 1), rest = node.sub(one, t), next = node.add(base, one);
  if (mode == "linear")
    return {{base, rest}, {next, t}};
  constexpr double a = -0.75;
  auto times = [&](Value x, double number) { return node.mul(x, node.like(x, number)); };
  auto plus = [&](Value x, double number) { return node.add(x, node.like(x, number)); };
  // ((a + 2) d - (a + 3)) d^2 + 1 up to a distance of 1, ((a d - 5 a) d + 8 a) d - 4 a up to 2
  auto near = [&](Value d) { return plus(node.mul(plus(times(d, a + 2), -(a + 3)), node.mul(d, d)), 1); };
  auto far = [&](Value d) { return plus(node.mul(plus(node.mul(plus(times(d, a), -5 * a), d), 8 * a), d), -4 * a); };
  return {
      {node.sub(base, one), far(plus(t, 1))}, {base, near(t)}, {next, near(rest)}, {plus(base, 2), far(plus(rest, 1))}};
}

// Each place of the result reads the image at the place that the grid names, in -1 to 1 along each axis, the last axis
// first. Taps are combined axis by axis into all corners.
Values translateGridSample(Node &node) {
  Value input = node.input(0), grid = node.input(1);
  if (!input || !grid)
    return {};
  Grid how = {node.getString("mode", "linear"), node.getString("padding_mode", "zeros"),
              node.getInt("align_corners", 0) != 0};
  if (how.mode == "bilinear" || how.mode == "bicubic")
    how.mode = how.mode.drop_front(2);
  if (!llvm::is_contained({"linear", "cubic", "nearest"}, how.mode) ||
      !llvm::is_contained({"zeros", "border", "reflection"}, how.padding))
    return {node.fail("attributes 'mode' and 'padding_mode' are '" + how.mode + "' and '" + how.padding +
                      "', expected linear, cubic or nearest, and zeros, border or reflection")};
  int64_t rank = rankOf(input), spatial = rank - 2;
  if (rank < 3 || rankOf(grid) != rank || shapeOf(grid).back() != spatial || shapeOf(grid)[0] != shapeOf(input)[0])
    return {node.fail("expected a place of " + Twine(spatial) +
                      " numbers for each place of the result, got a grid of rank " + Twine(rankOf(grid)))};
  if (llvm::is_contained(shapeOf(input).drop_front(2), 0))
    return {node.fail("cannot sample an empty image")};
  Type compute = isa<FloatType>(elementOf(grid)) ? elementOf(grid) : Type(Float32Type::get(node.getContext()));
  if (compute.getIntOrFloatBitWidth() < 32)
    compute = Float32Type::get(node.getContext());
  Ints lead(shapeOf(grid).drop_back());
  lead.insert(lead.begin() + 1, 1);
  // [batch, 1, places...], per axis of the image.
  SmallVector<SmallVector<std::pair<Value, Value>>> taps;
  SmallVector<SmallVector<Value>> masks;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    double size = double(shapeOf(input)[axis + 2]);
    int64_t at = spatial - 1 - axis;
    Value place = node.cast(node.reshape(node.sliceAxis(grid, rank - 1, at, at + 1), lead), compute);
    place = node.add(place, node.like(place, 1));
    place = how.alignCorners ? node.mul(place, node.like(place, (size - 1) / 2))
                             : node.sub(node.mul(place, node.like(place, size / 2)), node.like(place, 0.5));
    double low = how.alignCorners ? 0 : -0.5, high = how.alignCorners ? size - 1 : size - 0.5;
    if (how.padding == "border" && how.mode != "cubic")
      place = clamp(node, place, 0, size - 1);
    else if (how.padding == "reflection" && how.mode != "cubic")
      place = clamp(node, reflect(node, place, low, high), 0, size - 1);
    taps.push_back(makeTaps(node, how.mode, place));
    masks.emplace_back();
    for (auto &[tap, weight] : taps.back()) {
      masks.back().push_back(how.padding == "zeros" ? isWithin(node, tap, 0, size - 1) : Value());
      if (how.padding == "reflection" && how.mode == "cubic")
        tap = reflect(node, tap, low, high);
      // Not a number reads the first element.
      Value known = node.where(node.create("tiny.isnan", tap), node.like(tap, 0), tap);
      tap = node.cast(clamp(node, known, 0, size - 1), i64(node));
    }
  }
  Ints perBatch(rank, 1), perChannel(rank, 1);
  perBatch[0] = shapeOf(input)[0];
  perChannel[1] = shapeOf(input)[1];
  Value batch = node.iota(perBatch, i64(node), 0), channel = node.iota(perChannel, i64(node), 1), total;
  bool isInteger = !isa<FloatType>(elementOf(input));
  int64_t corners = 1;
  for (const auto &list : taps)
    corners *= int64_t(list.size());
  for (int64_t corner = 0; corner < corners && !node.failed(); ++corner) {
    SmallVector<Value> operands = {input, batch, channel};
    Value weight, mask;
    int64_t rest = corner;
    for (auto [list, inside] : llvm::zip(taps, masks)) {
      int64_t which = rest % int64_t(list.size());
      rest /= int64_t(list.size());
      operands.push_back(list[which].first);
      weight = weight ? node.mul(weight, list[which].second) : list[which].second;
      if (inside[which])
        mask = mask ? node.create("tiny.and", {mask, inside[which]}) : inside[which];
    }
    Value element = node.create("tiny.gather", operands);
    if (!(isInteger && how.mode == "nearest"))
      element = node.cast(element, isa<Float64Type>(elementOf(input)) ? elementOf(input) : compute);
    if (mask)
      element = node.where(mask, element, node.like(element, 0));
    if (how.mode != "nearest")
      element = node.mul(element, weight);
    total = total ? node.add(total, element) : element;
  }
  return {total ? node.cast(total, elementOf(input)) : nullptr};
}

/// Column `at` of the regions, scaled, as [regions, 1].
Value edge(Node &node, Value regions, int64_t at, double scale, double offset) {
  Value column = node.sliceAxis(regions, 1, at, at + 1);
  return node.sub(node.mul(column, node.like(column, scale)), node.like(column, offset));
}

/// The samples of RoiAlign along one axis: places below and above, each with a weight; [regions, bins * grid].
struct Samples {
  Value low, high, lowWeight, highWeight;
};

Samples sampleRegion(Node &node, Value from, Value to, int64_t bins, int64_t grid, int64_t size, bool isOld) {
  Value length = node.sub(to, from);
  if (isOld)
    length = node.create("tiny.maximum", {length, node.like(length, 1)});
  Value bin = node.div(length, node.like(length, double(bins)));
  Value number = node.iota({1, bins * grid}, elementOf(from), 1);
  // Sample k lies at (k + 1/2) / grid bins.
  Value place = node.div(node.add(number, node.like(number, 0.5)), node.like(number, double(grid)));
  place = node.add(from, node.mul(place, bin));
  Value inside = isWithin(node, place, -1, double(size));
  Value y = clamp(node, place, 0, double(size - 1));
  Value base = node.create("tiny.floor", y), t = node.sub(y, base), zero = node.like(t, 0);
  Samples samples;
  samples.low = node.cast(base, i64(node));
  samples.high = node.create(
      "tiny.minimum", {node.add(samples.low, node.like(samples.low, 1)), node.like(samples.low, double(size - 1))});
  samples.lowWeight = node.where(inside, node.sub(node.like(t, 1), t), zero);
  samples.highWeight = node.where(inside, t, zero);
  return samples;
}

/// The weights of an image's places along one axis in the mean of each bin, which has as many samples as it is long:
/// [regions, bins, size]. Samples are at least half an element apart, so that few of them lie inside.
Value weighPlaces(Node &node, Value from, Value to, int64_t bins, int64_t size, bool isOld) {
  if (!from || !to)
    return nullptr;
  int64_t count = shapeOf(from)[0], most = 2 * (size + 2);
  Type element = elementOf(from);
  Value length = node.sub(to, from), one = node.like(from, 1), half = node.like(from, 0.5);
  if (isOld)
    length = node.create("tiny.maximum", {length, one});
  Value bin = node.div(length, node.like(length, double(bins))), samples = node.create("tiny.ceil", bin);
  Value divisor = node.create("tiny.maximum", {samples, one}), step = node.div(bin, divisor);
  Value start = node.add(from, node.mul(node.iota({1, bins}, element, 1), bin));
  // The first sample at -1 or behind it.
  Value first = node.create("tiny.ceil", node.sub(node.div(node.sub(node.like(start, -1), start), step), half));
  first = node.create("tiny.maximum", {first, node.like(first, 0)});
  auto apart = [&](Value value, int64_t width) { return node.reshape(value, {count, width, 1, 1}); };
  Value number = node.add(apart(first, bins), node.iota({1, 1, most, 1}, element, 2));
  Value place = node.add(apart(start, bins), node.mul(node.add(number, half), apart(step, 1)));
  Value counts = node.create(
      "tiny.and", {node.create("tiny.lt", {number, apart(samples, 1)}), isWithin(node, place, -1, double(size))});
  // A place less than 1 away has the rest as weight.
  Value distance = node.create(
      "tiny.abs", node.sub(clamp(node, place, 0, double(size - 1)), node.iota({1, 1, 1, size}, element, 3)));
  Value weight = node.create("tiny.maximum", {node.sub(one, distance), node.like(one, 0)});
  Value total = node.sum(node.where(counts, weight, node.like(weight, 0)), 2);
  return node.div(total, node.reshape(divisor, {count, 1, 1}));
}

// Each bin of a region is the mean, or the largest, of samples between the image's elements.
Values translateRoiAlign(Node &node) {
  Value input = node.input(0), regions = node.input(1), batches = node.input(2);
  if (!input || !regions || !batches)
    return {};
  StringRef mode = node.getString("mode", "avg");
  StringRef coordinates =
      node.getString("coordinate_transformation_mode", node.opset() < 16 ? "output_half_pixel" : "half_pixel");
  int64_t high = node.getInt("output_height", 1), wide = node.getInt("output_width", 1);
  int64_t grid = node.getInt("sampling_ratio", 0);
  double scale = node.getFloat("spatial_scale", 1), offset = coordinates == "half_pixel" ? 0.5 : 0;
  if ((mode != "avg" && mode != "max") || (coordinates != "half_pixel" && coordinates != "output_half_pixel"))
    return {node.fail("attributes 'mode' and 'coordinate_transformation_mode' are '" + mode + "' and '" + coordinates +
                      "', expected avg or max, and half_pixel or output_half_pixel")};
  if (rankOf(input) != 4 || rankOf(regions) != 2 || shapeOf(regions)[1] != 4 ||
      shapeOf(batches) != shapeOf(regions).take_front(1) || llvm::is_contained(shapeOf(input), 0))
    return {node.fail("expected an image of rank 4, regions of 4 numbers, and one batch for each")};
  // A mean of any number of samples is two products; the largest of them needs each one.
  bool isAdaptive = grid == 0 && mode == "avg";
  if (!isAdaptive && (grid < 1 || grid > kMostSamples))
    return {node.fail("attribute 'sampling_ratio' is " + Twine(grid) + ", expected 1 to " + Twine(kMostSamples) +
                      ", or 0 with the mode avg")};
  if (high < 1 || wide < 1 || high > 4096 || wide > 4096)
    return {node.fail("got a result of " + Twine(high) + "x" + Twine(wide) + ", expected 1 to 4096")};
  bool isOld = coordinates == "output_half_pixel";
  auto at = [&](int64_t column) { return edge(node, regions, column, scale, offset); };
  int64_t count = shapeOf(regions)[0], channels = shapeOf(input)[1];
  if (isAdaptive) {
    Value rows = weighPlaces(node, at(1), at(3), high, shapeOf(input)[2], isOld);
    Value columns = weighPlaces(node, at(0), at(2), wide, shapeOf(input)[3], isOld);
    Value images = node.create("tiny.take", {input, node.cast(batches, i64(node))}, node.attr("axis", int64_t(0)));
    if (!rows || !columns || !images)
      return {};
    Value along = node.create("tiny.matmul", {node.reshape(rows, {count, 1, high, shapeOf(input)[2]}), images});
    columns = node.reshape(node.permute(columns, {0, 2, 1}), {count, 1, shapeOf(input)[3], wide});
    Value result = node.create("tiny.matmul", {along, columns});
    return {result ? node.cast(result, elementOf(input)) : nullptr};
  }
  Samples rows = sampleRegion(node, at(1), at(3), high, grid, shapeOf(input)[2], isOld);
  Samples columns = sampleRegion(node, at(0), at(2), wide, grid, shapeOf(input)[3], isOld);
  auto onRows = [&](Value value) { return node.reshape(value, {count, 1, high * grid, 1}); };
  auto onColumns = [&](Value value) { return node.reshape(value, {count, 1, 1, wide * grid}); };
  Value batch = node.reshape(node.cast(batches, i64(node)), {count, 1, 1, 1});
  Value channel = node.iota({1, channels, 1, 1}, i64(node), 1);
  auto corner = [&](Value row, Value rowWeight, Value column, Value columnWeight) {
    Value element = node.create("tiny.gather", {input, batch, channel, onRows(row), onColumns(column)});
    return node.mul(element, node.mul(onRows(rowWeight), onColumns(columnWeight)));
  };
  Value corners[] = {corner(rows.low, rows.lowWeight, columns.low, columns.lowWeight),
                     corner(rows.low, rows.lowWeight, columns.high, columns.highWeight),
                     corner(rows.high, rows.highWeight, columns.low, columns.lowWeight),
                     corner(rows.high, rows.highWeight, columns.high, columns.highWeight)};
  // The largest is that of the weighted corners, as the standard's own implementation has it.
  Value total = corners[0];
  for (Value next : ArrayRef(corners).drop_front())
    total = node.create(mode == "avg" ? "tiny.add" : "tiny.maximum", {total, next});
  if (!total)
    return {};
  total = node.reshape(total, {count, channels, high, grid, wide, grid});
  Value result = node.create(mode == "avg" ? "tiny.mean" : "tiny.max", total, node.attr("axes", Ints{3, 5}));
  return {result ? node.cast(result, elementOf(input)) : nullptr};
}

/// The largest element of each bin along one axis; an empty bin gives the lowest number. `axis` of the values is the
/// image's, and becomes `bins`.
Value poolRegion(Node &node, Value values, int64_t axis, Value from, Value to, int64_t bins, Value lowest) {
  Type element = elementOf(from);
  int64_t size = shapeOf(values)[axis], count = shapeOf(from)[0], rank = rankOf(values);
  auto round = [&](Value x) { return node.create("tiny.floor", node.add(x, node.like(x, 0.5))); };
  Value first = round(from);
  Value length = node.add(node.sub(round(to), first), node.like(first, 1));
  length = node.create("tiny.maximum", {length, node.like(length, 1)});
  Value bin = node.div(length, node.like(length, double(bins))), number = node.iota({1, bins}, element, 1);
  Value begin = node.add(node.create("tiny.floor", node.mul(number, bin)), first);
  Value end = node.add(node.create("tiny.ceil", node.mul(node.add(number, node.like(number, 1)), bin)), first);
  // [regions, ..., bins, size, ...]
  Ints shape(shapeOf(values)), edges(rank + 1, 1), places(rank + 1, 1);
  shape.insert(shape.begin() + axis, 1);
  edges[0] = count;
  edges[axis] = bins;
  places[axis + 1] = size;
  Value place = node.iota(places, element, axis + 1);
  Value inside = node.create("tiny.and", {node.create("tiny.ge", {place, node.reshape(begin, edges)}),
                                          node.create("tiny.lt", {place, node.reshape(end, edges)})});
  Value kept = node.where(inside, node.reshape(values, shape), lowest);
  return node.create("tiny.max", kept, node.attr("axes", ArrayRef<int64_t>(axis + 1)));
}

// A region is a batch and four edges. Bins are whole elements; one that holds none is zero.
Values translateMaxRoiPool(Node &node) {
  Value input = node.input(0), regions = node.input(1);
  std::optional<Ints> pooled = node.getInts("pooled_shape");
  if (!input || !regions || node.failed())
    return {};
  if (!pooled || pooled->size() != 2 || llvm::any_of(*pooled, [](int64_t size) { return size < 1 || size > 4096; }) ||
      rankOf(input) != 4 || rankOf(regions) != 2 || shapeOf(regions)[1] != 5 || llvm::is_contained(shapeOf(input), 0))
    return {node.fail("expected an image of rank 4, regions of 5 numbers, and a pooled shape of 2")};
  double scale = node.getFloat("spatial_scale", 1);
  Value batch = node.cast(node.reshape(node.sliceAxis(regions, 1, 0, 1), shapeOf(regions)[0]), i64(node));
  Value image = node.create("tiny.take", {input, batch}, node.attr("axis", int64_t(0)));
  Value lowest = node.like(input, -std::numeric_limits<double>::infinity());
  auto at = [&](int64_t column) { return edge(node, regions, column, scale, 0); };
  if (!image)
    return {};
  Value rows = poolRegion(node, image, 2, at(2), at(4), (*pooled)[0], lowest);
  Value result = rows ? poolRegion(node, rows, 3, at(1), at(3), (*pooled)[1], lowest) : nullptr;
  return {node.where(node.create("tiny.eq", {result, lowest}), node.like(input, 0), result)};
}

} // namespace

ArrayRef<Handler> getSamplingHandlers() {
  static const Handler handlers[] = {
      {"GridSample", 2, 2, "align_corners mode padding_mode", translateGridSample},
      {"MaxRoiPool", 2, 2, "pooled_shape spatial_scale", translateMaxRoiPool},
      {"RoiAlign", 3, 3, "coordinate_transformation_mode mode output_height output_width sampling_ratio spatial_scale",
       translateRoiAlign},
  };
  return handlers;
}

} // namespace tiny::onnximport
