// Sums of products of one kernel: matrix products, batched or not, and convolutions.
#ifndef TINY_LIB_SCHEDULE_CPU_PRODUCTS_H
#define TINY_LIB_SCHEDULE_CPU_PRODUCTS_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// One operand of a product: a load of an argument, and the free axes that it varies over.
struct Operand {
  LoadOp load;
  int64_t argument = -1;
  llvm::SmallVector<int64_t> axes;
};

/// sum over k of a[i, k] * b[k, j], or several such sums in the same loops, as of a gated unit. `a` varies along the
/// rows, `b` along the lanes. An operand that several sums read is listed once.
struct Products {
  mlir::SmallVector<ReduceOp> sums;
  mlir::SmallVector<Operand> a, b;
  /// The axis of the lanes, the axis of the rows, the reduced axes, and the axes that all operands vary over.
  int64_t laneAxis = -1, rowAxis = -1;
  mlir::SmallVector<int64_t> reduced, shared;
  int64_t nLanes = 1, nRows = 1, nReduced = 1, nOthers = 1;
  /// Elements of one `b` along the free axes.
  int64_t sizeB = 1;
  /// The products fill a tile: the axis of the lanes fills it, and the axis of the rows is a loop around it.
  bool isKept = false;

  int64_t getCount() const { return sums.size(); }
  /// Multiplications of one sum.
  double countWork() const { return double(nLanes) * nRows * nReduced * nOthers; }
};

/// The products, if they are all that the kernel reduces, or all that one of its tiles is computed from, which is over
/// one axis: over the same axes, the factors of each along the same free axes as those of all others. None where no
/// axis fits lanes, or there are no rows.
std::optional<Products> findProducts(FuncOp kernel);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_PRODUCTS_H
