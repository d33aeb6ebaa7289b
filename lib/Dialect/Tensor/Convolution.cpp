// Convolution: every window times the weight, summed.
#include "Winograd.h"

using namespace mlir;
using namespace tiny::tensor;

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType input = getStaticTensor(adaptor.getInput().getType());
  RankedTensorType weight = getStaticTensor(adaptor.getWeight().getType());
  // (conv_c1) Input and weight have batch or out, channels, and the same number of spatial axes.
  if (!input || !weight || input.getRank() < 3 || input.getRank() != weight.getRank())
    return emitInferError(location, name, "expects input and weight of one rank of 3 or more, got ",
                          adaptor.getInput().getType(), " and ", adaptor.getWeight().getType());
  int64_t groups = adaptor.getGroups(), channels = input.getDimSize(1), out = weight.getDimSize(0);
  // (conv_c2) Groups divide the channels on both sides.
  if (groups < 1 || channels % groups != 0 || out % groups != 0)
    return emitInferError(location, name, "expects groups that divide ", channels, " and ", out, " channels, got ",
                          groups);
  // (conv_c3) The weight has the input channels of one group.
  if (weight.getDimSize(1) != channels / groups)
    return emitInferError(location, name, "expects a weight with ", channels / groups, " input channels, got ",
                          weight.getDimSize(1));
  FailureOr<Window> window = inferWindow(location, name, input.getShape().drop_front(2),
                                         weight.getShape().drop_front(2), getWindowAttrs(adaptor));
  if (failed(window))
    return failure();
  Type element = promote(input.getElementType(), weight.getElementType());
  if (Value bias = adaptor.getBias()) {
    // (conv_c4) The bias has one number per output channel.
    RankedTensorType type = getStaticTensor(bias.getType());
    if (!type || type.getShape() != ArrayRef<int64_t>(out))
      return emitInferError(location, name, "expects a bias of ", out, " numbers, got ", bias.getType());
    element = promote(element, type.getElementType());
  }
  // (conv_c5) Winograd's filtering is for floats, and for windows that move by one element.
  if (std::optional<ArrayRef<int64_t>> tiles = adaptor.getWinograd())
    if (std::string reason = whyNotWinograd(*window, *tiles, element); !reason.empty())
      return emitInferError(location, name, reason);
  SmallVector<int64_t> shape = {input.getDimSize(0), out};
  llvm::append_range(shape, window->output);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

FailureOr<SmallVector<Value>> ConvOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  ArrayRef<int64_t> inputShape = getInput().getType().getShape(), weightShape = getWeight().getType().getShape();
  int64_t batch = inputShape[0], groups = getGroups(), in = weightShape[1], out = weightShape[0] / groups;
  ArrayRef<int64_t> kernel = weightShape.drop_front(2);
  int64_t spatial = kernel.size();
  FailureOr<Window> window =
      inferWindow(getLoc(), getOperationName(), inputShape.drop_front(2), kernel, getWindowAttrs(*this));
  if (failed(window))
    return failure();
  // The loop is [batch, groups, out, output..., in, kernel...].
  SmallVector<int64_t> loop = {batch, groups, out};
  llvm::append_range(loop, window->output);
  loop.push_back(in);
  llvm::append_range(loop, kernel);
  Type element = getType().getElementType(), compute = getAccumulator(element);
  if (failed(checkIterationSpace(getLoc(), loop, compute)))
    return failure();
  auto finish = [&](Value result) {
    if (Value bias = getBias())
      result = build.add(result, build.onAxis(build.cast(bias, compute), 1, spatial + 2));
    return SmallVector<Value>{build.cast(result, element)};
  };
  if (llvm::any_of(getWinograd().value_or(ArrayRef<int64_t>()), [](int64_t tile) { return tile > 1; })) {
    FailureOr<Value> result = filterByTiles(build, *this, *window, compute);
    if (failed(result))
      return failure();
    return finish(*result);
  }

  FailureOr<Value> padded = padWindow(build, build.cast(getInput(), compute), *window);
  if (failed(padded))
    return failure();
  FailureOr<Value> windows = slideWindow(build, *padded, *window);
  if (failed(windows))
    return failure();
  // [batch, groups * in, output..., kernel...] to [batch, groups, 1, output..., in, kernel...]
  SmallVector<int64_t> split = {batch, groups, in, 1};
  llvm::append_range(split, window->output);
  llvm::append_range(split, kernel);
  SmallVector<int64_t> permutation = {0, 1, 3};
  llvm::append_range(permutation, llvm::seq<int64_t>(4, 4 + spatial));
  permutation.push_back(2);
  llvm::append_range(permutation, llvm::seq<int64_t>(4 + spatial, 4 + 2 * spatial));
  Value image = build.permute(build.reshape(*windows, split), permutation);
  SmallVector<int64_t> weightSplit = {1, groups, out};
  weightSplit.append(spatial, 1);
  weightSplit.push_back(in);
  llvm::append_range(weightSplit, kernel);
  Value product = build.mul(image, build.reshape(build.cast(getWeight(), compute), weightSplit));
  auto axes = llvm::to_vector(llvm::seq<int64_t>(3 + spatial, 4 + 2 * spatial));
  return finish(build.reshape(build.sum(product, axes), getType().getShape()));
}
