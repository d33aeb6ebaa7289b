// Functions that other functions make up: of the dialect, or as the ONNX importer composes them.
#include "Calls.h"
#include "Tiny/Frontend/Functional.h"

#include <algorithm>
#include <cmath>

using namespace tiny;
using namespace tiny::frontend;

namespace {

Tensor onnx(const Composition &call, Site site) { return makeOnnx(call, site).front(); }

/// Pads as ONNX has them: all before, then all behind.
void addWindow(Composition &call, const Window &window) {
  auto add = [&](const char *name, const Shape &numbers) {
    if (!numbers.empty())
      call.attributes.emplace_back(name, numbers);
  };
  add("strides", window.strides);
  add("dilations", window.dilations);
  Shape pads = window.low;
  pads.insert(pads.end(), window.high.begin(), window.high.end());
  add("pads", pads);
  add("output_padding", window.outputPadding);
  call.attributes.emplace_back("group", window.groups);
}

Tensor triangle(const Tensor &input, int64_t diagonal, int64_t upper, Site site) {
  return onnx({"Trilu", {input.getNode(), diagonal}, {{"upper", upper}}}, site);
}

Tensor scatterBy(const char *reduction, const Tensor &input, int64_t axis, const Tensor &indices, const Tensor &source,
                 Site site) {
  if (isFloat(indices.dtype()))
    raise(std::string("expects indices of integers, got ") + getDtypeName(indices.dtype()), site);
  checkIndices(indices, axis, input.shape(), site);
  return onnx({"ScatterElements",
               {input.getNode(), indices.getNode(), source.getNode()},
               {{"axis", axis}, {"reduction", std::string(reduction)}}},
              site);
}

} // namespace

//===--- Order ----------------------------------------------------------------------------------------------------===//

/// Small integers add up in 32 bits, as those of sum() do.
Tensor Tensor::cumsum(int64_t axis, Site site) const {
  Tensor wide = to(sum({}, false, site).dtype(), site);
  return onnx({"CumSum", {wide.node, axis}}, site);
}

std::pair<Tensor, Tensor> Tensor::topk(int64_t k, int64_t axis, bool largest, Site site) const {
  std::vector<Tensor> results =
      makeOnnx({"TopK", {node, Shape{k}}, {{"axis", axis}, {"largest", int64_t(largest)}}, 2}, site);
  return {results[0], results[1]};
}

std::pair<Tensor, Tensor> Tensor::sort(int64_t axis, bool descending, Site site) const {
  return topk(shape()[checkAxis(axis, dim(), site)], axis, descending, site);
}

//===--- Places ---------------------------------------------------------------------------------------------------===//

Tensor Tensor::scatter(int64_t axis, const Tensor &indices, const Tensor &source, Site site) const {
  return scatterBy("none", *this, axis, indices, source, site);
}
Tensor Tensor::scatter_add(int64_t axis, const Tensor &indices, const Tensor &source, Site site) const {
  return scatterBy("add", *this, axis, indices, source, site);
}
Tensor Tensor::triu(int64_t diagonal, Site site) const { return triangle(*this, diagonal, 1, site); }
Tensor Tensor::tril(int64_t diagonal, Site site) const { return triangle(*this, diagonal, 0, site); }
Tensor Tensor::one_hot(int64_t classes, Site site) const {
  return onnx({"OneHot", {node, classes, Shape{0, 1}}}, site);
}
Tensor Tensor::repeat(Shape counts, Site site) const {
  if (int64_t(counts.size()) < dim())
    raise("expects a count for each of " + std::to_string(dim()) + " axes, got " + std::to_string(counts.size()), site);
  Shape wide(counts.size() - shape().size(), 1);
  wide.insert(wide.end(), shape().begin(), shape().end());
  return onnx({"Tile", {reshape(wide, site).node, std::move(counts)}}, site);
}
Tensor Tensor::roll(int64_t shift, int64_t axis, Site site) const {
  axis = checkAxis(axis, dim(), site);
  int64_t size = shape()[axis];
  int64_t cut = size ? ((-shift % size) + size) % size : 0;
  Shape begin(shape().size(), 0), end = shape(), middle = shape();
  middle[axis] = cut;
  Shape from = begin;
  from[axis] = cut;
  return cut ? cat({shrink(from, end, site), shrink(begin, middle, site)}, axis, site) : *this;
}
std::vector<Tensor> Tensor::split(int64_t size, int64_t axis, Site site) const {
  axis = checkAxis(axis, dim(), site);
  if (size < 1)
    raise("expects parts of at least 1, got " + std::to_string(size), site);
  std::vector<Tensor> parts;
  for (int64_t first = 0; first < shape()[axis]; first += size) {
    Shape begin(shape().size(), 0), end = shape();
    begin[axis] = first;
    end[axis] = std::min(first + size, end[axis]);
    parts.push_back(shrink(begin, end, site));
  }
  if (parts.empty())
    parts.push_back(*this);
  return parts;
}
std::vector<Tensor> Tensor::chunk(int64_t count, int64_t axis, Site site) const {
  if (count < 1)
    raise("expects at least 1 part, got " + std::to_string(count), site);
  int64_t size = shape()[checkAxis(axis, dim(), site)];
  if (size == 0)
    return std::vector<Tensor>(size_t(count), *this);
  return split(std::max<int64_t>((size + count - 1) / count, 1), axis, site);
}

//===--- Products -------------------------------------------------------------------------------------------------===//

Tensor Tensor::conv_transpose(const Tensor &weight, const Tensor *bias, const Window &window, Site site) const {
  Composition call = {"ConvTranspose", {toProduct(*this, site).node, toProduct(weight, site).node}};
  if (bias)
    call.operands.emplace_back(toProduct(*bias, site).node);
  addWindow(call, window);
  return onnx(call, site);
}
Tensor Tensor::einsum(const std::string &equation, const std::vector<Tensor> &operands, Site site) {
  Composition call = {"Einsum", {}, {{"equation", equation}}};
  for (const Tensor &operand : operands)
    call.operands.emplace_back(toProduct(operand, site).node);
  return onnx(call, site);
}
Tensor Tensor::attention(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor *mask, bool causal,
                         Site site) {
  for (const Tensor *part : {&query, &key, &value})
    if (part->dim() != 4)
      raise("expects query, key and value [batch, heads, rows, width], got " +
                formatType(part->dtype(), part->shape().data(), part->shape().size()),
            site);
  Composition call = {"Attention",
                      {toProduct(query, site).node, toProduct(key, site).node, toProduct(value, site).node},
                      {{"is_causal", int64_t(causal)}}};
  if (mask) {
    std::string name = getDtypeName(mask->dtype());
    if (mask->dtype() != TINY_DTYPE_I1 && name.find('f') == std::string::npos)
      raise("expects a mask that is bool, or floats that are added to the scores, got " + name, site);
    call.operands.emplace_back(mask->node);
  }
  return onnx(call, site);
}
Tensor Tensor::group_norm(int64_t groups, const Tensor &scale, const Tensor &bias, double epsilon, Site site) const {
  return onnx({"GroupNormalization", {node, scale.node, bias.node}, {{"num_groups", groups}, {"epsilon", epsilon}}},
              site);
}

//===--- Losses ---------------------------------------------------------------------------------------------------===//

Tensor Tensor::cross_entropy(const Tensor &target, Site site) const {
  return functional::cross_entropy(*this, target, {}, site);
}
Tensor Tensor::nll_loss(const Tensor &target, Site site) const { return functional::nll_loss(*this, target, {}, site); }
Tensor Tensor::mse_loss(const Tensor &target, Site site) const {
  return sub(target, site).square(site).mean({}, false, site);
}
Tensor Tensor::binary_cross_entropy(const Tensor &target, Site site) const {
  // As PyTorch: logarithms are at least -100.
  Tensor right = log(site).maximum(-100, site), wrong = neg(site).log1p(site).maximum(-100, site);
  return (target * right + (1 - target) * wrong).mean({}, false, site).neg(site);
}
Tensor Tensor::binary_cross_entropy_with_logits(const Tensor &target, Site site) const {
  return (softplus(site) - *this * target).mean({}, false, site);
}
