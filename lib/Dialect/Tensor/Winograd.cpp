// Convolution by Winograd's minimal filtering.
#include "Winograd.h"

#include "Tiny/Dialect/Tensor/Winograd.h"
#include "WinogradMatrices.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace tiny::tensor {

/// Whether a tile may have several outputs along the axis.
static bool isFiltered(const Window &window, size_t axis) {
  return window.kernel[axis] > 1 && window.kernel[axis] < kMostWinogradInputs && window.strides[axis] == 1 &&
         window.dilations[axis] == 1;
}

std::string whyNotWinograd(const Window &window, ArrayRef<int64_t> tiles, Type element) {
  if (!isa<FloatType>(element))
    return llvm::formatv("expects floats for winograd, got {0}", element);
  if (tiles.size() != window.kernel.size())
    return llvm::formatv("expects {0} numbers as winograd, one per spatial axis, got {1}", window.kernel.size(),
                         tiles.size());
  for (auto [axis, tile] : llvm::enumerate(tiles)) {
    if (tile < 1)
      return llvm::formatv("expects winograd of at least 1, got {0}", tile);
    int64_t most = isFiltered(window, axis) ? kMostWinogradInputs - window.kernel[axis] + 1 : 1;
    if (tile > most)
      return llvm::formatv(
          "expects winograd of at most {0} on spatial axis {1}, with a window of {2} by {3} dilated by "
          "{4}, got {5}",
          most, axis, window.kernel[axis], window.strides[axis], window.dilations[axis], tile);
  }
  return "";
}

static FailureOr<Window> getWindow(ConvOp conv) {
  return inferWindow(std::nullopt, "", conv.getInput().getType().getShape().drop_front(2),
                     conv.getWeight().getType().getShape().drop_front(2), getWindowAttrs(conv));
}

std::string whyNotWinograd(ConvOp conv, ArrayRef<int64_t> tiles) {
  return whyNotWinograd(*getWindow(conv), tiles, conv.getType().getElementType());
}

SmallVector<int64_t> findWinogradTiles(ConvOp conv, int64_t tile) {
  if (!isa<FloatType>(conv.getType().getElementType()) || tile < 2 || conv.getWeight().getType().getDimSize(1) < 2)
    return {};
  Window window = *getWindow(conv);
  SmallVector<int64_t> tiles;
  for (auto [axis, output] : llvm::enumerate(window.output))
    tiles.push_back(isFiltered(window, axis) && output > 1
                        ? std::min({tile, output, kMostWinogradInputs - window.kernel[axis] + 1})
                        : 1);
  return llvm::all_of(tiles, [](int64_t tile) { return tile == 1; }) ? SmallVector<int64_t>() : tiles;
}

bool isKnownValue(Value value) {
  llvm::SmallPtrSet<Operation *, 8> known;
  SmallVector<Value> stack = {value};
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (!op || op->getNumRegions() > 0)
      return false;
    if (known.insert(op).second)
      llvm::append_range(stack, op->getOperands());
  }
  return true;
}

std::string getConvKey(ConvOp conv) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << conv.getInput().getType() << ", " << (isKnownValue(conv.getWeight()) ? "constant " : "")
         << conv.getWeight().getType() << " -> " << conv.getType();
  for (NamedAttribute attribute : conv->getAttrs())
    if (attribute.getName() != conv.getWinogradAttrName() && conv->getInherentAttr(attribute.getName()))
      stream << ", " << attribute.getName().getValue() << " = " << attribute.getValue();
  return text;
}

namespace {

/// One way through the tiles: from input and weight to the sums, axis by axis.
class TileFilter {
public:
  TileFilter(TensorBuilder &build, ConvOp conv, const Window &window, Type compute)
      : build(build), conv(conv), window(window), compute(compute), tiles(*conv.getWinograd()) {
    for (auto [axis, tile] : llvm::enumerate(tiles)) {
      counts.push_back(llvm::divideCeil(window.output[axis], tile));
      matrices.push_back(tile > 1 ? WinogradMatrices::make(tile, window.kernel[axis]) : WinogradMatrices());
      if (tile > 1) {
        filtered.push_back(axis);
        points *= matrices.back().inputs;
      }
    }
  }

  FailureOr<Value> run() {
    // What is summed up has the most elements, but for the results of a tile that is larger than the output.
    SmallVector<int64_t> loop(conv.getWeight().getType().getShape()), stored(conv.getType().getShape());
    for (size_t axis : filtered) {
      loop[axis + 2] = 1;
      stored[axis + 2] = counts[axis] * tiles[axis];
    }
    loop.append({points, conv.getType().getDimSize(0)});
    llvm::append_range(loop, counts);
    if (failed(checkIterationSpace(conv.getLoc(), loop, compute)) ||
        failed(checkIterationSpace(conv.getLoc(), stored, compute)))
      return failure();
    return transformOutput(multiply(transformInput(), transformWeight()));
  }

private:
  Value makeMatrix(ArrayRef<double> numbers, ArrayRef<int64_t> shape) {
    auto attributes = llvm::map_to_vector(numbers, [&](double x) -> Attribute { return getNumber(compute, x); });
    return build.create<ConstantOp>(DenseElementsAttr::get(RankedTensorType::get(shape, compute), attributes));
  }

  /// A value that is stored: transforms are short, and what reads them reads them often.
  Value store(Value value) { return build.create<ContiguousOp>(value); }

  DenseI64ArrayAttr list(ArrayRef<int64_t> numbers) { return build.getBuilder().getDenseI64ArrayAttr(numbers); }

  /// A convolution of this one's spatial rank.
  Value convolve(Value input, Value weight, const Window &how, int64_t groups) {
    return build.create<ConvOp>(input, weight, Value(), list(how.strides), list(how.dilations), list(how.low),
                                list(how.high), uint64_t(groups), DenseI64ArrayAttr());
  }

  /// Windows of one element.
  Window makeWindow() const {
    Window one;
    one.strides.assign(tiles.size(), 1);
    one.dilations = one.strides;
    one.low.assign(tiles.size(), 0);
    one.high = one.low;
    return one;
  }

  /// [batch, points..., channels, tiles...] as [batch, points * channels, tiles...]. Each axis is a convolution of
  /// single channels whose windows begin a tile apart.
  Value transformInput() {
    ArrayRef<int64_t> shape = conv.getInput().getType().getShape();
    SmallVector<int64_t> spatial(shape.drop_front(2));
    int64_t images = shape[0] * shape[1], before = 1;
    Value value = build.cast(conv.getInput(), compute);
    for (size_t axis : filtered) {
      SmallVector<int64_t> single = {before * images, 1}, kernel = {matrices[axis].inputs, 1};
      llvm::append_range(single, spatial);
      kernel.append(tiles.size(), 1);
      kernel[axis + 2] = matrices[axis].inputs;
      Window how = makeWindow();
      how.strides[axis] = tiles[axis];
      how.low[axis] = window.low[axis];
      how.high[axis] = (counts[axis] - 1) * tiles[axis] + matrices[axis].inputs - window.low[axis] - spatial[axis];
      value = convolve(build.reshape(value, single), makeMatrix(matrices[axis].input, kernel), how, /*groups=*/1);
      spatial[axis] = counts[axis];
      // The new points are outside of the images.
      SmallVector<int64_t> split = {before, images, matrices[axis].inputs}, order = {0, 2, 1};
      llvm::append_range(split, spatial);
      llvm::append_range(order, llvm::seq<int64_t>(3, 3 + tiles.size()));
      value = build.permute(build.reshape(value, split), order);
      before *= matrices[axis].inputs;
      if (axis != filtered.back())
        value = store(value);
    }
    SmallVector<int64_t> split = {points, shape[0], shape[1]}, order = {1, 0, 2},
                         merged = {shape[0], points * shape[1]};
    llvm::append_range(split, spatial);
    llvm::append_range(order, llvm::seq<int64_t>(3, 3 + tiles.size()));
    llvm::append_range(merged, spatial);
    return build.reshape(store(build.permute(build.reshape(value, split), order)), merged);
  }

  /// [points * out, in, kernel...], where the kernel has one element along the filtered axes.
  Value transformWeight() {
    SmallVector<int64_t> shape(conv.getWeight().getType().getShape());
    Value value = build.cast(conv.getWeight(), compute);
    int64_t before = 1;
    for (size_t axis : filtered) {
      // The products of all taps, [before, points, out, in, ..., taps, ...], added up along these.
      SmallVector<int64_t> full = {before, 1}, matrix = {1, matrices[axis].inputs};
      llvm::append_range(full, shape);
      matrix.append(shape.size(), 1);
      matrix[axis + 4] = shape[axis + 2];
      Value products = build.mul(build.reshape(value, full), makeMatrix(matrices[axis].filter, matrix));
      value = build.sum(products, {static_cast<int64_t>(axis) + 4}, /*keepdims=*/true);
      shape[axis + 2] = 1;
      before *= matrices[axis].inputs;
    }
    SmallVector<int64_t> merged = {points * shape[0]};
    llvm::append_range(merged, ArrayRef(shape).drop_front());
    return store(build.reshape(value, merged));
  }

  /// The sums over the channels, and over the taps of the axes that are not filtered.
  Value multiply(Value input, Value weight) {
    Window how = window;
    for (size_t axis : filtered)
      how.low[axis] = how.high[axis] = 0;
    return store(convolve(input, weight, how, points * static_cast<int64_t>(conv.getGroups())));
  }

  /// [batch, out, output...] from [batch, points * out, tiles...].
  Value transformOutput(Value sums) {
    int64_t batch = conv.getType().getDimSize(0), out = conv.getType().getDimSize(1);
    // Axes whose points become outputs, which stay in front until the last of them is done.
    SmallVector<int64_t> rows = {batch};
    int64_t left = points;
    Value value = sums;
    for (size_t axis : ArrayRef(filtered).drop_back()) {
      left /= matrices[axis].inputs;
      int64_t before = getProduct(rows), inner = left * out * getProduct(counts);
      Value matrix = makeMatrix(matrices[axis].output, {tiles[axis], matrices[axis].inputs});
      value = build.create<MatmulOp>(matrix, build.reshape(value, {before, matrices[axis].inputs, inner}));
      value = store(value);
      rows.push_back(tiles[axis]);
    }
    size_t last = filtered.back();
    SmallVector<int64_t> split(rows), order, merged = {batch, out};
    split.push_back(matrices[last].inputs);
    int64_t channels = split.size();
    split.push_back(out);
    llvm::append_range(split, counts);
    // [batch, out, tiles..., outputs of a tile..., points of the last axis]
    order = {0, channels};
    int64_t done = 1;
    for (auto [axis, tile] : llvm::enumerate(tiles)) {
      order.push_back(channels + 1 + static_cast<int64_t>(axis));
      if (tile > 1 && axis != last)
        order.push_back(done++);
      merged.push_back(counts[axis] * tile);
    }
    // The last axis's own outputs come behind its tiles; what is not filtered stands behind them.
    order.push_back(channels - 1);
    value = build.permute(build.reshape(value, split), order);
    Value matrix = makeMatrix(matrices[last].output, {tiles[last], matrices[last].inputs});
    value = build.create<MatmulOp>(value, build.permute(matrix, {1, 0}));
    return place(value, last, merged);
  }

  /// Moves the outputs of the last filtered axis from the end to their tiles, and cuts off what is behind the ends.
  Value place(Value value, size_t last, const SmallVector<int64_t> &merged) {
    int64_t rank = TensorBuilder::getShape(value).size(), behind = tiles.size() - 1 - last;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1 - behind));
    order.push_back(rank - 1);
    llvm::append_range(order, llvm::seq<int64_t>(rank - 1 - behind, rank - 1));
    value = build.reshape(build.permute(value, order), merged);
    ArrayRef<int64_t> shape = conv.getType().getShape();
    if (ArrayRef(merged) == shape)
      return value;
    return build.shrink(store(value), SmallVector<int64_t>(shape.size(), 0), shape);
  }

  static int64_t getProduct(ArrayRef<int64_t> numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), int64_t(1), std::multiplies<>());
  }

  TensorBuilder &build;
  ConvOp conv;
  const Window &window;
  Type compute;
  /// By spatial axis: outputs of a tile, how many tiles there are, and the matrices where a tile has several outputs.
  SmallVector<int64_t> tiles, counts;
  SmallVector<WinogradMatrices> matrices;
  SmallVector<size_t> filtered;
  int64_t points = 1;
};

} // namespace

FailureOr<Value> filterByTiles(TensorBuilder &build, ConvOp conv, const Window &window, Type compute) {
  return TileFilter(build, conv, window, compute).run();
}

} // namespace tiny::tensor
