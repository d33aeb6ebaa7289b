// Reductions that are products of matrices, as devices compute them in one instruction.
#ifndef TINY_ANALYSIS_KERNEL_MATRIXPRODUCT_H
#define TINY_ANALYSIS_KERNEL_MATRIXPRODUCT_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// The sum over `x * y`, where both factors are widened from a narrow type, or have that of the sum.
struct MatrixProduct {
  /// The factors as they are before they are widened.
  mlir::Value left, right;
  /// The product, and the casts in front of it: they are no operations of their own on the device.
  llvm::SmallVector<mlir::Operation *, 3> inside;

  mlir::Operation *getProduct() const { return inside.front(); }
  mlir::Type getFactorType() const { return left.getType(); }
};

/// The product that the reduction sums up. None where it is not one, with the reason.
std::optional<MatrixProduct> matchMatrixProduct(ReduceOp reduce, std::string &reason);

} // namespace tiny::kernel

#endif // TINY_ANALYSIS_KERNEL_MATRIXPRODUCT_H
