// Images as places and as blocks: AffineGrid, CenterCropPad, Col2Im.
#include "Node.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// The places of the elements along an axis, from -1 to 1.
SmallVector<double> makePlaces(int64_t size, bool alignCorners) {
  SmallVector<double> places;
  for (int64_t k = 0; k < size; ++k)
    places.push_back(alignCorners ? (size == 1 ? 0 : 2.0 * double(k) / double(size - 1) - 1)
                                  : (2.0 * double(k) + 1) / double(size) - 1);
  return places;
}

// theta [N, d, d + 1] times (place, 1) for each place of the result, the last axis first: [N, places..., d].
Values translateAffineGrid(Node &node) {
  Value theta = node.input(0);
  std::optional<Ints> size = node.constantInts(1, "the size");
  if (!theta || !size)
    return {};
  int64_t axes = int64_t(size->size()) - 2;
  bool fits = rankOf(theta) == 3 && (axes == 2 || axes == 3) && shapeOf(theta)[0] == (*size)[0] &&
              shapeOf(theta)[1] == axes && shapeOf(theta)[2] == axes + 1;
  if (!fits || llvm::any_of(*size, [](int64_t extent) { return extent < 0; }))
    return {node.fail("expected matrices of 2 x 3 for a size of 4 numbers, or of 3 x 4 for 5, got a size of " +
                      Twine(size->size()))};
  Ints places(size->begin() + 2, size->end());
  Value total;
  for (int64_t axis = 0; axis <= axes; ++axis) {
    // The last column is for 1.
    Ints one(axes + 2, 1);
    one[0] = (*size)[0];
    one[axes + 1] = axes;
    Value column = node.reshape(node.sliceAxis(theta, 2, axis, axis + 1), one);
    if (axis < axes) {
      int64_t at = axes - 1 - axis;
      Ints along(axes + 2, 1);
      along[at + 1] = places[at];
      SmallVector<double> numbers = makePlaces(places[at], node.getInt("align_corners", 0) != 0);
      column = node.mul(column, node.makeFloats(numbers, along, elementOf(theta)));
    }
    total = total ? node.add(total, column) : column;
  }
  return {total};
}

// Cut or filled with zeros on both sides; an odd element is taken or added behind.
Values translateCenterCropPad(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> wanted = node.constantInts(1, "the shape");
  if (!input || !wanted)
    return {};
  int64_t rank = rankOf(input);
  Ints named = node.getInts("axes").value_or(Ints());
  if (!node.hasAttribute("axes"))
    named = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (named.size() != wanted->size())
    return {node.fail("got " + Twine(wanted->size()) + " sizes for " + Twine(named.size()) + " axes")};
  Ints begin(rank, 0), end(shapeOf(input)), low(rank, 0), high(rank, 0);
  for (auto [place, size] : llvm::zip_equal(named, *wanted)) {
    std::optional<int64_t> axis = node.normalizeAxis(place, rank);
    if (!axis)
      return {};
    int64_t more = size - shapeOf(input)[*axis];
    if (size < 0)
      return {node.fail("axis " + Twine(*axis) + " gets a size of " + Twine(size))};
    begin[*axis] = more < 0 ? -more / 2 : 0;
    end[*axis] = more < 0 ? begin[*axis] + size : shapeOf(input)[*axis];
    low[*axis] = more > 0 ? more / 2 : 0;
    high[*axis] = more > 0 ? more - more / 2 : 0;
  }
  return {node.pad(node.shrink(input, begin, end), low, high)};
}

// Blocks [N, C * elements of a block, blocks] are added up where they lie in the image: a convolution of the blocks'
// elements, spread by the strides, each of which one element of the kernel takes.
Values translateCol2Im(Node &node) {
  Value input = node.input(0);
  std::optional<Ints> image = node.constantInts(1, "the image's shape"),
                      block = node.constantInts(2, "the block's shape");
  if (!input || !image || !block)
    return {};
  size_t axes = image->size();
  auto read = [&](StringRef name, size_t count, int64_t otherwise) {
    std::optional<Ints> list = node.getInts(name);
    if (list && list->size() != count)
      node.fail("attribute '" + name + "' has " + Twine(list->size()) + " numbers, expected " + Twine(count));
    return list && list->size() == count ? *list : Ints(count, otherwise);
  };
  Ints strides = read("strides", axes, 1), dilations = read("dilations", axes, 1), pads = read("pads", 2 * axes, 0);
  if (node.failed())
    return {};
  constexpr int64_t kMost = 1 << 20;
  auto isSize = [](int64_t number) { return number >= 1 && number <= kMost; };
  if (rankOf(input) != 3 || axes == 0 || block->size() != axes || !llvm::all_of(*image, isSize) ||
      !llvm::all_of(*block, isSize) || !llvm::all_of(strides, isSize) || !llvm::all_of(dilations, isSize) ||
      llvm::any_of(pads, [](int64_t pad) { return pad < 0 || pad > kMost; }))
    return {node.fail("expected an input of rank 3, and sizes, strides and dilations of 1 to " + Twine(kMost))};
  int64_t elements = 1, count = 1;
  Ints counts;
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t reach = ((*block)[axis] - 1) * dilations[axis] + 1;
    int64_t rest = (*image)[axis] + pads[axis] + pads[axis + axes] - reach;
    counts.push_back(rest < 0 ? 0 : rest / strides[axis] + 1);
    elements = std::min(elements * (*block)[axis], kMost + 1);
    count = std::min(count * counts.back(), int64_t(INT32_MAX));
  }
  if (elements > kMost || shapeOf(input)[1] % elements != 0 || shapeOf(input)[2] != count || count == 0)
    return {node.fail("an input of " + Twine(shapeOf(input)[1]) + " x " + Twine(shapeOf(input)[2]) + " does not hold " +
                      Twine(count) + " blocks of " + Twine(elements) + " elements")};
  int64_t batch = shapeOf(input)[0], channels = shapeOf(input)[1] / elements;
  Ints apart = {batch * channels, elements}, low(axes + 2, 0), high(axes + 2, 0), kernel = {1, elements};
  apart.append(counts);
  kernel.append(*block);
  Value spread = node.reshape(input, apart);
  for (size_t axis = 0; axis < axes && spread; ++axis) {
    spread = node.spreadAxis(spread, int64_t(axis) + 2, strides[axis]);
    int64_t reach = ((*block)[axis] - 1) * dilations[axis];
    low[axis + 2] = reach;
    high[axis + 2] = (*image)[axis] + pads[axis] + pads[axis + axes] - (counts[axis] - 1) * strides[axis] - 1;
  }
  if (!spread)
    return {};
  Type index = IntegerType::get(node.getContext(), 64), element = elementOf(input);
  // The kernel is turned: its element k takes element `elements - 1 - k` of the block.
  Value both = node.add(node.iota({1, elements, elements}, index, 1), node.iota({1, elements, elements}, index, 2));
  Value hit = node.create("tiny.eq", {both, node.like(both, double(elements - 1))});
  Value result = node.create("tiny.conv", {node.pad(spread, low, high), node.reshape(node.cast(hit, element), kernel)},
                             {node.attr("dilations", dilations)});
  // What lies in the padding goes.
  Ints begin(axes + 2, 0), end = {batch * channels, 1}, shape = {batch, channels};
  for (size_t axis = 0; axis < axes; ++axis) {
    begin[axis + 2] = pads[axis];
    end.push_back(pads[axis] + (*image)[axis]);
    shape.push_back((*image)[axis]);
  }
  return {node.reshape(node.shrink(result, begin, end), shape)};
}

} // namespace

ArrayRef<Handler> getSpatialHandlers() {
  static const Handler handlers[] = {
      {"AffineGrid", 2, 2, "align_corners", translateAffineGrid},
      {"CenterCropPad", 2, 2, "axes", translateCenterCropPad},
      {"Col2Im", 3, 3, "dilations pads strides", translateCol2Im},
  };
  return handlers;
}

} // namespace tiny::onnximport
