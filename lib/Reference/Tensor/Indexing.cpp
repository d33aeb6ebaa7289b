// Elements of `tiny` chosen by data, straight from the definitions.
#include "Array.h"

#include "Tiny/Dialect/Tensor/Tensor.h"

using namespace mlir;

namespace tiny::reference {

/// The place along an axis that an index names, or none outside of it. Below zero it counts from the end.
static std::optional<int64_t> placeOf(const Array &indices, int64_t at, int64_t size) {
  Wide index = indices.wide(at);
  if (index < 0)
    index += size;
  return index >= 0 && index < size ? std::optional(static_cast<int64_t>(index)) : std::nullopt;
}

Known evaluateIndexing(Session &, Operation *op, Operands operands, Array &result) {
  auto gather = dyn_cast<tensor::GatherOp>(op);
  auto take = dyn_cast<tensor::TakeOp>(op);
  auto along = dyn_cast<tensor::TakeAlongOp>(op);
  if (!gather && !take && !along)
    return Known::No;
  const Array &input = *operands[0];
  int64_t rank = input.shape.size();
  int64_t axis = gather ? 0 : static_cast<int64_t>(take ? take.getAxis() : along.getAxis());
  axis += axis < 0 ? rank : 0;
  SmallVector<int64_t> from(rank);
  forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
    bool isInside = true;
    auto choose = [&](int64_t k, const Array &chosen, int64_t element) {
      std::optional<int64_t> place = placeOf(chosen, element, input.shape[k]);
      isInside &= place.has_value();
      from[k] = place.value_or(0);
    };
    if (gather) {
      for (int64_t k = 0; k < rank; ++k)
        choose(k, *operands[k + 1], broadcastIndex(operands[k + 1]->shape, indices));
    } else if (along) {
      from.assign(indices.begin(), indices.end());
      choose(axis, *operands[1], at);
    } else {
      int64_t chosen = operands[1]->shape.size();
      for (int64_t k = 0; k < rank; ++k)
        from[k] = k == axis ? 0 : indices[k < axis ? k : k - 1 + chosen];
      choose(axis, *operands[1], toLinear(operands[1]->shape, indices.slice(axis, chosen)));
    }
    result.values[at] = isInside ? input.values[toLinear(input.shape, from)] : makeInt(0);
  });
  return Known::Yes;
}

} // namespace tiny::reference
