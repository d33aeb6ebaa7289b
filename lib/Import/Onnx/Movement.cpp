// Operators that move elements: their shapes, axes and bounds must be known now.
#include "Node.h"
#include "Tiny/Support/HostTensor.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

// A zero takes the input's size, a -1 what is left over.
Values translateReshape(Node &node) {
  Value input = node.input(0);
  // The shape is an attribute before set 5.
  std::optional<Ints> shape = node.hasAttribute("shape") ? node.getInts("shape") : node.constantInts(1, "the shape");
  if (!input || !shape)
    return {};
  bool allowZero = node.getInt("allowzero", 0) != 0;
  std::optional<size_t> open;
  for (auto [axis, size] : llvm::enumerate(*shape)) {
    if (size == 0 && !allowZero) {
      if (int64_t(axis) >= rankOf(input))
        return {node.fail("the shape takes the size of axis " + Twine(axis) + ", which the input does not have")};
      size = shapeOf(input)[axis];
    } else if (size == -1 && !open) {
      open = axis;
      size = 1;
    } else if (size < 0) {
      return {node.fail("the shape has the size " + Twine(size) + (size == -1 ? " twice" : ""))};
    }
  }
  int64_t elements = typeOf(input).getNumElements();
  std::optional<int64_t> rest = countElements(*shape);
  if (!rest)
    return {node.fail("the size of the shape overflows")};
  if (open) {
    if (*rest == 0 || elements % *rest != 0)
      return {node.fail(Twine(elements) + " elements do not fill a shape with " + Twine(*rest) + " in each row")};
    (*shape)[*open] = elements / *rest;
  } else if (*rest != elements) {
    return {node.fail("got " + Twine(elements) + " elements for a shape of " + Twine(*rest))};
  }
  return {node.reshape(input, *shape)};
}

Values translateFlatten(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  int64_t rank = rankOf(input), axis = node.getInt("axis", 1);
  // The axis stands between two: `rank` is one place more than there are axes.
  std::optional<int64_t> split = axis == rank ? axis : node.normalizeAxis(axis, rank);
  if (!split)
    return {};
  return {
      node.reshape(input, {product(shapeOf(input).take_front(*split)), product(shapeOf(input).drop_front(*split))})};
}

Values translateTranspose(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  std::optional<Ints> permutation = node.getInts("perm");
  if (!permutation)
    permutation = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(rankOf(input))));
  return {node.create("tiny.permute", input, node.attr("permutation", *permutation))};
}

Values translateSqueeze(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> named = node.getIntsFromEither("axes", 1);
  if (!input || !named)
    return {};
  std::optional<Ints> axes = node.normalizeAxes(*named, rankOf(input));
  if (!axes)
    return {};
  // As in onnxruntime, an empty list is as good as none.
  bool all = named->empty();
  Ints shape;
  for (auto [axis, size] : llvm::enumerate(shapeOf(input))) {
    bool squeezed = all ? size == 1 : llvm::is_contained(*axes, int64_t(axis));
    if (squeezed && size != 1)
      return {node.fail("axis " + Twine(axis) + " has size " + Twine(size) + ", expected 1")};
    if (!squeezed)
      shape.push_back(size);
  }
  return {node.reshape(input, shape)};
}

Values translateUnsqueeze(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> named = node.getIntsFromEither("axes", 1);
  if (!input || !named)
    return {};
  int64_t rank = rankOf(input) + int64_t(named->size());
  std::optional<Ints> axes = node.normalizeAxes(*named, rank);
  if (!axes)
    return {};
  Ints shape;
  ArrayRef<int64_t> rest = shapeOf(input);
  for (int64_t axis = 0; axis < rank; ++axis) {
    bool added = llvm::is_contained(*axes, axis);
    shape.push_back(added ? 1 : rest.front());
    if (!added)
      rest = rest.drop_front();
  }
  return {node.reshape(input, shape)};
}

// Both sides broadcast: a size of 1 in the shape keeps the input's.
Values translateExpand(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> shape = node.constantInts(1, "the shape");
  if (!input || !shape)
    return {};
  ArrayRef<int64_t> from = shapeOf(input);
  if (shape->size() < from.size())
    shape->insert(shape->begin(), from.size() - shape->size(), 1);
  size_t lead = shape->size() - from.size();
  for (size_t axis = 0; axis < shape->size(); ++axis) {
    int64_t &size = (*shape)[axis];
    if (size < 0)
      return {node.fail("the shape has the size " + Twine(size))};
    if (axis >= lead && size == 1)
      size = from[axis - lead];
  }
  if (!countElements(*shape, 8))
    return {node.fail("the size of the shape overflows")};
  return {node.expand(input, *shape)};
}

Values translateConcat(Node &node) {
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    inputs.push_back(node.input(i));
    if (!inputs.back())
      return {};
  }
  if (!node.hasAttribute("axis") && node.opset() >= 4)
    return {node.fail("attribute 'axis' is missing")};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 1), rankOf(inputs.front()));
  if (!axis)
    return {};
  return {node.create("tiny.concat", inputs, node.attr("axis", *axis))};
}

Value shrink(Node &node, Value input, ArrayRef<int64_t> begin, ArrayRef<int64_t> end) {
  if (end == shapeOf(input) && llvm::all_of(begin, [](int64_t at) { return at == 0; }))
    return input;
  return node.create("tiny.shrink", input, {node.attr("begin", begin), node.attr("end", end)});
}

// Parts of the given sizes, or as many as there are outputs, the last one perhaps smaller.
Values translateSplit(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> sizes = node.getIntsFromEither("split", 1);
  if (!input || !sizes)
    return {};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rankOf(input));
  if (!axis)
    return {};
  int64_t size = shapeOf(input)[*axis], parts = node.numOutputs();
  if (node.hasAttribute("num_outputs") && node.getInt("num_outputs", 0) != parts)
    return {node.fail("attribute 'num_outputs' differs from the number of outputs")};
  if (sizes->empty() && parts) {
    int64_t part = (size + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i)
      sizes->push_back(std::max<int64_t>(std::min(part, size - i * part), 0));
  }
  if (int64_t(sizes->size()) != parts)
    return {node.fail("got " + Twine(sizes->size()) + " sizes for " + Twine(parts) + " outputs")};
  Values results;
  Ints begin(rankOf(input), 0), end(shapeOf(input));
  int64_t at = 0;
  for (int64_t part : *sizes) {
    if (part < 0 || part > size - at)
      return {node.fail("the sizes of the parts do not add up to " + Twine(size))};
    begin[*axis] = at;
    end[*axis] = at += part;
    results.push_back(shrink(node, input, begin, end));
  }
  if (at != size)
    return {node.fail("the sizes of the parts do not add up to " + Twine(size))};
  return results;
}

struct Bounds {
  Ints starts, ends, axes, steps;
};

/// Attributes before opset 10, inputs after. None after an error.
std::optional<Bounds> readBounds(Node &node, int64_t rank) {
  Bounds bounds;
  auto read = [&](StringRef name, unsigned index, Ints &numbers) {
    std::optional<Ints> given = node.getIntsFromEither(name, index);
    if (given)
      numbers = *given;
    return given.has_value();
  };
  if (!read("starts", 1, bounds.starts) || !read("ends", 2, bounds.ends) || !read("axes", 3, bounds.axes) ||
      !read("steps", 4, bounds.steps))
    return std::nullopt;
  if (bounds.axes.empty())
    bounds.axes = llvm::to_vector(llvm::seq<int64_t>(bounds.starts.size()));
  if (bounds.steps.empty())
    bounds.steps.assign(bounds.starts.size(), 1);
  size_t count = bounds.starts.size();
  if (bounds.ends.size() != count || bounds.axes.size() != count || bounds.steps.size() != count) {
    node.fail("starts, ends, axes and steps differ in length");
    return std::nullopt;
  }
  // They stay in the order of the starts.
  if (!node.normalizeAxes(bounds.axes, rank))
    return std::nullopt;
  for (int64_t &axis : bounds.axes)
    axis = axis < 0 ? axis + rank : axis;
  return bounds;
}

/// Where the slice begins and ends, in operations: an open size may make one of them negative, or pass the end.
void noteBounds(Node &node, const Bounds &bounds, ArrayRef<int64_t> shape) {
  if (node.numInputs() < 3 || !llvm::all_of(bounds.steps, [](int64_t step) { return step > 0; }))
    return;
  Value from = node.input(1), to = node.input(2);
  if (!followsSizes(from) && !followsSizes(to))
    return;
  Type i64 = IntegerType::get(node.getContext(), 64);
  Ints extents = llvm::map_to_vector(bounds.axes, [&](int64_t axis) { return shape[axis]; });
  Value size = node.makeInts(extents, int64_t(extents.size()), i64), zero = node.like(size, 0);
  size.getDefiningOp()->setAttr(kFollowsAttr, UnitAttr::get(node.getContext()));
  auto clamp = [&](Value at, Value least) {
    at = node.cast(at, i64);
    at = node.where(node.create("tiny.lt", {at, zero}), node.add(at, size), at);
    return node.create("tiny.minimum", {node.create("tiny.maximum", {at, least}), size});
  };
  Value begin = clamp(from, zero), end = clamp(to, begin);
  noteChoice(node.getOuter(), begin);
  noteChoice(node.getOuter(), end);
}

/// The elements [from, to) of an axis of at most so many elements.
struct Interval {
  int64_t from, to, most;

  /// What lies before or behind all elements is the beginning or the end.
  bool isFromBegin() const { return from <= -most; }
  bool isToEnd() const { return to >= most; }
  int64_t getBegin(int64_t size) const { return isFromBegin() ? 0 : from < 0 ? from + size : from; }
  int64_t getEnd(int64_t size) const { return isToEnd() ? size : to < 0 ? to + size : to; }
  /// Whether an axis of this size has all of it.
  bool isWhole(int64_t size) const {
    return getBegin(size) >= 0 && getBegin(size) <= getEnd(size) && getEnd(size) <= size;
  }
  /// How many of its elements such an axis has.
  int64_t count(int64_t size) const {
    int64_t begin = std::clamp<int64_t>(getBegin(size), 0, size);
    return std::clamp(getEnd(size), begin, size) - begin;
  }
};

/// The elements of an open axis that lie in an interval: as many as there are when the model runs, which is a size that
/// is data.
Value sliceMeasured(Node &node, Value input, int64_t axis, Interval interval) {
  Type i64 = IntegerType::get(node.getContext(), 64);
  int64_t size = shapeOf(input)[axis];
  auto number = [&](int64_t value) { return node.scalar(double(value), i64); };
  Value zero = number(0);
  // The size as if it were data: else it would be another constant at each size. What the number of elements is
  // computed from is computed before anything of that number, so the places take another one.
  auto getSize = [&](StringRef compare) {
    Value whole = node.input(0), flags = node.cast(node.create(compare, {whole, node.like(whole, 0)}), i64);
    Value total = node.sum(flags, llvm::to_vector(llvm::seq<int64_t>(rankOf(whole))));
    return node.add(number(size), node.create("tiny.minimum", {total, zero}));
  };
  auto clamp = [&](int64_t at, Value least, Value end) {
    Value place = at < 0 ? node.add(end, number(at)) : number(at);
    return node.create("tiny.minimum", {node.create("tiny.maximum", {place, least}), end});
  };
  int64_t from = interval.isFromBegin() ? 0 : interval.from;
  Value end = getSize("tiny.ne"), begin = clamp(from, zero, end);
  Value last = interval.isToEnd() ? end : clamp(interval.to, begin, end);
  std::optional<int64_t> count = node.measure(node.sub(last, begin), interval.count(interval.most));
  if (!count)
    return nullptr;
  end = getSize("tiny.eq");
  Value at = node.add(node.iota(Ints{*count}, i64, 0), clamp(from, zero, end));
  at = node.create("tiny.minimum", {at, node.sub(end, number(1))});
  return node.create("tiny.take", {input, at}, node.attr("axis", axis));
}

Values translateSlice(Node &node) {
  Value input = node.input(0);
  std::optional<Bounds> bounds;
  if (!input || !(bounds = readBounds(node, rankOf(input))))
    return {};
  noteBounds(node, *bounds, shapeOf(input));
  Ints begin(rankOf(input), 0), end(shapeOf(input)), strides(rankOf(input), 1);
  for (auto [from, to, axis, step] : llvm::zip(bounds->starts, bounds->ends, bounds->axes, bounds->steps)) {
    int64_t size = shapeOf(input)[axis];
    if (step == 0)
      return {node.fail("the step along axis " + Twine(axis) + " is 0")};
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    if (OnnxSlice *slice = step == 1 ? node.getOuter().nextSlice(node.getLoc(), size) : nullptr) {
      Interval interval{from, to, slice->most};
      // Imports beyond the greatest sizes do not count.
      if (size <= slice->most)
        (interval.isWhole(size) ? slice->isWhole : slice->isCut) = true;
      if (slice->isMeasured) {
        if (!(input = sliceMeasured(node, input, axis, interval)))
          return {};
        end[axis] = shapeOf(input)[axis];
        continue;
      }
    }
    if (size == 0)
      continue;
    auto clamp = [&](int64_t at, int64_t least) { return std::clamp(at < 0 ? at + size : at, least, high); };
    begin[axis] = clamp(from, 0);
    end[axis] = clamp(to, low);
    // An empty slice ends where it begins.
    if (step > 0 ? end[axis] < begin[axis] : end[axis] > begin[axis])
      end[axis] = begin[axis];
    // One step past the end is as good as many, and cannot overflow.
    strides[axis] = std::clamp(step, -size, size);
  }
  if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
    return {shrink(node, input, begin, end)};
  return {node.create("tiny.slice", input,
                      {node.attr("begin", begin), node.attr("end", end), node.attr("strides", strides)})};
}

/// Pads with elements of the input: each axis takes them at indices known now.
Value padByIndices(Node &node, Value input, ArrayRef<int64_t> low, ArrayRef<int64_t> high, StringRef mode) {
  for (int64_t axis = 0; axis < int64_t(low.size()) && input; ++axis) {
    int64_t size = shapeOf(input)[axis], total = low[axis] + size + high[axis];
    // Asked at all sizes, so that questions keep their numbers.
    bool isOpen = node.isOpen(size);
    if (total == size)
      continue;
    if (size == 0 || total > (1 << 24))
      return node.fail("cannot pad axis " + Twine(axis) + " of size " + Twine(size) + " to " + Twine(total));
    Ints indices;
    Type i64 = IntegerType::get(node.getContext(), 64);
    if (isOpen) {
      // The same in operations. What is divided by a period of 0 is 0.
      auto number = [&](int64_t value) { return node.scalar(double(value), i64); };
      Value at = node.sub(node.iota({size + low[axis] + high[axis]}, i64, 0), number(low[axis])), place;
      if (mode == "edge")
        place = node.create("tiny.clamp", {at, number(0), number(size - 1)});
      else
        place = node.create("tiny.mod", {at, number(mode == "wrap" ? size : 2 * size - 2)});
      if (mode == "reflect")
        place = node.where(node.create("tiny.lt", {place, number(size)}), place, node.sub(number(2 * size - 2), place));
      input = node.create("tiny.take", {input, place}, node.attr("axis", axis));
      continue;
    }
    for (int64_t at = -low[axis]; at < size + high[axis]; ++at) {
      int64_t period = mode == "wrap" ? size : std::max<int64_t>(2 * size - 2, 1),
              place = (at % period + period) % period;
      if (mode == "reflect")
        place = place < size ? place : period - place;
      else if (mode == "edge")
        place = std::clamp<int64_t>(at, 0, size - 1);
      indices.push_back(place);
    }
    Value list = node.makeInts(indices, int64_t(indices.size()), i64);
    input = node.create("tiny.take", {input, list}, node.attr("axis", axis));
  }
  return input;
}

Values translatePad(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> pads = node.getIntsFromEither(node.hasAttribute("paddings") ? "paddings" : "pads", 1),
                      named = node.getIntsFromEither("axes", 3);
  if (!input || !pads || !named)
    return {};
  StringRef mode = node.getString("mode", "constant");
  if (!llvm::is_contained({"constant", "reflect", "edge", "wrap"}, mode))
    return {node.fail("attribute 'mode' is '" + mode + "', expected constant, reflect, edge or wrap")};
  TypedAttr number = node.hasInput(2) ? node.constantScalar(2, "the padding's value")
                                      : node.number(node.getFloat("value", 0), elementOf(input));
  if (!number)
    return {};
  if (number.getType() != elementOf(input))
    return {node.fail("the padding's value is not of the input's element type")};
  int64_t rank = rankOf(input);
  std::optional<Ints> axes = node.normalizeAxes(*named, rank);
  if (!axes)
    return {};
  Ints order = *named;
  if (order.empty() && !node.hasInput(3))
    order = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (pads->size() != 2 * order.size())
    return {node.fail("got " + Twine(pads->size()) + " paddings for " + Twine(order.size()) + " axes")};

  // A negative padding takes elements away.
  Ints low(rank, 0), high(rank, 0), begin(rank, 0), end(shapeOf(input));
  for (auto [index, place] : llvm::enumerate(order)) {
    int64_t axis = place < 0 ? place + rank : place;
    int64_t before = (*pads)[index], after = (*pads)[index + order.size()], size = shapeOf(input)[axis];
    if (std::min(before, after) < -size || std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0) + size < 0)
      return {node.fail("padding takes more than all of axis " + Twine(axis))};
    low[axis] = std::max<int64_t>(before, 0);
    high[axis] = std::max<int64_t>(after, 0);
    begin[axis] = std::max<int64_t>(-before, 0);
    end[axis] = size - std::max<int64_t>(-after, 0);
  }
  Value result = shrink(node, input, begin, end);
  if (low == high && llvm::all_of(low, [](int64_t pad) { return pad == 0; }))
    return {result};
  if (mode != "constant")
    return {padByIndices(node, result, low, high, mode)};
  SmallVector<NamedAttribute> attributes = {node.attr("low", low), node.attr("high", high)};
  if (number != Node::number(0, elementOf(input)))
    attributes.push_back(node.attr("value", number));
  return {node.create("tiny.pad", result, attributes)};
}

// [a, b] to [1, a, 1, b], to [r, a, s, b], to [r * a, s * b]
Values translateTile(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> repeats = node.constantInts(1, "the repeats");
  if (!input || !repeats)
    return {};
  if (int64_t(repeats->size()) != rankOf(input))
    return {node.fail("got " + Twine(repeats->size()) + " repeats for rank " + Twine(rankOf(input)))};
  Ints apart, repeated, merged;
  for (auto [size, count] : llvm::zip(shapeOf(input), *repeats)) {
    if (count < 0 || !countElements({size, count}, 8))
      return {node.fail("cannot repeat an axis of size " + Twine(size) + " " + Twine(count) + " times")};
    apart.append({1, size});
    repeated.append({count, size});
    merged.push_back(count * size);
  }
  if (!countElements(merged, 8))
    return {node.fail("the size of the result overflows")};
  return {node.reshape(node.expand(node.reshape(input, apart), repeated), merged)};
}

/// Batch, channels, height and width of an image operator's input, and its block size. None after an error.
std::optional<std::pair<Ints, int64_t>> readBlocks(Node &node, Value input) {
  int64_t block = node.getInt("blocksize", 0);
  if (rankOf(input) != 4 || block < 1 || block > INT32_MAX) {
    node.fail("expected an input of rank 4 and a positive block size, got rank " + Twine(rankOf(input)) + " and " +
              Twine(block));
    return std::nullopt;
  }
  return std::make_pair(Ints(shapeOf(input)), block);
}

Values translateDepthToSpace(Node &node) {
  Value input = node.input(0);
  std::optional<std::pair<Ints, int64_t>> blocks;
  if (!input || !(blocks = readBlocks(node, input)))
    return {};
  auto &[shape, b] = *blocks;
  int64_t n = shape[0], c = shape[1], h = shape[2], w = shape[3];
  StringRef mode = node.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return {node.fail("attribute 'mode' is '" + mode + "', expected DCR or CRD")};
  if (c % (b * b))
    return {node.fail(Twine(c) + " channels are not a multiple of the block's " + Twine(b * b))};
  int64_t depth = c / (b * b);
  bool columns = mode == "CRD";
  Value apart = node.reshape(input, columns ? Ints{n, depth, b, b, h, w} : Ints{n, b, b, depth, h, w});
  Value moved = node.create("tiny.permute", apart,
                            node.attr("permutation", columns ? Ints{0, 1, 4, 2, 5, 3} : Ints{0, 3, 4, 1, 5, 2}));
  return {node.reshape(moved, {n, depth, h * b, w * b})};
}

Values translateSpaceToDepth(Node &node) {
  Value input = node.input(0);
  std::optional<std::pair<Ints, int64_t>> blocks;
  if (!input || !(blocks = readBlocks(node, input)))
    return {};
  auto &[shape, b] = *blocks;
  int64_t n = shape[0], c = shape[1], h = shape[2], w = shape[3];
  if (h % b || w % b)
    return {node.fail("an image of " + Twine(h) + "x" + Twine(w) + " does not divide into blocks of " + Twine(b))};
  StringRef mode = node.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return {node.fail("attribute 'mode' is '" + mode + "', expected DCR or CRD")};
  Value apart = node.reshape(input, {n, c, h / b, b, w / b, b});
  Value moved = node.permute(apart, mode == "DCR" ? Ints{0, 3, 5, 1, 2, 4} : Ints{0, 1, 3, 5, 2, 4});
  return {node.reshape(moved, {n, c * b * b, h / b, w / b})};
}

} // namespace

ArrayRef<Handler> getMovementHandlers() {
  static const Handler handlers[] = {
      {"Concat", 1, kAnyInputs, "axis", translateConcat},
      {"DepthToSpace", 1, 1, "blocksize mode", translateDepthToSpace},
      {"Expand", 2, 2, "", translateExpand},
      {"Flatten", 1, 1, "axis", translateFlatten},
      {"Pad", 1, 4, "mode paddings pads value", translatePad},
      {"Reshape", 1, 2, "allowzero shape", translateReshape},
      {"Slice", 1, 5, "starts ends axes", translateSlice},
      {"SpaceToDepth", 1, 1, "blocksize mode", translateSpaceToDepth},
      {"Split", 1, 2, "axis split num_outputs", translateSplit},
      {"Squeeze", 1, 2, "axes", translateSqueeze},
      {"Tile", 2, 2, "", translateTile},
      {"Transpose", 1, 1, "perm", translateTranspose},
      {"Unsqueeze", 1, 2, "axes", translateUnsqueeze},
  };
  return handlers;
}

} // namespace tiny::onnximport
