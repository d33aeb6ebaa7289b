// Reductions, products and windows.
#include "Tiny/Frontend/Tensor.h"

#include "Calls.h"

using namespace tiny;
using namespace tiny::frontend;

namespace {

Tensor reduce(const char *name, const Tensor &input, Shape axes, bool keepdim, Site site,
              std::vector<std::pair<std::string, AttributeValue>> more = {}) {
  bool all = axes.empty();
  for (int64_t axis = 0; all && axis < input.dim(); ++axis)
    axes.push_back(axis);
  more.emplace_back("axes", std::move(axes));
  more.emplace_back("keepdims", keepdim);
  return make({name, {input.getNode()}, std::move(more)}, site);
}

void addWindow(Call &call, const Window &window) {
  for (auto [name, numbers] : {std::pair("strides", &window.strides), std::pair("dilations", &window.dilations),
                               std::pair("low", &window.low), std::pair("high", &window.high)})
    if (!numbers->empty())
      call.attributes.emplace_back(name, *numbers);
}

/// An optional operand in the middle of others: its group has one, or none.
void addOptional(Call &call, const Tensor *tensor) {
  call.segments.push_back(tensor ? 1 : 0);
  if (tensor)
    call.operands.push_back(tensor->getNode());
}

} // namespace

Tensor Tensor::sum(Shape axes, bool keepdim, Site site) const {
  return reduce("sum", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::prod(Shape axes, bool keepdim, Site site) const {
  return reduce("prod", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::mean(Shape axes, bool keepdim, Site site) const {
  return reduce("mean", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::max(Shape axes, bool keepdim, Site site) const {
  return reduce("max", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::min(Shape axes, bool keepdim, Site site) const {
  return reduce("min", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::argmax(Shape axes, bool keepdim, Site site) const {
  return reduce("argmax", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::argmin(Shape axes, bool keepdim, Site site) const {
  return reduce("argmin", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::any(Shape axes, bool keepdim, Site site) const {
  return reduce("any", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::all(Shape axes, bool keepdim, Site site) const {
  return reduce("all", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::logsumexp(Shape axes, bool keepdim, Site site) const {
  return reduce("logsumexp", *this, std::move(axes), keepdim, site);
}
Tensor Tensor::var(Shape axes, int64_t correction, bool keepdim, Site site) const {
  return reduce("var", *this, std::move(axes), keepdim, site, {{"correction", correction}});
}
Tensor Tensor::softmax(int64_t axis, Site site) const { return make({"softmax", {node}, {{"axis", axis}}}, site); }
Tensor Tensor::log_softmax(int64_t axis, Site site) const {
  return make({"log_softmax", {node}, {{"axis", axis}}}, site);
}
Tensor Tensor::std(Shape axes, int64_t correction, bool keepdim, Site site) const {
  // Equal elements have no gradient: that of the root at zero is infinite.
  Tensor variance = var(std::move(axes), correction, keepdim, site), isZero = variance.eq(0, site);
  return where(isZero, 0, where(isZero, 1, variance, site).sqrt(site), site);
}
Tensor Tensor::layer_norm(int64_t axis, double epsilon, Site site) const {
  return layer_norm(nullptr, nullptr, axis, epsilon, site);
}
Tensor Tensor::layer_norm(const Tensor *scale, const Tensor *bias, int64_t axis, double epsilon, Site site) const {
  Call call = {"layer_norm", {node}, {{"axis", axis}, {"epsilon", epsilon}}, {}, {1}};
  addOptional(call, scale);
  addOptional(call, bias);
  return make(call, site);
}
Tensor Tensor::rms_norm(const Tensor *scale, int64_t axis, double epsilon, Site site) const {
  Call call = {"rms_norm", {node}, {{"axis", axis}, {"epsilon", epsilon}}};
  if (scale)
    call.operands.push_back(scale->node);
  return make(call, site);
}
Tensor Tensor::batch_norm(const Tensor &mean, const Tensor &variance, const Tensor &scale, const Tensor &bias,
                          double epsilon, Site site) const {
  return make({"batch_norm", {node, scale.node, bias.node, mean.node, variance.node}, {{"epsilon", epsilon}}}, site);
}

//===--- Products and windows -------------------------------------------------------------------------------------===//

Tensor Tensor::matmul(const Tensor &other, Site site) const {
  return make({"matmul", {toProduct(*this, site).node, toProduct(other, site).node}}, site);
}
Tensor Tensor::linear(const Tensor &weight, const Tensor *bias, Site site) const {
  Call call = {"linear", {toProduct(*this, site).node, toProduct(weight, site).node}};
  if (bias)
    call.operands.push_back(toProduct(*bias, site).node);
  return make(call, site);
}
Tensor Tensor::conv(const Tensor &weight, const Tensor *bias, const Window &window, Site site) const {
  Call call = {"conv", {toProduct(*this, site).node, toProduct(weight, site).node}};
  if (bias)
    call.operands.push_back(toProduct(*bias, site).node);
  addWindow(call, window);
  if (window.groups != 1)
    call.attributes.emplace_back("groups", window.groups);
  return make(call, site);
}
Tensor Tensor::max_pool(Shape kernel, const Window &window, Site site) const {
  Call call = {"max_pool", {node}, {{"kernel", kernel}}};
  Window strided = window;
  // As in PyTorch, windows lie side by side unless strides say otherwise.
  strided.strides = window.strides.empty() ? kernel : window.strides;
  addWindow(call, strided);
  return make(call, site);
}
Tensor Tensor::avg_pool(Shape kernel, const Window &window, bool countsPadding, Site site) const {
  Call call = {"avg_pool", {node}, {{"kernel", kernel}, {"count_include_pad", countsPadding}}};
  Window strided = window;
  strided.strides = window.strides.empty() ? kernel : window.strides;
  addWindow(call, strided);
  return make(call, site);
}
