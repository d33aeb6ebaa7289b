// What a launch may take of a GPU.
#ifndef TINY_DIALECT_UOP_LIMITS_H
#define TINY_DIALECT_UOP_LIMITS_H

#include "Tiny/Dialect/UOp/Entry.h"

namespace tiny::uop {

/// The most that a launch may have.
struct LaunchLimits {
  /// Workgroups of the grid, and lanes of a workgroup, in x, y and z.
  std::array<int64_t, 3> grid, lanes;
  /// Lanes of a workgroup, bytes that it shares, and bytes of one buffer.
  int64_t lanesTogether, shared, bufferBytes;
};

/// Reports what of the kernel's launch does not fit: on the device of its record, where that states a limit, else on
/// any, whose limits are given.
mlir::LogicalResult checkLimits(FuncOp func, kernel::EntryAttr entry, const LaunchLimits &least);

} // namespace tiny::uop

#endif // TINY_DIALECT_UOP_LIMITS_H
