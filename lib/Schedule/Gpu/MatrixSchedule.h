// A schedule for GPUs in which subgroups multiply matrices by one instruction.
#ifndef TINY_LIB_SCHEDULE_GPU_MATRIXSCHEDULE_H
#define TINY_LIB_SCHEDULE_GPU_MATRIXSCHEDULE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Tiles of a workgroup to choose from, of matrices that the record has an instruction for; none where the kernel has
/// no product of them.
llvm::SmallVector<ProductTile> listProductTiles(FuncOp kernel, const cost::Machine &target);

/// Plans a workgroup for each tile of the kernel's product. Whether every step was taken; where not, the plan is of no
/// use. `merges`: all axes that only one factor varies along become one, and so do all reduced ones; else the longest
/// ones are tiled.
bool scheduleMatrices(SchedulePlan &plan, const cost::Machine &target, const ProductTile &tile, bool merges);

/// The extents of a product that `scheduleMatrices` would tile, and how many of them the kernel computes.
struct ProductSpace {
  double rows = 1, columns = 1, depth = 1, others = 1;
  /// Bytes of an element of a factor.
  double bytes = 4;
  /// The record has an instruction for it.
  bool hasInstruction = false;
};

/// None where the kernel has no product, and where merging changes nothing.
std::optional<ProductSpace> findProductSpace(const SchedulePlan &plan, const cost::Machine &target, bool merges);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_MATRIXSCHEDULE_H
