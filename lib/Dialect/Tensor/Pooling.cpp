// Pooling: a reduction of every window.
#include "Window.h"

using namespace mlir;
using namespace tiny::tensor;

/// The shape of a pooling's result, or a failure with an error. (pool_c1) There are spatial axes.
template <typename Adaptor>
static FailureOr<SmallVector<int64_t>> inferPool(std::optional<Location> location, StringRef name, Adaptor adaptor) {
  RankedTensorType input = getStaticTensor(adaptor.getInput().getType());
  if (!input || input.getRank() < 3)
    return emitInferError(location, name, "expects an input of rank 3 or more, got ", adaptor.getInput().getType());
  WindowAttrs attrs = getWindowAttrs(adaptor);
  attrs.ceilMode = adaptor.getCeilMode();
  FailureOr<Window> window = inferWindow(location, name, input.getShape().drop_front(2), adaptor.getKernel(), attrs);
  if (failed(window))
    return failure();
  SmallVector<int64_t> shape(input.getShape().take_front(2));
  llvm::append_range(shape, window->output);
  return shape;
}

/// The windows of a verified operation.
template <typename OpTy> static Window getWindow(OpTy op) {
  WindowAttrs attrs = getWindowAttrs(op);
  attrs.ceilMode = op.getCeilMode();
  return *inferWindow(op.getLoc(), OpTy::getOperationName(), op.getInput().getType().getShape().drop_front(2),
                      op.getKernel(), attrs);
}

/// The kernel's axes among [batch, channels, output..., kernel...].
static SmallVector<int64_t> getKernelAxes(const Window &window) {
  int64_t spatial = window.kernel.size();
  return llvm::to_vector(llvm::seq<int64_t>(2 + spatial, 2 + 2 * spatial));
}

//===--- max_pool -------------------------------------------------------------------------------------------------===//

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<int64_t>> shape = inferPool(location, getOperationName(), adaptor);
  if (failed(shape))
    return failure();
  types.push_back(getStaticTensor(adaptor.getInput().getType()).clone(*shape));
  return success();
}

FailureOr<SmallVector<Value>> MaxPoolOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Window window = getWindow(*this);
  FailureOr<Value> padded = padWindow(build, getInput(), window, getLowest(getType().getElementType()));
  if (failed(padded))
    return failure();
  FailureOr<Value> windows = slideWindow(build, *padded, window);
  if (failed(windows))
    return failure();
  return SmallVector<Value>{build.max(*windows, getKernelAxes(window))};
}

//===--- avg_pool -------------------------------------------------------------------------------------------------===//

LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<int64_t>> shape = inferPool(location, getOperationName(), adaptor);
  if (failed(shape))
    return failure();
  RankedTensorType input = getStaticTensor(adaptor.getInput().getType());
  types.push_back(RankedTensorType::get(*shape, toFloat(input.getElementType())));
  return success();
}

/// How many elements each window has along one axis, without the padding that does not count.
static SmallVector<int64_t> countAlongAxis(const Window &window, size_t axis, int64_t size, bool includePad) {
  int64_t begin = includePad ? -window.low[axis] : 0, end = size + (includePad ? window.high[axis] : 0);
  int64_t dilation = window.dilations[axis];
  SmallVector<int64_t> counts;
  for (int64_t index = 0; index < window.output[axis]; ++index) {
    int64_t first = index * window.strides[axis] - window.low[axis], last = first + window.kernel[axis] * dilation;
    // Positions first, first + dilation, ... below last, that lie in [begin, end).
    int64_t from = first >= begin ? first : first + llvm::divideCeil(begin - first, dilation) * dilation;
    int64_t to = std::min(last, end);
    counts.push_back(from < to ? llvm::divideCeil(to - from, dilation) : 0);
  }
  return counts;
}

FailureOr<SmallVector<Value>> AvgPoolOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Window window = getWindow(*this);
  Type element = getType().getElementType(), compute = getAccumulator(element);
  FailureOr<Value> padded = padWindow(build, build.cast(getInput(), compute), window);
  if (failed(padded))
    return failure();
  FailureOr<Value> windows = slideWindow(build, *padded, window);
  if (failed(windows))
    return failure();
  Value result = build.sum(*windows, getKernelAxes(window));
  // The divisor is a product of one count per axis; where an axis always has the same it is a plain number.
  double common = 1;
  Value divisor;
  for (size_t axis = 0; axis < window.kernel.size(); ++axis) {
    int64_t size = getInput().getType().getDimSize(axis + 2);
    bool isFull =
        window.extra[axis] == 0 && (getCountIncludePad() || (window.low[axis] == 0 && window.high[axis] == 0));
    if (isFull) {
      common *= window.kernel[axis];
      continue;
    }
    SmallVector<Attribute> counts;
    for (int64_t count : countAlongAxis(window, axis, size, getCountIncludePad()))
      counts.push_back(getNumber(compute, count));
    auto type = RankedTensorType::get(counts.size(), compute);
    Value constant = build.create<ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(type, counts)));
    constant = build.onAxis(constant, axis + 2, getType().getRank());
    divisor = divisor ? build.mul(divisor, constant) : constant;
  }
  if (!divisor)
    divisor = build.like(result, common);
  else if (common != 1)
    divisor = build.mul(divisor, common);
  return SmallVector<Value>{build.cast(build.div(result, divisor), element)};
}

//===--- global pools ---------------------------------------------------------------------------------------------===//

/// All axes but batch and channels.
static SmallVector<int64_t> getSpatialAxes(int64_t rank) { return llvm::to_vector(llvm::seq<int64_t>(2, rank)); }

static LogicalResult inferGlobalPool(std::optional<Location> location, StringRef name, Type type, bool toFloats,
                                     SmallVectorImpl<Type> &types) {
  // (global_pool_c1) There are spatial axes.
  RankedTensorType input = getStaticTensor(type);
  if (!input || input.getRank() < 3)
    return emitInferError(location, name, "expects an input of rank 3 or more, got ", type);
  SmallVector<int64_t> shape = reduceShape(input.getShape(), getSpatialAxes(input.getRank()), /*keepdims=*/true);
  Type element = input.getElementType();
  types.push_back(RankedTensorType::get(shape, toFloats ? toFloat(element) : element));
  return success();
}

LogicalResult GlobalMaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  return inferGlobalPool(location, getOperationName(), adaptor.getInput().getType(), /*toFloats=*/false, types);
}

LogicalResult GlobalAvgPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  return inferGlobalPool(location, getOperationName(), adaptor.getInput().getType(), /*toFloats=*/true, types);
}

FailureOr<SmallVector<Value>> GlobalMaxPoolOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  return SmallVector<Value>{build.max(getInput(), getSpatialAxes(getType().getRank()), /*keepdims=*/true)};
}

FailureOr<SmallVector<Value>> GlobalAvgPoolOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  return SmallVector<Value>{build.create<MeanOp>(getInput(), getSpatialAxes(getType().getRank()), /*keepdims=*/true)};
}
