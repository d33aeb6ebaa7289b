// Concatenations, as the kernels that store them see them: part by part.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_CONCATENATIONS_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_CONCATENATIONS_H

#include "Domains.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"

namespace tiny::lazy {

/// A part of what a kernel stores, in loops of its own.
struct Slice {
  int64_t begin, end;
  Domains::Id domain;
  int64_t axis = 0; ///< that of all slices, at the first
};

/// The slices of what falls into parts, by the node that is stored.
using StoredSlices = std::map<unsigned, llvm::SmallVector<Slice, 2>>;

/// By node, what selects by a threshold, or computes each element from such values: a concatenation, and what goes on
/// with it.
std::vector<bool> findSelections(const LazyGraph &graph);

/// Whether `user`, evaluated over a domain, reads this operand there: not if it selects between parts and this is in
/// another one.
bool readsOver(const Domains &domains, mlir::Operation *user, mlir::Value operand, Domains::Id id);

/// Whether `value`, wanted over the domain `use`, is one of `slices`, its elements in order.
bool isWholePart(const Domains &domains, llvm::ArrayRef<Slice> slices, mlir::Value value, Domains::Id use);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_CONCATENATIONS_H
