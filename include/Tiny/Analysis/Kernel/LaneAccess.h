// How the elements lie that neighbouring points of an axis access, and whether lanes of vectors may reach them.
#ifndef TINY_ANALYSIS_KERNEL_LANEACCESS_H
#define TINY_ANALYSIS_KERNEL_LANEACCESS_H

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// Whether the value is computed from a function (`target::isFunction`), down to loads and other kernel operations.
/// With `among`, only functions among those values count.
bool takesFunction(mlir::Value value, const llvm::DenseSet<mlir::Value> *among = nullptr);

/// Whether `uop-expand-math` expands the operation into a loop.
bool isLoopingFunction(mlir::Operation *op);

/// Judges the accesses of one kernel for lanes along one axis.
class LaneAccess {
public:
  explicit LaneAccess(RangeOp axis);

  /// The distance from one lane's element to the next lane's, in elements, if vector loads or stores of neighbours
  /// serve the access: 0 if the access does not move, else up to 4 forwards or backwards. A load drops the elements
  /// between its lanes. What varies over a range of kind dot has lanes of all its bytes, which must be neighbours.
  std::optional<int64_t> getDistance(LoadOp load);
  std::optional<int64_t> getDistance(StoreOp store);
  /// The range of this kind whose points lie between neighbouring lanes of the store: it moves by one element, and has
  /// as many points as there are elements from one lane to the next, two to `cost::kMostInterleaved`. Copies along it
  /// and the lanes interleave to whole vectors. Null where there is none.
  RangeOp findInterleaved(StoreOp store, AxisKind kind);
  bool dependsOnAxis(mlir::Value value) { return strides.dependsOnAxis(value); }
  bool isOfDots(LoadOp load) const { return dots.contains(load.getResult()); }

  /// Whether it pays to load or store lanes one by one: to evaluate a function for all of them at once, or to combine
  /// them in several accumulators.
  bool mayGather() const { return hasFunctions || hasReductions; }

  /// Whether machines have instructions that pick elements of this type out of a vector, or gather them.
  static bool isWord(mlir::Type type);

private:
  AccessStride strides;
  /// What varies over ranges of kind dot.
  llvm::DenseSet<mlir::Value> dots;
  bool hasFunctions = false, hasReductions = false;
};

} // namespace tiny::kernel

#endif // TINY_ANALYSIS_KERNEL_LANEACCESS_H
