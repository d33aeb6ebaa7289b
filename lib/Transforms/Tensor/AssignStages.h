// A program's stages, by where its weights are.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_ASSIGNSTAGES_H
#define TINY_LIB_TRANSFORMS_TENSOR_ASSIGNSTAGES_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace tiny::tensor {

/// The arguments and constants that products read as they are, by predicted nanoseconds of these, in the order of the
/// first one.
llvm::MapVector<mlir::Value, double> findWeights(mlir::func::FuncOp function, const cost::Machine &machine);

/// Puts `tiny.stage` where values go from one of `count` stages along an axis of the grid to another. False where the
/// program has too few weights, or nothing to send: then there is no such pipeline, and the function may be half done.
bool assignStages(mlir::func::FuncOp function, llvm::StringRef grid, int64_t axis, int64_t count,
                  const cost::Machine &machine);

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_ASSIGNSTAGES_H
