// Attention and its like on instructions for matrices: two products with a running maximum between them.
#ifndef TINY_LIB_SCHEDULE_GPU_ONLINESCHEDULE_H
#define TINY_LIB_SCHEDULE_GPU_ONLINESCHEDULE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Tiles of rows, keys and depth that may fit the kernel's two products; none where it has not both.
llvm::SmallVector<ProductTile> listOnlineTiles(FuncOp kernel, const cost::Machine &target);

/// Lets subgroups compute blocks of keys for a tile of rows. Returns whether it fits.
bool scheduleOnline(SchedulePlan &plan, const cost::Machine &target, const ProductTile &tile);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_ONLINESCHEDULE_H
