// Tiles of products in the registers of a workgroup's lanes.
#ifndef TINY_LIB_SCHEDULE_GPU_LANEPRODUCTS_H
#define TINY_LIB_SCHEDULE_GPU_LANEPRODUCTS_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// The best tiles by a bound of their time, the best one first; none where the kernel has no product, or one that the
/// record has an instruction for. `merges`: as of `scheduleMatrices`.
llvm::SmallVector<ProductTile> listLaneTiles(SchedulePlan &plan, const cost::Machine &target, bool merges);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_LANEPRODUCTS_H
