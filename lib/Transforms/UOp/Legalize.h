// The parts of uop-legalize.
#ifndef TINY_LIB_TRANSFORMS_UOP_LEGALIZE_H
#define TINY_LIB_TRANSFORMS_UOP_LEGALIZE_H

#include "Tiny/Dialect/UOp/UOp.h"

namespace tiny::uop {

/// Replaces division and modulo that round down or up, and stated bounds, after it has used what they say.
mlir::LogicalResult expandDivisions(FuncOp func);

/// Replaces fused multiply-adds that may be contracted, or reports the first that may not.
mlir::LogicalResult expandFma(FuncOp func);

/// Cuts vectors to at most `maxBits` bits; reports the first operation that cannot be cut.
mlir::LogicalResult splitVectors(FuncOp func, int64_t maxBits);

} // namespace tiny::uop

#endif // TINY_LIB_TRANSFORMS_UOP_LEGALIZE_H
