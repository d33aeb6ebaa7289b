// Windows of convolution and pooling: their sizes and padding, and the movements that lay them out as axes.
#include "Window.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tiny::tensor {

/// Larger numbers in window attributes are mistakes, and would make sums overflow.
static constexpr int64_t kMaxParameter = int64_t(1) << 30;

FailureOr<Window> inferWindow(std::optional<Location> location, StringRef name, ArrayRef<int64_t> spatial,
                              ArrayRef<int64_t> kernel, const WindowAttrs &attrs) {
  size_t rank = spatial.size();
  Window window;
  auto read = [&](StringRef what, std::optional<ArrayRef<int64_t>> list, int64_t least, SmallVector<int64_t> &to) {
    to.assign(rank, least);
    if (!list)
      return success();
    // (window_c1) One number per spatial axis.
    if (list->size() != rank)
      return emitInferError(location, name, "expects ", rank, " numbers as ", what, ", one per spatial axis, got ",
                            list->size());
    to.assign(list->begin(), list->end());
    // (window_c2) Sizes are positive, padding is not negative.
    for (int64_t value : to)
      if (value < least || value > kMaxParameter)
        return emitInferError(location, name, "expects ", what, " of at least ", least, " and at most 2^30, got ",
                              value);
    return success();
  };
  if (failed(read("kernel", kernel, 1, window.kernel)) || failed(read("strides", attrs.strides, 1, window.strides)) ||
      failed(read("dilations", attrs.dilations, 1, window.dilations)) ||
      failed(read("low", attrs.low, 0, window.low)) || failed(read("high", attrs.high, 0, window.high)))
    return failure();
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t span = window.dilations[axis] * (window.kernel[axis] - 1) + 1, stride = window.strides[axis];
    // (window_c4) Sums of sizes do not overflow.
    if (spatial[axis] > (int64_t(1) << 61))
      return emitInferError(location, name, "expects at most 2^61 elements on a spatial axis, got ", spatial[axis]);
    int64_t padded = window.low[axis] + spatial[axis] + window.high[axis];
    // (window_c3) One window at least fits, or begins in the input where the last one may reach beyond the padding.
    if (padded < span && !(attrs.ceilMode && span - padded < stride))
      return emitInferError(location, name, "expects a padded size of at least ", span, " on spatial axis ", axis,
                            " for its window, got ", padded);
    int64_t output = padded < span ? 1 : (padded - span) / stride + 1;
    if (attrs.ceilMode && padded >= span) {
      output = llvm::divideCeil(padded - span, stride) + 1;
      // A window that would begin in the padding after the input does not count.
      if ((output - 1) * stride >= window.low[axis] + spatial[axis])
        --output;
    }
    window.output.push_back(output);
    window.extra.push_back(std::max<int64_t>(0, (output - 1) * stride + span - padded));
  }
  return window;
}

FailureOr<Value> padWindow(TensorBuilder &build, Value input, const Window &window, TypedAttr number) {
  SmallVector<int64_t> low(2, 0), high(2, 0), padded(build.getShape(input));
  llvm::append_range(low, window.low);
  for (auto [after, extra] : llvm::zip(window.high, window.extra))
    high.push_back(after + extra);
  for (size_t axis = 0; axis < padded.size(); ++axis)
    padded[axis] += low[axis] + high[axis];
  if (failed(checkIterationSpace(build.getLoc(), padded, build.getElement(input))))
    return failure();
  return build.pad(input, low, high, number);
}

FailureOr<Value> slideWindow(TensorBuilder &build, Value padded, const Window &window) {
  // Along one axis of size i, with kernel k, stride s, dilation d and o windows, as in tinygrad's _pool:
  //   i -> repeated to at least k rows of i + d -> [k, i + d], where row n begins n * d elements later than row 0
  //     -> every s-th element of each row -> [k, o].
  // Where windows do not overlap, [o, s] holds them as they are.
  size_t rank = window.kernel.size();
  SmallVector<int64_t> shape(TensorBuilder::getShape(padded).take_front(2));
  SmallVector<int64_t> repeatFrom(shape), repeatTo(shape), repeated(shape), high(2, 0), rows(shape), split(shape),
      rowsUsed(shape), strided(shape), first(shape), windows(shape), kernelAxes, outputAxes;
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t size = TensorBuilder::getShape(padded)[axis + 2], k = window.kernel[axis], s = window.strides[axis];
    int64_t d = window.dilations[axis], o = window.output[axis];
    if (o == 1 && d == 1)
      s = k;
    if (d == 1 && k <= s) {
      repeatFrom.append({1, size});
      repeatTo.append({1, size});
      repeated.push_back(size);
      high.push_back(std::max<int64_t>(0, o * s - size));
      rows.push_back(o * s);
      split.append({o, s});
      rowsUsed.append({o, k});
      strided.append({o, k});
      first.append({o, k});
      outputAxes.push_back(windows.size());
      kernelAxes.push_back(windows.size() + 1);
      windows.append({o, k});
      continue;
    }
    // Each row is long enough for o strides; whole copies of the input keep the rows' offsets.
    int64_t copies = std::max<int64_t>(1, llvm::divideCeil(std::max<int64_t>(0, o * s - d), size));
    int64_t row = size * copies + d, repeats = llvm::divideCeil(k * row, size);
    repeatFrom.append({1, size});
    repeatTo.append({repeats, size});
    repeated.push_back(repeats * size);
    high.push_back(0);
    rows.push_back(k * row);
    split.append({k, row});
    rowsUsed.append({k, o * s});
    strided.append({k, o, s});
    first.append({k, o, 1});
    kernelAxes.push_back(windows.size());
    outputAxes.push_back(windows.size() + 1);
    windows.append({k, o});
  }
  if (failed(checkIterationSpace(build.getLoc(), repeated, build.getElement(padded))) ||
      failed(checkIterationSpace(build.getLoc(), windows, build.getElement(padded))))
    return failure();
  auto shrinkTo = [&](Value value, ArrayRef<int64_t> end) {
    return build.shrink(value, SmallVector<int64_t>(end.size(), 0), end);
  };
  Value value = padded;
  if (repeatFrom != repeatTo)
    value = build.reshape(build.expand(build.reshape(value, repeatFrom), repeatTo), repeated);
  value = build.pad(value, SmallVector<int64_t>(high.size(), 0), high);
  value = build.reshape(shrinkTo(value, rows), split);
  value = build.reshape(shrinkTo(value, rowsUsed), strided);
  value = build.reshape(shrinkTo(value, first), windows);
  SmallVector<int64_t> permutation = {0, 1};
  llvm::append_range(permutation, outputAxes);
  llvm::append_range(permutation, kernelAxes);
  return build.permute(value, permutation);
}

} // namespace tiny::tensor
