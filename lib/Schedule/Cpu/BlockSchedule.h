// The default schedule of reductions relative to a running maximum: attention.
#ifndef TINY_LIB_SCHEDULE_CPU_BLOCKSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_BLOCKSCHEDULE_H

#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans a reduction in blocks, with lanes along each block, several rows side by side, and the whole tile of
/// accumulators, whose axes are `tile`. Packs what is read across the lanes. False, with an empty plan, if the kernel
/// has no such reduction.
bool scheduleBlocks(SchedulePlan &plan, llvm::ArrayRef<RangeOp> tile, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_BLOCKSCHEDULE_H
