// Reductions that are products of matrices, as devices compute them in one instruction.
#ifndef TINY_ANALYSIS_KERNEL_MATRIXPRODUCT_H
#define TINY_ANALYSIS_KERNEL_MATRIXPRODUCT_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// The sum over `x * y`, where both factors are widened from a narrow type, truncated to tf32, or have the type of the
/// sum.
struct MatrixProduct {
  /// The factors as they are before they are widened or truncated.
  mlir::Value left, right;
  /// The product, and what is done to its factors in front of it: no operations of their own on the device.
  llvm::SmallVector<mlir::Operation *, 7> inside;

  /// What the device multiplies: the type of the factors, or tf32 where they are truncated to it.
  mlir::Type factorType;

  mlir::Operation *getProduct() const { return inside.front(); }
  /// The type in which the factors lie in tiles.
  mlir::Type getTileType() const { return left.getType(); }
};

/// The value with the upper 19 bits of each f32, which is what a device reads as tf32: the same range, 10 bits behind
/// the point.
mlir::Value truncateToTf32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// The product that the reduction sums up. None where it is not one, with the reason.
std::optional<MatrixProduct> matchMatrixProduct(ReduceOp reduce, std::string &reason);

} // namespace tiny::kernel

#endif // TINY_ANALYSIS_KERNEL_MATRIXPRODUCT_H
