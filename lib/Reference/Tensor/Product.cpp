// Matrix product, convolution and pooling of `tiny`, as sums over index tuples.
#include "Array.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tiny::reference {

namespace {
/// A sum of products in double, or in integers that wrap.
struct Sum {
  bool isFloat;
  double number = 0;
  unsigned __int128 wide = 0;

  void add(const Array &a, int64_t at, const Array &b, int64_t bt) {
    if (isFloat)
      number += a.number(at) * b.number(bt);
    else
      wide += static_cast<unsigned __int128>(a.wide(at)) * static_cast<unsigned __int128>(b.wide(bt));
  }
  void add(const Array &a, int64_t at) {
    if (isFloat)
      number += a.number(at);
    else
      wide += static_cast<unsigned __int128>(a.wide(at));
  }
  Scalar get(Element type) const {
    return isFloat ? fromDouble(number, type) : fromWide(static_cast<Wide>(wide), type);
  }
};

/// Sliding windows over the spatial axes, which are those from axis 2 on.
struct Windows {
  SmallVector<int64_t> spatial, kernel, strides, dilations, low, high;

  /// Calls `visit` with (kernel position, kernel indices, spatial indices, whether they lie inside the input) for every
  /// element of the window of an output position.
  void forEach(ArrayRef<int64_t> output, function_ref<void(int64_t, ArrayRef<int64_t>, bool)> visit) const {
    SmallVector<int64_t> place(spatial.size());
    forEachIndex(kernel, [&](int64_t at, ArrayRef<int64_t> indices) {
      bool inside = true;
      for (size_t axis = 0; axis < spatial.size(); ++axis) {
        place[axis] = output[axis] * strides[axis] - low[axis] + indices[axis] * dilations[axis];
        inside &= place[axis] >= 0 && place[axis] < spatial[axis];
      }
      visit(at, place, inside);
    });
  }
  bool isPadded(ArrayRef<int64_t> place) const {
    for (auto [axis, index] : llvm::enumerate(place))
      if (index < -low[axis] || index >= spatial[axis] + high[axis])
        return false;
    return true;
  }
};
} // namespace

template <typename OpTy> static Windows getWindows(OpTy op, const Array &input, ArrayRef<int64_t> kernel) {
  Windows windows;
  windows.spatial.assign(input.shape.begin() + 2, input.shape.end());
  windows.kernel.assign(kernel.begin(), kernel.end());
  size_t rank = kernel.size();
  auto read = [&](std::optional<ArrayRef<int64_t>> list, int64_t absent) {
    return list ? SmallVector<int64_t>(*list) : SmallVector<int64_t>(rank, absent);
  };
  windows.strides = read(op.getStrides(), 1);
  windows.dilations = read(op.getDilations(), 1);
  windows.low = read(op.getLow(), 0);
  windows.high = read(op.getHigh(), 0);
  return windows;
}

/// NumPy's matmul.
static void multiply(const Array &lhs, const Array &rhs, Array &result) {
  ArrayRef<int64_t> a = lhs.shape, b = rhs.shape;
  bool row = a.size() == 1, column = b.size() == 1;
  int64_t inner = a.back();
  forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
    // The result's indices are batch axes, then the row unless lhs has none, then the column unless rhs has none.
    ArrayRef<int64_t> batch = indices.drop_back(!row + !column);
    int64_t i = row ? 0 : indices[indices.size() - (column ? 1 : 2)], j = column ? 0 : indices.back();
    int64_t left = row ? 0 : broadcastIndex(a.drop_back(2), batch) * a[a.size() - 2] + i;
    int64_t right = column ? 0 : broadcastIndex(b.drop_back(2), batch);
    Sum sum{result.type.isFloat()};
    for (int64_t k = 0; k < inner; ++k)
      sum.add(lhs, left * inner + k, rhs, column ? k : (right * inner + k) * b.back() + j);
    result.values[at] = sum.get(result.type);
  });
}

static void multiplyGeneral(tensor::GemmOp op, Operands operands, Array &result) {
  const Array &lhs = *operands[0], &rhs = *operands[1];
  const Array *addend = operands.size() > 2 ? operands[2] : nullptr;
  double alpha = op.getAlpha().convertToDouble(), beta = op.getBeta().convertToDouble();
  int64_t inner = lhs.shape[op.getTransposeA() ? 0 : 1];
  forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
    Sum sum{result.type.isFloat()};
    for (int64_t k = 0; k < inner; ++k)
      sum.add(lhs, op.getTransposeA() ? k * lhs.shape[1] + indices[0] : indices[0] * inner + k, rhs,
              op.getTransposeB() ? indices[1] * inner + k : k * rhs.shape[1] + indices[1]);
    int64_t from = addend ? broadcastIndex(addend->shape, indices) : 0;
    bool adds = addend && beta != 0;
    if (sum.isFloat) {
      result.values[at] = fromDouble(alpha * sum.number + (adds ? beta * addend->number(from) : 0), result.type);
      return;
    }
    // On integers the factors are integers too.
    auto scaled = sum.wide * static_cast<unsigned __int128>(static_cast<Wide>(alpha));
    if (adds)
      scaled += static_cast<unsigned __int128>(addend->wide(from)) * static_cast<unsigned __int128>(Wide(beta));
    result.values[at] = fromWide(static_cast<Wide>(scaled), result.type);
  });
}

static void multiplyLinear(Operands operands, Array &result) {
  const Array &input = *operands[0], &weight = *operands[1];
  int64_t inner = weight.shape.back(), outputs = result.shape.empty() ? 1 : result.shape.back();
  for (int64_t at = 0; at < result.size(); ++at) {
    Sum sum{result.type.isFloat()};
    for (int64_t k = 0; k < inner; ++k)
      sum.add(input, at / outputs * inner + k, weight, at % outputs * inner + k);
    if (operands.size() > 2)
      sum.add(*operands[2], operands[2]->size() == 1 ? 0 : at % outputs);
    result.values[at] = sum.get(result.type);
  }
}

static void convolve(tensor::ConvOp op, Operands operands, Array &result) {
  const Array &input = *operands[0], &weight = *operands[1];
  Windows windows = getWindows(op, input, ArrayRef(weight.shape).drop_front(2));
  int64_t channels = weight.shape[1], perGroup = weight.shape[0] / static_cast<int64_t>(op.getGroups());
  int64_t kernelSize = 1;
  for (int64_t extent : windows.kernel)
    kernelSize *= extent;
  forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
    Sum sum{result.type.isFloat()};
    int64_t group = indices[1] / perGroup;
    windows.forEach(indices.drop_front(2), [&](int64_t k, ArrayRef<int64_t> place, bool inside) {
      for (int64_t channel = 0; channel < channels; ++channel) {
        int64_t weightAt = (indices[1] * channels + channel) * kernelSize + k;
        if (!inside) {
          // A place outside is a zero, which a weight that is not finite makes NaN.
          sum.number += sum.isFloat ? 0 * weight.number(weightAt) : 0;
          continue;
        }
        SmallVector<int64_t> from = {indices[0], group * channels + channel};
        llvm::append_range(from, place);
        sum.add(input, toLinear(input.shape, from), weight, weightAt);
      }
    });
    if (operands.size() > 2)
      sum.add(*operands[2], indices[1]);
    result.values[at] = sum.get(result.type);
  });
}

/// The largest or the mean element of each window; `count` says whether a place outside of the input counts.
static void pool(const Array &input, const Windows &windows, bool isMax, bool countsPadding, Array &result) {
  forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
    bool isFloat = input.type.isFloat(), any = false;
    double number = isMax ? -std::numeric_limits<double>::infinity() : 0;
    Wide wide = 0;
    int64_t counted = 0;
    windows.forEach(indices.drop_front(2), [&](int64_t, ArrayRef<int64_t> place, bool inside) {
      counted += inside || (countsPadding && windows.isPadded(place));
      if (!inside)
        return;
      SmallVector<int64_t> from = {indices[0], indices[1]};
      llvm::append_range(from, place);
      int64_t position = toLinear(input.shape, from);
      double element = input.number(position);
      if (!isMax)
        number += element;
      else if (isFloat)
        number =
            std::isnan(number) || element < number || (element == number && std::signbit(element)) ? number : element;
      else
        wide = any ? std::max(wide, input.wide(position)) : input.wide(position);
      any = true;
    });
    if (!isMax)
      result.values[at] = fromDouble(number / static_cast<double>(counted), result.type);
    else if (isFloat)
      result.values[at] = fromDouble(number, result.type);
    else if (any)
      result.values[at] = fromWide(wide, result.type);
    else // only padding: the least number of the type
      result.values[at] =
          result.type.isUnsigned ? makeInt(0) : fromWide(-(Wide(1) << (result.type.scalar.width - 1)), result.type);
  });
}

/// A window that is the whole input.
static Windows getWholeWindow(const Array &input) {
  Windows windows;
  windows.spatial.assign(input.shape.begin() + 2, input.shape.end());
  windows.kernel = windows.spatial;
  windows.strides.assign(windows.spatial.size(), 1);
  windows.dilations = windows.strides;
  windows.low.assign(windows.spatial.size(), 0);
  windows.high = windows.low;
  return windows;
}

/// Loops that a product takes for each element of its result.
static uint64_t countInner(Operation *op, Operands operands, const Array &result) {
  if (auto gemm = dyn_cast<tensor::GemmOp>(op))
    return operands[0]->shape[gemm.getTransposeA() ? 0 : 1];
  if (isa<tensor::MatmulOp, tensor::LinearOp>(op))
    return operands[0]->shape.empty() ? 1 : operands[0]->shape.back();
  uint64_t count = 1;
  ArrayRef<int64_t> sizes;
  if (isa<tensor::ConvOp>(op))
    sizes = ArrayRef(operands[1]->shape).drop_front(1);
  else if (auto most = dyn_cast<tensor::MaxPoolOp>(op))
    sizes = most.getKernel();
  else if (auto mean = dyn_cast<tensor::AvgPoolOp>(op))
    sizes = mean.getKernel();
  else
    sizes = ArrayRef(operands[0]->shape).drop_front(2);
  for (int64_t size : sizes)
    count = llvm::SaturatingMultiply(count, static_cast<uint64_t>(size));
  return count;
}

Known evaluateProduct(Session &session, Operation *op, Operands operands, Array &result) {
  if (!isa<tensor::MatmulOp, tensor::GemmOp, tensor::LinearOp, tensor::ConvOp, tensor::MaxPoolOp, tensor::AvgPoolOp,
           tensor::GlobalMaxPoolOp, tensor::GlobalAvgPoolOp>(op))
    return Known::No;
  uint64_t work = llvm::SaturatingMultiply(countInner(op, operands, result), static_cast<uint64_t>(result.size()));
  if (failed(session.step(std::min(work, uint64_t(1) << 62), op->getLoc())))
    return Known::Failed;
  const Array &input = *operands[0];
  if (isa<tensor::MatmulOp>(op))
    multiply(input, *operands[1], result);
  else if (auto gemm = dyn_cast<tensor::GemmOp>(op))
    multiplyGeneral(gemm, operands, result);
  else if (isa<tensor::LinearOp>(op))
    multiplyLinear(operands, result);
  else if (auto conv = dyn_cast<tensor::ConvOp>(op))
    convolve(conv, operands, result);
  else if (auto most = dyn_cast<tensor::MaxPoolOp>(op))
    pool(input, getWindows(most, input, most.getKernel()), /*isMax=*/true, /*countsPadding=*/false, result);
  else if (auto mean = dyn_cast<tensor::AvgPoolOp>(op))
    pool(input, getWindows(mean, input, mean.getKernel()), /*isMax=*/false, mean.getCountIncludePad(), result);
  else
    pool(input, getWholeWindow(input), isa<tensor::GlobalMaxPoolOp>(op), /*countsPadding=*/false, result);
  return Known::Yes;
}

} // namespace tiny::reference
