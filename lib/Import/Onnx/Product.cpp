// Matrix product, convolution and pooling.
#include "Window.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kMostTaps = 1024;

/// Reads one of the window's lists; `otherwise` stands for each axis when it is absent. False after an error.
bool readList(Node &node, StringRef name, size_t count, int64_t otherwise, int64_t least, Ints &list) {
  list.assign(count, otherwise);
  if (!node.hasAttribute(name))
    return !node.failed();
  std::optional<Ints> given = node.getInts(name);
  if (!given)
    return false;
  list = *given;
  if (list.size() != count) {
    node.fail("attribute '" + name + "' has " + Twine(list.size()) + " numbers, expected " + Twine(count));
    return false;
  }
  for (int64_t number : list) {
    if (number < least || number > INT32_MAX) {
      node.fail("attribute '" + name + "' has the number " + Twine(number) + ", expected at least " + Twine(least));
      return false;
    }
  }
  return true;
}

/// Fills in the paddings. `SAME` pads so that each stride gives one window; an odd rest goes to the end it names.
bool readPadding(Node &node, ArrayRef<int64_t> spatial, Window &window) {
  size_t count = spatial.size();
  StringRef mode = node.getString("auto_pad", "NOTSET");
  window.low.assign(count, 0);
  window.high.assign(count, 0);
  if (mode == "NOTSET") {
    Ints pads;
    if (!readList(node, "pads", 2 * count, 0, 0, pads))
      return false;
    window.low.assign(pads.begin(), pads.begin() + count);
    window.high.assign(pads.begin() + count, pads.end());
    return true;
  }
  if (mode == "VALID")
    return true;
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    node.fail("attribute 'auto_pad' is '" + mode + "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
    return false;
  }
  for (size_t axis = 0; axis < count; ++axis) {
    int64_t windows = llvm::divideCeil(spatial[axis], window.strides[axis]);
    int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    int64_t total = std::max<int64_t>((windows - 1) * window.strides[axis] + reach - spatial[axis], 0);
    bool upper = mode == "SAME_UPPER";
    window.low[axis] = upper ? total / 2 : total - total / 2;
    window.high[axis] = total - window.low[axis];
  }
  return true;
}

} // namespace

std::optional<Window> readWindow(Node &node, Value input, ArrayRef<int64_t> kernel) {
  Window window;
  if (rankOf(input) < 3) {
    node.fail("the input has rank " + Twine(rankOf(input)) + ", expected at least 3");
    return std::nullopt;
  }
  ArrayRef<int64_t> spatial = shapeOf(input).drop_front(2);
  window.kernel.assign(kernel.begin(), kernel.end());
  if (kernel.size() != spatial.size()) {
    node.fail("the window has " + Twine(kernel.size()) + " axes, the input " + Twine(spatial.size()));
    return std::nullopt;
  }
  if (!readList(node, "strides", spatial.size(), 1, 1, window.strides) ||
      !readList(node, "dilations", spatial.size(), 1, 1, window.dilations) || !readPadding(node, spatial, window))
    return std::nullopt;
  return window;
}

namespace {

/// What the window says beyond the defaults.
SmallVector<NamedAttribute> getAttributes(Node &node, const Window &window) {
  SmallVector<NamedAttribute> attributes;
  auto add = [&](StringRef name, ArrayRef<int64_t> list, int64_t otherwise) {
    if (llvm::any_of(list, [&](int64_t number) { return number != otherwise; }))
      attributes.push_back(node.attr(name, list));
  };
  add("strides", window.strides, 1);
  add("dilations", window.dilations, 1);
  add("low", window.low, 0);
  add("high", window.high, 0);
  return attributes;
}

Values translateGemm(Node &node) { return {multiplyAdd(node)}; }

Values translateConv(Node &node) {
  Value input = node.input(0), weight = node.input(1);
  return {convolve(node, input, weight, node.hasInput(2) ? node.input(2) : nullptr)};
}

} // namespace

Value pool(Node &node, Value input, StringRef op, ArrayRef<StringRef> flags) {
  if (!input)
    return nullptr;
  Ints kernel;
  if (!node.hasAttribute("kernel_shape"))
    return node.fail("attribute 'kernel_shape' is missing");
  if (!readList(node, "kernel_shape", std::max<int64_t>(rankOf(input) - 2, 0), 1, 1, kernel))
    return nullptr;
  std::optional<Window> window = readWindow(node, input, kernel);
  if (!window)
    return nullptr;
  SmallVector<NamedAttribute> attributes = getAttributes(node, *window);
  attributes.push_back(node.attr("kernel", kernel));
  for (StringRef flag : flags)
    if (node.getInt(flag, 0))
      attributes.push_back(node.attrUnit(flag));
  return node.create(op, input, attributes);
}

namespace {

/// One element of each window, at offset `tap` of the window's axes: [batch, channels, windows...].
Value takeTap(Node &node, Value padded, const Window &window, ArrayRef<int64_t> windows, ArrayRef<int64_t> tap) {
  Ints begin(rankOf(padded), 0), end(shapeOf(padded)), strides(rankOf(padded), 1);
  for (size_t axis = 0; axis < tap.size(); ++axis) {
    begin[axis + 2] = tap[axis] * window.dilations[axis];
    end[axis + 2] = begin[axis + 2] + (windows[axis] - 1) * window.strides[axis] + 1;
    strides[axis + 2] = window.strides[axis];
  }
  return node.create("tiny.slice", padded,
                     {node.attr("begin", begin), node.attr("end", end), node.attr("strides", strides)});
}

/// Where in the whole input the largest element of each window stands, the first of equals.
Value findLargest(Node &node, Value input, const Window &window, Value pooled) {
  int64_t rank = rankOf(input), taps = 1;
  Type index = IntegerType::get(node.getContext(), 64);
  ArrayRef<int64_t> windows = shapeOf(pooled).drop_front(2), spatial = shapeOf(input).drop_front(2);
  Ints low(rank, 0), high(rank, 0);
  for (size_t axis = 0; axis < spatial.size(); ++axis) {
    int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    int64_t last = (windows[axis] - 1) * window.strides[axis] + reach;
    low[axis + 2] = window.low[axis];
    high[axis + 2] = std::max(window.high[axis], last - window.low[axis] - spatial[axis]);
    if (window.kernel[axis] > kMostTaps / taps)
      return node.fail("indices of windows of more than " + Twine(kMostTaps) + " elements are not supported");
    taps *= window.kernel[axis];
  }
  // Indices count by rows, or by columns.
  Value places;
  bool byColumns = node.getInt("storage_order", 0) != 0;
  int64_t stride = 1;
  auto count = [&](int64_t axis) {
    Ints shape(rank, 1);
    shape[axis] = shapeOf(input)[axis];
    Value part = node.mul(node.iota(shape, index, axis), node.scalar(double(stride), index));
    places = places ? node.add(places, part) : part;
    stride *= shapeOf(input)[axis];
  };
  for (int64_t k = 2; k < rank; ++k)
    count(byColumns ? k : rank + 1 - k);
  count(1);
  count(0);
  Value padded = node.pad(input, low, high);
  Value paddedPlaces = node.expand(places, shapeOf(input));
  if (padded != input)
    paddedPlaces =
        node.create("tiny.pad", paddedPlaces,
                    {node.attr("low", low), node.attr("high", high), node.attr("value", node.number(-1, index))});
  Value best, found;
  Ints tap(spatial.size(), 0);
  for (int64_t k = 0; k < taps && !node.failed(); ++k) {
    Value element = takeTap(node, padded, window, windows, tap);
    Value place = takeTap(node, paddedPlaces, window, windows, tap);
    if (!best) {
      best = element;
      found = place;
    } else {
      Value none = node.create("tiny.lt", {found, node.scalar(0, index)});
      Value better = node.create("tiny.or", {none, node.create("tiny.gt", {element, best})});
      Value inside = node.create("tiny.ge", {place, node.scalar(0, index)});
      better = node.create("tiny.and", {better, inside});
      best = node.where(better, element, best);
      found = node.where(better, place, found);
    }
    for (int64_t axis = int64_t(tap.size()) - 1; axis >= 0 && ++tap[axis] == window.kernel[axis]; --axis)
      tap[axis] = 0;
  }
  return found;
}

Values translateMaxPool(Node &node) {
  Values results = {pool(node, node.input(0), "tiny.max_pool", {"ceil_mode"})};
  if (!node.hasOutput(1) || !results[0])
    return results;
  Ints kernel = *node.getInts("kernel_shape");
  std::optional<Window> window = readWindow(node, node.input(0), kernel);
  if (window)
    results.push_back(findLargest(node, node.input(0), *window, results[0]));
  return results;
}

// (sum of |x|^p over each window)^(1/p): the mean of zero-padded windows, times their size.
Values translateLpPool(Node &node) {
  Value input = node.create("tiny.abs", node.input(0));
  if (!input)
    return {};
  Ints kernel;
  if (!node.hasAttribute("kernel_shape"))
    return {node.fail("attribute 'kernel_shape' is missing")};
  if (!readList(node, "kernel_shape", std::max<int64_t>(rankOf(input) - 2, 0), 1, 1, kernel))
    return {};
  std::optional<Window> window = readWindow(node, input, kernel);
  if (!window)
    return {};
  double p = node.opset() < 2 ? node.getFloat("p", 2) : double(node.getInt("p", 2)), count = 1;
  Ints low(rankOf(input), 0), high(rankOf(input), 0);
  for (size_t axis = 0; axis < kernel.size(); ++axis) {
    int64_t reach = (kernel[axis] - 1) * window->dilations[axis] + 1, stride = window->strides[axis];
    int64_t size = shapeOf(input)[axis + 2], padded = size + window->low[axis] + window->high[axis];
    low[axis + 2] = window->low[axis];
    high[axis + 2] = window->high[axis];
    // The last window may hang over the end, when it begins in front of it.
    int64_t windows = llvm::divideCeil(std::max<int64_t>(padded - reach, 0), stride);
    if (node.getInt("ceil_mode", 0) && windows * stride < size + window->low[axis])
      high[axis + 2] += std::max<int64_t>(windows * stride + reach - padded, 0);
    count *= double(kernel[axis]);
  }
  Value power = node.pad(node.create("tiny.pow", {input, node.like(input, p)}), low, high);
  Value mean = node.create(
      "tiny.avg_pool", power,
      {node.attr("kernel", kernel), node.attr("strides", window->strides), node.attr("dilations", window->dilations)});
  Value total = node.mul(mean, node.like(mean, count));
  return {node.cast(node.create("tiny.pow", {total, node.like(total, 1 / p)}), elementOf(input))};
}

/// How many places of each window lie in the input along an axis whose size is open, in operations.
Value countPlaces(Node &node, const Window &window, size_t axis, int64_t size, ArrayRef<int64_t> shape) {
  Type i64 = IntegerType::get(node.getContext(), 64);
  Ints extents(shape.size(), 1);
  extents[axis + 2] = shape[axis + 2];
  Value places = node.iota(extents, i64, int64_t(axis) + 2);
  Value first = node.sub(node.mul(places, node.like(places, double(window.strides[axis]))),
                         node.like(places, double(window.low[axis])));
  auto countSteps = [&](Value distance) {
    return window.dilations[axis] == 1
               ? distance
               : node.create("tiny.floordiv", {distance, node.like(distance, double(window.dilations[axis]))});
  };
  // Steps that lead to 0 at least, and those that lead to the last element at most.
  Value from = node.create("tiny.maximum", {node.create("tiny.neg", countSteps(first)), node.like(first, 0)});
  Value to = node.add(countSteps(node.sub(node.like(first, double(size - 1)), first)), node.like(first, 1));
  to = node.create("tiny.minimum", {to, node.like(to, double(window.kernel[axis]))});
  return node.create("tiny.maximum", {node.sub(to, from), node.like(to, 0)});
}

/// The mean without the padding where the size of an axis with padding is open; null where none is, or after an error.
Value averageOpen(Node &node, Value input) {
  std::optional<Ints> kernel = node.getInts("kernel_shape");
  if (!input || !kernel || node.getInt("ceil_mode", 0) || node.getInt("count_include_pad", 0) ||
      rankOf(input) != int64_t(kernel->size()) + 2)
    return nullptr;
  std::optional<Window> window = readWindow(node, input, *kernel);
  if (!window)
    return nullptr;
  SmallVector<size_t> padded;
  bool isOpen = false;
  for (size_t axis = 0; axis < kernel->size(); ++axis)
    if (window->low[axis] || window->high[axis]) {
      padded.push_back(axis);
      isOpen |= node.isOpen(shapeOf(input)[axis + 2]);
    }
  if (!isOpen)
    return nullptr;
  SmallVector<NamedAttribute> attributes = getAttributes(node, *window);
  attributes.push_back(node.attr("kernel", *kernel));
  attributes.push_back(node.attrUnit("count_include_pad"));
  Value mean = node.create("tiny.avg_pool", input, attributes);
  if (!mean)
    return nullptr;
  double all = 1;
  Value count;
  for (size_t axis : padded) {
    all *= double((*kernel)[axis]);
    Value own = countPlaces(node, *window, axis, shapeOf(input)[axis + 2], shapeOf(mean));
    count = count ? node.mul(count, own) : own;
  }
  return node.div(node.mul(mean, node.like(mean, all)), node.cast(count, elementOf(mean)));
}

Values translateAveragePool(Node &node) {
  if (Value mean = averageOpen(node, node.input(0)); mean || node.failed())
    return {mean};
  return {pool(node, node.input(0), "tiny.avg_pool", {"ceil_mode", "count_include_pad"})};
}

} // namespace

Value multiplyAdd(Node &node) {
  SmallVector<Value> operands = {node.input(0), node.input(1)};
  if (node.hasInput(2))
    operands.push_back(node.input(2));
  SmallVector<NamedAttribute> attributes = {node.attrF64("alpha", node.getFloat("alpha", 1)),
                                            node.attrF64("beta", node.getFloat("beta", 1))};
  if (node.getInt("transA", 0))
    attributes.push_back(node.attrUnit("transpose_a"));
  if (node.getInt("transB", 0))
    attributes.push_back(node.attrUnit("transpose_b"));
  return node.create("tiny.gemm", operands, attributes);
}

Value convolve(Node &node, Value input, Value weight, Value bias) {
  if (!input || !weight)
    return nullptr;
  if (rankOf(weight) < 3)
    return node.fail("the weight has rank " + Twine(rankOf(weight)) + ", expected at least 3");
  ArrayRef<int64_t> kernel = shapeOf(weight).drop_front(2);
  if (std::optional<Ints> stated = node.getInts("kernel_shape"); stated && ArrayRef<int64_t>(*stated) != kernel)
    return node.fail("attribute 'kernel_shape' differs from the weight's shape");
  std::optional<Window> window = readWindow(node, input, kernel);
  if (!window)
    return nullptr;
  SmallVector<Value> operands = {input, weight};
  if (bias)
    operands.push_back(bias);
  SmallVector<NamedAttribute> attributes = getAttributes(node, *window);
  attributes.push_back(node.attr("groups", node.getInt("group", 1)));
  return node.create("tiny.conv", operands, attributes);
}

ArrayRef<Handler> getProductHandlers() {
  static const Handler handlers[] = {
      {"AveragePool", 1, 1, "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides",
       translateAveragePool},
      {"Conv", 2, 3, "auto_pad dilations group kernel_shape pads strides", translateConv},
      {"Gemm", 2, 3, "alpha beta transA transB", translateGemm},
      {"GlobalAveragePool", 1, 1, "", nullptr, "tiny.global_avg_pool"},
      {"GlobalMaxPool", 1, 1, "", nullptr, "tiny.global_max_pool"},
      {"LpPool", 1, 1, "auto_pad ceil_mode dilations kernel_shape p pads strides", translateLpPool},
      {"MatMul", 2, 2, "", nullptr, "tiny.matmul"},
      {"MaxPool", 1, 1, "auto_pad ceil_mode dilations kernel_shape pads storage_order strides", translateMaxPool},
  };
  return handlers;
}

} // namespace tiny::onnximport
