// Operators that select or place elements by their position, composed from index arithmetic and masks.
#include "Node.h"
#include "TensorData.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kLongestSorted = 4096;

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }

Value compare(Node &node, StringRef op, Value lhs, Value rhs) { return node.create(op, {lhs, rhs}); }

// Keeps one triangle of each matrix, from a diagonal on.
Values translateTrilu(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  int64_t rank = rankOf(input), diagonal = 0;
  if (rank < 2)
    return {node.fail("the input has rank " + Twine(rank) + ", expected at least 2")};
  if (node.hasInput(1)) {
    std::optional<Ints> k = node.constantInts(1, "the diagonal");
    if (!k)
      return {};
    if (k->size() != 1)
      return {node.fail("the diagonal is not one number")};
    diagonal = k->front();
  }
  Ints shape(shapeOf(input).take_back(2));
  // Column less row, against the diagonal; further out than the matrix is all the same.
  diagonal = std::clamp(diagonal, -shape[0] - 1, shape[1] + 1);
  Value offset = node.sub(node.iota(shape, i64(node), 1), node.iota(shape, i64(node), 0));
  Value keep =
      compare(node, node.getInt("upper", 1) ? "tiny.ge" : "tiny.le", offset, node.like(offset, double(diagonal)));
  return {node.where(keep, input, node.like(input, 0))};
}

Values translateOneHot(Node &node) {
  Value indices = node.input(0), values = node.input(2);
  if (!indices || !values)
    return {};
  TypedAttr number = node.constantScalar(1, "the depth");
  if (!number)
    return {};
  int64_t depth = isa<FloatAttr>(number) ? int64_t(cast<FloatAttr>(number).getValueAsDouble())
                                         : cast<IntegerAttr>(number).getValue().getSExtValue();
  if (depth < 1 || depth > INT32_MAX)
    return {node.fail("the depth is " + Twine(depth) + ", expected at least 1")};
  if (shapeOf(values) != ArrayRef<int64_t>(2))
    return {node.fail("expected two values, for off and on")};
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rankOf(indices) + 1);
  if (!axis)
    return {};
  indices = node.cast(indices, i64(node));
  Value wrapped = node.where(compare(node, "tiny.lt", indices, node.like(indices, 0)),
                             node.add(indices, node.like(indices, double(depth))), indices);
  Ints shape(shapeOf(indices)), whole;
  shape.insert(shape.begin() + *axis, 1);
  whole = shape;
  whole[*axis] = depth;
  Value hit = compare(node, "tiny.eq", node.reshape(wrapped, shape), node.iota(whole, i64(node), *axis));
  Value off = node.reshape(node.sliceAxis(values, 0, 0, 1), {}), on = node.reshape(node.sliceAxis(values, 0, 1, 2), {});
  return {node.where(hit, on, off)};
}

Values translateEyeLike(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  if (rankOf(input) != 2)
    return {node.fail("the input has rank " + Twine(rankOf(input)) + ", expected 2")};
  Type element = elementOf(input);
  if (node.hasAttribute("dtype"))
    element = getElementType(node.getContext(), int32_t(node.getInt("dtype", 0)));
  if (!element)
    return {node.fail("element type " + getDataTypeName(int32_t(node.getInt("dtype", 0))) + " is not supported")};
  return {node.createTyped("tiny.eye", RankedTensorType::get(shapeOf(input), element), {},
                           node.attr("diagonal", node.getInt("k", 0)))};
}

// The sum of the elements before each one: a product with a triangle of ones.
Values translateCumSum(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> named = node.constantInts(1, "the axis");
  if (!input || !named)
    return {};
  if (named->size() != 1)
    return {node.fail("the axis is not one number")};
  std::optional<int64_t> axis = node.normalizeAxis(named->front(), rankOf(input));
  if (!axis)
    return {};
  bool exclusive = node.getInt("exclusive", 0), reverse = node.getInt("reverse", 0);
  int64_t size = shapeOf(input)[*axis], rank = rankOf(input);
  Ints shape(shapeOf(input));
  shape.insert(shape.begin() + *axis, 1);
  Ints square(rank + 1, 1);
  square[*axis] = square[*axis + 1] = size;
  Value row = node.iota(square, i64(node), *axis), column = node.iota(square, i64(node), *axis + 1);
  StringRef op = reverse ? (exclusive ? "tiny.gt" : "tiny.ge") : (exclusive ? "tiny.lt" : "tiny.le");
  Value kept = node.where(compare(node, op, column, row), node.reshape(input, shape), node.like(input, 0));
  return {node.cast(node.sum(kept, *axis + 1), elementOf(input))};
}

// Along the time axis the first `length` elements of each batch turn round.
Values translateReverseSequence(Node &node) {
  Value input = node.input(0), lengths = node.input(1);
  if (!input || !lengths)
    return {};
  int64_t rank = rankOf(input);
  std::optional<int64_t> time = node.normalizeAxis(node.getInt("time_axis", 0), rank);
  std::optional<int64_t> batch = node.normalizeAxis(node.getInt("batch_axis", 1), rank);
  if (!time || !batch)
    return {};
  if (*time == *batch || shapeOf(lengths) != ArrayRef<int64_t>(shapeOf(input)[*batch]))
    return {node.fail("expected one length for each of the batch, and two axes that differ")};
  Ints perBatch(rank, 1);
  perBatch[*batch] = shapeOf(input)[*batch];
  Value length = node.reshape(node.cast(lengths, i64(node)), perBatch);
  Value at = node.iota(shapeOf(input), i64(node), *time);
  Value turned = node.sub(node.sub(length, at), node.like(at, 1));
  Value index = node.where(compare(node, "tiny.lt", at, length), turned, at);
  return {node.create("tiny.take_along", {input, index}, node.attr("axis", *time))};
}

// Each element's rank among those of its row: how many are better, or equal and earlier. The element of rank k is the
// result's k-th.
Values translateTopK(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  int64_t rank = rankOf(input), count = node.getInt("k", 0);
  if (!node.hasAttribute("k")) {
    std::optional<Ints> k = node.constantInts(1, "'k'");
    if (!k)
      return {};
    count = k->size() == 1 ? k->front() : -1;
  }
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rank);
  if (!axis)
    return {};
  int64_t size = shapeOf(input)[*axis];
  if (count < 0 || count > size)
    return {node.fail("cannot take " + Twine(count) + " of " + Twine(size) + " elements")};
  if (size > kLongestSorted)
    return {node.fail("got an axis of size " + Twine(size) + " to sort, expected at most " + Twine(kLongestSorted))};
  // [..., i, j]: the element i beside the element j.
  Ints here(shapeOf(input)), there(shapeOf(input)), pairs(rank + 1, 1);
  here.insert(here.begin() + *axis + 1, 1);
  there.insert(there.begin() + *axis, 1);
  pairs[*axis] = pairs[*axis + 1] = size;
  Value one = node.reshape(input, here), other = node.reshape(input, there);
  Value i = node.iota(pairs, i64(node), *axis), j = node.iota(pairs, i64(node), *axis + 1);
  bool largest = node.getInt("largest", 1);
  Value better = compare(node, largest ? "tiny.gt" : "tiny.lt", other, one);
  Value tie = node.create("tiny.and", {compare(node, "tiny.eq", other, one), compare(node, "tiny.lt", j, i)});
  Value place = node.sum(node.cast(node.create("tiny.or", {better, tie}), i64(node)), *axis + 1);
  // [..., k, i]: whether the element i has the rank k.
  Ints chosen(rank + 1, 1), order(shapeOf(input));
  chosen[*axis] = count;
  chosen[*axis + 1] = size;
  order.insert(order.begin() + *axis, 1);
  Value hit = compare(node, "tiny.eq", node.reshape(place, order), node.iota(chosen, i64(node), *axis));
  Value indices =
      node.sum(node.where(hit, node.iota(chosen, i64(node), *axis + 1), node.scalar(0, i64(node))), *axis + 1);
  return {node.create("tiny.take_along", {input, indices}, node.attr("axis", *axis)), indices};
}

} // namespace

ArrayRef<Handler> getSelectionHandlers() {
  static const Handler handlers[] = {
      {"CumSum", 2, 2, "exclusive reverse", translateCumSum},
      {"EyeLike", 1, 1, "dtype k", translateEyeLike},
      {"OneHot", 3, 3, "axis", translateOneHot},
      {"ReverseSequence", 2, 2, "batch_axis time_axis", translateReverseSequence},
      {"TopK", 1, 2, "axis k largest sorted", translateTopK},
      {"Trilu", 1, 2, "upper", translateTrilu},
  };
  return handlers;
}

} // namespace tiny::onnximport
