// Which upcast range becomes vector lanes.
#ifndef TINY_LIB_CONVERSION_KERNELTOUOP_VECTORAXIS_H
#define TINY_LIB_CONVERSION_KERNELTOUOP_VECTORAXIS_H

#include "LoopNest.h"

namespace tiny::kernel_to_uop {

/// True for a scalar type that may be a lane of an upstream vector.
bool isLaneType(mlir::Type type);

/// True for an operation that does to each lane of vectors what it does to scalars.
bool isLanewise(mlir::Operation *op);

/// The axis to make lanes, or none. It is an upcast axis of two to `maxLanes` points that no reduce closes; every index
/// that depends on it advances by one element with it (loads may also stay where they are), every store that depends on
/// it advances; and everything that depends on it works on lanes. Of several, the one that most accesses advance with;
/// then the innermost.
std::optional<unsigned> chooseVectorAxis(mlir::ArrayRef<mlir::Operation *> order, const LoopNest &nest,
                                         const kernel::RangeSets &sets, int64_t maxLanes);

} // namespace tiny::kernel_to_uop

#endif // TINY_LIB_CONVERSION_KERNELTOUOP_VECTORAXIS_H
