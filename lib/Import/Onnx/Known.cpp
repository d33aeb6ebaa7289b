// Operators whose result's size depends on the elements of an input: these must be known when the model is imported.
#include "Node.h"
#include "TensorData.h"
#include "Tiny/Support/HostTensor.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

Type i64(Node &node) { return IntegerType::get(node.getContext(), 64); }

/// The attribute `axis`, from 0 on; without it the input becomes flat, and the axis its only one. None after an error.
std::optional<int64_t> takeAxis(Node &node, Value &input) {
  if (node.hasAttribute("axis"))
    return node.normalizeAxis(node.getInt("axis", 0), rankOf(input));
  input = node.reshape(input, typeOf(input).getNumElements());
  return 0;
}

// The slices along an axis, or the elements, whose condition is true.
Values translateCompress(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> condition = node.constantInts(1, "the condition");
  if (!input || !condition)
    return {};
  std::optional<int64_t> axis = takeAxis(node, input);
  if (!axis)
    return {};
  if (int64_t(condition->size()) > shapeOf(input)[*axis])
    return {
        node.fail("got " + Twine(condition->size()) + " conditions for " + Twine(shapeOf(input)[*axis]) + " elements")};
  Ints places;
  for (auto [at, keep] : llvm::enumerate(*condition))
    if (keep)
      places.push_back(int64_t(at));
  Value list = node.makeInts(places, int64_t(places.size()), i64(node));
  return {node.create("tiny.take", {input, list}, node.attr("axis", *axis))};
}

/// The place of an element, counted in row-major order, along each axis.
Ints unravel(int64_t index, ArrayRef<int64_t> shape) {
  Ints place(shape.size());
  for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0; --axis) {
    place[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return place;
}

// Where the elements that are not zero stand: [rank, count].
Values translateNonZero(Node &node) {
  std::optional<SmallVector<double>> numbers = node.constantNumbers(0, "the input");
  if (!numbers)
    return {};
  ArrayRef<int64_t> shape = shapeOf(node.input(0));
  SmallVector<Ints> places;
  for (auto [index, number] : llvm::enumerate(*numbers))
    if (number != 0)
      places.push_back(unravel(int64_t(index), shape));
  Ints list;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    for (const Ints &place : places)
      list.push_back(place[axis]);
  return {node.makeInts(list, {int64_t(shape.size()), int64_t(places.size())}, i64(node))};
}

// The distinct elements, or slices along an axis, with where each stands first, which one each element is, and counts.
Values translateUnique(Node &node) {
  std::optional<SmallVector<double>> numbers = node.constantNumbers(0, "the input");
  if (!numbers)
    return {};
  Value input = node.input(0);
  std::optional<int64_t> axis = takeAxis(node, input);
  if (!axis)
    return {};
  // Slice k as a list of numbers.
  int64_t size = shapeOf(input)[*axis];
  SmallVector<SmallVector<double>> slices(size);
  for (auto [index, number] : llvm::enumerate(*numbers))
    slices[unravel(int64_t(index), shapeOf(input))[*axis]].push_back(number);
  Ints order = llvm::to_vector(llvm::seq<int64_t>(size));
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    return std::lexicographical_compare(slices[a].begin(), slices[a].end(), slices[b].begin(), slices[b].end());
  });
  Ints firsts, counts, inverse(size);
  for (int64_t k : order) {
    if (firsts.empty() || slices[firsts.back()] != slices[k]) {
      firsts.push_back(k);
      counts.push_back(0);
    }
    inverse[k] = int64_t(firsts.size()) - 1;
    ++counts.back();
  }
  if (!node.getInt("sorted", 1)) {
    // In the order of the first places.
    Ints byPlace = llvm::to_vector(llvm::seq<int64_t>(firsts.size())), rank(firsts.size()), oldFirsts = firsts,
         oldCounts = counts;
    llvm::sort(byPlace, [&](int64_t a, int64_t b) { return oldFirsts[a] < oldFirsts[b]; });
    for (auto [at, old] : llvm::enumerate(byPlace)) {
      firsts[at] = oldFirsts[old];
      counts[at] = oldCounts[old];
      rank[old] = int64_t(at);
    }
    for (int64_t &which : inverse)
      which = rank[which];
  }
  auto list = [&](const Ints &values) { return node.makeInts(values, int64_t(values.size()), i64(node)); };
  Value places = list(firsts);
  return {node.create("tiny.take", {input, places}, node.attr("axis", *axis)), places, list(inverse), list(counts)};
}

/// A box by its corners.
struct Box {
  double low[2], high[2];
};

Box makeBox(const double *numbers, bool isCentered) {
  Box box;
  for (int k = 0; k < 2; ++k) {
    // Centered boxes name x first and then both sizes.
    double first = isCentered ? numbers[1 - k] - numbers[3 - k] / 2 : numbers[k];
    double second = isCentered ? numbers[1 - k] + numbers[3 - k] / 2 : numbers[k + 2];
    box.low[k] = std::min(first, second);
    box.high[k] = std::max(first, second);
  }
  return box;
}

/// The share that two boxes have in common of what they cover together.
double getOverlap(const Box &a, const Box &b) {
  double common = 1, areaA = 1, areaB = 1;
  for (int k = 0; k < 2; ++k) {
    common *= std::max(std::min(a.high[k], b.high[k]) - std::max(a.low[k], b.low[k]), 0.0);
    areaA *= a.high[k] - a.low[k];
    areaB *= b.high[k] - b.low[k];
  }
  return areaA > 0 && areaB > 0 ? common / (areaA + areaB - common) : 0;
}

// For each batch and class the boxes of the best scores, without those that overlap a better one: [count, 3].
Values translateNonMaxSuppression(Node &node) {
  std::optional<SmallVector<double>> boxes = node.constantNumbers(0, "the boxes"),
                                     scores = node.constantNumbers(1, "the scores");
  if (!boxes || !scores)
    return {};
  auto optional = [&](unsigned index, double otherwise) {
    std::optional<SmallVector<double>> numbers =
        node.hasInput(index) ? node.constantNumbers(index, "a threshold") : SmallVector<double>{otherwise};
    if (numbers && numbers->size() != 1)
      node.fail("a threshold is not one number");
    return numbers && numbers->size() == 1 ? numbers->front() : 0;
  };
  double most = optional(2, 0), overlap = optional(3, 0), least = optional(4, -std::numeric_limits<double>::infinity());
  if (node.failed())
    return {};
  Value boxInput = node.input(0), scoreInput = node.input(1);
  if (rankOf(boxInput) != 3 || rankOf(scoreInput) != 3 || shapeOf(boxInput)[2] != 4 ||
      shapeOf(boxInput)[0] != shapeOf(scoreInput)[0] || shapeOf(boxInput)[1] != shapeOf(scoreInput)[2])
    return {node.fail("expected boxes [batch, boxes, 4] and scores [batch, classes, boxes]")};
  int64_t batches = shapeOf(boxInput)[0], count = shapeOf(boxInput)[1], classes = shapeOf(scoreInput)[1];
  bool isCentered = node.getInt("center_point_box", 0) != 0;
  Ints result;
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t kind = 0; kind < classes; ++kind) {
      ArrayRef<double> row = ArrayRef(*scores).slice((batch * classes + kind) * count, count);
      Ints order;
      for (int64_t k = 0; k < count; ++k)
        if (row[k] > least)
          order.push_back(k);
      llvm::stable_sort(order, [&](int64_t a, int64_t b) { return row[a] > row[b]; });
      SmallVector<Box> kept;
      for (int64_t k : order) {
        Box box = makeBox(boxes->data() + (batch * count + k) * 4, isCentered);
        if (double(kept.size()) >= most)
          break;
        if (llvm::any_of(kept, [&](const Box &better) { return getOverlap(better, box) > overlap; }))
          continue;
        kept.push_back(box);
        result.append({batch, kind, k});
      }
    }
  }
  return {node.makeInts(result, {int64_t(result.size()) / 3, 3}, i64(node))};
}

} // namespace

ArrayRef<Handler> getKnownHandlers() {
  static const Handler handlers[] = {
      {"Compress", 2, 2, "axis", translateCompress},
      {"NonMaxSuppression", 2, 5, "center_point_box", translateNonMaxSuppression},
      {"NonZero", 1, 1, "", translateNonZero},
      {"Unique", 1, 1, "axis sorted", translateUnique},
  };
  return handlers;
}

} // namespace tiny::onnximport
