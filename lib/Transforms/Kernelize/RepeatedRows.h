// Rows that several passes want: what one pass may keep for the others.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_REPEATEDROWS_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_REPEATEDROWS_H

#include "Domains.h"
#include "FusionHints.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Algebra/Cost/CostModel.h"

namespace tiny::lazy {

/// The row that each pass wants of the value of `op`, if it fits into fast memory and lies as lanes want it.
std::optional<Domains::Row> findKeptRow(mlir::Operation *op, const Wanted &wanted, const Domains &domains,
                                        const cost::CostModel &costs);

/// The row that several passes compute of node `k`, if it fits into fast memory, and if computing it again, or else
/// reading it there, costs less than a buffer.
std::optional<Domains::Row> findRepeatedRow(const LazyGraph &graph, unsigned k, const Wanted &wanted,
                                            const Domains &domains, const FusionHints &hints,
                                            const cost::CostModel &costs);

/// Whether a reduction whose result `k` reads along its rows would run again if `k` were computed where it is wanted:
/// it would be stored in its place. `isReduced` says which nodes need a reduction of their kernel.
bool wantsReductionAgain(const LazyGraph &graph, unsigned k, const std::vector<bool> &isReduced, const Wanted &wanted,
                         const Domains &domains);

/// Whether an element of `k` is computed by a function of elements at its place, without those that `isRead` holds for.
bool takesFunction(const LazyGraph &graph, unsigned k, llvm::function_ref<bool(unsigned)> isRead);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_REPEATEDROWS_H
