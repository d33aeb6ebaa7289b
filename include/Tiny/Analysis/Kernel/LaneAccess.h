// How the elements lie that neighbouring points of an axis access, and whether lanes of vectors may reach them.
#ifndef TINY_ANALYSIS_KERNEL_LANEACCESS_H
#define TINY_ANALYSIS_KERNEL_LANEACCESS_H

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// Whether the operation is a function, some ten times as long as an addition.
bool isFunction(mlir::Operation *op);

/// Whether a function is among what the value takes, down to loads and other operations of kernels; with `among` only
/// of those values.
bool takesFunction(mlir::Value value, const llvm::DenseSet<mlir::Value> *among = nullptr);

/// Whether `uop-expand-math` makes a loop of the operation.
bool isLoopingFunction(mlir::Operation *op);

/// Judges the accesses of one kernel for lanes along one axis.
class LaneAccess {
public:
  explicit LaneAccess(RangeOp axis);

  /// Elements from the place of one lane to that of the next, where one vector of neighbours has them all: 0 where an
  /// access stays where it is, and up to 4 forwards or backwards, of which a load drops what lies between the lanes.
  std::optional<int64_t> getDistance(LoadOp load);
  std::optional<int64_t> getDistance(StoreOp store);
  bool dependsOnAxis(mlir::Value value) { return strides.dependsOnAxis(value); }

  /// Whether lanes are worth it that are loaded or stored one by one: to evaluate a function of all of them at once, or
  /// to combine them in several accumulators.
  bool mayGather() const { return hasFunctions || hasReductions; }

  /// Elements that machines have instructions for, to pick them out of a vector or from places of their own.
  static bool isWord(mlir::Type type);

private:
  AccessStride strides;
  bool hasFunctions = false, hasReductions = false;
};

} // namespace tiny::kernel

#endif // TINY_ANALYSIS_KERNEL_LANEACCESS_H
