// Movement: the same elements at other places.
#include "Tiny/Frontend/Tensor.h"

#include "Calls.h"

#include <algorithm>

using namespace tiny;
using namespace tiny::frontend;

namespace {

Tensor join(const char *name, const std::vector<Tensor> &tensors, int64_t axis, Site site) {
  Call call = {name, {}, {{"axis", axis}}};
  for (const Tensor &tensor : tensors)
    call.operands.push_back(tensor.getNode());
  return make(call, site);
}

} // namespace

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
  // -1 keeps the size of an axis that is there.
  int64_t more = int64_t(shape.size()) - dim();
  for (int64_t axis = std::max<int64_t>(more, 0); axis < int64_t(shape.size()); ++axis)
    if (shape[axis] == -1)
      shape[axis] = this->shape()[axis - more];
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
  if (dim() == 0 && first >= -1 && first <= 0 && last >= -1 && last <= 0)
    return reshape({1}, site);
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
  checkIndices(indices, axis, shape(), site);
  return make({"take", {node, indices.node}, {{"axis", axis}}}, site);
}
Tensor Tensor::take_along(const Tensor &indices, int64_t axis, Site site) const {
  checkIndices(indices, axis, shape(), site);
  return make({"take_along", {node, indices.node}, {{"axis", axis}}}, site);
}
Tensor Tensor::cat(const std::vector<Tensor> &tensors, int64_t axis, Site site) {
  return join("concat", tensors, axis, site);
}
Tensor Tensor::stack(const std::vector<Tensor> &tensors, int64_t axis, Site site) {
  return join("stack", tensors, axis, site);
}
