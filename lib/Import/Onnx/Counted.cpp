// Operators whose result's size is data: how many elements of an input have a property. The size is counted first;
// where the input is known, so is the size, and all of it folds to constants.
#include "LoopBuilder.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// Each element is compared with each: a thousand million times for a list that is that long.
constexpr int64_t kLongestCompared = 1 << 15;
/// Of so many steps each stands for itself, and they fuse; more are a loop.
constexpr int64_t kMostSteps = 16;

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }

Value reduce(Node &node, StringRef op, Value value, int64_t axis) {
  return node.create(op, value, node.attr("axes", ArrayRef<int64_t>(axis)));
}

/// The places of the `count` first elements of a list that are true, in order: [count]. `upTo` says how many are true
/// up to each element, itself included. A place is found by halving, as in a sorted list; behind the last one that is
/// true the places have no meaning. `most` is the greatest size of the list where that is open.
Value findPlaces(Node &node, Value upTo, int64_t count, std::optional<int64_t> most) {
  if (!upTo)
    return nullptr;
  int64_t size = shapeOf(upTo)[0], first = int64_t(llvm::bit_floor(uint64_t(most.value_or(size))));
  Value zero = node.scalar(0, i64(node)), end = node.scalar(double(size - 1), i64(node));
  // The last place as if it were data: else what is known of each step would depend on the size, and so the program.
  if (most)
    end = node.add(end, node.create("tiny.minimum", {reduce(node, "tiny.max", upTo, 0), zero}));
  Value number = node.iota(count, i64(node), 0), place = node.expand(zero, count);
  for (int64_t step = first; step > 0; step /= 2) {
    Value last = node.create("tiny.minimum", {node.add(place, node.scalar(double(step - 1), i64(node))), end});
    Value before = node.create("tiny.take", {upTo, last}, node.attr("axis", int64_t(0)));
    Value further = node.add(place, node.scalar(double(step), i64(node)));
    place = node.where(node.create("tiny.le", {before, number}), further, place);
  }
  return node.create("tiny.minimum", {place, end});
}

/// The places of the elements of a list of i1 that are true: [how many]. Null after an error.
Value listTrue(Node &node, Value flags, std::optional<int64_t> most = std::nullopt) {
  if (!flags)
    return nullptr;
  int64_t size = shapeOf(flags)[0];
  std::optional<int64_t> greatest = node.findOpen(size);
  if (size == 0 && !greatest)
    return node.makeInts({}, 0, i64(node));
  Value numbers = node.cast(flags, i64(node)), upTo = sumUpTo(node, numbers);
  std::optional<int64_t> count = node.measure(node.sum(numbers, 0), std::min(most.value_or(size), size));
  return count ? findPlaces(node, upTo, *count, greatest) : nullptr;
}

/// Where an element that is counted in row-major order stands along each axis: a list for each.
SmallVector<Value> unravel(Node &node, Value index, ArrayRef<int64_t> shape) {
  SmallVector<Value> places(shape.size());
  for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0; --axis) {
    Value extent = node.scalar(double(shape[axis]), i64(node));
    places[axis] = axis ? node.create("tiny.mod", {index, extent}) : index;
    index = node.create("tiny.floordiv", {index, extent});
  }
  return places;
}

Value isNotZero(Node &node, Value value) {
  return value && !elementOf(value).isInteger(1) ? node.create("tiny.ne", {value, node.like(value, 0)}) : value;
}

/// The attribute `axis`, from 0 on; without it the input becomes flat, and the axis its only one. None after an error.
std::optional<int64_t> takeAxis(Node &node, Value &input) {
  if (node.hasAttribute("axis"))
    return node.normalizeAxis(node.getInt("axis", 0), rankOf(input));
  input = node.reshape(input, typeOf(input).getNumElements());
  return 0;
}

// The slices along an axis, or the elements, whose condition is true.
Values translateCompress(Node &node) {
  Value input = node.input(0), condition = node.input(1);
  if (!input || !condition)
    return {};
  std::optional<int64_t> axis = takeAxis(node, input);
  if (!axis)
    return {};
  if (rankOf(condition) != 1)
    return {node.fail("the condition has rank " + Twine(rankOf(condition)) + ", expected 1")};
  if (shapeOf(condition)[0] > shapeOf(input)[*axis])
    return {node.fail("got " + Twine(shapeOf(condition)[0]) + " conditions for " + Twine(shapeOf(input)[*axis]) +
                      " elements")};
  return {node.create("tiny.take", {input, listTrue(node, isNotZero(node, condition))}, node.attr("axis", *axis))};
}

// Where the elements that are not zero stand: [rank, count].
Values translateNonZero(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  Ints shape(shapeOf(input));
  Value places = listTrue(node, isNotZero(node, node.reshape(input, typeOf(input).getNumElements())));
  if (!places)
    return {};
  int64_t count = shapeOf(places)[0];
  if (shape.empty())
    return {node.makeInts({}, {0, count}, i64(node))};
  SmallVector<Value> rows;
  for (Value row : unravel(node, places, shape))
    rows.push_back(node.reshape(row, {1, count}));
  return {node.create("tiny.concat", rows, node.attr("axis", int64_t(0)))};
}

/// Whether slice i of [slices, numbers] equals slice j, and whether it comes before it in the order of the first number
/// that differs: [i, j] each.
std::pair<Value, Value> compareSlices(Node &node, Value slices) {
  int64_t count = shapeOf(slices)[0], width = shapeOf(slices)[1];
  Value one = node.reshape(slices, {count, 1, width}), other = node.reshape(slices, {1, count, width});
  Value differs = node.create("tiny.ne", {one, other}), less = node.create("tiny.lt", {one, other});
  Value equal = node.create("tiny.not", reduce(node, "tiny.any", differs, 2));
  if (width == 1)
    return {equal, reduce(node, "tiny.any", less, 2)};
  Value place = node.iota({1, 1, width}, i64(node), 2);
  Value first = reduce(node, "tiny.min", node.where(differs, place, node.scalar(double(width), i64(node))), 2);
  Value isFirst = node.create("tiny.eq", {node.reshape(first, {count, count, 1}), place});
  return {equal, reduce(node, "tiny.any", node.create("tiny.and", {isFirst, less}), 2)};
}

// The distinct elements, or slices along an axis, with where each stands first, which one each element is, and counts.
Values translateUnique(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  std::optional<int64_t> axis = takeAxis(node, input);
  if (!axis)
    return {};
  int64_t size = shapeOf(input)[*axis];
  if (size > kLongestCompared)
    return {node.fail("got an axis of size " + Twine(size) + " to sort, expected at most " + Twine(kLongestCompared))};
  if (typeOf(input).getNumElements() == 0)
    return {node.fail("the input has no elements")};
  Ints front = llvm::to_vector(llvm::seq<int64_t>(rankOf(input)));
  std::rotate(front.begin(), front.begin() + *axis, front.begin() + *axis + 1);
  Value slices = node.reshape(node.permute(input, front), {size, typeOf(input).getNumElements() / size});
  auto [equal, less] = compareSlices(node, slices);
  Value row = node.iota({size, 1}, i64(node), 0), column = node.iota({1, size}, i64(node), 1);
  // Where an equal one stands first; a NaN equals nothing, itself included.
  Value earlier = node.where(equal, column, row), first = reduce(node, "tiny.min", earlier, 1);
  Value isFirst = node.create("tiny.eq", {first, node.reshape(row, size)}), ones = node.cast(isFirst, i64(node));
  Value inverse;
  if (node.getInt("sorted", 1)) {
    // [i, j]: j is less than i, and the first of its kind. NaNs come last, in the order in which they stand.
    Value isNan = node.create("tiny.not", reduce(node, "tiny.any", equal, 1));
    Value ahead = node.create(
        "tiny.or", {node.create("tiny.not", node.reshape(isNan, {1, size})), node.create("tiny.lt", {column, row})});
    Value smaller = node.permute(less, {1, 0});
    Value before = node.where(node.reshape(isNan, {size, 1}), ahead, smaller);
    inverse = node.sum(node.cast(node.create("tiny.and", {before, node.reshape(isFirst, {1, size})}), i64(node)), 1);
  } else {
    Value place = node.sub(sumUpTo(node, ones), node.scalar(1, i64(node)));
    inverse = node.create("tiny.take", {place, first}, node.attr("axis", int64_t(0)));
  }
  std::optional<int64_t> count = node.measure(node.sum(ones, 0), size);
  if (!count || !inverse)
    return {};
  // [k, i]: element i is the k-th kind.
  Value hit = node.create("tiny.eq", {node.reshape(inverse, {1, size}), node.iota({*count, 1}, i64(node), 0)});
  Value places = reduce(node, "tiny.min", node.where(hit, column, node.scalar(double(size - 1), i64(node))), 1);
  Value counts = node.sum(node.cast(hit, i64(node)), 1);
  return {node.create("tiny.take", {input, places}, node.attr("axis", *axis)), places, inverse, counts};
}

/// The lower and the upper corner of boxes [batch, boxes, 4] along each of two axes: [batch, boxes] each.
struct Corners {
  Value low[2], high[2];
};

Corners getCorners(Node &node, Value boxes, bool isCentered) {
  Corners corners;
  Ints flat(shapeOf(boxes).drop_back());
  auto get = [&](int64_t k) { return node.reshape(node.sliceAxis(boxes, 2, k, k + 1), flat); };
  for (int64_t k = 0; k < 2; ++k) {
    // Centered boxes name x first and then both sizes.
    Value half = isCentered ? node.mul(get(3 - k), node.like(boxes, 0.5)) : Value();
    Value first = isCentered ? node.sub(get(1 - k), half) : get(k);
    Value second = isCentered ? node.add(get(1 - k), half) : get(k + 2);
    corners.low[k] = node.create("tiny.minimum", {first, second});
    corners.high[k] = node.create("tiny.maximum", {first, second});
  }
  return corners;
}

/// Whether box i has more in common with box j than the share `most` of what they cover together: [batch, i, j].
Value overlap(Node &node, Value boxes, bool isCentered, Value most) {
  Corners corners = getCorners(node, boxes, isCentered);
  int64_t batches = shapeOf(boxes)[0], count = shapeOf(boxes)[1];
  Value common, area;
  auto multiply = [&](Value total, Value factor) { return total ? node.mul(total, factor) : factor; };
  for (int64_t k = 0; k < 2; ++k) {
    auto beside = [&](Value value, bool isRow) {
      return node.reshape(value, isRow ? Ints{batches, count, 1} : Ints{batches, 1, count});
    };
    Value high = node.create("tiny.minimum", {beside(corners.high[k], true), beside(corners.high[k], false)});
    Value low = node.create("tiny.maximum", {beside(corners.low[k], true), beside(corners.low[k], false)});
    Value length = node.sub(high, low);
    common = multiply(common, node.create("tiny.maximum", {length, node.like(length, 0)}));
    area = multiply(area, node.sub(corners.high[k], corners.low[k]));
  }
  Value zero = node.like(area, 0), covers = node.create("tiny.gt", {area, zero});
  Value one = node.reshape(area, {batches, count, 1}), other = node.reshape(area, {batches, 1, count});
  Value share = node.div(common, node.sub(node.add(one, other), common));
  Value both =
      node.create("tiny.and", {node.reshape(covers, {batches, count, 1}), node.reshape(covers, {batches, 1, count})});
  return node.create("tiny.gt", {node.where(both, share, node.like(share, 0)), node.cast(most, elementOf(share))});
}

/// The input as one number; `otherwise` where none is given. Null after an error.
Value getThreshold(Node &node, unsigned index, double otherwise, Type element) {
  if (!node.hasInput(index))
    return node.scalar(otherwise, element);
  Value threshold = node.input(index);
  if (threshold && typeOf(threshold).getNumElements() != 1)
    return node.fail("a threshold is not one number");
  return node.cast(node.reshape(threshold, {}), element);
}

// For each batch and class the boxes of the best scores, without those that overlap a better one that stays: [count,
// 3].
Values translateNonMaxSuppression(Node &node) {
  Value boxes = node.input(0), scores = node.input(1);
  if (!boxes || !scores)
    return {};
  if (rankOf(boxes) != 3 || rankOf(scores) != 3 || shapeOf(boxes)[2] != 4 || shapeOf(boxes)[0] != shapeOf(scores)[0] ||
      shapeOf(boxes)[1] != shapeOf(scores)[2])
    return {node.fail("expected boxes [batch, boxes, 4] and scores [batch, classes, boxes]")};
  Type number = elementOf(scores);
  Value most = getThreshold(node, 2, 0, i64(node)), share = getThreshold(node, 3, 0, number);
  Value least = getThreshold(node, 4, -std::numeric_limits<double>::infinity(), number);
  int64_t batches = shapeOf(boxes)[0], count = shapeOf(boxes)[1], classes = shapeOf(scores)[1];
  if (count > kLongestCompared)
    return {node.fail("got " + Twine(count) + " boxes, expected at most " + Twine(kLongestCompared))};
  bool isOpen = node.isOpen(count);
  if (!isOpen && (!batches || !classes || !count))
    return {node.makeInts({}, {0, 3}, i64(node))};
  // [batch, class, i, j]: box j is better than box i.
  Value one = node.reshape(scores, {batches, classes, count, 1}),
        other = node.reshape(scores, {batches, classes, 1, count});
  Value i = node.iota({count, 1}, i64(node), 0), j = node.iota({1, count}, i64(node), 1);
  Value tie = node.create("tiny.and", {node.create("tiny.eq", {other, one}), node.create("tiny.lt", {j, i})});
  Value better = node.create("tiny.or", {node.create("tiny.gt", {other, one}), tie});
  Value close =
      node.reshape(overlap(node, boxes, node.getInt("center_point_box", 0) != 0, share), {batches, 1, count, count});
  Value rivals = node.create("tiny.and", {better, close}), isCandidate = node.create("tiny.gt", {scores, least});
  // A box goes where a better one stays. What stays of the k best ones is right after k steps, from whatever it began.
  Value stays = isCandidate;
  auto step = [&](Value before) {
    Value loses = node.create("tiny.and", {rivals, node.reshape(before, {batches, classes, 1, count})});
    return node.create("tiny.and", {isCandidate, node.create("tiny.not", reduce(node, "tiny.any", loses, 3))});
  };
  if (isOpen || count > kMostSteps) {
    Values looped = createLoop(node, count, nullptr, nullptr, stays, [&](Value, ValueRange carried) {
      return std::optional(Iteration{nullptr, {step(carried.front())}, {}});
    });
    stays = looped.empty() ? nullptr : looped.front();
  } else {
    for (int64_t k = 1; k < count; ++k)
      stays = step(stays);
  }
  auto countBetter = [&](Value which) { return node.sum(node.cast(which, i64(node)), 3); };
  Value ahead = node.create("tiny.and", {better, node.reshape(stays, {batches, classes, 1, count})});
  stays = node.create("tiny.and", {stays, node.create("tiny.lt", {countBetter(ahead), most})});
  // [batch, class, k, i]: box i has the k-th best score.
  Value place = countBetter(better);
  Value hit = node.create("tiny.eq", {node.reshape(place, {batches, classes, 1, count}), i});
  Value order = node.sum(node.where(hit, j, node.scalar(0, i64(node))), 3);
  Value sorted = node.create("tiny.take_along", {stays, order}, node.attr("axis", int64_t(2)));
  int64_t all = batches * classes * count;
  Value places = listTrue(node, node.reshape(sorted, all));
  if (!places)
    return {};
  SmallVector<Value> columns = unravel(node, places, {batches, classes, count});
  columns[2] = node.create("tiny.take", {node.reshape(order, all), places}, node.attr("axis", int64_t(0)));
  for (Value &column : columns)
    column = node.reshape(column, {shapeOf(places)[0], 1});
  return {node.create("tiny.concat", columns, node.attr("axis", int64_t(1)))};
}

} // namespace

ArrayRef<Handler> getCountedHandlers() {
  static const Handler handlers[] = {
      {"Compress", 2, 2, "axis", translateCompress},
      {"NonMaxSuppression", 2, 5, "center_point_box", translateNonMaxSuppression},
      {"NonZero", 1, 1, "", translateNonZero},
      {"Unique", 1, 1, "axis sorted", translateUnique},
  };
  return handlers;
}

} // namespace tiny::onnximport
