// What one rank's program takes, by the facts of the record.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_STEPCOST_H
#define TINY_LIB_TRANSFORMS_TENSOR_STEPCOST_H

#include "Tiny/Algebra/Cost/Machine.h"
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

/// Of a function that `tensor-partition` made, on a grid of ranks.
StepCost predictStep(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> grid, const cost::Machine &machine);

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_STEPCOST_H
