// Matrix products, convolutions and pools. Channels stand last in tosa, and behind the batch in tensor operations.
#include "Translators.h"

using namespace mlir;

namespace tiny::tosaimport {

using tensor::TensorBuilder;

namespace {

/// The last axis becomes the second one.
Value channelsFirst(TensorBuilder &build, Value value) {
  Ints order = {0, int64_t(TensorBuilder::getShape(value).size()) - 1};
  for (int64_t axis = 1, last = order[1]; axis < last; ++axis)
    order.push_back(axis);
  return build.permute(value, order);
}

/// The second axis becomes the last one.
Value channelsLast(TensorBuilder &build, Value value) {
  Ints order = {0};
  for (int64_t axis = 2, rank = TensorBuilder::getShape(value).size(); axis < rank; ++axis)
    order.push_back(axis);
  order.push_back(1);
  return build.permute(value, order);
}

/// What pads one axis lies side by side in tosa.
std::pair<Ints, Ints> splitPadding(ArrayRef<int64_t> pad) {
  Ints low, high;
  for (size_t i = 0; i + 1 < pad.size(); i += 2) {
    low.push_back(pad[i]);
    high.push_back(pad[i + 1]);
  }
  return {low, high};
}

struct Window {
  Ints strides, dilations, low, high;
  int64_t groups = 1;
};

/// Operands channels first; the result channels last. A bias of one element goes to each channel.
Value convolve(TensorBuilder &build, Value input, Value weight, Value bias, const Window &window, Type element) {
  auto list = [&](ArrayRef<int64_t> numbers) { return build.getBuilder().getDenseI64ArrayAttr(numbers); };
  // What accumulates wider than its operands is wider from the beginning.
  if (isa<FloatType>(element) &&
      element.getIntOrFloatBitWidth() > TensorBuilder::getElement(input).getIntOrFloatBitWidth()) {
    input = build.cast(input, element);
    weight = build.cast(weight, element);
  }
  Value result =
      build.create<tensor::ConvOp>(input, weight, Value(), list(window.strides), list(window.dilations),
                                   list(window.low), list(window.high), uint64_t(window.groups), DenseI64ArrayAttr());
  return build.add(channelsLast(build, result), build.cast(bias, TensorBuilder::getElement(result)));
}

template <typename ConvOp> Value translateConv(ConvOp op, TensorBuilder &build) {
  FailureOr<int64_t> inputZero = op.getInputZeroPoint(), weightZero = op.getWeightZeroPoint();
  if (failed(inputZero) || failed(weightZero))
    return fail(op, "expected constant zero points");
  Value input = channelsFirst(build, readQuantized(build, op.getInput(), *inputZero));
  Value weight = readQuantized(build, op.getWeight(), *weightZero);
  Window window{Ints(op.getStride()), Ints(op.getDilation()), {}, {}, 1};
  std::tie(window.low, window.high) = splitPadding(op.getPad());
  if constexpr (std::is_same_v<ConvOp, tosa::DepthwiseConv2DOp>) {
    // [height, width, channels, multiplier]
    ArrayRef<int64_t> shape = TensorBuilder::getShape(op.getWeight());
    weight = build.reshape(build.permute(weight, {2, 3, 0, 1}), {shape[2] * shape[3], 1, shape[0], shape[1]});
    window.groups = shape[2];
  } else {
    weight = channelsFirst(build, weight);
  }
  if (TensorBuilder::getShape(weight)[1] * window.groups != TensorBuilder::getShape(input)[1])
    return fail(op, "the weight does not fit the input's channels");
  return convolve(build, input, weight, op.getBias(), window, getResultElement(op));
}

/// A convolution of the input with zeros between its elements by the kernel turned round.
Value translateTransposeConv(tosa::TransposeConv2DOp op, TensorBuilder &build) {
  FailureOr<int64_t> inputZero = op.getInputZeroPoint(), weightZero = op.getWeightZeroPoint();
  if (failed(inputZero) || failed(weightZero))
    return fail(op, "expected constant zero points");
  Value input = channelsFirst(build, readQuantized(build, op.getInput(), *inputZero));
  Value weight = channelsFirst(build, readQuantized(build, op.getWeight(), *weightZero));
  if (TensorBuilder::getShape(weight)[1] != TensorBuilder::getShape(input)[1])
    return fail(op, "the weight does not fit the input's channels");
  auto [low, high] = splitPadding(op.getOutPad());
  Window window{{1, 1}, {1, 1}, {}, {}, 1};
  for (int64_t axis = 0; axis < 2; ++axis) {
    int64_t stride = op.getStride()[axis], reach = TensorBuilder::getShape(weight)[axis + 2] - 1;
    int64_t size = TensorBuilder::getShape(input)[axis + 2];
    Ints apart(TensorBuilder::getShape(input)), merged = apart, none(5, 0), zeros(5, 0), begin(4, 0);
    apart.insert(apart.begin() + axis + 3, 1);
    zeros[axis + 3] = stride - 1;
    merged[axis + 2] *= stride;
    input = build.reshape(build.pad(build.reshape(input, apart), none, zeros), merged);
    merged[axis + 2] = (size - 1) * stride + 1;
    input = build.shrink(input, begin, merged);
    window.low.push_back(reach + low[axis]);
    window.high.push_back(reach + high[axis]);
  }
  weight = build.create<tensor::FlipOp>(weight, ArrayRef<int64_t>{2, 3});
  return convolve(build, input, weight, op.getBias(), window, getResultElement(op));
}

Value translateMatMul(tosa::MatMulOp op, TensorBuilder &build) {
  FailureOr<int64_t> left = op.getAZeroPoint(), right = op.getBZeroPoint();
  if (failed(left) || failed(right))
    return fail(op, "expected constant zero points");
  Value a = readQuantized(build, op.getA(), *left), b = readQuantized(build, op.getB(), *right);
  ArrayRef<int64_t> rows = TensorBuilder::getShape(a), columns = TensorBuilder::getShape(b);
  if (rows[0] != columns[0] || rows[2] != columns[1])
    return fail(op, "the operands do not fit each other");
  Type element = getResultElement(op);
  if (isa<FloatType>(element)) {
    a = build.cast(a, element);
    b = build.cast(b, element);
  }
  return build.create<tensor::MatmulOp>(a, b);
}

template <typename PoolOp, typename OpTy> Value pool(PoolOp op, Value input, TensorBuilder &build) {
  Builder &builder = build.getBuilder();
  auto [low, high] = splitPadding(op.getPad());
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("kernel", builder.getDenseI64ArrayAttr(op.getKernel())),
      builder.getNamedAttr("strides", builder.getDenseI64ArrayAttr(op.getStride())),
      builder.getNamedAttr("low", builder.getDenseI64ArrayAttr(low)),
      builder.getNamedAttr("high", builder.getDenseI64ArrayAttr(high))};
  return channelsLast(build, build.create<OpTy>(ValueRange{channelsFirst(build, input)}, attributes));
}

Value translateMaxPool(tosa::MaxPool2dOp op, TensorBuilder &build) {
  auto largest = [&](Value input) { return pool<tosa::MaxPool2dOp, tensor::MaxPoolOp>(op, input, build); };
  if (!ignoresNan(op.getInput(), op.getNanMode()))
    return largest(op.getInput());
  Value known = build.cast(build.create<tensor::NotOp>(build.create<tensor::IsNaNOp>(op.getInput())),
                           build.getBuilder().getF32Type());
  Value any = largest(known), result = largest(replaceNan(build, op.getInput(), -INFINITY));
  return build.where(build.create<tensor::GtOp>(any, build.like(any, 0)), result, build.like(result, NAN));
}

/// How many elements of an axis the window holds at each place, without padding.
Ints countElements(int64_t size, int64_t kernel, int64_t stride, int64_t low, int64_t places) {
  Ints counts;
  for (int64_t place = 0; place < places; ++place) {
    int64_t begin = place * stride - low;
    counts.push_back(std::min(begin + kernel, size) - std::max<int64_t>(begin, 0));
  }
  return counts;
}

/// The sum of each window times the reciprocal of its count, as the standard rounds both.
Value averageIntegers(tosa::AvgPool2dOp op, TensorBuilder &build) {
  FailureOr<int64_t> inputZero = op.getInputZeroPoint(), outputZero = op.getOutputZeroPoint();
  if (failed(inputZero) || failed(outputZero))
    return fail(op, "expected constant zero points");
  Value input = channelsFirst(build, readQuantized(build, op.getInput(), *inputZero));
  ArrayRef<int64_t> shape = TensorBuilder::getShape(input), result = getResultShape(op);
  auto [low, high] = splitPadding(op.getPad());
  Window window{Ints(op.getStride()), {1, 1}, low, high, shape[1]};
  Value ones = build.full({shape[1], 1, op.getKernel()[0], op.getKernel()[1]}, build.getBuilder().getI32IntegerAttr(1));
  Value none = build.full({1}, build.getBuilder().getI32IntegerAttr(0));
  Value total = convolve(build, input, ones, none, window, build.getBuilder().getI32Type());
  Ints rows = countElements(shape[2], op.getKernel()[0], window.strides[0], low[0], result[1]);
  Ints columns = countElements(shape[3], op.getKernel()[1], window.strides[1], low[1], result[2]);
  SmallVector<int64_t> multipliers, shifts;
  for (int64_t row : rows)
    for (int64_t column : columns) {
      int64_t count = std::max<int64_t>(row * column, 1);
      int64_t shift = llvm::Log2_64_Ceil(uint64_t(count));
      multipliers.push_back((((int64_t(1) << 30) + 1) << shift) / count);
      shifts.push_back(30 + shift);
    }
  Type wide = build.getBuilder().getI64Type();
  auto perPlace = [&](ArrayRef<int64_t> numbers) {
    auto type = RankedTensorType::get({1, result[1], result[2], 1}, wide);
    return build.create<tensor::ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(type, numbers)));
  };
  Value shift = perPlace(shifts), one = likeInteger(build, shift, 1);
  Value half = build.create<tensor::ShlOp>(one, build.sub(shift, one));
  Value scaled = build.add(build.mul(build.cast(total, wide), perPlace(multipliers)), half);
  scaled = build.create<tensor::ShrOp>(scaled, shift);
  scaled = build.add(scaled, likeInteger(build, scaled, *outputZero));
  auto [least, most] = getRange(getResultElement(op));
  return build.minimum(build.maximum(scaled, likeInteger(build, scaled, least)), likeInteger(build, scaled, most));
}

Value translateAvgPool(tosa::AvgPool2dOp op, TensorBuilder &build) {
  return isFloat(op.getInput()) ? pool<tosa::AvgPool2dOp, tensor::AvgPoolOp>(op, op.getInput(), build)
                                : averageIntegers(op, build);
}

} // namespace

void addProducts(TranslatorTable &table) {
  table.add<tosa::AvgPool2dOp>(translateAvgPool);
  table.add<tosa::Conv2DOp>(translateConv<tosa::Conv2DOp>);
  table.add<tosa::Conv3DOp>(translateConv<tosa::Conv3DOp>);
  table.add<tosa::DepthwiseConv2DOp>(translateConv<tosa::DepthwiseConv2DOp>);
  table.add<tosa::MatMulOp>(translateMatMul);
  table.add<tosa::MaxPool2dOp>(translateMaxPool);
  table.add<tosa::TransposeConv2DOp>(translateTransposeConv);
}

} // namespace tiny::tosaimport
