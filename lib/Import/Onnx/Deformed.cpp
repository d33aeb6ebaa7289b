// Convolution whose window's elements lie where data say: DeformConv.
#include "Window.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kMostTaps = 1 << 16;

/// A whole place along one axis, zero where it lies outside, and the weight of its element, zero there, too.
struct Neighbour {
  Value place, weight;
};

/// The whole places below and above a place between the elements of an axis.
std::pair<Neighbour, Neighbour> findNeighbours(Node &node, Value place, int64_t size) {
  Value base = node.create("tiny.floor", place), t = node.sub(place, base);
  auto bound = [&](Value at, Value weight) {
    Value zero = node.like(at, 0);
    Value inside = node.create("tiny.and", {node.create("tiny.ge", {at, zero}),
                                            node.create("tiny.le", {at, node.like(at, double(size - 1))})});
    return Neighbour{node.cast(node.where(inside, at, zero), IntegerType::get(node.getContext(), 64)),
                     node.where(inside, weight, zero)};
  };
  return {bound(base, node.sub(node.like(t, 1), t)), bound(node.add(base, node.like(base, 1)), t)};
}

/// An iota along one axis, of size 1 along the others.
Value lineUp(Node &node, int64_t rank, int64_t axis, int64_t size, Type element) {
  Ints shape(rank, 1);
  shape[axis] = size;
  return node.iota(shape, element, axis);
}

/// The number of windows along each axis.
Ints countWindows(const Window &window, ArrayRef<int64_t> spatial) {
  Ints counts;
  for (auto [axis, size] : llvm::enumerate(spatial)) {
    int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    int64_t rest = size + window.low[axis] + window.high[axis] - reach;
    counts.push_back(rest < 0 ? 0 : rest / window.strides[axis] + 1);
  }
  return counts;
}

// The elements of all windows, each read between the image's elements at its place plus an offset, are the columns of a
// matrix that the weight is multiplied with.
Values translateDeformConv(Node &node) {
  Value input = node.input(0), weight = node.input(1), offset = node.input(2);
  Value bias = node.hasInput(3) ? node.input(3) : nullptr, mask = node.hasInput(4) ? node.input(4) : nullptr;
  if (!input || !weight || !offset || node.failed())
    return {};
  int64_t rank = rankOf(input), axes = rank - 2, groups = node.getInt("group", 1),
          sets = node.getInt("offset_group", 1);
  if (rank < 3 || rankOf(weight) != rank || rankOf(offset) != rank || (mask && rankOf(mask) != rank))
    return {node.fail("expected an image, a weight, offsets and a mask of one rank from 3 on")};
  ArrayRef<int64_t> kernel = shapeOf(weight).drop_front(2), spatial = shapeOf(input).drop_front(2);
  if (std::optional<Ints> stated = node.getInts("kernel_shape"); stated && ArrayRef<int64_t>(*stated) != kernel)
    return {node.fail("attribute 'kernel_shape' differs from the weight's shape")};
  std::optional<Window> window = readWindow(node, input, kernel);
  if (!window)
    return {};
  int64_t batch = shapeOf(input)[0], channels = shapeOf(input)[1], outputs = shapeOf(weight)[0], taps = 1;
  for (int64_t size : kernel)
    taps = std::min(taps * size, kMostTaps + 1);
  Ints windows = countWindows(*window, spatial);
  int64_t count = 1;
  for (int64_t number : windows)
    count *= number;
  bool fits = groups > 0 && sets > 0 && channels % groups == 0 && outputs % groups == 0 && channels % sets == 0 &&
              shapeOf(weight)[1] == channels / groups && taps > 0 && taps <= kMostTaps && count > 0 &&
              !llvm::is_contained(spatial, 0);
  Ints offsets = {batch, sets * taps * axes}, masks = {batch, sets * taps};
  offsets.append(windows);
  masks.append(windows);
  if (!fits || shapeOf(offset) != ArrayRef<int64_t>(offsets) || (mask && shapeOf(mask) != ArrayRef<int64_t>(masks)))
    return {node.fail("the weight, the offsets and the mask do not fit " + Twine(channels) + " channels in " +
                      Twine(groups) + " groups and " + Twine(sets) + " sets of offsets")};

  // [batch, sets, channels of a set, taps, windows...]
  Type element = elementOf(input), i64 = IntegerType::get(node.getContext(), 64);
  Type compute = element.isF64() ? element : Type(Float32Type::get(node.getContext()));
  int64_t wide = rank + 2;
  Ints apart = {batch, sets, taps, axes}, each = {batch, sets, 1, taps}, image = {batch, sets, channels / sets};
  apart.append(windows);
  each.append(windows);
  image.append(spatial.begin(), spatial.end());
  Value moves = node.cast(node.reshape(offset, apart), compute);
  SmallVector<std::pair<Neighbour, Neighbour>> neighbours;
  int64_t inner = taps;
  for (int64_t axis = 0; axis < axes && !node.failed(); ++axis) {
    SmallVector<double> starts;
    inner /= kernel[axis];
    for (int64_t tap = 0; tap < taps; ++tap)
      starts.push_back(double(tap / inner % kernel[axis] * window->dilations[axis] - window->low[axis]));
    Ints perTap(wide, 1);
    perTap[3] = taps;
    Value place = lineUp(node, wide, axis + 4, windows[axis], compute);
    place = node.mul(place, node.like(place, double(window->strides[axis])));
    place = node.add(place, node.makeFloats(starts, perTap, compute));
    place = node.add(place, node.reshape(node.sliceAxis(moves, 3, axis, axis + 1), each));
    neighbours.push_back(findNeighbours(node, place, spatial[axis]));
  }
  Value total, apartInput = node.reshape(node.cast(input, compute), image);
  for (int64_t corner = 0; corner < int64_t(1) << axes && !node.failed(); ++corner) {
    SmallVector<Value> operands = {apartInput, lineUp(node, wide, 0, batch, i64), lineUp(node, wide, 1, sets, i64),
                                   lineUp(node, wide, 2, channels / sets, i64)};
    Value share;
    for (int64_t axis = 0; axis < axes; ++axis) {
      const Neighbour &at = corner >> axis & 1 ? neighbours[axis].second : neighbours[axis].first;
      operands.push_back(at.place);
      share = share ? node.mul(share, at.weight) : at.weight;
    }
    Value part = node.mul(node.create("tiny.gather", operands), share);
    total = total ? node.add(total, part) : part;
  }
  if (mask)
    total = node.mul(total, node.reshape(node.cast(mask, compute), each));
  if (!total)
    return {};
  int64_t depth = channels / groups * taps;
  Ints result = {batch, outputs}, perOutput(rank, 1);
  result.append(windows);
  perOutput[1] = outputs;
  Value columns = node.reshape(total, {batch, groups, depth, count});
  Value rows = node.reshape(node.cast(weight, compute), {groups, outputs / groups, depth});
  Value product = node.reshape(node.create("tiny.matmul", {rows, columns}), result);
  if (bias) {
    if (typeOf(bias).getNumElements() != outputs)
      return {node.fail("expected a bias of " + Twine(outputs) + " numbers")};
    product = node.add(product, node.reshape(bias, perOutput));
  }
  return {node.cast(product, element)};
}

} // namespace

ArrayRef<Handler> getDeformedHandlers() {
  static const Handler handlers[] = {
      {"DeformConv", 3, 5, "dilations group kernel_shape offset_group pads strides", translateDeformConv},
  };
  return handlers;
}

} // namespace tiny::onnximport
