// Layers, by functions of tensors.
#include "Tiny/Frontend/Nn.h"

#include "Calls.h"
#include "Drawing.h"
#include "Tiny/Frontend/Functional.h"
#include "Tiny/Frontend/Index.h"

#include <atomic>
#include <cmath>
#include <utility>

using namespace tiny;
using namespace tiny::nn;

//===--- Modules --------------------------------------------------------------------------------------------------===//

void Module::add(const std::string &name, Tensor &tensor, bool trains) { own.push_back({name, &tensor, trains}); }
void Module::add(const std::string &name, Module &module) { modules.emplace_back(name, &module); }

std::vector<Named> Module::state() {
  std::vector<Named> all = own;
  for (const auto &[name, module] : modules)
    for (const Named &inner : module->state())
      all.push_back({name + "." + inner.name, inner.tensor, inner.trains});
  return all;
}

std::vector<Tensor *> Module::parameters() {
  std::vector<Tensor *> parameters;
  for (const Named &named : state())
    if (named.trains)
      parameters.push_back(named.tensor);
  return parameters;
}

/// Which modules do not train: their numbers, combined so that each can be put in and taken out.
static std::atomic<uint64_t> &getModes() {
  static std::atomic<uint64_t> modes{0};
  return modes;
}
std::string frontend::nameModes() { return std::to_string(getModes()); }

static uint64_t drawNumber() {
  static std::atomic<uint64_t> count{0};
  // Spread, so that sets of numbers do not combine to the same.
  return (++count) * 0x9E3779B97F4A7C15u;
}

Module::Module() : number(drawNumber()) {}
Module::~Module() {
  if (!training)
    getModes() -= number;
}

void Module::train(bool mode) {
  if (training != mode)
    getModes() += mode ? -number : number;
  training = mode;
  for (const auto &[name, module] : modules)
    module->train(mode);
}

//===--- Layers ---------------------------------------------------------------------------------------------------===//

static thread_local bool isUndrawn = false;

Undrawn::Undrawn() : before(std::exchange(isUndrawn, true)) {}
Undrawn::~Undrawn() { isUndrawn = before; }

/// Refuses layers of no size.
static Shape checkSizes(Shape sizes, Site site) {
  std::string list;
  for (int64_t size : sizes)
    list += (list.empty() ? "" : ", ") + std::to_string(size);
  for (int64_t size : sizes)
    if (size < 1)
      frontend::raise("expects sizes of at least 1, got " + list, site);
  return sizes;
}

Tensor nn::draw(const Shape &shape, double bound) {
  return isUndrawn ? Tensor::zeros(shape) : Tensor::rand(shape, -bound, bound).realize();
}
static Tensor drawNormal(const Shape &shape) {
  return isUndrawn ? Tensor::zeros(shape) : Tensor::randn(shape).realize();
}
static Tensor fill(const Shape &shape, double value) {
  Tensor filled = Tensor::full(shape, value);
  return isUndrawn ? filled : filled.realize();
}

Linear::Linear(int64_t in, int64_t out, bool hasBias, Site site)
    : weight(draw(checkSizes({out, in}, site), 1 / std::sqrt(double(in)))) {
  add("weight", weight);
  if (hasBias)
    add("bias", bias.emplace(draw({out}, 1 / std::sqrt(double(in)))));
}
Tensor Linear::operator()(const Tensor &input, Site site) {
  return input.linear(weight, bias ? &*bias : nullptr, site);
}

/// The channels of a group.
static int64_t divideChannels(int64_t channels, int64_t groups, Site site) {
  if (groups < 1 || channels % groups != 0)
    frontend::raise(
        "expects channels that " + std::to_string(groups) + " groups divide, got " + std::to_string(channels), site);
  return channels / groups;
}

static Window makeWindow(int64_t stride, int64_t padding, int64_t groups) {
  return {{stride, stride}, {}, {padding, padding}, {padding, padding}, groups};
}

/// The weight's shape, and over how many elements of the input an output sums.
static std::pair<Shape, double> describeKernel(int64_t first, int64_t channels, const Shape &kernel) {
  Shape shape = {first, channels};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  double sums = double(channels);
  for (int64_t size : kernel)
    sums *= double(size);
  return {shape, sums};
}

Conv2d::Conv2d(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding, int64_t groups, bool hasBias,
               Site site)
    : Conv2d(in, out, {kernel, kernel}, makeWindow(stride, padding, groups), hasBias, site) {}
Conv2d::Conv2d(int64_t in, int64_t out, const Shape &kernel, Window window, bool hasBias, Site site)
    : weight(Tensor::zeros({})), window(std::move(window)) {
  auto [shape, sums] = describeKernel(out, divideChannels(in, this->window.groups, site), kernel);
  divideChannels(out, this->window.groups, site);
  checkSizes(shape, site);
  weight = draw(shape, 1 / std::sqrt(sums));
  add("weight", weight);
  if (hasBias)
    add("bias", bias.emplace(draw({out}, 1 / std::sqrt(sums))));
}
Tensor Conv2d::operator()(const Tensor &input, Site site) {
  return input.conv(weight, bias ? &*bias : nullptr, window, site);
}

ConvTranspose2d::ConvTranspose2d(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding,
                                 int64_t groups, bool hasBias, Site site)
    : ConvTranspose2d(in, out, {kernel, kernel}, makeWindow(stride, padding, groups), hasBias, site) {}
ConvTranspose2d::ConvTranspose2d(int64_t in, int64_t out, const Shape &kernel, Window window, bool hasBias, Site site)
    : weight(Tensor::zeros({})), window(std::move(window)) {
  auto [shape, sums] = describeKernel(in, divideChannels(out, this->window.groups, site), kernel);
  divideChannels(in, this->window.groups, site);
  checkSizes(shape, site);
  weight = draw(shape, 1 / std::sqrt(sums));
  add("weight", weight);
  if (hasBias)
    add("bias", bias.emplace(draw({out}, 1 / std::sqrt(sums))));
}
Tensor ConvTranspose2d::operator()(const Tensor &input, Site site) {
  return input.conv_transpose(weight, bias ? &*bias : nullptr, window, site);
}

BatchNorm::BatchNorm(int64_t channels, double epsilon, double momentum, Site site)
    : weight(fill(checkSizes({channels}, site), 1)), bias(fill({channels}, 0)), running_mean(fill({channels}, 0)),
      running_var(fill({channels}, 1)), epsilon(epsilon), momentum(momentum) {
  add("weight", weight);
  add("bias", bias);
  add("running_mean", running_mean, /*trains=*/false);
  add("running_var", running_var, /*trains=*/false);
}
Tensor BatchNorm::operator()(const Tensor &input, Site site) {
  if (input.dim() < 2 || input.shape()[1] != weight.shape()[0])
    frontend::raise("expects " + std::to_string(weight.shape()[0]) + " channels along axis 1, got " +
                        formatType(input.dtype(), input.shape().data(), input.shape().size()),
                    site);
  if (!isTraining())
    return input.batch_norm(running_mean, running_var, weight, bias, epsilon, site);
  Shape axes, wide(input.shape().size(), 1);
  double count = 1;
  for (int64_t axis = 0; axis < input.dim(); ++axis) {
    if (axis == 1) {
      wide[axis] = input.shape()[axis];
    } else {
      axes.push_back(axis);
      count *= double(input.shape()[axis]);
    }
  }
  Tensor mean = input.mean(axes, false, site), variance = input.var(axes, 0, false, site);
  auto update = [&](Tensor &state, const Tensor &now) {
    Tensor next = state.lerp(now, momentum, site);
    frontend::noteAssigned(state.getNode(), next.getNode());
    state = next;
    frontend::keepUp(state);
  };
  update(running_mean, mean.detach(site));
  update(running_var, variance.detach(site).mul(count / std::fmax(count - 1, 1), site));
  Tensor normal = (input - mean.reshape(wide, site)) * variance.add(epsilon, site).rsqrt(site).reshape(wide, site);
  return normal * weight.reshape(wide, site) + bias.reshape(wide, site);
}

/// The same number for each element of the last axes that a norm is over.
static Tensor fillAxes(const Shape &shape, double value, Site site) {
  if (shape.empty())
    frontend::raise("expects at least one axis to normalise over", site);
  return fill(checkSizes(shape, site), value);
}

LayerNorm::LayerNorm(const Shape &shape, double epsilon, Site site)
    : weight(fillAxes(shape, 1, site)), bias(fillAxes(shape, 0, site)), epsilon(epsilon) {
  add("weight", weight);
  add("bias", bias);
}
Tensor LayerNorm::operator()(const Tensor &input, Site site) {
  return input.layer_norm(&weight, &bias, -weight.dim(), epsilon, site);
}

GroupNorm::GroupNorm(int64_t groups, int64_t channels, double epsilon, Site site)
    : weight(fill(checkSizes({channels}, site), 1)), bias(fill({channels}, 0)), groups(groups), epsilon(epsilon) {
  divideChannels(channels, groups, site);
  add("weight", weight);
  add("bias", bias);
}
Tensor GroupNorm::operator()(const Tensor &input, Site site) {
  return input.group_norm(groups, weight, bias, epsilon, site);
}

RMSNorm::RMSNorm(const Shape &shape, double epsilon, Site site) : weight(fillAxes(shape, 1, site)), epsilon(epsilon) {
  add("weight", weight);
}
Tensor RMSNorm::operator()(const Tensor &input, Site site) {
  return input.rms_norm(&weight, -weight.dim(), epsilon, site);
}

Embedding::Embedding(int64_t count, int64_t size, std::optional<int64_t> given, Site site)
    : weight(Tensor::zeros({})), padding(given) {
  if (padding && (*padding < -count || *padding >= count))
    frontend::raise("expects a padding of " + std::to_string(-count) + " to " + std::to_string(count - 1) + ", got " +
                        std::to_string(*padding),
                    site);
  weight = drawNormal(checkSizes({count, size}, site));
  if (padding && *padding < 0)
    *padding += count;
  if (padding && !isUndrawn)
    weight = weight.with({Index(*padding)}, 0).realize();
  add("weight", weight);
}
Tensor Embedding::operator()(const Tensor &input, Site site) {
  return functional::embedding(input, weight, padding, site);
}

Dropout::Dropout(double probability, Site site) : probability(probability) {
  if (!(probability >= 0 && probability < 1))
    frontend::raise("expects a probability of at least 0 and below 1, got " + std::to_string(probability), site);
}
Tensor Dropout::operator()(const Tensor &input, Site site) {
  return isTraining() ? input.dropout(probability, site) : input;
}

MultiHeadAttention::MultiHeadAttention(int64_t width, int64_t heads, bool hasBias, Site site)
    : in_proj_weight(draw(checkSizes({3 * width, width}, site), std::sqrt(6.0 / double(4 * width)))),
      out_proj(width, width, hasBias, site), heads(heads) {
  if (heads < 1 || width % heads != 0)
    frontend::raise("expects a width that " + std::to_string(heads) + " heads divide, got " + std::to_string(width),
                    site);
  add("in_proj_weight", in_proj_weight);
  if (hasBias)
    add("in_proj_bias", in_proj_bias.emplace(fill({3 * width}, 0)));
  add("out_proj", out_proj);
}
Tensor MultiHeadAttention::operator()(const Tensor &input, bool causal, Site site) {
  return (*this)(input, input, input, nullptr, causal, site);
}
Tensor MultiHeadAttention::operator()(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor *mask,
                                      bool causal, Site site) {
  int64_t width = in_proj_weight.shape()[1];
  auto project = [&](const Tensor &input, int64_t part) {
    Tensor weight = in_proj_weight.shrink({part * width, 0}, {(part + 1) * width, width}, site);
    std::optional<Tensor> bias;
    if (in_proj_bias)
      bias = in_proj_bias->shrink({part * width}, {(part + 1) * width}, site);
    Tensor rows = input.linear(weight, bias ? &*bias : nullptr, site);
    return rows.reshape({rows.shape()[0], rows.shape()[1], heads, width / heads}, site).permute({0, 2, 1, 3}, site);
  };
  Tensor seen = Tensor::attention(project(query, 0), project(key, 1), project(value, 2), mask, causal, site);
  Tensor rows = seen.permute({0, 2, 1, 3}, site).reshape({query.shape()[0], query.shape()[1], width}, site);
  return out_proj(rows, site);
}
