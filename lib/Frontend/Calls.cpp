// How the public functions reach the graph.
#include "Calls.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace tiny::frontend {

void raise(const std::string &message, Site site) {
  std::string place = *site.file ? std::string(site.file) + ":" + std::to_string(site.line) + ": " : "";
  throw Error(place + message);
}

std::vector<NodePtr> getNodes(const std::vector<Tensor> &tensors) {
  std::vector<NodePtr> nodes;
  nodes.reserve(tensors.size());
  for (const Tensor &tensor : tensors)
    nodes.push_back(tensor.getNode());
  return nodes;
}

std::vector<Tensor> getTensors(std::vector<NodePtr> nodes) {
  std::vector<Tensor> tensors;
  tensors.reserve(nodes.size());
  for (NodePtr &node : nodes)
    tensors.emplace_back(std::move(node));
  return tensors;
}

Tensor make(const Call &call, Site site) { return Tensor(takeOrRaise(apply(call, site), site).front()); }

std::vector<Tensor> makeOnnx(const Composition &call, Site site) {
  std::vector<Tensor> results;
  for (NodePtr &node : takeOrRaise(compose(call, site), site))
    results.emplace_back(std::move(node));
  return results;
}

NodePtr getOperand(const Operand &operand, const Operand &other, Site site, NumberRule rule) {
  if (operand.tensor)
    return operand.tensor->getNode();
  tiny_dtype dtype = other.tensor ? other.tensor->dtype() : TINY_DTYPE_F32;
  if (!isFloat(dtype) && operand.number != std::floor(operand.number))
    dtype = TINY_DTYPE_F32;
  else if (dtype == TINY_DTYPE_I1 && (rule.isCounted || (operand.number != 0 && operand.number != 1)))
    dtype = TINY_DTYPE_I64;
  return takeOrRaise(rule.isConstant ? makeConstant(operand.number, {dtype, {}}, site)
                                     : makeNumber(operand.number, dtype, site),
                     site);
}

std::optional<tiny_dtype> &getAutocast() {
  static thread_local std::optional<tiny_dtype> dtype;
  return dtype;
}
Tensor toProduct(const Tensor &tensor, Site site) {
  std::optional<tiny_dtype> wanted = getAutocast();
  return wanted && tensor.dtype() == TINY_DTYPE_F32 && *wanted != TINY_DTYPE_F32 ? tensor.to(*wanted, site) : tensor;
}

void checkShape(const Shape &shape, tiny_dtype dtype, Site site) {
  if (!countElements(shape.data(), shape.size(), tiny_dtype_size(dtype)))
    raise("expects sizes of at least 0 and fewer than 2^62 bytes in all, got " +
              formatType(dtype, shape.data(), shape.size()),
          site);
}

void checkIndices(const Tensor &indices, int64_t axis, const Shape &shape, Site site) {
  int64_t rank = int64_t(shape.size());
  // Another axis, or another type, is refused by the operation.
  if (isFloat(indices.dtype()) || axis < -rank || axis >= rank)
    return;
  axis = axis < 0 ? axis + rank : axis;
  int64_t size = shape[axis];
  if (std::count(shape.begin(), shape.end(), 0) > (size == 0))
    return;
  if (std::optional<int64_t> number = findBeyond(*indices.getNode(), -size, size))
    raise("index " + std::to_string(*number) + " is out of range for axis " + std::to_string(axis) + " of size " +
              std::to_string(size),
          site);
}

int64_t checkAxis(int64_t axis, int64_t rank, Site site) {
  if (axis < -rank || axis >= rank)
    raise("expects an axis in [-" + std::to_string(rank) + ", " + std::to_string(rank) + "), got " +
              std::to_string(axis),
          site);
  return axis < 0 ? axis + rank : axis;
}

namespace {

struct States {
  std::mutex mutex;
  std::vector<std::weak_ptr<Node>> nodes;
};
States &getStates() {
  static auto *states = new States();
  return *states;
}

} // namespace

void keepUp(const Tensor &state, const NodePtr &old) {
  States &states = getStates();
  std::lock_guard<std::mutex> lock(states.mutex);
  if (old)
    states.nodes.erase(std::remove_if(states.nodes.begin(), states.nodes.end(),
                                      [&](const std::weak_ptr<Node> &node) { return node.lock() == old; }),
                       states.nodes.end());
  states.nodes.push_back(state.getNode());
}

std::vector<NodePtr> takeStates() {
  States &states = getStates();
  std::vector<NodePtr> taken;
  std::lock_guard<std::mutex> lock(states.mutex);
  for (const std::weak_ptr<Node> &node : states.nodes)
    if (NodePtr state = node.lock(); state && !getData(*state))
      taken.push_back(std::move(state));
  states.nodes.clear();
  return taken;
}

} // namespace tiny::frontend
