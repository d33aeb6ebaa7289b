// The one place that weighs recomputation against memory traffic.
#ifndef TINY_TRANSFORMS_LAZY_COSTMODEL_H
#define TINY_TRANSFORMS_LAZY_COSTMODEL_H

#include "mlir/IR/Operation.h"

namespace tiny::lazy {

/// The unit is one cheap scalar operation, an addition.
struct CostModel {
  /// A launch costs as much as this much arithmetic: some ten microseconds.
  double launch = 65536;
  /// Moving one byte between memory and the core.
  double byteMoved = 2;
  /// A value is computed in at most so many places; one that more want gets a buffer.
  unsigned maxCopies = 4;
  /// One kernel has at most so many reductions: each is a loop of its own and runs what it reads once more, so a chain
  /// of them in one kernel grows with its square.
  size_t maxReductions = 16;
  /// Two reductions over different spaces share a kernel if one of them combines at most so many elements.
  double smallReduction = 16384;

  /// A reduction may run inside another if it combines at most so many elements in all: what running them side by side
  /// would gain is less than a launch.
  double nestedReduction = 32768;

  /// A kernel that stores the result of an elementwise operation may do so much recomputation per element besides: less
  /// than moving the element costs, and, however many values are recomputed, a bound on the kernel's operations.
  double hiddenPerElement = 2;

  /// A reduction that runs before the rest of its kernel must leave at least so many rows to run side by side, unless
  /// all that it does is less than a launch.
  double minRows = 8;

  /// Whether a reduction may run once per row, in the loops over the rows, before what needs it there.
  bool prefersRows(double rows, double elements) const { return rows >= minRows || elements <= launch; }

  /// Of one element: 0 for what is free in a load (casts), 1 for an addition, more for divisions and functions.
  static double weight(mlir::Operation *op);

  /// Whether to compute an elementwise value where it is used: `elements` of it with `bytes` in all would be evaluated
  /// `evaluations` times at `weight` each, instead of once, stored and read back.
  bool prefersRecomputation(double elements, double bytes, double evaluations, double weight) const {
    double extra = (evaluations - elements) * weight;
    double saved = launch + 2 * bytes * byteMoved;
    return extra <= saved;
  }
};

} // namespace tiny::lazy

#endif // TINY_TRANSFORMS_LAZY_COSTMODEL_H
