// Where a stored value is put together from parts.
#ifndef TINY_DIALECT_LAZY_PARTS_H
#define TINY_DIALECT_LAZY_PARTS_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tiny::lazy {

/// A selection between one value before index `bound` along `axis` and another from there on: a concatenation on this
/// level.
struct Threshold {
  int64_t axis, bound;
};

/// The threshold of an i1 value of the form `lazy.iota < bound`, or none.
std::optional<Threshold> getThreshold(mlir::Value condition);

/// The operand that `op` selects for all indices in [low, high] along its axis, if it is a selection by a threshold and
/// one operand serves them all; else null. `bounds` gives [low, high] for an axis.
mlir::Value choosePart(mlir::Operation *op, llvm::function_ref<std::pair<int64_t, int64_t>(int64_t)> bounds);

/// The parts of a value that is selected by thresholds along one axis, itself or below elementwise operations. Part k
/// covers [begins[k], begins[k + 1]), the last one goes to the end. Of very many parts neighbours are one. Any other
/// value is one part.
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
