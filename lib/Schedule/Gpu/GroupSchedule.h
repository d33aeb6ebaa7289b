// A schedule for GPUs in which the lanes of a workgroup reduce together.
#ifndef TINY_LIB_SCHEDULE_GPU_GROUPSCHEDULE_H
#define TINY_LIB_SCHEDULE_GPU_GROUPSCHEDULE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans a workgroup for each point of the axes that everything in the kernel has in common, with so many lanes along
/// one reduced axis of each reduction and one other axis of each store. Whether every step was taken; where not, the
/// plan is of no use. With `hasVectors` a lane takes as many neighbours as it can move at once, of one axis at least.
/// With `holds` lanes keep in registers what several passes read.
bool scheduleGroups(SchedulePlan &plan, const cost::Machine &target, int64_t lanes, bool hasVectors,
                    bool holds = false);

/// Plans one workgroup whose lanes lie along an axis of each store, where stores have no axis in common. Whether every
/// step was taken.
bool scheduleApart(SchedulePlan &plan, const cost::Machine &target, int64_t lanes);

/// Plans workgroups for columns of a single reduction: lanes along columns next to each other, each of them `blocks`
/// times for a part of the reduced axis, and one sum of the parts in the end. Whether every step was taken.
bool scheduleColumns(SchedulePlan &plan, const cost::Machine &target, int64_t columns, int64_t blocks);

/// Numbers of lanes of a workgroup to choose from, the fewest first: whole subgroups.
llvm::SmallVector<int64_t> listGroupLanes(const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_GROUPSCHEDULE_H
