// Matrix product, convolution and pooling.
#include "Node.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

Values translateGemm(Node &node) {
  SmallVector<Value> operands = {node.input(0), node.input(1)};
  if (node.hasInput(2))
    operands.push_back(node.input(2));
  SmallVector<NamedAttribute> attributes = {node.attrF64("alpha", node.getFloat("alpha", 1)),
                                            node.attrF64("beta", node.getFloat("beta", 1))};
  if (node.getInt("transA", 0))
    attributes.push_back(node.attrUnit("transpose_a"));
  if (node.getInt("transB", 0))
    attributes.push_back(node.attrUnit("transpose_b"));
  return {node.create("tiny.gemm", operands, attributes)};
}

/// A sliding window over the spatial axes, one number per axis.
struct Window {
  Ints kernel, strides, dilations, low, high;
};

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

/// Reads the window over an input [batch, channels, spatial...]. None after an error.
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

Values translateConv(Node &node) {
  Value input = node.input(0), weight = node.input(1);
  return {convolve(node, input, weight, node.hasInput(2) ? node.input(2) : nullptr)};
}

Values translatePool(Node &node, StringRef op, ArrayRef<StringRef> flags) {
  Value input = node.input(0);
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
  SmallVector<NamedAttribute> attributes = getAttributes(node, *window);
  attributes.push_back(node.attr("kernel", kernel));
  for (StringRef flag : flags)
    if (node.getInt(flag, 0))
      attributes.push_back(node.attrUnit(flag));
  return {node.create(op, input, attributes)};
}

Values translateMaxPool(Node &node) { return translatePool(node, "tiny.max_pool", {"ceil_mode"}); }

Values translateAveragePool(Node &node) {
  return translatePool(node, "tiny.avg_pool", {"ceil_mode", "count_include_pad"});
}

} // namespace

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
      {"MatMul", 2, 2, "", nullptr, "tiny.matmul"},
      {"MaxPool", 1, 1, "auto_pad ceil_mode dilations kernel_shape pads storage_order strides", translateMaxPool},
  };
  return handlers;
}

} // namespace tiny::onnximport
