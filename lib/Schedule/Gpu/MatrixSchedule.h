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
/// use.
bool scheduleMatrices(SchedulePlan &plan, const cost::Machine &target, const ProductTile &tile);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_MATRIXSCHEDULE_H
