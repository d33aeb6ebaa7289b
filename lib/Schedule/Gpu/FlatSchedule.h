// The default schedule on a GPU: each lane computes points of the output alone.
#ifndef TINY_LIB_SCHEDULE_GPU_FLATSCHEDULE_H
#define TINY_LIB_SCHEDULE_GPU_FLATSCHEDULE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans workgroups and lanes along the free axes that everything in the kernel has in common: every store, reduction
/// and tile. Reductions loop in a lane. Other free axes loop in a lane, too, so that nothing is computed twice.
/// With `repeats` other free axes are lanes, too, which compute such things again. `mostLanes`: of a workgroup, unless
/// the device has fewer. With `hasVectors` a lane computes as many neighbours as it can move at once; whether there are
/// any.
bool scheduleFlat(SchedulePlan &plan, const cost::Machine &target, int64_t mostLanes, bool hasVectors,
                  bool repeats = false);

/// Plans lanes that each compute neighbours along the axis that stores walk along, in so many rows, and what short
/// reductions need for them at once: what two of them load is loaded once. `mostLanes`: of a workgroup. Whether there
/// are such axes.
bool scheduleNeighbours(SchedulePlan &plan, const cost::Machine &target, int64_t mostLanes, int64_t rows);

/// Plans lanes that each move a block of neighbours along two axes: the one that stores walk along, and another one
/// that a load walks along. A workgroup has `columns` lanes along the first and `rows` along the second. Whether there
/// are two such axes.
bool scheduleTurned(SchedulePlan &plan, const cost::Machine &target, int64_t rows, int64_t columns);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_FLATSCHEDULE_H
