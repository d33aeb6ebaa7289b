// Products that are no plain matrix product: Einsum, transposed convolution, powers of pools, fused products.
#include "Node.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

/// The labels of one operand's axes; an ellipsis becomes digits, counted from the right. None after an error.
std::optional<std::string> readLabels(Node &node, StringRef term, int64_t rank) {
  std::string compact;
  for (char letter : term)
    if (letter != ' ')
      compact += letter;
  auto [before, after] = StringRef(compact).split("...");
  bool hasEllipsis = StringRef(compact).contains("...");
  int64_t hidden = rank - int64_t(before.size() + after.size());
  std::string labels = before.str();
  for (int64_t k = hidden; hasEllipsis && k > 0; --k)
    labels += char('0' + k);
  labels += after;
  bool isValid = llvm::all_of(labels, [](char c) { return llvm::isAlnum(c); });
  if (int64_t(labels.size()) == rank && isValid && hidden >= 0 && hidden < 10)
    return labels;
  node.fail("the term '" + term + "' does not fit an operand of rank " + Twine(rank));
  return std::nullopt;
}

/// Takes the diagonal where a label stands twice, and moves the axes to the order of `order`, absent ones of size 1.
Value arrange(Node &node, Value value, std::string labels, StringRef order) {
  for (size_t first = 0; first < labels.size() && value; ++first) {
    size_t second = labels.find(labels[first], first + 1);
    if (second == std::string::npos)
      continue;
    if (shapeOf(value)[first] != shapeOf(value)[second])
      return node.fail("the label '" + Twine(labels[first]) + "' has two sizes");
    Type element = IntegerType::get(node.getContext(), 64);
    Ints shape(rankOf(value), 1);
    shape[first] = shape[second] = shapeOf(value)[first];
    Value equal = node.create("tiny.eq", {node.iota(shape, element, first), node.iota(shape, element, second)});
    value = node.cast(node.sum(node.where(equal, value, node.like(value, 0)), int64_t(second)), elementOf(value));
    labels.erase(second, 1);
    --first;
  }
  if (!value)
    return nullptr;
  Ints permutation, shape;
  for (char label : order) {
    size_t at = labels.find(label);
    if (at != std::string::npos)
      permutation.push_back(at);
    shape.push_back(at == std::string::npos ? 1 : shapeOf(value)[at]);
  }
  return node.reshape(permutation.size() > 1 ? node.permute(value, permutation) : value, shape);
}

// All operands side by side over all labels, their product, and its sum over what the result does not name.
Values translateEinsum(Node &node) {
  auto [left, right] = node.getString("equation", "").split("->");
  bool isExplicit = node.getString("equation", "").contains("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != node.numInputs())
    return {node.fail("the equation has " + Twine(terms.size()) + " terms for " + Twine(node.numInputs()) + " inputs")};
  SmallVector<std::string> labels;
  llvm::MapVector<char, unsigned> counts;
  size_t hidden = 0;
  for (auto [index, term] : llvm::enumerate(terms)) {
    Value input = node.input(index);
    std::optional<std::string> read = input ? readLabels(node, term, rankOf(input)) : std::nullopt;
    if (!read)
      return {};
    labels.push_back(*read);
    for (char label : *read)
      ++counts[label];
    hidden = std::max<size_t>(hidden, llvm::count_if(*read, [](char label) { return llvm::isDigit(label); }));
  }
  std::string ellipsis, result;
  for (size_t k = hidden; k > 0; --k)
    ellipsis += char('0' + k);
  if (isExplicit) {
    std::string compact;
    for (char letter : right)
      if (letter != ' ')
        compact += letter;
    auto [before, after] = StringRef(compact).split("...");
    result = before.str() + (StringRef(compact).contains("...") ? ellipsis : "") + after.str();
  } else {
    for (char label = 'A'; label <= 'z'; ++label)
      if (llvm::isAlpha(label) && counts.lookup(label) == 1)
        result += label;
    result = ellipsis + result;
  }
  std::string order = result;
  for (auto [label, count] : counts)
    if (result.find(label) == std::string::npos)
      order += label;
  for (auto [index, label] : llvm::enumerate(result))
    if (!counts.contains(label) || result.find(label) != index)
      return {node.fail("the result's label '" + Twine(label) + "' is in no operand, or named twice")};
  Value total;
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    Value part = arrange(node, node.input(i), labels[i], order);
    total = total ? node.mul(total, part) : part;
  }
  if (!total)
    return {};
  auto summed = llvm::to_vector(llvm::seq<int64_t>(result.size(), order.size()));
  return {node.cast(node.sum(total, summed), elementOf(node.input(0)))};
}

/// A transposed convolution whose windows neither overlap nor leave gaps: a product, whose results are put side by
/// side. weight [in, out, k...] and input [n, in, d...] give [n, out * k, d], then [n, out, d0 * k0, d1 * k1, ...].
Value makeBlocks(Node &node, Value input, Value weight) {
  ArrayRef<int64_t> shape = shapeOf(input), window = shapeOf(weight).drop_front(2);
  int64_t batch = shape[0], in = shape[1], out = shapeOf(weight)[1], points = 1, places = out;
  for (auto [size, extent] : llvm::zip_equal(shape.drop_front(2), window)) {
    points *= size;
    places *= extent;
  }
  Value rows = node.permute(node.reshape(weight, {in, places}), {1, 0});
  Value product = node.create("tiny.matmul", {rows, node.reshape(input, {batch, in, points})});
  Ints apart = {batch, out}, order = {0, 1}, joined = {batch, out};
  int64_t spatial = window.size();
  llvm::append_range(apart, window);
  llvm::append_range(apart, shape.drop_front(2));
  for (int64_t axis = 0; axis < spatial; ++axis) {
    order.append({2 + spatial + axis, 2 + axis});
    joined.push_back(shape[2 + axis] * window[axis]);
  }
  // Stored as the product makes them: lanes of neighbours would lie apart in their places.
  product = node.create("tiny.contiguous", product);
  return node.reshape(node.permute(node.reshape(product, apart), order), joined);
}

// A convolution of the input, spread by the strides, with the turned kernel.
Values translateConvTranspose(Node &node) {
  Value input = node.input(0), weight = node.input(1);
  if (!input || !weight)
    return {};
  int64_t rank = rankOf(input), spatial = rank - 2, groups = node.getInt("group", 1);
  if (rank < 3 || rankOf(weight) != rank)
    return {node.fail("the input has rank " + Twine(rank) + " and the weight " + Twine(rankOf(weight)) +
                      ", expected both the same and at least 3")};
  auto read = [&](StringRef name, size_t count, int64_t otherwise) {
    std::optional<Ints> list = node.getInts(name);
    if (list && list->size() != count)
      node.fail("attribute '" + name + "' has " + Twine(list->size()) + " numbers, expected " + Twine(count));
    return list && list->size() == count ? *list : Ints(count, otherwise);
  };
  Ints strides = read("strides", spatial, 1), dilations = read("dilations", spatial, 1);
  Ints extra = read("output_padding", spatial, 0), pads = read("pads", 2 * spatial, 0);
  Ints wanted = node.hasAttribute("output_shape") ? read("output_shape", spatial, 0) : Ints();
  for (int64_t number : llvm::concat<const int64_t>(strides, dilations))
    if (number < 1 || number > INT32_MAX)
      return {node.fail("strides and dilations are at least 1, got " + Twine(number))};
  for (int64_t number : pads)
    if (number < 0)
      return {node.fail("attribute 'pads' has the number " + Twine(number) + ", expected at least 0")};
  for (auto [number, stride, dilation] : llvm::zip_equal(extra, strides, dilations))
    if (number < 0 || number >= std::max(stride, dilation))
      return {node.fail("attribute 'output_padding' has the number " + Twine(number) + ", expected one from 0 to " +
                        Twine(std::max(stride, dilation) - 1))};
  if (std::optional<Ints> stated = node.getInts("kernel_shape");
      stated && ArrayRef<int64_t>(*stated) != shapeOf(weight).drop_front(2))
    return {node.fail("attribute 'kernel_shape' differs from the weight's shape")};
  if (node.failed())
    return {};
  int64_t in = shapeOf(weight)[0], out = shapeOf(weight)[1];
  if (groups < 1 || in % groups || in != shapeOf(input)[1])
    return {node.fail(Twine(shapeOf(input)[1]) + " channels do not fit a weight of " + Twine(in) + " in " +
                      Twine(groups) + " groups")};
  StringRef mode = node.getString("auto_pad", "NOTSET");
  auto isZero = [](int64_t number) { return number == 0; };
  if (groups == 1 && mode == "NOTSET" && wanted.empty() && llvm::all_of(pads, isZero) && llvm::all_of(extra, isZero) &&
      llvm::all_of(dilations, [](int64_t number) { return number == 1; }) &&
      ArrayRef<int64_t>(strides) == shapeOf(weight).drop_front(2) &&
      !cast<RankedTensorType>(input.getType()).getEncoding()) {
    Value blocks = makeBlocks(node, input, weight);
    if (!node.hasInput(2))
      return {blocks};
    Ints perChannel(rank, 1);
    perChannel[1] = out;
    return {node.add(blocks, node.reshape(node.input(2), perChannel))};
  }
  Ints low(rank, 0), high(rank, 0), begin(rank, 0), end;
  Value spreadOut = input;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    int64_t size = shapeOf(input)[axis + 2], reach = (shapeOf(weight)[axis + 2] - 1) * dilations[axis];
    int64_t full = (size - 1) * strides[axis] + reach + 1 + extra[axis];
    int64_t before = pads[axis], after = pads[axis + spatial];
    bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
    if (!wanted.empty() || same) {
      int64_t asked = wanted.empty() ? size * strides[axis] : wanted[axis];
      int64_t total = std::max<int64_t>(full - asked, 0);
      // What the windows do not reach is zero.
      extra[axis] += std::clamp<int64_t>(asked - full, 0, INT32_MAX);
      before = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      after = total - before;
    }
    if (before < -INT32_MAX || before > INT32_MAX || after < -INT32_MAX || after > INT32_MAX || before + after > full)
      return {node.fail("padding takes more than all of axis " + Twine(axis + 2))};
    low[axis + 2] = reach - before;
    high[axis + 2] = reach - after + extra[axis];
    spreadOut = node.spreadAxis(spreadOut, axis + 2, strides[axis]);
  }
  if (!spreadOut)
    return {};
  // Padding below zero takes elements away.
  end.assign(shapeOf(spreadOut).begin(), shapeOf(spreadOut).end());
  for (int64_t axis = 2; axis < rank; ++axis) {
    begin[axis] = std::max<int64_t>(-low[axis], 0);
    end[axis] -= std::max<int64_t>(-high[axis], 0);
    low[axis] = std::max<int64_t>(low[axis], 0);
    high[axis] = std::max<int64_t>(high[axis], 0);
    if (begin[axis] > end[axis])
      return {node.fail("padding takes more than all of axis " + Twine(axis))};
  }
  Value padded = node.pad(node.shrink(spreadOut, begin, end), low, high);
  // [in, out / groups, ...] to [out, in / groups, ...], turned round.
  Ints grouped = {groups, in / groups, out}, turned = {0, 2, 1}, flat = {groups * out, in / groups}, axes;
  for (int64_t axis = 2; axis < rank; ++axis) {
    grouped.push_back(shapeOf(weight)[axis]);
    turned.push_back(axis + 1);
    flat.push_back(shapeOf(weight)[axis]);
    axes.push_back(axis);
  }
  Value kernel = node.reshape(node.permute(node.reshape(weight, grouped), turned), flat);
  kernel = node.create("tiny.flip", kernel, node.attr("axes", axes));
  SmallVector<Value> operands = {padded, kernel};
  if (node.hasInput(2))
    operands.push_back(node.input(2));
  return {node.create("tiny.conv", operands, {node.attr("dilations", dilations), node.attr("groups", groups)})};
}

// (sum of |x|^p over the spatial axes)^(1/p)
Values translateGlobalLpPool(Node &node) {
  Value input = node.create("tiny.abs", node.input(0));
  if (!input)
    return {};
  double p = double(node.getInt("p", 2));
  Value power = node.create("tiny.pow", {input, node.like(input, p)});
  Value total = node.sum(power, llvm::to_vector(llvm::seq<int64_t>(2, rankOf(input))), /*keepdims=*/true);
  return {node.create("tiny.pow", {total, node.like(total, 1 / p)})};
}

/// The determinant of the last two axes of size n, by expansion along the first row.
Value determinant(Node &node, Value matrix, int64_t n) {
  int64_t row = rankOf(matrix) - 2;
  if (n == 1)
    return node.reshape(matrix, shapeOf(matrix).drop_back(2));
  Value total;
  for (int64_t k = 0; k < n; ++k) {
    Ints shape(shapeOf(matrix).drop_back(2));
    Value factor = node.reshape(node.sliceAxis(node.sliceAxis(matrix, row, 0, 1), row + 1, k, k + 1), shape);
    Value rest = node.sliceAxis(matrix, row, 1, n), left = node.sliceAxis(rest, row + 1, 0, k);
    Value right = node.sliceAxis(rest, row + 1, k + 1, n);
    Value minor = k == 0       ? right
                  : k == n - 1 ? left
                               : node.create("tiny.concat", {left, right}, node.attr("axis", row + 1));
    if (!minor)
      return nullptr;
    Value term = node.mul(factor, determinant(node, minor, n - 1));
    total = !total ? term : k % 2 ? node.sub(total, term) : node.add(total, term);
  }
  return total;
}

Values translateDet(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  int64_t rank = rankOf(input), n = rank < 2 ? 0 : shapeOf(input)[rank - 1];
  if (n < 1 || n > 5 || shapeOf(input)[rank - 2] != n)
    return {node.fail("expected square matrices of at most 5 rows")};
  return {determinant(node, input, n)};
}

} // namespace

ArrayRef<Handler> getContractionHandlers() {
  static const Handler handlers[] = {
      {"ConvTranspose", 2, 3, "auto_pad dilations group kernel_shape output_padding output_shape pads strides",
       translateConvTranspose},
      {"Det", 1, 1, "", translateDet},
      {"Einsum", 1, kAnyInputs, "equation", translateEinsum},
      {"GlobalLpPool", 1, 1, "p", translateGlobalLpPool},
  };
  return handlers;
}

} // namespace tiny::onnximport
