// Where a stored value is put together from parts.
#ifndef TINY_DIALECT_LAZY_PARTS_H
#define TINY_DIALECT_LAZY_PARTS_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tiny::lazy {

/// A selection between what stands before index `bound` along `axis` and what stands from there on: how a concatenation
/// looks on this level.
struct Threshold {
  int64_t axis, bound;
};

/// The threshold that an i1 value is: `lazy.iota < bound`.
std::optional<Threshold> getThreshold(mlir::Value condition);

/// What `op` selects where its index along an axis is in [low, high]: it is a selection by a threshold there, and one
/// operand for all of them. Null otherwise. `bounds` gives these indices of an axis.
mlir::Value choosePart(mlir::Operation *op, llvm::function_ref<std::pair<int64_t, int64_t>(int64_t)> bounds);

/// A value that is selected by thresholds along one axis, itself or below operations on each element: the part that
/// begins at begins[k] ends before begins[k + 1], the last one at the end. One part where it is not so.
struct Parts {
  int64_t axis = 0;
  llvm::SmallVector<int64_t> begins = {0};

  /// The indices [begin, end) of part `k` of a value of this shape.
  std::pair<int64_t, int64_t> getInterval(size_t k, llvm::ArrayRef<int64_t> shape) const {
    int64_t end = shape.empty() ? 1 : shape[axis];
    return {begins[k], k + 1 < begins.size() ? begins[k + 1] : end};
  }
};
Parts findParts(mlir::Value stored);

} // namespace tiny::lazy

#endif // TINY_DIALECT_LAZY_PARTS_H
