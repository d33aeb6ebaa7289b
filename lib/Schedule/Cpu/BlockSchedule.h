// The default schedule of reductions relative to a running maximum: attention.
#ifndef TINY_LIB_SCHEDULE_CPU_BLOCKSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_BLOCKSCHEDULE_H

#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans a reduction over blocks with lanes along them, with several rows and all of its tile of accumulators, the axes
/// `tile`, side by side. What is read across the lanes is packed. False, with an empty plan, where nothing of the kind
/// fits.
bool scheduleBlocks(SchedulePlan &plan, llvm::ArrayRef<RangeOp> tile, const ScheduleTarget &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_BLOCKSCHEDULE_H
