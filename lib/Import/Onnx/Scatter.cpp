// Scatters: elements replaced or combined at places that are data. Each place of the result looks for the updates that
// go to it, so that updates in any order, and several for one place, need no order of execution.
#include "Node.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// Data [L, P, R] and updates [L, M, R]; `places` [L or 1, M, R or 1] says where in P an update goes, and is negative
/// for one that goes nowhere. Of several updates for one place the last one stays, or all are combined.
Value scatter(Node &node, Value data, Value places, Value updates, StringRef reduction) {
  if (!data || !places || !updates || typeOf(updates).getNumElements() == 0 || typeOf(data).getNumElements() == 0)
    return data && places && updates ? data : nullptr;
  Type index = elementOf(places), element = elementOf(data);
  Ints apart(shapeOf(places)), wide(shapeOf(updates)), base(shapeOf(data));
  int64_t size = base[1], count = wide[1];
  apart.insert(apart.begin() + 1, 1);
  wide.insert(wide.begin() + 1, 1);
  base.insert(base.begin() + 2, 1);
  Value hit =
      node.create("tiny.eq", {node.reshape(places, apart), node.iota({1, size, 1, 1}, index, 1)}); // [L, P, M, R]
  NamedAttribute over = node.attr("axes", ArrayRef<int64_t>(2));
  if (reduction == "none") {
    Value number = node.iota({1, 1, count, 1}, index, 2);
    Value last = node.create("tiny.max", node.where(hit, number, node.scalar(-1, index)), over); // [L or 1, P, R or 1]
    Value found = node.create("tiny.ge", {last, node.scalar(0, index)});
    Value row = node.expand(node.create("tiny.maximum", {last, node.scalar(0, index)}), shapeOf(data));
    Value chosen = node.create("tiny.take_along", {updates, row}, node.attr("axis", int64_t(1)));
    return node.where(found, chosen, data);
  }
  Value each = node.reshape(updates, wide);
  if (reduction == "max" || reduction == "min") {
    bool isMax = reduction == "max";
    Value seen = node.where(hit, each, node.reshape(data, base));
    seen = node.create(isMax ? "tiny.max" : "tiny.min", seen, over);
    return node.create(isMax ? "tiny.maximum" : "tiny.minimum", {data, seen});
  }
  bool isAdd = reduction == "add";
  Value terms = node.where(hit, each, node.scalar(isAdd ? 0 : 1, element));
  Value total = node.create(isAdd ? "tiny.sum" : "tiny.prod", terms, over);
  return node.cast(node.create(isAdd ? "tiny.add" : "tiny.mul", {data, total}), element);
}

/// Indices that count from the end below zero; -1 for what lies outside.
Value wrapPlaces(Node &node, Value indices, int64_t size) {
  Type index = IntegerType::get(node.getContext(), 64);
  Value wide = node.cast(indices, index), length = node.scalar(double(size), index), zero = node.scalar(0, index);
  Value place = node.where(node.create("tiny.lt", {wide, zero}), node.add(wide, length), wide);
  Value inside =
      node.create("tiny.and", {node.create("tiny.ge", {place, zero}), node.create("tiny.lt", {place, length})});
  return node.where(inside, place, node.scalar(-1, index));
}

/// The node's reduction; empty after an error.
StringRef readReduction(Node &node) {
  StringRef reduction = node.getString("reduction", "none");
  if (llvm::is_contained({"none", "add", "mul", "max", "min"}, reduction))
    return reduction;
  node.fail("attribute 'reduction' is '" + reduction + "', expected none, add, mul, max or min");
  return "";
}

/// Sizes before, at and after an axis.
Ints around(ArrayRef<int64_t> shape, int64_t axis) {
  Ints sizes = {1, shape[axis], 1};
  for (int64_t k = 0; k < int64_t(shape.size()); ++k)
    if (k != axis)
      sizes[k < axis ? 0 : 2] *= shape[k];
  return sizes;
}

Values translateScatterElements(Node &node) {
  Value data = node.input(0), indices = node.input(1), updates = node.input(2);
  StringRef reduction = readReduction(node);
  if (!data || !indices || !updates || reduction.empty())
    return {};
  int64_t rank = rankOf(data);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rank);
  if (!axis)
    return {};
  bool fits = shapeOf(indices) == shapeOf(updates) && rankOf(updates) == rank;
  Ints none(rank, 0), rest(rank, 0);
  for (int64_t k = 0; fits && k < rank; ++k) {
    rest[k] = k == *axis ? 0 : shapeOf(data)[k] - shapeOf(updates)[k];
    fits = rest[k] >= 0;
  }
  if (!fits)
    return {
        node.fail("expected indices and updates of one shape that fits into the data apart from axis " + Twine(*axis))};
  if (!node.checkPlaces(1, data, *axis))
    return {};
  Type index = IntegerType::get(node.getContext(), 64);
  Value places = wrapPlaces(node, indices, shapeOf(data)[*axis]);
  // Where there are no updates, they go nowhere.
  if (rest != none) {
    places = node.create("tiny.pad", places,
                         {node.attr("low", none), node.attr("high", rest), node.attr("value", node.number(-1, index))});
    updates = node.pad(updates, none, rest);
    if (!places || !updates)
      return {};
  }
  Value flat = node.reshape(updates, around(shapeOf(updates), *axis));
  places = node.reshape(places, around(shapeOf(places), *axis));
  Value result = scatter(node, node.reshape(data, around(shapeOf(data), *axis)), places, flat, reduction);
  return {node.reshape(result, shapeOf(data))};
}

// The last axis of the indices holds coordinates of the first axes; slices of the others are placed whole.
Values translateScatterND(Node &node) {
  Value data = node.input(0), indices = node.input(1), updates = node.input(2);
  StringRef reduction = readReduction(node);
  if (!data || !indices || !updates || reduction.empty())
    return {};
  int64_t rank = rankOf(data), chosen = rankOf(indices) ? shapeOf(indices).back() : -1;
  Ints expected;
  if (chosen >= 0 && chosen <= rank) {
    expected.append(shapeOf(indices).begin(), shapeOf(indices).end() - 1);
    llvm::append_range(expected, shapeOf(data).drop_front(chosen));
  }
  if (chosen < 1 || chosen > rank || shapeOf(updates) != ArrayRef<int64_t>(expected))
    return {node.fail("coordinates of " + Twine(chosen) + " axes and updates of rank " + Twine(rankOf(updates)) +
                      " do not fit data of rank " + Twine(rank))};
  if (!node.checkPlaces(1, data, llvm::to_vector(llvm::seq<int64_t>(chosen))))
    return {};
  int64_t rows = 1, slice = 1, count = 1;
  for (int64_t axis = 0; axis < rank; ++axis)
    (axis < chosen ? rows : slice) *= shapeOf(data)[axis];
  for (int64_t size : shapeOf(indices).drop_back())
    count *= size;
  Type index = IntegerType::get(node.getContext(), 64);
  Value flat = node.reshape(indices, {count, chosen}), places, zero = node.scalar(0, index);
  for (int64_t k = 0; k < chosen; ++k) {
    int64_t size = shapeOf(data)[k];
    Value place = wrapPlaces(node, node.reshape(node.sliceAxis(flat, 1, k, k + 1), {1, count, 1}), size);
    if (!places) {
      places = place;
      continue;
    }
    Value outside =
        node.create("tiny.or", {node.create("tiny.lt", {places, zero}), node.create("tiny.lt", {place, zero})});
    places = node.add(node.mul(places, node.scalar(double(size), index)), place);
    places = node.where(outside, node.scalar(-1, index), places);
  }
  Value result =
      scatter(node, node.reshape(data, {1, rows, slice}), places, node.reshape(updates, {1, count, slice}), reduction);
  return {node.reshape(result, shapeOf(data))};
}

// The inverse of MaxPool with indices: each element goes back to where it was the largest, all else is zero.
Values translateMaxUnpool(Node &node) {
  Value input = node.input(0), indices = node.input(1);
  std::optional<Ints> kernel = node.getInts("kernel_shape"), strides = node.getInts("strides"),
                      pads = node.getInts("pads");
  if (!input || !indices || node.failed())
    return {};
  int64_t spatial = rankOf(input) - 2;
  if (!strides)
    strides = Ints(std::max<int64_t>(spatial, 0), 1);
  if (!pads)
    pads = Ints(2 * std::max<int64_t>(spatial, 0), 0);
  if (spatial < 1 || !kernel || int64_t(kernel->size()) != spatial || int64_t(strides->size()) != spatial ||
      int64_t(pads->size()) != 2 * spatial || shapeOf(indices) != shapeOf(input))
    return {node.fail("expected indices of the input's shape, and a window with as many axes as the image")};
  Ints shape(shapeOf(input).take_front(2));
  int64_t planes = shape[0] * shape[1], size = 1, count = 1;
  for (int64_t k = 0; k < spatial; ++k) {
    int64_t from = shapeOf(input)[k + 2];
    shape.push_back((from - 1) * (*strides)[k] + (*kernel)[k] - (*pads)[k] - (*pads)[k + spatial]);
    if (shape.back() < 1 || shape.back() > (1 << 20))
      return {node.fail("the size " + Twine(shape.back()) + " of axis " + Twine(k + 2) + " is out of range")};
    size *= shape.back();
    count *= from;
  }
  // Indices count through all planes; each plane is placed for itself.
  Type index = IntegerType::get(node.getContext(), 64);
  Value first = node.mul(node.iota({planes, 1, 1}, index, 0), node.scalar(double(size), index));
  Value places = node.sub(node.cast(node.reshape(indices, {planes, count, 1}), index), first);
  Value zeros = node.expand(node.like(input, 0), {planes, size, 1});
  Value result = scatter(node, zeros, places, node.reshape(input, {planes, count, 1}), "none");
  result = node.reshape(result, shape);
  if (!node.hasInput(2))
    return {result};
  std::optional<Ints> wanted = node.constantInts(2, "the shape of the result");
  if (!wanted || !result)
    return {};
  Ints none(shape.size(), 0), more(shape.size(), 0), end = shape;
  if (wanted->size() != shape.size())
    return {
        node.fail("the shape of the result has " + Twine(wanted->size()) + " axes, expected " + Twine(shape.size()))};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if ((*wanted)[axis] < 0 || (*wanted)[axis] > (1 << 20))
      return {node.fail("the size " + Twine((*wanted)[axis]) + " of axis " + Twine(axis) + " is out of range")};
    end[axis] = std::min((*wanted)[axis], shape[axis]);
    more[axis] = (*wanted)[axis] - end[axis];
  }
  return {node.pad(node.shrink(result, none, end), none, more)};
}

} // namespace

ArrayRef<Handler> getScatterHandlers() {
  static const Handler handlers[] = {
      {"MaxUnpool", 2, 3, "kernel_shape pads strides", translateMaxUnpool},
      {"Scatter", 3, 3, "axis", translateScatterElements},
      {"ScatterElements", 3, 3, "axis reduction", translateScatterElements},
      {"ScatterND", 3, 3, "reduction", translateScatterND},
  };
  return handlers;
}

} // namespace tiny::onnximport
