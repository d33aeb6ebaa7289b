// Where a stored value is put together from parts.
#ifndef TINY_LIB_CONVERSION_LAZYTOKERNEL_PARTS_H
#define TINY_LIB_CONVERSION_LAZYTOKERNEL_PARTS_H

#include "Tiny/Dialect/Lazy/Lazy.h"

namespace tiny {

/// A selection between what stands before index `bound` along `axis` and what stands from there on: how a concatenation
/// looks on this level.
struct Threshold {
  int64_t axis, bound;
};

/// The threshold that an i1 value is: `lazy.iota < bound`.
std::optional<Threshold> getThreshold(mlir::Value condition);

/// A value that is selected by thresholds along one axis, itself or below operations on each element: the part that
/// begins at begins[k] ends before begins[k + 1], the last one at the end. One part where it is not so.
struct Parts {
  int64_t axis = 0;
  llvm::SmallVector<int64_t> begins = {0};
};
Parts findParts(mlir::Value stored);

} // namespace tiny

#endif // TINY_LIB_CONVERSION_LAZYTOKERNEL_PARTS_H
