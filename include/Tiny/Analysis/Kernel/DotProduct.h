// Reductions that are sums of products of bytes, of which devices compute four in one instruction.
#ifndef TINY_ANALYSIS_KERNEL_DOTPRODUCT_H
#define TINY_ANALYSIS_KERNEL_DOTPRODUCT_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// Points of a range of kind dot: the bytes of each factor that are multiplied for one sum.
inline constexpr int64_t kDotPoints = 4;

/// A sum over `x * y`, where both factors are bytes that are widened to the sum's 32 bits.
struct DotProduct {
  struct Factor {
    mlir::Value bytes;
    bool isUnsigned = false;
  };
  ReduceOp reduce;
  Factor left, right;
  /// The product, and the casts in front of it: they are no operations of their own on the device.
  llvm::SmallVector<mlir::Operation *, 3> inside;
};

/// The product of bytes that the reduction sums up. None where it is not one, with the reason.
std::optional<DotProduct> matchDotProduct(ReduceOp reduce, std::string &reason);

/// Why the reduced axis, or its innermost part, cannot be one of kind dot; empty where it can. What is reduced over it
/// must be sums of products of bytes, of which loads move along it by one.
std::string whyNotDot(RangeOp axis);

/// Whether the machine has an instruction for each of the products of bytes that are summed up over the axis.
bool hasInstructions(RangeOp axis, const cost::Machine &machine);

} // namespace tiny::kernel

#endif // TINY_ANALYSIS_KERNEL_DOTPRODUCT_H
