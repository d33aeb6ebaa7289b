// Sums relative to the running maximum of blocks.
#ifndef TINY_LIB_SCHEDULE_STEPS_RUNNINGMAXIMUM_H
#define TINY_LIB_SCHEDULE_STEPS_RUNNINGMAXIMUM_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// Exponentials 2^(scale (x - m)) of a reduction to a maximum m and sums relative to it.
struct RunningExponential {
  double scale;
  /// No element can be a number so large that rounding its product with the scale matters.
  bool isSmall;
};

/// None where a block's sums cannot be relative to the maximum of all elements up to its end. `correction`: what the
/// combiner multiplies an element's sums by.
std::optional<RunningExponential> findRunningExponential(ReduceOp reduce, mlir::Value correction);

/// 2^(scale (x - m)) for an element and a maximum that is not less.
mlir::Value createRunningExponential(mlir::OpBuilder &builder, mlir::Location loc, RunningExponential exponential,
                                     mlir::Value element, mlir::Value maximum);

/// Lets the reduction combine blocks, in order, whose sums are relative to the maximum up to their end.
void combineRunning(mlir::RewriterBase &rewriter, ReduceOp reduce, RunningExponential exponential);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_STEPS_RUNNINGMAXIMUM_H
