// Where a kernel's hardware axes and tiles lie: what makes its `kernel.entry`, and what conversions lower by.
#ifndef TINY_DIALECT_UOP_ENTRY_H
#define TINY_DIALECT_UOP_ENTRY_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/UOp/UOp.h"

namespace tiny::uop {

/// The kernel's hardware axes in its grid: `global dim(d)` is axis d, `thread dim(d)` the first axis that is free.
struct GridPlan {
  kernel::Extents grid = kernel::kSinglePoint, workgroup = kernel::kSinglePoint;
  /// Grid axes in use: the first ones.
  unsigned nAxes = 0;
  /// The grid axis of each `uop.special` that is no local axis.
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
};

/// Reports where two `uop.special` of one axis differ in their extent, and where there are more axes than a grid has.
mlir::FailureOr<GridPlan> planGrid(FuncOp func);

/// A tile begins at a cache line.
constexpr int64_t kTileAlignment = 64;

/// Of one number in memory: i1 takes a byte, index 8.
int64_t getElementBytes(mlir::Type element);

/// Bytes that the tile of a `uop.local` or a `uop.register` takes, with what aligns the next.
int64_t getTileBytes(mlir::MemRefType tile);

/// Bytes of all `uop.local` of the kernel, which lie one after the other. Reports elements without a size, and 2^62
/// bytes or more.
mlir::FailureOr<int64_t> getScratchBytes(FuncOp func);

/// The kernel's `kernel.entry`, checked against its axes and tiles. Reports where there is none, or another one.
mlir::FailureOr<kernel::EntryAttr> getCheckedEntry(FuncOp func, const GridPlan &grid);

/// What the copy is told of its matrix and its box: one of the maps that the entry lists.
kernel::TensorMapAttr getTensorMap(CopyBulkOp copy);

} // namespace tiny::uop

#endif // TINY_DIALECT_UOP_ENTRY_H
