// Which upcast ranges become vector lanes: conversion makes these, and prediction counts with them.
#ifndef TINY_ANALYSIS_KERNEL_VECTORAXES_H
#define TINY_ANALYSIS_KERNEL_VECTORAXES_H

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "llvm/ADT/DenseMap.h"

namespace tiny::kernel {

/// Most points of an axis that become lanes or copies, unless the conversion is told otherwise.
inline constexpr int64_t kMostPointsWritten = 4096;

/// Accesses whose lanes are no neighbours in memory, and how many elements lie from one to the next, forwards or
/// backwards (see `LaneAccess`); or 0 where each lane has an index of its own. Between the lanes of a store are those
/// of its copies along an unrolled range.
using LaneDistances = llvm::DenseMap<mlir::Operation *, int64_t>;

/// The axes to make lanes. Each is an upcast axis of two to `mostLanes` points; every index that depends on it advances
/// by one element with it (loads may also stay where they are) or is that of an access among `distances`, and a stage
/// that is over it has it last; everything that depends on it works on lanes; and a reduce over it has a kind and may
/// combine in any order. No operation depends on two of them: of two that meet, the one is taken for which fewer
/// accesses have an index for each lane; then the one that more accesses advance with; then the inner one. `order` is
/// the live operations of a kernel by dependence.
llvm::SmallVector<RangeOp> chooseVectorAxes(llvm::ArrayRef<mlir::Operation *> order, RangeSets &sets, int64_t mostLanes,
                                            LaneDistances &distances);

} // namespace tiny::kernel

#endif // TINY_ANALYSIS_KERNEL_VECTORAXES_H
