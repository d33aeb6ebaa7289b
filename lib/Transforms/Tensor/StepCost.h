// What one rank's program takes, by the facts of the record.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_STEPCOST_H
#define TINY_LIB_TRANSFORMS_TENSOR_STEPCOST_H

#include "Tiny/Algebra/Cost/Network.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tiny::tensor {

struct StepCost {
  /// Nanoseconds of kernels and of exchanges, one after the other.
  int64_t kernels = 0, exchanges = 0;
  /// Bytes that a rank sends, and bytes that it holds at most: arguments, and values from where they are computed to
  /// their last reader, as if each had a buffer.
  int64_t sent = 0, memory = 0;

  int64_t getTime() const { return kernels + exchanges; }
};

/// Nanoseconds of an operation on one rank's tensors.
int64_t predictKernel(mlir::Operation *op, const cost::Machine &machine);

/// Nanoseconds of an exchange along axes of the grid; see Algebra/Cost/Network.h.
int64_t predictExchange(cost::Exchange kind, int64_t bytes, llvm::ArrayRef<int16_t> axes, llvm::ArrayRef<int64_t> grid,
                        const cost::Machine &machine);

/// Bytes of a tensor; 0 where they are not known.
int64_t countBytes(mlir::Type type);

/// Of a function that `tensor-partition` made, on a grid of ranks.
StepCost predictStep(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> grid, const cost::Machine &machine);

/// The same of one whose ranks are stages along `axis`: kernels of the stage that has most of them, the time that it
/// waits for others among its exchanges, and the memory of the stage that holds most.
StepCost predictPipeline(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> grid, int64_t axis,
                         const cost::Machine &machine);

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_STEPCOST_H
