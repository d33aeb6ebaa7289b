// The public functions: they describe operations to the graph, and throw what it says is wrong.
#include "Tiny/Frontend/Tensor.h"

#include "Graph.h"

#include <cmath>
#include <cstring>

using namespace tiny;
using namespace tiny::frontend;

namespace {

[[noreturn]] void raise(const std::string &message, Site site) {
  throw Error(std::string(site.file) + ":" + std::to_string(site.line) + ": " + message);
}

template <typename T> T take(Result<T> result, Site site) {
  if (!result)
    raise(result.message(), site);
  return std::move(*result);
}

Tensor make(const Call &call, Site site) { return Tensor(::take(apply(call, site), site).front()); }

Tensor unary(const char *name, const Tensor &input, Site site) { return make({name, {input.getNode()}}, site); }

/// The tensor, or the number in the other operand's element type; a fraction beside integers is f32.
NodePtr getNode(const Operand &operand, const Operand &other, Site site, bool isConstant = false) {
  if (operand.tensor)
    return operand.tensor->getNode();
  tiny_dtype dtype = other.tensor ? other.tensor->dtype() : TINY_DTYPE_F32;
  if (!isFloat(dtype) && operand.number != std::floor(operand.number))
    dtype = TINY_DTYPE_F32;
  return ::take(isConstant ? makeConstant(operand.number, {dtype, {}}, site) : makeNumber(operand.number, dtype, site),
                site);
}

Tensor binary(const char *name, const Operand &lhs, const Operand &rhs, Site site) {
  return make({name, {getNode(lhs, rhs, site), getNode(rhs, lhs, site)}}, site);
}

/// Where an operator stands: the operand that was converted there knows.
Site siteOf(const Operand &lhs, const Operand &rhs) { return lhs.site.line ? lhs.site : rhs.site; }

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

Tensor join(const char *name, const std::vector<Tensor> &tensors, int64_t axis, Site site) {
  Call call = {name, {}, {{"axis", axis}}};
  for (const Tensor &tensor : tensors)
    call.operands.push_back(tensor.getNode());
  return make(call, site);
}

HostTensor makeHost(const std::vector<float> &elements, Shape shape) {
  HostTensor tensor = HostTensor::zeros(TINY_DTYPE_F32, std::move(shape));
  if (!elements.empty())
    std::memcpy(tensor.bytes.data(), elements.data(), elements.size() * sizeof(float));
  return tensor;
}

/// Sizes that are none, or more elements than can be counted.
void checkShape(const Shape &shape, tiny_dtype dtype, Site site) {
  if (!countElements(shape.data(), shape.size(), tiny_dtype_size(dtype)))
    raise("expects sizes of at least 0 and fewer than 2^62 bytes in all, got " +
              formatType(dtype, shape.data(), shape.size()),
          site);
}

} // namespace

//===--- Creation -------------------------------------------------------------------------------------------------===//

Tensor::Tensor(std::initializer_list<float> elements)
    : Tensor(std::vector<float>(elements), {static_cast<int64_t>(elements.size())}) {}

Tensor::Tensor(const std::vector<float> &elements, Shape shape, Site site) {
  checkShape(shape, TINY_DTYPE_F32, site);
  int64_t count = *countElements(shape.data(), shape.size(), sizeof(float));
  if (count != static_cast<int64_t>(elements.size()))
    raise("got " + std::to_string(elements.size()) + " elements for a shape of " + std::to_string(count), site);
  node = makeLeaf(makeHost(elements, std::move(shape)));
}

Tensor::Tensor(HostTensor tensor) : node(makeLeaf(std::move(tensor))) {}

Tensor Tensor::full(Shape shape, double value, tiny_dtype dtype, Site site) {
  checkShape(shape, dtype, site);
  Tensor number(::take(makeNumber(value, dtype, site), site));
  return shape.empty() ? number : number.expand(std::move(shape), site);
}
Tensor Tensor::zeros(Shape shape, tiny_dtype dtype, Site site) { return full(std::move(shape), 0, dtype, site); }
Tensor Tensor::ones(Shape shape, tiny_dtype dtype, Site site) { return full(std::move(shape), 1, dtype, site); }
Tensor Tensor::arange(double start, double stop, double step, tiny_dtype dtype, Site site) {
  if (!(step != 0) || !std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step))
    raise("expects finite numbers and a step that is not 0", site);
  double count = std::fmax(0, std::ceil((stop - start) / step));
  if (count > 9e15)
    raise("expects fewer than 2^53 elements", site);
  return make({"arange", {}, {{"start", start}, {"step", step}}, {{dtype, {static_cast<int64_t>(count)}}}}, site);
}
Tensor Tensor::eye(int64_t size, tiny_dtype dtype, Site site) {
  checkShape({size, size}, dtype, site);
  return make({"eye", {}, {}, {{dtype, {size, size}}}}, site);
}

const Shape &Tensor::shape() const { return getType(*node).shape; }
tiny_dtype Tensor::dtype() const { return getType(*node).dtype; }
int64_t Tensor::numel() const { return *countElements(shape().data(), shape().size(), tiny_dtype_size(dtype())); }

//===--- Elementwise ----------------------------------------------------------------------------------------------===//

Tensor Tensor::neg(Site site) const { return unary("neg", *this, site); }
Tensor Tensor::abs(Site site) const { return unary("abs", *this, site); }
Tensor Tensor::sign(Site site) const { return unary("sign", *this, site); }
Tensor Tensor::square(Site site) const { return unary("square", *this, site); }
Tensor Tensor::reciprocal(Site site) const { return unary("reciprocal", *this, site); }
Tensor Tensor::exp(Site site) const { return unary("exp", *this, site); }
Tensor Tensor::exp2(Site site) const { return unary("exp2", *this, site); }
Tensor Tensor::expm1(Site site) const { return unary("expm1", *this, site); }
Tensor Tensor::log(Site site) const { return unary("log", *this, site); }
Tensor Tensor::log2(Site site) const { return unary("log2", *this, site); }
Tensor Tensor::log1p(Site site) const { return unary("log1p", *this, site); }
Tensor Tensor::sqrt(Site site) const { return unary("sqrt", *this, site); }
Tensor Tensor::rsqrt(Site site) const { return unary("rsqrt", *this, site); }
Tensor Tensor::sin(Site site) const { return unary("sin", *this, site); }
Tensor Tensor::cos(Site site) const { return unary("cos", *this, site); }
Tensor Tensor::tan(Site site) const { return unary("tan", *this, site); }
Tensor Tensor::tanh(Site site) const { return unary("tanh", *this, site); }
Tensor Tensor::erf(Site site) const { return unary("erf", *this, site); }
Tensor Tensor::floor(Site site) const { return unary("floor", *this, site); }
Tensor Tensor::ceil(Site site) const { return unary("ceil", *this, site); }
Tensor Tensor::round(Site site) const { return unary("round", *this, site); }
Tensor Tensor::trunc(Site site) const { return unary("trunc", *this, site); }
Tensor Tensor::isnan(Site site) const { return unary("isnan", *this, site); }
Tensor Tensor::isinf(Site site) const { return unary("isinf", *this, site); }
Tensor Tensor::relu(Site site) const { return unary("relu", *this, site); }
Tensor Tensor::sigmoid(Site site) const { return unary("sigmoid", *this, site); }
Tensor Tensor::silu(Site site) const { return unary("silu", *this, site); }
Tensor Tensor::gelu(Site site) const { return unary("gelu", *this, site); }
Tensor Tensor::softplus(Site site) const { return unary("softplus", *this, site); }
Tensor Tensor::leaky_relu(double slope, Site site) const {
  return make({"leaky_relu", {node}, {{"alpha", slope}}}, site);
}
Tensor Tensor::elu(double alpha, Site site) const { return make({"elu", {node}, {{"alpha", alpha}}}, site); }
Tensor Tensor::logical_not(Site site) const { return unary("not", *this, site); }

Tensor Tensor::add(const Operand &other, Site site) const { return binary("add", *this, other, site); }
Tensor Tensor::sub(const Operand &other, Site site) const { return binary("sub", *this, other, site); }
Tensor Tensor::mul(const Operand &other, Site site) const { return binary("mul", *this, other, site); }
Tensor Tensor::div(const Operand &other, Site site) const { return binary("div", *this, other, site); }
Tensor Tensor::pow(const Operand &other, Site site) const {
  // The exponent decides what is computed: a square is a product.
  return make({"pow", {node, ::getNode(other, *this, site, /*isConstant=*/true)}}, site);
}
Tensor Tensor::maximum(const Operand &other, Site site) const { return binary("maximum", *this, other, site); }
Tensor Tensor::minimum(const Operand &other, Site site) const { return binary("minimum", *this, other, site); }
Tensor Tensor::eq(const Operand &other, Site site) const { return binary("eq", *this, other, site); }
Tensor Tensor::ne(const Operand &other, Site site) const { return binary("ne", *this, other, site); }
Tensor Tensor::clamp(double low, double high, Site site) const {
  return make({"clamp", {node, ::getNode(low, *this, site), ::getNode(high, *this, site)}}, site);
}
Tensor Tensor::to(tiny_dtype dtype, Site site) const { return make({"cast", {node}, {}, {{dtype, shape()}}}, site); }

Tensor tiny::operator+(const Operand &lhs, const Operand &rhs) { return binary("add", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator-(const Operand &lhs, const Operand &rhs) { return binary("sub", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator*(const Operand &lhs, const Operand &rhs) { return binary("mul", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator/(const Operand &lhs, const Operand &rhs) { return binary("div", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator<(const Operand &lhs, const Operand &rhs) { return binary("lt", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator<=(const Operand &lhs, const Operand &rhs) { return binary("le", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator>(const Operand &lhs, const Operand &rhs) { return binary("gt", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator>=(const Operand &lhs, const Operand &rhs) { return binary("ge", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator-(const Tensor &input) { return input.neg(); }
Tensor tiny::where(const Tensor &condition, const Operand &lhs, const Operand &rhs, Site site) {
  return make({"where", {condition.getNode(), getNode(lhs, rhs, site), getNode(rhs, lhs, site)}}, site);
}

//===--- Reductions -----------------------------------------------------------------------------------------------===//

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
Tensor Tensor::layer_norm(int64_t axis, double epsilon, Site site) const {
  return make({"layer_norm", {node}, {{"axis", axis}, {"epsilon", epsilon}}, {}, {1, 0, 0}}, site);
}

//===--- Movement -------------------------------------------------------------------------------------------------===//

Tensor Tensor::reshape(Shape shape, Site site) const {
  int64_t known = 1, open = -1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == -1 && open < 0)
      open = static_cast<int64_t>(axis);
    else if (shape[axis] < 0)
      raise("expects sizes of at least 0 and at most one of -1, got " + std::to_string(shape[axis]), site);
    else if (__builtin_mul_overflow(known, shape[axis], &known))
      raise("expects a shape of " + std::to_string(numel()) + " elements", site);
  }
  if (open >= 0) {
    if (known == 0 || numel() % known != 0)
      raise("expects sizes that divide " + std::to_string(numel()) + " elements, got " + std::to_string(known), site);
    shape[open] = numel() / known;
  }
  return make({"reshape", {node}, {}, {{dtype(), std::move(shape)}}}, site);
}
Tensor Tensor::expand(Shape shape, Site site) const {
  checkShape(shape, dtype(), site);
  return make({"expand", {node}, {}, {{dtype(), std::move(shape)}}}, site);
}
Tensor Tensor::permute(Shape order, Site site) const {
  return make({"permute", {node}, {{"permutation", std::move(order)}}}, site);
}
Tensor Tensor::transpose(int64_t first, int64_t second, Site site) const {
  return make({"transpose", {node}, {{"first", first}, {"second", second}}}, site);
}
Tensor Tensor::flatten(int64_t first, int64_t last, Site site) const {
  return make({"flatten", {node}, {{"first", first}, {"last", last}}}, site);
}
Tensor Tensor::squeeze(int64_t axis, Site site) const {
  return make({"squeeze", {node}, {{"axes", Shape{axis}}}}, site);
}
Tensor Tensor::unsqueeze(int64_t axis, Site site) const {
  return make({"unsqueeze", {node}, {{"axes", Shape{axis}}}}, site);
}
Tensor Tensor::flip(Shape axes, Site site) const { return make({"flip", {node}, {{"axes", std::move(axes)}}}, site); }
Tensor Tensor::pad(Shape low, Shape high, Site site) const {
  return make({"pad", {node}, {{"low", std::move(low)}, {"high", std::move(high)}}}, site);
}
Tensor Tensor::shrink(Shape begin, Shape end, Site site) const {
  return make({"shrink", {node}, {{"begin", std::move(begin)}, {"end", std::move(end)}}}, site);
}
Tensor Tensor::take(const Tensor &indices, int64_t axis, Site site) const {
  return make({"take", {node, indices.node}, {{"axis", axis}}}, site);
}
Tensor Tensor::take_along(const Tensor &indices, int64_t axis, Site site) const {
  return make({"take_along", {node, indices.node}, {{"axis", axis}}}, site);
}
Tensor Tensor::cat(const std::vector<Tensor> &tensors, int64_t axis, Site site) {
  return join("concat", tensors, axis, site);
}
Tensor Tensor::stack(const std::vector<Tensor> &tensors, int64_t axis, Site site) {
  return join("stack", tensors, axis, site);
}

//===--- Products and windows -------------------------------------------------------------------------------------===//

Tensor Tensor::matmul(const Tensor &other, Site site) const { return make({"matmul", {node, other.node}}, site); }
Tensor Tensor::linear(const Tensor &weight, const Tensor *bias, Site site) const {
  Call call = {"linear", {node, weight.node}};
  if (bias)
    call.operands.push_back(bias->node);
  return make(call, site);
}
Tensor Tensor::conv(const Tensor &weight, const Tensor *bias, const Window &window, Site site) const {
  Call call = {"conv", {node, weight.node}};
  if (bias)
    call.operands.push_back(bias->node);
  addWindow(call, window);
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
Tensor Tensor::avg_pool(Shape kernel, const Window &window, Site site) const {
  Call call = {"avg_pool", {node}, {{"kernel", kernel}, {"count_include_pad", true}}};
  Window strided = window;
  strided.strides = window.strides.empty() ? kernel : window.strides;
  addWindow(call, strided);
  return make(call, site);
}

//===--- Gradients and values -------------------------------------------------------------------------------------===//

std::vector<Tensor> Tensor::gradient(const std::vector<Tensor> &targets, Site site) const {
  std::vector<NodePtr> nodes;
  nodes.reserve(targets.size());
  for (const Tensor &target : targets)
    nodes.push_back(target.node);
  std::vector<Tensor> gradients;
  for (NodePtr &gradient : ::take(differentiate(node, nodes, site), site))
    gradients.emplace_back(std::move(gradient));
  return gradients;
}
Tensor Tensor::detach(Site site) const { return unary("detach", *this, site); }

void Tensor::realize(const std::vector<Tensor> &tensors, Site site) {
  std::vector<NodePtr> nodes;
  nodes.reserve(tensors.size());
  for (const Tensor &tensor : tensors)
    nodes.push_back(tensor.node);
  if (Failure failure = frontend::realize(nodes))
    raise(failure.message, site);
}
const Tensor &Tensor::realize(Site site) const {
  realize({*this}, site);
  return *this;
}
bool Tensor::is_realized() const { return getData(*node) != nullptr; }
const HostTensor &Tensor::data(Site site) const {
  realize(site);
  return *getData(*node);
}
double Tensor::item(Site site) const {
  if (numel() != 1)
    raise("expects a tensor of one element, got " + formatType(dtype(), shape().data(), shape().size()), site);
  return data(site).getNumber(0);
}
std::string Tensor::graph() const { return ::take(print(node, "tensor"), {}); }
std::string Tensor::lowered(const std::string &level, Site site) const { return ::take(print(node, level), site); }

size_t tiny::countCompiledGraphs() { return countCompiled(); }
