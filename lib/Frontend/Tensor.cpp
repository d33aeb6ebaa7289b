// The public functions: they describe operations to the graph, and throw what it says is wrong.
#include "Tiny/Frontend/Tensor.h"

#include "Calls.h"

#include <cmath>
#include <cstring>
#include <set>

using namespace tiny;
using namespace tiny::frontend;

namespace {

HostTensor makeHost(const std::vector<float> &elements, Shape shape) {
  HostTensor tensor = HostTensor::zeros(TINY_DTYPE_F32, std::move(shape));
  if (!elements.empty())
    std::memcpy(tensor.bytes.data(), elements.data(), elements.size() * sizeof(float));
  return tensor;
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
  Tensor number(takeOrRaise(makeNumber(value, dtype, site), site));
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

//===--- Gradients and values -------------------------------------------------------------------------------------===//

std::vector<Tensor> Tensor::gradient(const std::vector<Tensor> &targets, Site site) const {
  std::vector<NodePtr> nodes;
  nodes.reserve(targets.size());
  for (const Tensor &target : targets)
    nodes.push_back(target.node);
  std::vector<Tensor> gradients;
  for (NodePtr &gradient : takeOrRaise(differentiate(node, nodes, site), site))
    gradients.emplace_back(std::move(gradient));
  return gradients;
}
Tensor Tensor::detach(Site site) const { return make({"detach", {node}}, site); }

static void checkGrid(const Grid &grid, Site site) {
  constexpr int64_t kMostRanks = 1 << 20;
  if (isTracing())
    raise("expects a function without sizes: programs over sizes run on one rank", site);
  int64_t ranks = 1;
  for (int64_t size : grid.shape) {
    if (size < 1 || size > kMostRanks || (ranks *= size) > kMostRanks)
      raise("expects a grid of 1 to 2^20 ranks, got a size of " + std::to_string(size), site);
  }
}

Tensor Tensor::shard(const Grid &grid, const std::vector<std::optional<int64_t>> &axes, Site site) const {
  checkGrid(grid, site);
  if (grid.shape.empty() || axes.size() != grid.shape.size())
    raise("expects an axis, or none, for each of the grid's " + std::to_string(grid.shape.size()) + ", got " +
              std::to_string(axes.size()),
          site);
  Shape cuts;
  for (const std::optional<int64_t> &axis : axes)
    cuts.push_back(axis ? checkAxis(*axis, dim(), site) : -1);
  return Tensor(annotate(node, grid, cuts, site));
}

Tensor Tensor::stage(const Grid &grid, int64_t axis, int64_t from, int64_t to, Site site) const {
  checkGrid(grid, site);
  int64_t axes = static_cast<int64_t>(grid.shape.size()) - grid.hasMicrobatches;
  if (axis < 0 || axis >= axes)
    raise("expects one of the grid's " + std::to_string(std::max<int64_t>(axes, 0)) + " axes of ranks, got " +
              std::to_string(axis),
          site);
  for (int64_t place : {to, from})
    if (place < 0 || place >= grid.shape[axis])
      raise("expects one of " + std::to_string(grid.shape[axis]) + " stages, counted from 0, got " +
                std::to_string(place),
            site);
  if (from == to)
    raise("expects two stages, got " + std::to_string(from) + " twice", site);
  return Tensor(sendTo(node, grid, axis, from, to, site));
}

void Tensor::realize(const std::vector<Tensor> &tensors, Site site) {
  // There are no values yet.
  if (isTracing())
    return;
  std::vector<NodePtr> nodes, states = takeStates();
  std::set<NodePtr> isState(states.begin(), states.end());
  nodes.reserve(tensors.size() + states.size());
  for (const Tensor &tensor : tensors)
    if (!isState.count(tensor.node))
      nodes.push_back(tensor.node);
  size_t asked = nodes.size();
  nodes.insert(nodes.end(), states.begin(), states.end());
  if (Failure failure = frontend::realize(nodes, asked))
    raise(failure.message, site);
}
const Tensor &Tensor::realize(Site site) const {
  realize({*this}, site);
  return *this;
}
bool Tensor::is_realized() const { return getData(*node) != nullptr; }
static void checkReadable(Site site) {
  if (isCapturing())
    raise("a value cannot be read while jit captures the function: what is read would stay as it is now. Return "
          "the tensor, and read it outside; where() chooses between tensors",
          site);
  if (isTracing())
    raise("a value cannot be read in a function over sizes, which is traced without values", site);
}
const HostTensor &Tensor::data(Site site) const {
  checkReadable(site);
  realize(site);
  return *getData(*node);
}
const HostTensor &frontend::peek(const Tensor &tensor, Site site) {
  checkReadable(site);
  if (Failure failure = frontend::realize({tensor.getNode()}))
    raise(failure.message, site);
  return *getData(*tensor.getNode());
}
double Tensor::item(Site site) const {
  if (numel() != 1)
    raise("expects a tensor of one element, got " + formatType(dtype(), shape().data(), shape().size()), site);
  return data(site).getNumber(0);
}
void Tensor::assign(const Tensor &value, Site site) {
  if (value.shape() != shape() || value.dtype() != dtype())
    raise("expects a value of " + formatType(dtype(), shape().data(), shape().size()) + ", got " +
              formatType(value.dtype(), value.shape().data(), value.shape().size()),
          site);
  // What is traced is a function of its arguments.
  if (!isTracing() && value.node != node && !value.is_realized())
    keepUp(value, node);
  noteAssigned(node, value.node);
  node = value.node;
}
Tensor Tensor::like(const Operand &operand, const Tensor &other, Site site) {
  return Tensor(getOperand(operand, other, site));
}
std::string Tensor::schedule(Site site) const { return lowered("kernel", "", site); }
std::string Tensor::graph() const { return takeOrRaise(print(node, "tensor"), {}); }
std::string Tensor::lowered(const std::string &level, const std::string &target, Site site) const {
  return takeOrRaise(print(node, level, target), site);
}

std::vector<Tensor> tiny::checkpoint(const std::vector<Tensor> &values, const std::vector<Tensor> &begins, Site site) {
  if (begins.empty())
    raise("expects tensors that the values are computed from", site);
  // Data, of which the compiler knows no value: else what is computed again would be found to be known.
  static const auto *always = [] {
    HostTensor yes = HostTensor::zeros(TINY_DTYPE_I1, {});
    *yes.bytes.data() = 1;
    return new Tensor(std::move(yes));
  }();
  std::vector<Tensor> results;
  for (const Tensor &value : values) {
    Call call = {"checkpoint", {value.getNode()}};
    for (const Tensor &begin : begins)
      call.operands.push_back(begin.getNode());
    call.operands.push_back(always->getNode());
    results.push_back(make(call, site));
  }
  return results;
}

void tiny::setDevice(const std::string &name, Site site) {
  if (Failure failure = frontend::setDevice(name))
    raise(failure.message, site);
}
void tiny::setReporting(bool isOn) { frontend::setReporting(isOn); }
void tiny::setInterruptible(bool isOn) { frontend::setInterruptible(isOn); }
ProcessRank tiny::findProcessRank(Site site) {
  auto [rank, count] = takeOrRaise(frontend::findRank(), site);
  return {rank, count};
}
const char *tiny::guardProcessRank(const std::string &name) { return frontend::guardRank(name); }
size_t tiny::countCompiledGraphs() { return countCompiled(); }
