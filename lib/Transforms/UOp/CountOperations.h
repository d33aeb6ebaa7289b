// What a kernel costs in scalar operations.
#ifndef TINY_LIB_TRANSFORMS_UOP_COUNTOPERATIONS_H
#define TINY_LIB_TRANSFORMS_UOP_COUNTOPERATIONS_H

#include "Tiny/Dialect/UOp/UOp.h"

namespace tiny::uop {

/// Scalar operations on data that one launch runs, as `uop-count-operations` defines them; at most 2^63 - 1. A loop
/// without a constant bound counts once and is given to `onUnknown`.
int64_t countOperations(FuncOp func, llvm::function_ref<void(ForOp)> onUnknown = {});

} // namespace tiny::uop

#endif // TINY_LIB_TRANSFORMS_UOP_COUNTOPERATIONS_H
