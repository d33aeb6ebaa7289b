// Which upcast ranges become vector lanes.
#ifndef TINY_LIB_CONVERSION_KERNELTOUOP_VECTORAXIS_H
#define TINY_LIB_CONVERSION_KERNELTOUOP_VECTORAXIS_H

#include "LoopNest.h"

namespace tiny::kernel_to_uop {

/// True for a scalar type that may be a lane of an upstream vector.
bool isLaneType(mlir::Type type);

/// True for an operation that does to each lane of vectors what it does to scalars.
bool isLanewise(mlir::Operation *op);

/// Accesses whose lanes are no neighbours in memory, and how many elements lie from one to the next, forwards or
/// backwards (see `kernel::LaneAccess`); or 0 where each lane has an index of its own, as all such stores have.
using LaneDistances = llvm::DenseMap<mlir::Operation *, int64_t>;

/// The axes to make lanes. Each is an upcast axis of two to `maxLanes` points; every index that depends on it advances
/// by one element with it (loads may also stay where they are) or is that of an access among `distances`, and a stage
/// that is over it has it last; everything that depends on it works on lanes; and a reduce over it has a kind and may
/// combine in any order. No operation depends on two of them: of two that meet, the one is taken for which fewer
/// accesses have an index for each lane; then the one that more accesses advance with; then the inner one.
mlir::SmallVector<unsigned> chooseLaneAxes(mlir::ArrayRef<mlir::Operation *> order, const LoopNest &nest,
                                           const kernel::RangeSets &sets, int64_t maxLanes, LaneDistances &distances);

} // namespace tiny::kernel_to_uop

#endif // TINY_LIB_CONVERSION_KERNELTOUOP_VECTORAXIS_H
