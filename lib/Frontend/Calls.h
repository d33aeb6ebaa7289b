// What the public functions share: they describe a call to the graph, and throw what it says is wrong.
#ifndef TINY_LIB_FRONTEND_CALLS_H
#define TINY_LIB_FRONTEND_CALLS_H

#include "Graph.h"

#include <optional>

namespace tiny::frontend {

[[noreturn]] void raise(const std::string &message, Site site);

template <typename T> T takeOrRaise(Result<T> result, Site site) {
  if (!result)
    raise(result.message(), site);
  return std::move(*result);
}

std::vector<NodePtr> getNodes(const std::vector<Tensor> &tensors);
std::vector<Tensor> getTensors(std::vector<NodePtr> nodes);

/// The one result of an operation.
Tensor make(const Call &call, Site site);
/// The results of an ONNX operator.
std::vector<Tensor> makeOnnx(const Composition &call, Site site);
/// What a number is beside a tensor: part of the program, not data; what is counted with, not a truth value.
struct NumberRule {
  bool isConstant = false, isCounted = false;
};
/// The tensor, or the number in the other operand's element type; a fraction beside integers is f32, a number beside
/// truth values i64 unless it is one of them.
NodePtr getOperand(const Operand &operand, const Operand &other, Site site, NumberRule rule = {});
/// The element type of the thread's `Autocast`; none without one.
std::optional<tiny_dtype> &getAutocast();
/// The tensor as a product takes it: of f32 in that type.
Tensor toProduct(const Tensor &tensor, Site site);
/// Refuses sizes that are none, or more elements than can be counted.
void checkShape(const Shape &shape, tiny_dtype dtype, Site site);
/// Names which modules do not train: what is captured in one mode is another function in another.
std::string nameModes();
/// Realises a tensor with whatever is realised next: state that changes on the way, such as running statistics. It
/// takes the place of `old`, which then is wanted for what is computed from it alone.
void keepUp(const Tensor &state, const NodePtr &old = nullptr);
/// What `keepUp` was told of since, and is still wanted.
std::vector<NodePtr> takeStates();
/// The elements, realised without state that waits: a read on the way to a tensor is not the user's.
const HostTensor &peek(const Tensor &tensor, Site site);
/// Refuses indices along an axis that are known and lie outside of it, from its end counted too, unless they choose
/// nothing, since another axis is empty. Indices that are not known and lie outside read zeros.
void checkIndices(const Tensor &indices, int64_t axis, const Shape &shape, Site site);
/// An axis of `rank`, negative ones counted from the end.
int64_t checkAxis(int64_t axis, int64_t rank, Site site);

} // namespace tiny::frontend

#endif // TINY_LIB_FRONTEND_CALLS_H
