// How far an index moves when one range advances by one.
#ifndef TINY_ANALYSIS_KERNEL_ACCESSSTRIDE_H
#define TINY_ANALYSIS_KERNEL_ACCESSSTRIDE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tiny::kernel {

/// Strides along one axis. An index that is affine in the axis has a constant stride, 0 where the axis does not reach
/// it; any other index has none.
class AccessStride {
public:
  explicit AccessStride(mlir::Value axis) : axis(axis) {}

  std::optional<int64_t> get(mlir::Value index);
  /// True when the value depends on the axis at all, whatever its type.
  bool dependsOnAxis(mlir::Value value);

private:
  std::optional<int64_t> combine(mlir::Operation *op);

  mlir::Value axis;
  llvm::DenseMap<mlir::Value, std::optional<int64_t>> strides;
};

} // namespace tiny::kernel

#endif // TINY_ANALYSIS_KERNEL_ACCESSSTRIDE_H
